// What a search found: documents in the order of their score, each with a passage and the reason.

import { getDocument, getDuplicates, getMarks, search } from "./api.js";
import { announce, button, choice, count, figure, h, nameOf, oneLine, swap } from "./dom.js";
import { markOpen } from "./list.js";
import { markedText, topicBars } from "./reader.js";
import { documentsMenu } from "./save.js";
import { askedText, current, go, link, openDocument } from "./state.js";

const READ = 520, BEFORE = 160; // characters of the best passage of the first hit, and in which a sentence is looked for to begin with
const MAX_FOLDED = 20_000; // documents among which copies are looked for, to fold them
const WAYS = [["both", "everything"], ["words", "words"], ["topics", "topics"], ["meaning", "meaning"]];

export function hitList(corpus) {
  let reasons = new Map();
  const element = h("section", { class: "results", "aria-label": "Hits" });
  const ways = WAYS.filter(([way]) => way !== "meaning" || corpus.meaning);

  function show({ answer, hits }, { like, by = "both" }) {
    reasons = new Map();
    // A document has distances to others; a text scores, and the best comes first.
    const value = (hit) => (like ? hit.distance : hit.score);
    const most = Math.max(...hits.map((hit) => value(hit) ?? 0), 1e-9);
    announce(count(hits.length, "hit"));
    const byPosition = new Map(hits.map((hit) => [hit.position, hit])), positions = hits.map(({ position }) => position);
    const told = (position) => { const { id, score, distance, snippet } = byPosition.get(position); return [like ? null : score, distance, snippet, reasons.get(id)]; };
    swap(element,
      h("div", { class: "list-head" }, h("h2", {}, count(hits.length, "hit")),
        h("span", { class: "list-tools" },
          !like && h("label", { class: "faint" }, "by ", choice("Search by", ways, by, (way) => go({ by: way === "both" ? "" : way }))),
          documentsMenu("hits", () => ({ positions }), { header: ["score", "distance", "passage", "reason"], at: told }))),
      h("div", { class: "question" }, !like && question(answer)),
      h("ol", { class: "hits" }, hits.map((hit) => hitLine(hit, value(hit), most, like))),
      answer.topics?.length > 0 && !like && h("details", { class: "query" }, h("summary", { "data-key": "query" }, "Topics of the question"), topicBars(answer.topics),
        h("p", { class: "faint small-text effort" }, `${count(answer.computed, "distance")} computed, ${count(answer.pruned)} ruled out by bounds`)));
    markOpen();
  }

  /** Show the best passage of the first hit at such length that the answer can be read there. */
  async function readFirst({ hits: [first] }, state, isNewest) {
    if (!first) return;
    const [{ text }, { marks, words, passage }] = await Promise.all([getDocument(first.id), getMarks({ id: first.id, ...(state.like ? { like: state.like } : { text: askedText(state) }) })]);
    const room = element.querySelector(`[data-hit="${CSS.escape(first.id)}"] .snippet`);
    if (!isNewest() || !room || !marks.length) return;
    const earliest = Math.max(0, passage - BEFORE), stop = text.slice(earliest, passage).search(/[.!?\n]\s+(?=[^.!?\n]*$)/);
    const begin = earliest === 0 && stop < 0 ? 0 : stop < 0 ? text.indexOf(" ", earliest) + 1 : earliest + stop + 1;
    const start = begin + text.slice(begin).search(/\S|$/), end = text.length - start <= READ ? text.length : text.lastIndexOf(" ", start + READ);
    const here = marks.filter(([from, to]) => from >= start && to <= end).map(([from, to, group]) => [from - start, to - start, group]);
    room.classList.add("best");
    swap(room, start > 0 && "…", markedText(text.slice(start, end), here, (group) => words[group]), end < text.length && "…");
  }

  /** Put copies of a hit, and further passages of its document, under it. */
  async function fold({ hits }, isNewest) {
    const { copies } = corpus.documents <= MAX_FOLDED ? await getDuplicates() : { copies: [] };
    if (!isNewest()) return;
    const groups = new Map(copies.flatMap(({ positions }, k) => positions.map((position) => [position, k]))), hasPassages = corpus.columns.some(({ name }) => name === "passage");
    const first = new Map();
    for (const { position, id } of hits) {
      const kind = groups.has(position) ? "copy" : "passage", key = groups.get(position) ?? (hasPassages && id.includes("#") ? id.slice(0, id.lastIndexOf("#")) : null);
      const item = element.querySelector(`.hits > [data-hit="${CSS.escape(id)}"]`);
      if (key === null || !item) continue;
      if (!first.has(key)) { first.set(key, { item, ids: [] }); continue; }
      const own = first.get(key), list = own.item.querySelector("details ol") ?? h("ol", { class: "hits" });
      own.ids.push(id);
      list.append(item);
      if (own.ids.length === 1) own.item.lastElementChild.append(h("details", { class: "folded" }, h("summary", { "data-key": `folded:${key}` }), list));
      own.item.querySelector("summary").textContent = kind === "passage" ? `${count(own.ids.length, "more passage")} of this document` : own.ids.length === 1 ? "1 copy" : `${count(own.ids.length)} copies`;
    }
  }

  /** Say why each was found; reasons take longer than the search. */
  async function explain(request, isNewest) {
    const answer = await search({ ...request, reasons: true });
    if (!isNewest()) return;
    if (!request.id) swap(element.querySelector(".question"), question(answer));
    for (const { id, why, snippet, marks } of answer.hits) {
      const item = element.querySelector(`[data-hit="${CSS.escape(id)}"]`), passage = item?.querySelector(".snippet");
      if (item) item.querySelector(".why").textContent = oneLine(why);
      if (passage && !passage.querySelector("mark")) swap(passage, markedText(snippet, marks)); // found by meaning: words near those of the question
    }
    reasons = new Map(answer.hits.map(({ id, why }) => [id, why]));
  }

  /** The words of the question, each with what it met, to be taken out and put back. */
  function question({ words, notes }) {
    const out = current().without?.split(",") ?? [];
    const without = (list) => go({ without: list.join(",") });
    const told = ({ by, met }) => [...new Set([...by, ...met])].map(oneLine).join(", ");
    const unmet = notes.filter((note) => !words.some((one) => told(one) && note.startsWith(`“${one.word}”`)));
    return [h("ul", { class: "chips words", "aria-label": "Words of the question" },
      words.map((one) => h("li", { class: one.how === "same" ? "" : "unknown", title: one.how === "same" ? null : `“${oneLine(one.word)}” is in no document` }, h("span", {}, oneLine(one.word), told(one) && h("span", { class: "faint" }, ` ≈ ${told(one)}`)),
        words.length > 1 && button("×", () => without([...out, one.word]), { class: "remove", name: `Leave out: ${oneLine(one.word)}` }))),
      out.map((word) => h("li", { class: "out" }, h("s", {}, oneLine(word)), button("+", () => without(out.filter((one) => one !== word)), { class: "remove", name: `Put back: ${oneLine(word)}` })))),
      unmet.map((note) => h("p", { class: "unknown-word" }, oneLine(note)))];
  }

  function hitLine(hit, value, most, like) {
    const parts = like || hit.words === undefined ? "distance" : `score: words ${hit.words.toFixed(2)}, topics ${hit.topics.toFixed(2)}, meaning ${hit.meaning.toFixed(2)}`;
    return h("li", { "data-hit": hit.id },
      typeof value === "number" && h("div", { class: "distance", title: parts }, h("span", {}, like ? figure(value) : value.toFixed(2)),
        like ? h("span", { class: "note" }, "distance") : h("span", { class: "bar-room" }, h("span", { class: "bar", "--part": Math.max(value / most, 0) }))),
      h("div", {},
        h("button", { type: "button", class: "title", "data-id": hit.id, "data-key": `doc:${hit.id}`, click: () => openDocument(hit.id) }, nameOf(hit)),
        hit.label !== null && h("span", { class: "tag" }, oneLine(hit.label)),
        hit.snippet && h("p", { class: "snippet" }, markedText(hit.snippet, hit.marks)),
        h("p", { class: "why" }, hit.why ? oneLine(hit.why) : ""),
        like && h("p", { class: "links" }, h("a", { href: link({ view: "compare", a: like, b: hit.id, A: "", B: "" }) }, "compare"))));
  }

  return { element, show, explain, readFirst, fold, clear: () => swap(element) };
}
