// Time under the map: how many documents there are when, a brush that filters by it, and a button that moves the brush on.

import { getColumn } from "./api.js";
import { announce, button, h, swap } from "./dom.js";
import { barsOver, histogram } from "./histogram.js";
import { current, go } from "./state.js";

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

  function name(sign, called) {
    play.textContent = sign;
    for (const attribute of ["aria-label", "title"]) play.setAttribute(attribute, called);
  }

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
