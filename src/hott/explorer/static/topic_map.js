// Topics on a plane by the distances between them; the larger a circle, the more of the corpus.

import { colorAt } from "./colors.js";
import { h, oneLine, perCent, svg } from "./dom.js";
import { topicColor } from "./palette.js";
import { pictureButtons } from "./save.js";
import { go } from "./state.js";

const WIDTH = 960, HEIGHT = 600, PAD = 70;
const ROOMY = 30; // topics up to which circles have their full size

export async function topicMap(list, { model }) {
  const topics = list.topics.filter((topic) => !topic.is_hidden);
  const ends = (values) => [Math.min(...values), Math.max(...values)];
  const [[west, east], [south, north]] = [ends(topics.map(({ x }) => x)), ends(topics.map(({ y }) => y))];
  const at = (value, low, high, from, to) => (high > low ? from + ((value - low) / (high - low)) * (to - from) : (from + to) / 2);
  const most = Math.max(...topics.map(({ weight }) => weight), 1e-12);
  const circles = [...topics].sort((a, b) => b.weight - a.weight).map((topic) => ({
    topic, x: at(topic.x, west, east, PAD, WIDTH - PAD), y: at(topic.y, south, north, HEIGHT - PAD, PAD), r: 6 + 30 * Math.sqrt(topic.weight / most) * Math.min(1, Math.sqrt(ROOMY / topics.length)),
  }));
  const open = (number) => go({ tab: "", card: number });
  const shapes = circles.map(({ topic, x, y, r }) => {
    const label = `${oneLine(topic.name)}: ${perCent(topic.weight)} of the corpus`;
    return svg("circle", {
      cx: x, cy: y, r, class: "bubble", "--c": model === 0 ? topicColor(topic.number) : colorAt(topic.number), tabindex: 0, role: "link", "aria-label": label, "data-topic": topic.number,
      click: () => open(topic.number), keydown: (event) => { if (event.key === "Enter") open(topic.number); },
    }, svg("title", {}, label));
  });
  const drawing = svg("svg", { class: "chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "group", "aria-label": `Map of ${topics.length} topics` }, shapes, named(circles));
  return { element: h("div", { class: "room" }, h("div", { class: "tools" }, h("span", { class: "faint" }, "Near topics are near each other, as far as a plane allows; large ones hold more of the corpus."),
    h("span", { class: "spring" }), ...pictureButtons("topic-map", () => drawing)), h("div", { class: "picture" }, drawing)) };
}

/** Names beside the circles, of the largest first, where there is room. */
function named(circles) {
  const taken = [];
  return circles.flatMap(({ topic, x, y, r }) => {
    const text = oneLine(topic.name), width = 7.6 * text.length, height = 16;
    const beside = r + width / 2 + 6, slanted = 0.7 * r + 12;
    const places = [[x, y + r + 12], [x, y - r - 8], [x + beside, y], [x - beside, y],
      ...[1, -1].flatMap((across) => [1, -1].map((down) => [x + across * (0.7 * r + width / 2 + 2), y + down * slanted]))];
    const free = places.filter(([cx, cy]) =>
      cx - width / 2 > 0 && cx + width / 2 < WIDTH && cy > 10 && cy < HEIGHT - 6 &&
      taken.every((other) => Math.abs(other.x - cx) > (other.width + width) / 2 || Math.abs(other.y - cy) > height));
    if (!free.length) return [];
    // A name that lies on the circle of another topic would seem to be its own.
    const covered = ([cx, cy]) => circles.filter((other) => other.topic !== topic &&
      Math.hypot(Math.max(Math.abs(other.x - cx) - width / 2, 0), Math.max(Math.abs(other.y - cy) - height / 2, 0)) < other.r).length;
    const best = free.reduce((one, place) => (covered(place) < covered(one) ? place : one));
    if (covered(best) > 1) return []; // in a throng; whoever points at the circle is told
    taken.push({ x: best[0], y: best[1], width });
    return [svg("text", { x: best[0], y: best[1], dy: "0.35em", "text-anchor": "middle", class: "bubble-name" }, text)];
  });
}
