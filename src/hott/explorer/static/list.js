// Documents as a list: the same everywhere. A line opens its document in the reading pane.

import { button, count, h, nameOf, oneLine, swap } from "./dom.js";
import { documentsMenu } from "./save.js";
import { current, openDocument } from "./state.js";

const PAGE = 50;

/** A document as a line; `note` stands at its end. */
export function documentLine(entry, note = "") {
  return h("li", {},
    h("button", { type: "button", class: "line", "data-id": entry.id, "data-key": `doc:${entry.id}`, click: () => openDocument(entry.id) },
      h("span", { class: "name" }, nameOf(entry)),
      entry.label !== null && entry.label !== undefined && h("span", { class: "tag" }, oneLine(entry.label)),
      note && h("span", { class: "note" }, note)));
}

/** What the map knows of a document. */
export const entryAt = (map, i) => ({ position: i, id: map.ids[i], title: map.titles[i], label: map.labels[map.label[i]] ?? null });

/** Show which document is open, in all lists. */
export function markOpen() {
  const { doc } = current();
  for (const item of document.querySelectorAll("[data-id]")) item.ariaCurrent = item.dataset.id === doc ? "true" : null;
}

/** A list of any length: a page at a time on the screen, all of it as CSV. */
export function documentList(page = PAGE) {
  const title = h("h2", {});
  const lines = h("ul", { class: "lines" });
  const tools = h("span", { class: "list-tools" });
  const more = button("More", () => extend(), { hidden: true });
  const element = h("section", { class: "list" }, h("div", { class: "list-head" }, title, tools), lines, more);
  let entries = [], shown = 0;

  function extend() {
    const next = entries.slice(shown, shown + (shown ? PAGE : page)).map(({ note, ...entry }) => documentLine(entry, note));
    lines.append(...next);
    const first = shown && next[0]?.querySelector("button");
    shown += next.length;
    more.hidden = shown >= entries.length;
    more.textContent = `More (${count(entries.length - shown)} left)`;
    if (first) first.focus();
    markOpen();
  }

  return {
    element,
    /** Other entries, which `selection` means. */
    show(name, others, { file = "documents", selection }) {
      entries = others;
      shown = 0;
      title.textContent = name;
      swap(tools, entries.length > 0 && documentsMenu(file, () => selection));
      swap(lines);
      extend();
    },
  };
}
