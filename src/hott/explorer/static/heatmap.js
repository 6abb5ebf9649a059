// How far apart topics are: a grid, similar topics side by side, near ones strong. Its colours span the distances between different topics.

import { GREY, onScale } from "./colors.js";
import { figure, fitted, h, printable, svg } from "./dom.js";
import { csvButton, pictureMenu } from "./save.js";

const ROOM = 190; // pixels for names
const FONT = "12px";

export async function heatmap(list) {
  const names = new Map(list.topics.map((topic) => [topic.number, printable(topic.name)]));
  const shown = list.order.map((number) => names.get(number));
  const n = shown.length, cell = Math.max(13, Math.min(30, 620 / n));
  const apart = list.distances.flatMap((row, i) => row.filter((_, j) => i !== j)); // nought on the diagonal would take half the colours
  const [least, most] = apart.length ? [Math.min(...apart), Math.max(...apart)] : [0, 0];
  const cells = list.distances.flatMap((row, i) => row.map((distance, j) =>
    svg("rect", { x: ROOM + j * cell, y: i * cell, width: cell - 1, height: cell - 1, class: i === j ? "diagonal" : "", fill: i === j ? GREY : onScale(most === least ? 1 : (most - distance) / (most - least)) },
      svg("title", {}, `${shown[i]} – ${shown[j]}: ${figure(distance)}`))));
  const size = Math.min(12, cell - 1);
  const rows = shown.map((name, i) => svg("text", { x: ROOM - 8, y: (i + 0.5) * cell, dy: "0.35em", "text-anchor": "end", "font-size": size }, fitted(name, ROOM - 14, FONT)));
  const columns = shown.map((name, i) => svg("text", { "text-anchor": "end", "font-size": size, transform: `translate(${ROOM + (i + 0.5) * cell},${n * cell + 8}) rotate(-90)`, dy: "0.35em" }, fitted(name, ROOM - 14, FONT)));
  const width = ROOM + n * cell + 90, height = n * cell + ROOM;
  const bar = { x: ROOM + n * cell + 24, height: Math.min(200, Math.max(60, n * cell)) };
  const steps = Array.from({ length: 40 }, (_, i) => svg("rect", { x: bar.x, y: (i * bar.height) / 40, width: 14, height: bar.height / 40 + 0.5, fill: onScale(i / 39) }));
  const ends = [[0, figure(most)], [bar.height, figure(least)]].map(([y, text]) => svg("text", { x: bar.x + 20, y, dy: y ? "0" : "0.8em", "font-size": 12 }, text));
  const drawing = svg("svg", { class: "chart heat", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `Distances between ${n} topics, from ${figure(least)} to ${figure(most)}`, "data-drawn": n }, cells, rows, columns, steps, ends);
  const table = () => list.distances.map((row, i) => [shown[i], ...row]);
  return { element: h("div", { class: "room" }, h("div", { class: "tools" }, h("span", { class: "faint" }, "Near topics stand out; those that are alike are side by side."), h("span", { class: "spring" }), pictureMenu("topic-distances", () => drawing, csvButton("topic-distances", ["topic", ...shown], table))),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Distances between topics" }, drawing)) };
}
