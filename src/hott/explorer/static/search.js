// Search: any text in, the documents that fit it out, each with a passage, its score and the reason.

import { search, select } from "./api.js";
import { announce, button, choice, count, figure, h, latest, nameOf, oneLine, printable, problem, swap } from "./dom.js";
import { filterBar } from "./filters.js";
import { markOpen } from "./list.js";
import { topicBars } from "./reader.js";
import { csvButton } from "./save.js";
import { found, isSearching, selectionOf } from "./selection.js";
import { current, go, link, searchedText, searchFor } from "./state.js";
import { hitsOf, summary } from "./summary.js";

export function searchView(corpus) {
  let shown = null, reasons = new Map();
  const newest = latest();
  const text = h("textarea", {
    rows: 2, placeholder: "A few words, a sentence, or a whole document", "aria-label": "Text to search for", maxlength: 200000,
    keydown: (event) => { if (event.key === "Enter" && !event.shiftKey && !event.isComposing) submit(event); },
  });
  const by = choice("Search by", [["both", "words and topics"], ["words", "words"], ["topics", "topics"]], "both", (value) => go({ by: value === "both" ? "" : value }));
  const filters = filterBar(corpus);
  const results = h("div", { class: "results" });
  const about = h("div", {});
  const form = h("form", { class: "search", role: "search", submit }, text,
    h("div", { class: "row" }, h("button", { type: "submit", class: "primary" }, "Search"), h("label", { class: "faint" }, "by ", by),
      h("span", { class: "faint wide-only" }, "Shift + Enter begins a new line")));
  const element = h("div", { class: "search-view column" }, form, filters.element, results);

  function submit(event) {
    event.preventDefault();
    const wanted = text.value.trim();
    if (wanted) go(searchFor(wanted));
  }

  async function run(state) {
    const isNewest = newest();
    if (!isSearching(state)) return swap(results);
    text.value = state.like ? "" : searchedText(state) ?? "";
    results.setAttribute("aria-busy", "true");
    try {
      const answer = await found(state);
      if (!isNewest()) return;
      show(answer, state);
      select({ positions: answer.positions }).then((told) => isNewest() && swap(about, summary(told, hitsOf(answer.positions))), () => {});
      search({ ...answer.request, reasons: true }).then(({ hits }) => isNewest() && explain(hits), () => {});
    } catch (error) {
      if (isNewest()) { swap(results, problem(error)); shown = null; }
    }
    if (isNewest()) results.removeAttribute("aria-busy");
  }

  function show({ answer, hits }, { like }) {
    reasons = new Map();
    swap(about);
    // A document has distances to others; a text scores, and the best comes first.
    const value = (hit) => (like ? hit.distance : hit.score);
    const most = Math.max(...hits.map((hit) => value(hit) ?? 0), 1e-9);
    announce(count(hits.length, "result"));
    const rows = () => hits.map((hit) => [hit.id, hit.title, hit.label, hit.score, hit.distance, hit.snippet, reasons.get(hit.id)]);
    swap(results,
      h("div", { class: "list-head" }, h("h2", {}, count(hits.length, "hit")),
        h("span", { class: "list-tools" }, button("Show on the map", () => go({ view: "map" }), { class: "small" }),
          csvButton("hits", ["id", "title", "label", "score", "distance", "passage", "reason"], rows))),
      ...(answer.notes ?? []).map((note) => h("p", { class: "unknown-word" }, oneLine(note))),
      answer.topics?.length > 0 && !like && h("details", { class: "query" }, h("summary", { "data-key": "query" }, "What the search was read as"), topicBars(answer.topics),
        h("p", { class: "faint small-text effort" }, `${count(answer.computed, "distance")} computed, ${count(answer.pruned)} ruled out by bounds`)),
      h("details", { class: "query" }, h("summary", { "data-key": "about" }, "What is special about these hits"), about),
      h("ol", { class: "hits" }, hits.map((hit) => hitLine(hit, value(hit), most, like))));
    markOpen();
  }

  /** Reasons come after the hits. */
  function explain(hits) {
    for (const { id, why } of hits) {
      const room = results.querySelector(`[data-hit="${CSS.escape(id)}"] .why`);
      if (room) room.textContent = oneLine(why);
    }
    reasons = new Map(hits.map(({ id, why }) => [id, why]));
  }

  function hitLine(hit, value, most, like) {
    const parts = like || hit.words === undefined ? "distance" : `score: words ${hit.words.toFixed(2)}, topics ${hit.topics.toFixed(2)}`;
    return h("li", { "data-hit": hit.id },
      typeof value === "number" && h("div", { class: "distance", title: parts }, h("span", {}, like ? figure(value) : value.toFixed(2)),
        like ? h("span", { class: "note" }, "distance") : h("span", { class: "bar-room" }, h("span", { class: "bar", "--part": Math.max(value / most, 0) }))),
      h("div", {},
        h("button", { type: "button", class: "title", "data-id": hit.id, "data-key": `doc:${hit.id}`, click: () => go({ doc: hit.id }) }, nameOf(hit)),
        hit.label !== null && h("span", { class: "tag" }, oneLine(hit.label)),
        !like && hit.snippet && h("p", { class: "snippet" }, marked(hit.snippet, hit.marks)),
        h("p", { class: "why" }, hit.why ? oneLine(hit.why) : ""),
        like && h("p", { class: "links" }, h("a", { href: link({ view: "compare", a: like, b: hit.id, A: "", B: "" }) }, "compare"))));
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

  return {
    element,
    start() { if (!isSearching(current()) && matchMedia("(min-width: 820px)").matches) text.focus(); },
    update() {
      const state = current();
      filters.update();
      by.value = state.by ?? "both";
      const key = JSON.stringify([isSearching(state) && selectionOf(state), state.text, state.paste, state.like, state.by]);
      if (key === shown) return;
      shown = key;
      run(state);
    },
  };
}
