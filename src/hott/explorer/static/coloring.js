// What the points of the map are coloured by, and the legend that says so.

import { getColumn, getDistances, getDocument } from "./api.js";
import { clusterColor, loadClusters, reachOf } from "./clusters.js";
import { colorAt, COLORS, GREY, onScale, slots, topicColor } from "./colors.js";
import { count, dayOf, figure, h, nameOf, oneLine, rangeOf } from "./dom.js";
import { current, go, onlyThis } from "./state.js";

const STEPS = 64; // colours of a scale
const SHOWN = 20; // entries of a legend before it says that there are more

/** What the map can be coloured by: values and names. */
export function colorings(corpus) {
  const columns = corpus.columns.filter(({ type }) => type !== "text").map(({ name }) => [name === corpus.label ? "label" : `column:${name}`, name]);
  return [...columns, ["subject", "subject"], ["topic", "heaviest topic"], ...(current().from ? [["distance", "distance from a document"]] : [])];
}

export function coloringOf(corpus) {
  const { color, view } = current();
  return colorings(corpus).some(([key]) => key === color) ? color : corpus.labels.length && view !== "subjects" ? "label" : "subject";
}

/** A colouring: `codes` of the documents, `colors` of the codes (the last for none), `nameAt(i)`, `legend()`. */
export async function coloring(by, corpus, map) {
  if (by === "topic") {
    const entry = (code) => ({ name: map.topics[code], color: topicColor(code), pressed: current().topic === String(code), pick: () => (current().topic === String(code) ? { topic: "" } : onlyThis({ topic: code })) });
    return classes(map.topic, map.topics.length, entry, "topics");
  }
  if (by === "subject") {
    const { nodes, roots } = await loadClusters(map), codes = new Array(map.x.length).fill(-1);
    roots.forEach((k, code) => { for (const i of nodes[k].positions) codes[i] = code; });
    const own = (code) => nodes[roots[code]] ?? { slot: -1 }, isOnly = (code) => current().subject === String(own(code).number);
    return classes(codes, roots.length, (code) => ({ name: own(code).name, color: clusterColor(own(code)), pressed: isOnly(code), pick: () => ({ subject: isOnly(code) ? "" : own(code).number }) }), "subjects");
  }
  if (by === "label") return columnClasses(corpus.label, map.label, map.labels, map);
  if (by === "distance") {
    const { from } = current();
    const [{ distances }, origin] = await Promise.all([getDistances(from), getDocument(from)]);
    const others = distances.map((distance, i) => (i === origin.position ? null : distance)); // itself would stretch the scale
    return scale(others, `distance from ${nameOf(origin)}`, figure, { nearIsStrong: true, itself: 1 });
  }
  const name = by.slice("column:".length);
  const { codes, names, numbers } = await getColumn(name);
  if (names.length) return columnClasses(name, codes, names, map);
  const isDate = corpus.columns.find((column) => column.name === name).type === "date";
  return scale(numbers, name, isDate ? dayOf : (value) => String(Number(value.toPrecision(6))));
}

function columnClasses(column, codes, names, map) {
  const members = names.map(() => []);
  codes.forEach((code, i) => members[code]?.push(i));
  const middle = members.map((own) => reachOf(own, map.x, map.y));
  const slot = slots(names.length, (i, j) => Math.hypot(middle[i].x - middle[j].x, middle[i].y - middle[j].y) || 0);
  const entry = (code) => {
    const { where } = current(), condition = `${column}=${code < 0 ? "" : names[code]}`, pressed = where.includes(condition);
    const pick = () => ({ where: pressed ? where.filter((one) => one !== condition) : [...where, condition] });
    return { name: code < 0 ? `no ${column}` : names[code], color: code < 0 ? GREY : colorAt(slot[code]), pressed, pick };
  };
  return classes(codes, names.length, entry, `values of ${column}`);
}

/** Colours of classes, the largest first in the legend. */
function classes(codes, n, entry, what) {
  const tally = (some) => some.reduce((found, code) => found.set(code, (found.get(code) ?? 0) + 1), new Map()), sizes = tally(codes);
  const ranked = [...sizes].sort(([c, m], [d, k]) => k - m || c - d).map(([code]) => code);
  const colors = [...Array.from({ length: n }, (_, code) => entry(code).color), GREY];
  const name = (code) => oneLine(code < 0 ? "none" : entry(code).name);

  function line(code, size) {
    const { color, pressed, pick } = entry(code);
    const key = `legend:${code}`;
    const parts = [h("span", { class: "dot", "--c": color }), h("span", { class: "name" }, name(code)), h("span", { class: "note" }, count(size))];
    if (code < 0 && (what === "topics" || what === "subjects")) return h("li", { class: "line" }, parts);
    return h("li", {}, h("button", { type: "button", class: "line", "data-key": key, "aria-pressed": String(pressed), click: () => go(pick()) }, parts));
  }

  /** The classes with their numbers among the documents that are lit, or among all. */
  function legend(lit) {
    const left = lit ? tally(codes.filter((_, i) => lit[i])) : sizes, lines = (some) => h("ul", { class: "legend" }, some.map((code) => line(code, left.get(code) ?? 0)));
    // Classes without a document are folded, but where one is chosen: the others may be added to it.
    const isPicked = ranked.some((code) => entry(code).pressed), isHere = (code) => isPicked || left.has(code), here = ranked.filter(isHere);
    const rest = [...here.slice(SHOWN), ...ranked.filter((code) => !isHere(code))];
    return [
      lines(here.slice(0, SHOWN)),
      rest.length > 0 && h("details", {}, h("summary", { "data-key": "legend:rest" }, `${count(rest.length)} more`), lines(rest)),
      n > COLORS.length && what !== "subjects" && h("p", { class: "faint small-text" }, `${count(n)} ${what} share ${COLORS.length} colours; those of one colour are far apart.`),
    ];
  }
  return { codes, colors, nameAt: (i) => name(codes[i]), legend, what, entries: () => ranked.map((code) => ({ name: name(code), color: code < 0 ? GREY : colors[code] })) };
}

/** Colours from little to much. */
function scale(values, what, written, { nearIsStrong = false, itself = 0 } = {}) {
  const [least, most] = rangeOf(values);
  const part = (value) => (most > least ? (value - least) / (most - least) : 1);
  const codes = values.map((value) => (value === null ? -1 : Math.min(STEPS - 1, Math.floor(part(value) * STEPS))));
  const colors = Array.from({ length: STEPS }, (_, i) => onScale(nearIsStrong ? 1 - i / (STEPS - 1) : i / (STEPS - 1)));
  const missing = values.reduce((n, value) => n + (value === null), 0) - itself;
  return {
    codes, what, colors: [...colors, GREY], nameAt: (i) => (values[i] === null ? "" : written(values[i])),
    legend: () => [
      h("p", { class: "small-text" }, oneLine(what)),
      h("div", { class: "scale", "--scale": `linear-gradient(to right, ${colors.join(",")})` }),
      h("div", { class: "scale-ends note" }, h("span", {}, least > most ? "" : written(least)), h("span", {}, least > most ? "no values" : written(most))),
      itself > 0 && h("p", { class: "faint small-text" }, h("span", { class: "dot", "--c": GREY }), "the document itself"),
      missing > 0 && h("p", { class: "faint small-text" }, h("span", { class: "dot", "--c": GREY }), `${count(missing, "document")} without a value`),
    ],
  };
}
