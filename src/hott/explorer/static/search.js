// Search: any text in, the documents that fit it out, each with a passage, its score and the reason.

import { getDocument, isExport, searchById, searchByText } from "./api.js";
import { announce, count, figure, h, nameOf, oneLine, printable, problem } from "./dom.js";
import { current, go, link, select } from "./state.js";

const LONGEST_IN_ADDRESS = 1500; // characters; longer texts are searched for, but not shared by the address

export function searchView() {
  let asked = 0, lastKey = null, pasted = "";
  const text = h("textarea", { rows: 4, placeholder: isExport() ? "Words of a title" : "A few words, a sentence, or a whole document", "aria-label": "Text to search for", maxlength: 200000,
    keydown: (event) => { if (event.key === "Enter" && !event.shiftKey && !event.isComposing) submit(event); } });
  const by = h("select", { "aria-label": "Search by", change: submit },
    [["both", "words and topics"], ["words", "words"], ["topics", "topics"]].map(([value, shown]) => h("option", { value }, shown)));
  const results = h("div", { class: "results" });
  const form = h("form", { class: "search", role: "search", submit }, text,
    h("div", { class: "row" }, h("button", { type: "submit", class: "primary" }, "Search"), isExport() ? "" : h("label", { class: "faint search-by" }, "by ", by), h("span", { class: "faint wide-only" }, "Shift + Enter begins a new line")));
  const element = h("div", { class: "search-view" }, form, results);

  function submit(event) {
    event.preventDefault();
    pasted = text.value.trim();
    if (!pasted) return;
    const chosen = by.value === "both" ? "" : by.value;
    if (pasted.length <= LONGEST_IN_ADDRESS) go({ text: pasted, id: "", by: chosen });
    else go({ text: "", id: "", by: chosen });
    run();
  }

  async function run() {
    const { text: shared, id, by: how = "both" } = current();
    by.value = how;
    const query = id === undefined ? shared ?? (pasted.length > LONGEST_IN_ADDRESS ? pasted : "") : "";
    const key = JSON.stringify([query, id, how]);
    if (key === lastKey) return;
    lastKey = key;
    if (query) text.value = query;
    const ticket = ++asked;
    if (!query && id === undefined) return results.replaceChildren();
    results.setAttribute("aria-busy", "true");
    try {
      const about = id === undefined ? null : await getDocument(id);
      const found = id === undefined ? await searchByText(query, how) : await searchById(id, 21);
      if (ticket === asked) show(found, about);
    } catch (error) {
      if (ticket === asked) { results.replaceChildren(problem(error)); lastKey = null; }
    }
    if (ticket === asked) results.removeAttribute("aria-busy");
  }

  function show(found, about) {
    const hits = found.hits.filter((hit) => hit.id !== about?.id);
    // A document has distances to others; a text scores, and the best comes first.
    const value = (hit) => (about ? hit.distance : hit.score);
    const most = Math.max(...hits.map((hit) => value(hit) ?? 0), 1e-9);
    announce(count(hits.length, "result"));
    results.replaceChildren(
      about ? h("h2", {}, "Nearest to ", h("em", {}, nameOf(about))) : "",
      h("p", { class: "faint" }, found.byTitle
        ? `${count(hits.length, "document")} with these words in the title; a page without a server cannot place a new text. Open one to see its nearest.`
        : `${count(found.computed, "distance")} computed, ${count(found.pruned)} ruled out by bounds`),
      ...(found.notes ?? []).map((note) => h("p", { class: "unknown-word" }, oneLine(note))),
      h("ol", { class: "hits" }, hits.map((hit) => line(hit, value(hit), most, about))));
    mark();
  }

  function line(hit, value, most, about) {
    return h("li", { "data-id": hit.id },
      typeof value !== "number" ? "" : h("div", { class: "distance", title: about ? "distance" : "score: words and topics" }, h("span", {}, about ? figure(value) : value.toFixed(2)), h("span", { class: "bar", "--part": Math.max(value / most, 0) })),
      h("div", {},
        h("button", { type: "button", class: "title", click: () => select(hit.id) }, h("span", { class: "letter" }), nameOf(hit)),
        hit.label !== null && h("span", { class: "tag" }, oneLine(hit.label)),
        !about && hit.snippet && h("p", { class: "snippet" }, marked(hit.snippet, hit.marks)),
        hit.why && h("p", { class: "why" }, hit.why),
        h("p", { class: "links" },
          about && h("a", { href: link("compare", { a: about.id, b: hit.id }) }, "what moves where"),
          h("a", { href: link("search", { id: hit.id }) }, "nearest to this one"))));
  }

  /** A passage with the words that were searched for marked; marks count characters, not halves of them. */
  function marked(passage, marks) {
    const letters = [...passage], parts = [];
    let done = 0;
    for (const [start, end] of marks) {
      parts.push(printable(letters.slice(done, start).join("")), h("mark", {}, printable(letters.slice(start, end).join(""))));
      done = end;
    }
    return [...parts, printable(letters.slice(done).join(""))];
  }

  function mark() {
    const { a, b } = current();
    for (const item of results.querySelectorAll(".hits > li")) {
      const letter = item.dataset.id === a ? "A" : item.dataset.id === b ? "B" : "";
      item.classList.toggle("selected", Boolean(letter));
      item.querySelector(".letter").textContent = letter;
    }
  }

  return { element, start() { run(); }, update() { run(); mark(); }, close() {} };
}
