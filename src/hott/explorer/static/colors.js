// The palette of the library's pictures (hott.plots.style): every reader can tell its colours apart.

import { getTopics } from "./api.js";

export const COLORS = [
  "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#793D3D", "#314992", "#9279F3", "#9EB686",
  "#925579", "#9E490C", "#920C6D", "#8661DB", "#3D49C2", "#E77931", "#FF79CE", "#556D49", "#6DAA61", "#9E0C0C",
];
export const GREY = "#8C8C8C";
// Twelve hues around the circle for subjects: each has a contrast of 3 or more with the page, and no two of a theme are alike,
// also without red, green or blue cones (least distance in OKLab: 0.07).
const HUES = {
  light: ["#9f6266", "#7b2901", "#c28409", "#637506", "#759a76", "#375b4a", "#3a7c99", "#083c60", "#0677fe", "#5a338c", "#ab68cb", "#491d2d"],
  dark: ["#f7c2ca", "#aa5319", "#ccab67", "#94881e", "#a6d98b", "#3b7e58", "#97f0ff", "#168db2", "#88a1bd", "#695ea5", "#fc99eb", "#af658c"],
};
export const N_HUES = HUES.light.length;
const SCALE = ["#00224E", "#27406F", "#575D6D", "#7C7B78", "#A69D75", "#D0C06C", "#FDEA45"]; // cividis: no hue is needed to read it

export const isDark = () => document.documentElement.dataset.theme === "dark";

/** The colour of a slot of the palette. On a dark page it is lighter, to stand out from it. */
export function colorAt(slot) {
  const color = slot < 0 ? GREY : COLORS[slot % COLORS.length];
  return isDark() ? mixed(color, "#FFFFFF", 0.3) : color;
}

/** The colour of a subject. */
export const hueAt = (slot) => HUES[isDark() ? "dark" : "light"][slot];

/** A slot for each of `n` classes, the first of which are the largest. No two of the first twenty are alike;
 *  of the others each takes the colour whose nearest owner is farthest, so that neighbours differ. */
export function slots(n, apart) {
  const owners = COLORS.map(() => []);
  return Array.from({ length: n }, (_, i) => {
    let best = i;
    if (i >= COLORS.length) {
      const room = owners.map((own) => Math.min(...own.map((j) => apart(i, j))));
      best = room.indexOf(Math.max(...room));
    }
    owners[best].push(i);
    return best;
  });
}

const slotOfTopic = new Map();
/** Find the colours of the topics of the first model, which all views share: topics that are near each other never have the same. */
export async function loadTopicColors() {
  const { topics, order, distances } = await getTopics(), place = new Map(order.map((number, i) => [number, i]));
  const slotOf = slots(topics.length, (i, j) => distances[place.get(topics[i].number)][place.get(topics[j].number)]);
  slotOfTopic.clear();
  slotOf.forEach((slot, i) => slotOfTopic.set(topics[i].number, slot));
}

export const topicColor = (number) => colorAt(slotOfTopic.get(number) ?? -1);

/** The colour of a part of 1 on a scale from little to much; much stands out from the page. */
export function onScale(part) {
  // The end that is like the page is left out.
  const stops = isDark() ? SCALE.slice(1) : SCALE.slice(0, -1).reverse();
  const at = Math.min(Math.max(part, 0), 1) * (stops.length - 1);
  const low = Math.min(Math.floor(at), stops.length - 2);
  return mixed(stops[low], stops[low + 1], at - low);
}

export function mixed(one, other, part) {
  const [a, b] = [channels(one), channels(other)];
  return "#" + a.map((value, i) => Math.round(value + part * (b[i] - value)).toString(16).padStart(2, "0")).join("");
}

/** Red, green and blue from 0 to 255. */
export function channels(hex) {
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
}
