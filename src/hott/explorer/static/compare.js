// Compare: two documents or groups, what they have in common, what each has alone, and sentences side by side.

import { compare, contrast, getColumn, getDocument } from "./api.js";
import { colorAt, isDark } from "./colors.js";
import { button, choice, count, figure, h, latest, nameOf, oneLine, perCent, problem, SOON, swap } from "./dom.js";
import { isExport } from "./exported.js";
import { markedText } from "./reader.js";
import { csvButton, pageButton } from "./save.js";
import { nameOfSelection, packed, OTHERS, selectionOf, unpacked } from "./selection.js";
import { current, go, link } from "./state.js";

const QUOTED = 4;

/** A side of a comparison as the server takes it: a document by its id, or a group by its filter. */
async function sideOf(id, group) {
  if (id) return { id };
  const state = unpacked(group);
  return { selection: selectionOf(state), name: (await nameOfSelection(state)).slice(0, 300) };
}

export function compareView(corpus) {
  let shown = null, comparison, documents, apart;
  const newest = latest();
  const element = h("div", { class: "compare-view column" });

  async function load() {
    const { a, b, A, B } = current();
    const key = JSON.stringify([a, b, A, B]);
    if (key === shown) return;
    shown = key;
    comparison = null;
    const isNewest = newest();
    if (!(a || A) || !(b || B)) return swap(element, hint(a || A));
    element.setAttribute("aria-busy", "true");
    const soon = setTimeout(() => isNewest() && swap(element, h("p", { class: "hint" }, "Comparing. The first time that takes some seconds more.")), SOON);
    try {
      const [first, second] = await Promise.all([sideOf(a, A), B === OTHERS ? null : sideOf(b, B)]);
      if (B === OTHERS) {
        const told = contrasted(await contrast(first, second), first.name, "the rest");
        return isNewest() && swap(element, told);
      }
      const found = await Promise.all([compare(first, second), a && getDocument(a), b && getDocument(b)]);
      if (!isNewest()) return;
      clearTimeout(soon);
      comparison = found[0];
      documents = found.slice(1);
      apart = null;
      show();
      if (!A && !B) return;
      apart = await contrast(first, second).then((told) => contrasted(told, ...[first, second].map((side, i) => side.name ?? nameOf(documents[i]))), (error) => h("p", { class: "faint" }, error.message));
      if (isNewest()) show();
    } catch (error) {
      if (isNewest()) swap(element, problem(error));
    } finally {
      clearTimeout(soon);
      element.removeAttribute("aria-busy");
    }
  }

  function hint(one) {
    return h("div", { class: "hint" },
      h("p", {}, one ? "One side is chosen. Click another document, or select a group and compare it with that." : "Open a document, press “Compare with…”, then click the one to compare it with. Groups, such as a label, a topic or a region of the map, are compared in the same way."),
      h("p", {}, h("a", { href: link({ view: "explore" }) }, "Go to the map"), "."),
      !one && corpus.columns.some(({ values, type }) => values.length > 1 || type === "date") && valueForm());
  }

  /** Two values of a column, or two months, to be compared, which takes no other view. */
  function valueForm(name = corpus.columns.find(({ values, type }) => values.length > 1 || type === "date")?.name) {
    const columns = corpus.columns.filter(({ values, type }) => values.length > 1 || type === "date"), room = h("span", { class: "row" });
    const fill = async (chosen) => {
      const column = columns.find((one) => one.name === chosen);
      const values = column.type === "date" ? await monthsIn(column.name) : column.values.map(({ label }) => label);
      const [first, second] = ["First", "Second"].map((which, i) => choice(`${which} value`, values.map((value) => [value, value]), values[i] ?? values[0], () => {}));
      read = () => [first, second].map((field) => packed({ where: [`${chosen}=${field.value}`] }));
      swap(room, first, "with", second);
    };
    let read;
    fill(name).catch((error) => swap(room, problem(error)));
    const submit = (event) => { event.preventDefault(); const [one, other] = read(); go({ a: "", b: "", A: one, B: other }); };
    return h("form", { class: "row centred", submit }, "Or compare by", choice("Column", columns.map((one) => [one.name, one.name]), name, fill), room, h("button", { type: "submit" }, "Compare"));
  }

  /** The months that a column of dates has, as conditions take them. */
  async function monthsIn(name) {
    const { numbers } = await getColumn(name);
    return [...new Set(numbers.filter((days) => days !== null).map((days) => new Date(days * 86_400_000).toISOString().slice(0, 7)))].sort();
  }

  function show() {
    const { a, b, A, B } = current(), { closer_than: closer } = comparison;
    const heading = (side, letter) => h("div", {}, h("h2", {}, h("span", { class: "letter" }, letter.toUpperCase()), oneLine(side.title) || oneLine(side.id)),
      h("p", { class: "faint" }, side.documents > 1 ? `a group of ${count(side.of, "document")}${side.of > side.documents ? `, of which ${count(side.documents)} stand for all` : ""}` : "",
        side.label !== null && h("span", { class: "tag" }, oneLine(side.label))),
      button("Choose another", () => go({ view: "explore", ...(letter === "a" ? { a: b ?? "", A: B ?? "" } : {}), b: "", B: "" }), { class: "small", name: `Choose another in the place of ${oneLine(side.title)}` }));
    swap(element,
      h("div", { class: "heads" }, heading(comparison.a, "a"),
        h("div", { class: "distance-head" },
          closer !== null && h("p", {}, "closer than ", h("strong", {}, closer >= 0.95 && closer < 1 ? `${Math.min(100 * closer, 99.9).toFixed(1)} %` : perCent(closer)), " of pairs"),
          h("p", { class: "faint" }, "distance ", h("span", { class: "distance", "data-value": comparison.distance }, figure(comparison.distance))),
          button("⇄ Swap", () => go({ a: b ?? "", A: B ?? "", b: a ?? "", B: A ?? "" }), { class: "small" })),
        heading(comparison.b, "b")),
      h("div", { class: "story" }, comparison.lines.map((line) => h("p", {}, oneLine(line)))),
      columns(),
      apart && h("div", { class: "apart" }, apart),
      h("p", { class: "faint caption" }, "A bar is a term's part of the distance. ",
        csvButton("terms", ["term", "where", "part of the distance"], () => comparison.terms.map(({ text, where, part }) => [text, where, part]), "Terms"),
        csvButton("moves of words", ["from", "to", "mass", "cost"], () => comparison.flow.map(({ source, target, mass, cost }) => [source, target, mass, cost]), "Words"),
        pageButton("comparison", () => `${oneLine(comparison.a.title)} and ${oneLine(comparison.b.title)}`, element)),
      h("div", { class: "quotes" }, comparison.quotes.slice(0, QUOTED).map((pair) => h("div", { class: "pair" }, pair.map((quote, i) => h("blockquote", {},
        h("span", { class: "letter" }, "AB"[i]), marked(quote.text, quote.marks)))))),
      h("p", { class: "group-names" }, comparison.groups.map((group, i) => h("span", {}, h("span", { class: "dot", "--c": colorAt(i) }), oneLine(group.name)))),
      a && b && !isExport() && h("details", { class: "topics-between" }, h("summary", { "data-key": "diagram" }, "Topics of both, and the plan between them"),
        h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Topics of both" }, h("img", { loading: "lazy", alt: "How the topics of A become those of B", src: `api/diagram?${new URLSearchParams({ a, b, theme: isDark() ? "dark" : "light" })}` }))),
      h("div", { class: "texts" }, ["a", "b"].map((side, i) => textCard(comparison[side], documents[i]))));
  }

  /** How two groups differ: terms that more documents of the one have than of the other, and sentences with them. */
  function contrasted(found, ...names) {
    const side = (own, other, name, color) => h("section", { "--c": colorAt(color) }, h("h3", {}, "More in ", oneLine(name)), own.terms.length
      ? h("ul", { class: "apart-terms" }, own.terms.map(({ text, inside, outside }) => h("li", {}, h("span", { class: "term" }, oneLine(text)),
        h("span", { class: "faint", title: `${count(inside)} of ${count(own.documents)} documents here, ${count(outside)} of ${count(other.documents)} there` }, `${perCent(inside / own.documents)} : ${perCent(outside / other.documents)}`))))
      : h("p", { class: "faint" }, "nothing special"), own.sentences.map((sentence) => h("blockquote", {}, oneLine(sentence))));
    return [h("h2", {}, "What tells them apart"), h("p", { class: "faint small-text" }, "Share of the documents that have a term, here and there"),
      h("div", { class: "pair contrast" }, side(found.a, found.b, names[0], 0), side(found.b, found.a, names[1], 1))];
  }

  /** Terms of A alone, of both and of B alone, each with its part of the distance. */
  function columns() {
    const most = Math.max(...comparison.terms.map(({ part }) => part), 1e-12);
    const only = Math.max(comparison.a.documents, comparison.b.documents) > 1 ? "More in" : "Only";
    const column = (name, kinds, color) => {
      const terms = comparison.terms.filter(({ where }) => kinds.includes(where)).slice(0, 8);
      return h("section", { "--c": colorAt(color), "data-where": kinds[0] }, h("h3", {}, name), terms.length
        ? h("ul", {}, terms.map(({ text, part }) => h("li", {}, h("span", { class: "term" }, oneLine(text)), h("span", { class: "faint" }, perCent(part)),
          h("span", { class: "bar-room" }, h("span", { class: "bar", "--part": part / most, "--c": colorAt(color) })))))
        : h("p", { class: "faint" }, "nothing special"));
    };
    return h("div", { class: "diagram" }, column(`${only} A`, ["only_a"], 0), column("Both", ["both", "near"], 2), column(`${only} B`, ["only_b"], 1));
  }

  /** A text with its told terms marked; of a group, typical sentences. */
  function textCard(side, found) {
    if (!found && !side.text) return h("article", { class: "card" }, h("h3", {}, oneLine(side.title)));
    return h("article", { class: "card" }, h("h3", {}, found ? nameOf(found) : oneLine(side.title)), h("p", { class: "text" }, marked(found ? found.text : side.text, side.marks)));
  }

  const marked = (text, marks) => markedText(text, marks, (group) => comparison.groups[group]?.name);

  return { element, start() {}, update() { load(); }, repaint() { if (comparison) show(); } };
}
