// The search box, at the top of everything. It is always the same search: by words, topics and meaning.

import { current, go, isSearching, noSearch, searchedText, searchFor } from "./state.js";

export function searchBox(form) {
  const [text, clear] = form.elements;
  let shown;
  text.addEventListener("keydown", (event) => { if (event.key === "Enter" && !event.shiftKey && !event.isComposing) submit(event); });
  clear.addEventListener("click", () => go(noSearch));
  form.addEventListener("submit", submit);

  function submit(event) {
    event.preventDefault();
    const wanted = text.value.trim();
    if (wanted) go({ view: "explore", ...searchFor(wanted), doc: "" });
    else go(noSearch);
  }

  return {
    focus() { text.focus(); text.select(); },
    /** Show what is searched for; what was typed and not sent stays. */
    update() {
      const { text: asked, paste, like } = current(), key = JSON.stringify([asked, paste, like]);
      if (key === shown) return;
      const typedEarly = shown === undefined && text.value; // while the page was loading
      shown = key;
      clear.hidden = !isSearching(current());
      if (!typedEarly) text.value = like ? "" : searchedText(current()) ?? "";
    },
  };
}
