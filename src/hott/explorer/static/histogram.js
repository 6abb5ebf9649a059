// How the numbers or dates of a column are spread, with a brush: drag over the bars to choose from where to where.

import { count, h, svg } from "./dom.js";

const BARS = 36, TALL = 46;
const DAY = 86_400_000;

/** A number of a column as conditions take it: of a date, its day. */
export const written = (value, isDate) => (isDate ? new Date(value * DAY).toISOString().slice(0, 10) : String(Number(value.toPrecision(6))));

/** Bars of how many documents have which value; `choose(first, last)` is told what was dragged over. */
export function histogram(name, numbers, isDate, choose) {
  const known = numbers.filter((value) => value !== null);
  if (!known.length) return h("p", { class: "faint" }, "No document has a value.");
  const [least, most] = known.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
  const isWhole = isDate || known.every(Number.isInteger), span = most - least + (isWhole ? 1 : 0) || 1;
  const bars = isWhole ? Math.min(BARS, span) : BARS, wide = span / bars, counts = new Array(bars).fill(0);
  for (const value of known) counts[Math.min(bars - 1, Math.floor((value - least) / wide))] += 1;
  const ends = (bar, last) => {
    const value = least + (last ? bar + 1 : bar) * wide;
    return written(isWhole ? (last ? Math.max(least, Math.ceil(value) - 1) : Math.ceil(value - 1e-9)) : Math.min(value, most), isDate);
  };
  const tallest = Math.max(...counts), brush = svg("rect", { class: "brush", y: 0, height: TALL, width: 0 });
  const drawing = svg("svg", { class: "histogram", viewBox: `0 0 ${bars} ${TALL}`, preserveAspectRatio: "none", role: "img", "aria-label": `Documents by ${name}; drag to choose a range, or type it` },
    brush, counts.map((n, i) => svg("rect", { x: i + 0.08, width: 0.84, y: TALL - (n / tallest) * (TALL - 2), height: (n / tallest) * (TALL - 2) }, svg("title", {}, `${ends(i)}${bars < span ? ` to ${ends(i, true)}` : ""}: ${count(n, "document")}`))));
  let start = null;
  const barAt = (event) => { const { left, width } = drawing.getBoundingClientRect(); return Math.min(bars - 1, Math.max(0, Math.floor((bars * (event.clientX - left)) / width))); };
  const mark = (one, other) => { brush.setAttribute("x", Math.min(one, other)); brush.setAttribute("width", Math.abs(one - other) + 1); };
  drawing.addEventListener("pointerdown", (event) => { start = barAt(event); drawing.setPointerCapture(event.pointerId); mark(start, start); event.preventDefault(); });
  drawing.addEventListener("pointermove", (event) => { if (start !== null) mark(start, barAt(event)); });
  drawing.addEventListener("pointerup", (event) => {
    if (start === null) return;
    const [first, last] = [start, barAt(event)].sort((a, b) => a - b);
    start = null;
    choose(ends(first), ends(last, true));
  });
  return h("div", { class: "spread" }, drawing, h("p", { class: "scale-ends note" }, h("span", {}, written(least, isDate)), h("span", {}, written(most, isDate))));
}
