// The keyboard, wherever the focus is: / to search, arrows through lists, ? for help.

import { button, h } from "./dom.js";

const ITEMS = ".lines .line, .hits .title, .subject-list .line, .legend .line";
const HELP = [
  ["/", "go to the search box"], ["Enter", "search; open what has the focus"], ["↑ ↓", "go through a list"], ["n p", "next and previous mark of a document"], ["Esc", "close the document"],
  ["← → ↑ ↓", "go from document to document on the map, when it has the focus; with Shift, move it"], ["+ − 0", "zoom the map; show all"], ["?", "this help"],
];

export function listenToKeys(box) {
  const dialog = h("dialog", { class: "help", "aria-label": "Keys" }, h("h2", {}, "Keys"),
    h("dl", {}, HELP.map(([key, meaning]) => [h("dt", {}, key), h("dd", {}, meaning)])), button("Close", () => dialog.close()));
  document.body.append(dialog);

  addEventListener("keydown", (event) => {
    const isTyping = event.target.closest?.("input, textarea, select, dialog");
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    const act = { "/": () => box.focus(), "?": () => dialog.showModal(), ArrowDown: () => step(1), ArrowUp: () => step(-1), n: () => press("Next mark"), p: () => press("Previous mark") }[event.key];
    if (act && act() !== false) event.preventDefault();
  });
}

/** Move the focus in a list; false where it is in none. */
function step(by) {
  const own = document.activeElement?.matches(ITEMS) && document.activeElement;
  if (!own) return false;
  const all = [...own.closest("ul, ol").parentElement.querySelectorAll(ITEMS)].filter((one) => one.offsetParent);
  all[all.indexOf(own) + by]?.focus();
  return true;
}

function press(name) {
  const found = document.querySelector(`#reader button[aria-label="${name}"]`);
  found?.click();
  return Boolean(found);
}
