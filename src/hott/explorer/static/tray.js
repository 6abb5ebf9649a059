// What waits to be compared: shown only while one side is chosen and the other is not.

import { getDocument } from "./api.js";
import { button, h, nameOf, swap } from "./dom.js";
import { nameOfSelection, unpacked } from "./selection.js";
import { current, go, isChoosing } from "./state.js";

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
