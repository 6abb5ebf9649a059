// Lists of documents, and one document seen closely: its topics, its text, its nearest.

import { getDocument, listDocuments, searchById } from "./api.js";
import { colorAt } from "./colors.js";
import { count, figure, h, nameOf, oneLine, perCent, printable, problem } from "./dom.js";
import { current, link, select } from "./state.js";

/** A document as a line that selects it. */
export function documentLine(entry, note = "") {
  const { a, b } = current();
  const letter = entry.id === a ? "A" : entry.id === b ? "B" : "";
  return h("li", {},
    h("button", { type: "button", class: "line", click: () => select(entry.id), "aria-pressed": String(Boolean(letter)) },
      letter && h("span", { class: "letter" }, letter),
      h("span", { class: "name" }, nameOf(entry)),
      entry.label !== null && h("span", { class: "tag" }, oneLine(entry.label)),
      note && h("span", { class: "note" }, note)));
}

/** Topics of a document with their proportions as bars. */
export function topicBars(topics, most = 6) {
  return h("ul", { class: "bars" }, topics.slice(0, most).map((topic) =>
    h("li", {},
      h("a", { href: link("topics", { topic: topic.number }), class: "topic-name" }, topic.name),
      h("span", { class: "bar", "--part": topic.proportion, "--c": colorAt(topic.number) }),
      h("span", { class: "note" }, perCent(topic.proportion)))));
}

/** One document, to stand beside the map. */
export async function documentCard(id) {
  const document = await getDocument(id);
  const near = h("ol", { class: "lines" }, h("li", { class: "faint" }, "…"));
  searchById(id).then(
    ({ hits }) => near.replaceChildren(...hits.filter((hit) => hit.id !== id).slice(0, 10)
      .map((hit) => documentLine(hit, figure(hit.distance)))),
    (error) => near.replaceChildren(h("li", {}, problem(error))),
  );
  return h("article", { class: "card document", "data-id": id },
    h("h2", {}, nameOf(document)),
    document.label !== null && h("p", {}, h("span", { class: "tag" }, oneLine(document.label))),
    topicBars(document.topics),
    h("details", {}, h("summary", {}, "Text"), h("p", { class: "text" }, printable(document.text))),
    h("h3", {}, "Nearest documents"), near);
}

/** Documents page by page, with a filter by words. */
export function documentList(filter, size = 50) {
  const total = h("span", { class: "faint" });
  const lines = h("ul", { class: "lines" });
  const more = h("button", { type: "button", click: () => load() }, "More");
  let shown = 0, asked = 0;

  async function load(changes) {
    if (changes) { Object.assign(filter, changes); shown = 0; }
    const ticket = ++asked;
    try {
      const page = await listDocuments({ ...filter, offset: shown, limit: size });
      if (ticket !== asked) return;
      if (!shown) lines.replaceChildren();
      lines.append(...page.documents.map((entry) =>
        documentLine(entry, entry.proportion === null ? "" : perCent(entry.proportion))));
      shown += page.documents.length;
      total.textContent = count(page.total, "document");
      more.hidden = shown >= page.total;
    } catch (error) {
      if (ticket === asked) lines.replaceChildren(h("li", {}, problem(error)));
    }
  }

  let timer;
  const words = h("input", {
    type: "search", placeholder: "words in title or text", "aria-label": "Only documents with these words", maxlength: 200,
    input: () => { clearTimeout(timer); timer = setTimeout(() => load({ words: words.value.trim() }), 250); },
  });
  load({});
  return { element: h("section", { class: "list" }, h("h3", {}, "Documents ", total), words, lines, more), load };
}
