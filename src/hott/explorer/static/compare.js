// Compare: two documents or groups, what they have in common, what each has alone, and sentences side by side.

import { compare, getDocument } from "./api.js";
import { colorAt } from "./colors.js";
import { button, choice, count, figure, h, latest, nameOf, oneLine, perCent, printable, problem, swap } from "./dom.js";
import { csvButton } from "./save.js";
import { nameOfSelection, packed, selectionOf, unpacked } from "./selection.js";
import { current, go, link } from "./state.js";

const QUOTED = 4;

/** A side of a comparison as the server takes it: a document by its id, or a group by its filter. */
async function sideOf(id, group) {
  if (id) return { id };
  const state = unpacked(group);
  return { selection: selectionOf(state), name: (await nameOfSelection(state)).slice(0, 300) };
}

export function compareView(corpus) {
  let shown = null, comparison, documents;
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
    try {
      const [first, second] = await Promise.all([sideOf(a, A), sideOf(b, B)]);
      const found = await Promise.all([compare(first, second), a && getDocument(a), b && getDocument(b)]);
      if (!isNewest()) return;
      comparison = found[0];
      documents = found.slice(1);
      show();
    } catch (error) {
      if (isNewest()) swap(element, problem(error));
    }
    element.removeAttribute("aria-busy");
  }

  function hint(one) {
    return h("div", { class: "hint" },
      h("p", {}, one ? "One side is chosen. Open another document, or select a group, and compare it with that." : "Open a document, press “Compare…”, then open the one to compare it with. Groups, such as a label, a topic or a region of the map, are compared in the same way."),
      h("p", {}, h("a", { href: link({ view: "map" }) }, "Go to the map"), " or ", h("a", { href: link({ view: "search" }) }, "search"), "."),
      !one && corpus.labels.length > 1 && labelForm());
  }

  /** Two labels to be compared, which takes no other view. */
  function labelForm() {
    const names = corpus.labels.map(({ label }) => [label, label]);
    const [first, second] = [choice("First label", names, names[0][0], () => {}), choice("Second label", names, names[1][0], () => {})];
    const side = (field) => packed({ where: [`label=${field.value}`] });
    const submit = (event) => { event.preventDefault(); go({ a: "", b: "", A: side(first), B: side(second) }); };
    return h("form", { class: "row centred", submit }, "Or compare two labels:", first, "with", second, h("button", { type: "submit" }, "Compare"));
  }

  function show() {
    const { a, b, A, B } = current(), { closer_than: closer } = comparison;
    const heading = (side, letter) => h("div", {}, h("h2", {}, h("span", { class: "letter" }, letter.toUpperCase()), oneLine(side.title) || oneLine(side.id)),
      h("p", { class: "faint" }, side.documents > 1 ? `a group of ${count(side.of, "document")}${side.of > side.documents ? `, of which ${count(side.documents)} stand for all` : ""}` : "",
        side.label !== null && h("span", { class: "tag" }, oneLine(side.label))),
      button("Choose another", () => go({ view: "map", ...(letter === "a" ? { a: b ?? "", A: B ?? "" } : {}), b: "", B: "" }), { class: "small", name: `Choose another in the place of ${oneLine(side.title)}` }));
    swap(element,
      h("div", { class: "heads" }, heading(comparison.a, "a"),
        h("div", { class: "distance-head" },
          closer !== null && h("p", {}, "closer than ", h("strong", {}, closer >= 0.95 && closer < 1 ? `${Math.min(100 * closer, 99.9).toFixed(1)} %` : perCent(closer)), " of pairs"),
          h("p", { class: "faint" }, "distance ", h("span", { class: "distance", "data-value": comparison.distance }, figure(comparison.distance))),
          button("⇄ Swap", () => go({ a: b ?? "", A: B ?? "", b: a ?? "", B: A ?? "" }), { class: "small" })),
        heading(comparison.b, "b")),
      h("div", { class: "story" }, comparison.lines.map((line) => h("p", {}, oneLine(line)))),
      columns(),
      h("p", { class: "faint caption" }, "A bar is a term's part of the distance. ",
        csvButton("terms", ["term", "where", "part of the distance"], () => comparison.terms.map(({ text, where, part }) => [text, where, part])),
        csvButton("flow", ["from", "to", "mass", "cost"], () => comparison.flow.map(({ source, target, mass, cost }) => [source, target, mass, cost]))),
      h("div", { class: "quotes" }, comparison.quotes.slice(0, QUOTED).map((pair) => h("div", { class: "pair" }, pair.map((quote, i) => h("blockquote", {},
        h("span", { class: "letter" }, "AB"[i]), marked(quote.text, quote.marks)))))),
      h("p", { class: "group-names" }, comparison.groups.map((group, i) => h("span", {}, h("span", { class: "dot", "--c": colorAt(i) }), oneLine(group.name)))),
      h("div", { class: "texts" }, ["a", "b"].map((side, i) => textCard(comparison[side], documents[i]))));
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

  function marked(text, marks) {
    const pieces = [];
    let at = 0;
    for (const [start, end, group] of marks) {
      if (start < at) continue;
      if (start > at) pieces.push(printable(text.slice(at, start)));
      pieces.push(h("mark", { "--c": colorAt(group), title: comparison.groups[group]?.name, "data-group": group }, printable(text.slice(start, end))));
      at = end;
    }
    return [...pieces, printable(text.slice(at))];
  }

  return { element, start() {}, update() { load(); }, repaint() { if (comparison) show(); } };
}
