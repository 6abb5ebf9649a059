// The keyboard, wherever the focus is: / to search, arrows through lists, ? for help.

const ITEMS = ".lines .line, .hits .title, .subject-list .line, .legend .line";

export function listenToKeys(box) {
  addEventListener("keydown", (event) => {
    const isTyping = event.target.closest?.("input, textarea, select, dialog");
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    const act = { "/": () => box.focus(), "?": () => document.getElementById("help").showModal(), ArrowDown: () => step(1), ArrowUp: () => step(-1), n: () => press("Next mark"), p: () => press("Previous mark") }[event.key];
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
