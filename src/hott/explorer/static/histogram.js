// How numbers or dates are spread, with a brush: drag over the bars to choose from where to where. Under the map are those of time,
// with a button that moves the brush on.

import { getColumn } from "./api.js";
import { announce, button, count, DAY, dayOf, h, rangeOf, svg, swap } from "./dom.js";
import { current, go } from "./state.js";

const BARS = 36, TALL = 46;
const MANY = 62; // bars of days, months or years

/** A number of a column as conditions take it: of a date, its day. */
const written = (value, isDate) => (isDate ? dayOf(value) : String(Number(value.toPrecision(6))));

/** Where bars begin, and where the last one ends: dates by days, months, quarters, years or longer, others evenly. */
function edgesOf(least, most, isDate, isWhole) {
  const [from, to] = [least, most].map((days) => new Date(days * DAY)), span = most - least + (isWhole ? 1 : 0) || 1;
  const first = 12 * from.getUTCFullYear() + from.getUTCMonth(), last = 12 * to.getUTCFullYear() + to.getUTCMonth();
  if (isDate && span > MANY) {
    const unit = [1, 3, 12, 120].find((months) => (last - first) / months < MANY) ?? 1200, start = Math.floor(first / unit);
    return Array.from({ length: Math.floor(last / unit) - start + 2 }, (_, i) => Date.UTC(2000, (start + i) * unit - 24_000, 1) / DAY);
  }
  const n = isWhole ? Math.min(isDate ? MANY : BARS, span) : BARS;
  return Array.from({ length: n + 1 }, (_, i) => (isWhole ? Math.ceil(least + (i * span) / n - 1e-9) : least + (i * span) / n));
}

/** Bars over the span of `numbers`: `barOf` a number, and the `ends` of a bar as conditions take them. */
export function barsOver(numbers, isDate) {
  const known = numbers.filter((value) => value !== null), isWhole = isDate || known.every(Number.isInteger);
  const [least, most] = rangeOf(known);
  const edges = known.length ? edgesOf(least, most, isDate, isWhole) : [0], n = edges.length - 1;
  const ends = (bar, last) => written(last ? (isWhole ? edges[bar + 1] - 1 : Math.min(edges[bar + 1], most)) : edges[bar], isDate);
  const barOf = (value) => {
    let [low, high] = [0, n];
    while (high - low > 1) { const middle = (low + high) >> 1; if (edges[middle] <= value) low = middle; else high = middle; }
    return value === null ? -1 : low;
  };
  const called = (bar) => (isWhole && edges[bar + 1] - edges[bar] === 1 ? ends(bar) : `${ends(bar)} to ${ends(bar, true)}`);
  return { n, least, most, isDate, barOf, ends, called };
}

/** How many of `numbers` are in each bar; where only some are `lit`, the others stand behind these.
 *  With `choose(first, last)`, which is told what was dragged over, there is a brush. */
export function histogram(name, bars, numbers, choose = null, lit = null) {
  if (!bars.n) return { element: h("p", { class: "faint" }, "No document has a value."), mark() {} };
  const counts = new Array(bars.n).fill(0), shown = lit ? new Array(bars.n).fill(0) : counts;
  numbers.forEach((value, i) => { if (value !== null) { const bar = bars.barOf(value); counts[bar] += 1; if (lit?.[i]) shown[bar] += 1; } });
  const told = (i) => (lit ? `${count(shown[i])} of ${count(counts[i], "document")}` : count(counts[i], "document")), tall = (n) => (n / tallest) * (TALL - 2);
  const tallest = Math.max(...counts, 1), brush = svg("rect", { class: "brush", y: 0, height: TALL, width: 0 });
  const drawing = svg("svg", { class: choose ? "histogram chosen" : "histogram", viewBox: `0 0 ${bars.n} ${TALL}`, preserveAspectRatio: "none", role: "img", "aria-label": `Documents by ${name}${choose ? "; drag to choose a range, or filter" : ""}` },
    choose && brush, lit && svg("path", { class: "others", d: counts.map((n, i) => `M${i + 0.08} ${TALL}v${-tall(n)}h0.84V${TALL}z`).join("") }),
    shown.map((n, i) => svg("rect", { x: i + 0.08, width: 0.84, y: TALL - tall(n), height: tall(n) }, svg("title", {}, `${bars.called(i)}: ${told(i)}`))));
  const mark = (one, other) => { brush.setAttribute("x", Math.min(one, other)); brush.setAttribute("width", one < 0 ? 0 : Math.abs(one - other) + 1); };
  if (choose) listenToBrush(drawing, bars, mark, choose);
  return { mark, element: h("div", { class: "spread" }, drawing, h("p", { class: "scale-ends note" }, h("span", {}, written(bars.least, bars.isDate)), h("span", {}, written(bars.most, bars.isDate)))) };
}

function listenToBrush(drawing, bars, mark, choose) {
  let start = null;
  const barAt = (event) => { const { left, width } = drawing.getBoundingClientRect(); return Math.min(bars.n - 1, Math.max(0, Math.floor((bars.n * (event.clientX - left)) / width))); };
  drawing.addEventListener("pointerdown", (event) => { start = barAt(event); drawing.setPointerCapture(event.pointerId); mark(start, start); event.preventDefault(); });
  drawing.addEventListener("pointermove", (event) => { if (start !== null) mark(start, barAt(event)); });
  drawing.addEventListener("pointerup", (event) => {
    if (start === null) return;
    const [first, last] = [start, barAt(event)].sort((a, b) => a - b);
    start = null;
    choose(first, last);
  });
}

const STILL = 350; // milliseconds that a stretch of time is shown while it plays
const STRETCHES = 12; // of the whole, where nothing is chosen

/** The column that says when: the first of dates. */
export const timeColumn = (corpus) => corpus.columns.find(({ type, first }) => type === "date" && first !== null);

/** Conditions with another range of a column; none with an empty one. */
export const ranged = (where, name, range) => [...where.filter((one) => !(one.startsWith(`${name}=`) && one.includes(".."))), ...(range ? [`${name}=${range}`] : [])];

/** The timeline of a corpus that has dates; `light(isShown)` shows only some documents on the map, by their positions. */
export function timeline(corpus, light) {
  const column = timeColumn(corpus), element = h("div", { class: "timeline", hidden: !column });
  let bars, numbers, drawn, drawnFor, chosen = null, playing = null;
  if (!column) return { element, async update() {} };
  const play = button("▶", () => (playing ? pause() : start()), { name: "Play through time", class: "round" });

  /** The bars that the conditions of the state leave. */
  function read() {
    const range = current().where.find((one) => one.startsWith(`${column.name}=`) && one.includes(".."))?.slice(column.name.length + 1).split("..");
    if (!range) return null;
    const inside = Array.from({ length: bars.n }, (_, i) => i).filter((i) => (!range[0] || bars.ends(i, true) >= range[0]) && (!range[1] || bars.ends(i) <= range[1]));
    return inside.length ? [inside[0], inside[inside.length - 1]] : null;
  }

  const keep = (replace) => go({ where: ranged(current().where, column.name, chosen && `${bars.ends(chosen[0])}..${bars.ends(chosen[1], true)}`) }, { replace });

  function start() {
    const wide = chosen ? chosen[1] - chosen[0] : Math.floor(bars.n / STRETCHES);
    let at = chosen && chosen[1] < bars.n - 1 ? chosen[0] : 0;
    chosen = null;
    keep(); // the other filters stay, and light the map
    const show = () => {
      chosen = [at, at + wide];
      drawn.mark(...chosen);
      light((position) => { const bar = bars.barOf(numbers[position]); return bar >= chosen[0] && bar <= chosen[1]; });
      at += 1;
      if (chosen[1] >= bars.n - 1) pause();
    };
    playing = setInterval(show, STILL);
    name("‖", "Pause");
  }

  function pause() {
    clearInterval(playing);
    playing = null;
    name("▶", "Play through time");
    announce(`${bars.ends(chosen?.[0] ?? 0)} to ${bars.ends(chosen?.[1] ?? bars.n - 1, true)}`);
    keep();
  }

  const name = (textContent, title) => Object.assign(play, { textContent, title, ariaLabel: title });

  return {
    element,
    /** Show the brush of the state, and of how many documents there are how many are `lit`. */
    async update(lit = null) {
      if (!bars) {
        ({ numbers } = await getColumn(column.name));
        bars = barsOver(numbers, true);
      }
      if (playing) return;
      if (lit !== drawnFor) {
        drawn = histogram(column.name, bars, numbers, (first, last) => { chosen = [first, last]; keep(); }, lit);
        drawnFor = lit;
        swap(element, play, drawn.element);
      }
      chosen = read();
      drawn.mark(...(chosen ?? [-1, -1]));
    },
  };
}
