// The map as a picture to take away.

import { count, nameOf, oneLine, svg } from "./dom.js";
import { entryAt } from "./list.js";
import { current } from "./state.js";

const LEGEND = 20; // entries
const LETTER = 7; // pixels, about

/** A text cut to what there is room for, in pixels. */
const fitted = (text, room) => (text.length * LETTER > room ? `${text.slice(0, Math.floor(room / LETTER) - 1)}…` : text);

/** The map as a drawing: points, names, a title and a legend. */
export function mapDrawing(corpus, points, scatter, labels, painted) {
  const { width, height } = scatter;
  const size = Math.max(1, (scatter.size * scatter.growth()) / 2).toFixed(1);
  const style = getComputedStyle(document.documentElement);
  const dots = points.x.flatMap((_, i) => {
    const [x, y] = scatter.placeOf(i);
    if (!(x >= 0 && y >= 0 && x <= width && y <= height)) return [];
    const [red, green, blue, alpha] = scatter.paint.subarray(4 * scatter.slot[i], 4 * scatter.slot[i] + 4);
    return [svg("circle", { cx: x.toFixed(1), cy: y.toFixed(1), r: size, fill: `rgb(${red},${green},${blue})`, "fill-opacity": (alpha / 255).toFixed(2) })];
  });
  const written = { "font-family": "sans-serif", "font-size": 13, fill: style.getPropertyValue("--text").trim() };
  const entries = painted.entries?.().slice(0, LEGEND) ?? [], wide = 230, columns = Math.max(1, Math.floor(width / wide));
  const legend = entries.map(({ name: called, color }, i) => [[i % columns, Math.floor(i / columns)], called, color]).flatMap(([[column, row], called, color]) => [
    svg("circle", { cx: 18 + column * wide, cy: height + 44 + 22 * row, r: 5, fill: color }), svg("text", { x: 30 + column * wide, y: height + 49 + 22 * row, ...written }, fitted(called, wide - 40))]);
  const sides = ["a", "b"].map((side) => [side.toUpperCase(), points.ids.indexOf(current()[side])]).filter(([, i]) => i >= 0);
  const spots = sides.flatMap(([letter, i]) => {
    const [x, y] = scatter.placeOf(i);
    return [svg("circle", { cx: x, cy: y, r: 11, fill: "none", stroke: written.fill, "stroke-width": 2 }), svg("text", { x, y, dy: "0.35em", "text-anchor": "middle", "font-weight": 800, ...written }, letter)];
  });
  const named = sides.map(([letter, i]) => `; ${letter}: ${nameOf(entryAt(points, i))}`).join("");
  const title = svg("text", { x: 12, y: height + 22, "font-weight": 600, ...written }, fitted(`${oneLine(corpus.name) || "Documents"}: ${count(points.x.length, "document")}, by ${oneLine(painted.what).replace("values of ", "")}${named}`, width - 24));
  return svg("svg", { viewBox: `0 0 ${width} ${height + 40 + 22 * Math.ceil(entries.length / columns)}` }, dots, labels.elements(), spots, title, legend);
}
