// Groups of documents: what is special about them, what can be done with them, and what waits to be compared.

import { getDocument, isExport, labelName } from "./api.js";
import { button, count, h, nameOf, oneLine, perCent, swap } from "./dom.js";
import { current, go, isChoosing, nameOfSelection, OTHERS, packed, selectionOf, unpacked } from "./state.js";

export function comparisonTray(tray) {
  let shown = null;
  return {
    async update() {
      const { a, A, view } = current();
      const waiting = isChoosing(current()) && view !== "compare";
      tray.hidden = !waiting;
      const key = JSON.stringify([a, A]);
      if (!waiting || key === shown) return;
      shown = key;
      const name = a ? await getDocument(a).then(nameOf, () => a) : await nameOfSelection(unpacked(A));
      if (key !== shown) return;
      swap(tray, h("span", { class: "tray-text" }, "Compare ", h("strong", {}, name), " with… ", h("span", { class: "faint" }, "click a document, on the map or in the list, or select a group")),
        button("Cancel", () => { shown = null; go({ a: "", A: "" }); }, { class: "small" }));
    },
  };
}

const LABELS = 6;

/** A summary of a selection; `state` is what it was made from. */
export function summary({ total, labels, words, topics }, state) {
  const rest = labels.slice(LABELS);
  return h("section", { class: "card summary", "aria-label": "Summary" },
    labels.length > 0 && h("p", {}, h("span", { class: "faint" }, `${oneLine(labelName)} `), labels.slice(0, LABELS).map(({ label, documents }, i) =>
      [i ? " · " : "", oneLine(label), " ", h("span", { class: "note" }, perCent(documents / total))]), rest.length > 0 && h("span", { class: "faint" }, ` and ${count(rest.length)} more`)),
    words.length > 0 && h("p", {}, h("span", { class: "faint" }, "special words "), words.map(oneLine).join(", ")),
    topics.length > 0 && h("p", {}, h("span", { class: "faint" }, "more than usual of "), topics.map(({ name, proportion }, i) =>
      [i ? " · " : "", oneLine(name), " ", h("span", { class: "note" }, `+${perCent(proportion)}`)])),
    total > 0 && selectionOf(state) && groupActions(state));
}

/** What can be done with some documents together. */
export const groupActions = (state) =>
  h("p", { class: "actions" }, compareGroup(state), !isExport() && button("Contrast with the rest", () => go({ view: "compare", a: "", A: packed(state), b: "", B: OTHERS }), { class: "small" }));

/** A group is compared when that is asked for: first one side, then the other. */
function compareGroup(state) {
  const { A } = current(), own = packed(state), isOther = A !== own;
  if (isChoosing(current()) && isOther) return button("Compare with this group", () => go({ view: "compare", b: "", B: own }), { class: "primary small" });
  return button("Compare this group…", () => go({ a: "", A: own, b: "", B: "" }), { class: "small", disabled: isChoosing(current()) && !isOther });
}
