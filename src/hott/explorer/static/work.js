// What takes long: it is said, with how far it is, and can be stopped.

import { getProgress, stop } from "./api.js";
import { button, h, perCent } from "./dom.js";
import { isExport } from "./exported.js";

const LOOK = 1000; // milliseconds until it is asked again how far it is

/** A line on the work that the answer of `path` takes; `halt` stops it. */
export function working(text, path, halt = () => stop(path)) {
  const told = h("span", {}, text);
  const element = h("p", { class: "hint working" }, told, !isExport() && button("Stop", halt, { class: "small", name: `Stop: ${text}` }));
  const look = setInterval(async () => {
    if (!element.isConnected || isExport()) return clearInterval(look);
    const { work, done } = await getProgress().catch(() => ({ work: {} })), part = path ? work[`/${path}`] : done;
    if (part) told.textContent = `${text} ${perCent(part)}`;
  }, LOOK);
  return element;
}
