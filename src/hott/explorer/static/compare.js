// Compare: two documents or groups, what they have in common, what each has alone, and sentences side by side.

import { compare, contrast, getColumn, getDocument, isExport, without, working } from "./api.js";
import { colorAt, isDark } from "./colors.js";
import { button, choice, count, dayOf, figure, h, latest, nameOf, oneLine, perCent, problem, SOON, swap } from "./dom.js";
import { markedText } from "./reader.js";
import { csvButton, pageButton } from "./save.js";
import { current, go, link, nameOfSelection, OTHERS, packed, selectionOf, unpacked } from "./state.js";

const QUOTED = 4;

/** A side of a comparison as the server takes it: a document by its id, or a group by its filter. */
async function sideOf(id, group) {
  if (id) return { id };
  const state = unpacked(group);
  return { selection: selectionOf(state), name: (await nameOfSelection(state)).slice(0, 300) };
}

export function compareView(corpus) {
  let shown = null, comparison, documents, apart, sides;
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
    const soon = setTimeout(() => isNewest() && swap(element, working("Comparing. The first time that takes some seconds more.", "api/compare")), SOON);
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
      sides = [first, second];
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

  /** Two values of columns, or two months, to be compared, which takes no other view; the second choice is the last step. */
  function valueForm() {
    const room = h("span", { class: "row" });
    valueGroups().then((groups) => {
      const pick = (which, chosen) => {
        const field = choice(`${which} group`, [["", "choose…"]], "", chosen);
        field.append(...groups.map(([name, values]) => h("optgroup", { label: oneLine(name) }, values.map((value) => h("option", { value: `${name}=${value}` }, oneLine(value))))));
        return field;
      };
      const submit = () => first.value && second.value && go({ a: "", b: "", A: packed({ where: [first.value] }), B: packed({ where: [second.value] }) });
      const first = pick("First", submit), second = pick("Second", submit);
      swap(room, "Or compare ", first, " with ", second);
    }, (error) => swap(room, problem(error)));
    return h("p", { class: "row centred" }, room);
  }

  /** The values of each column of categories, and the months of each column of dates. */
  function valueGroups() {
    return Promise.all(corpus.columns.filter(({ values, type }) => values.length > 1 || type === "date").map(async ({ name, type, values }) => {
      if (type !== "date") return [name, values.map(({ label }) => label)];
      const { numbers } = await getColumn(name);
      return [name, [...new Set(numbers.filter((days) => days !== null).map((days) => dayOf(days).slice(0, 7)))].sort()];
    }));
  }

  function show() {
    const { a, b, A, B } = current(), { closer_than: closer } = comparison, isCloser = closer >= 0.5, part = isCloser ? closer : 1 - closer;
    const heading = (side, letter) => h("div", {}, h("h2", {}, h("span", { class: "letter" }, letter.toUpperCase()), oneLine(side.title) || oneLine(side.id)),
      h("p", { class: "faint" }, side.documents > 1 ? `a group of ${count(side.of, "document")}${side.of > side.documents ? `, of which ${count(side.documents)} stand for all` : ""}` : "",
        side.label !== null && h("span", { class: "tag" }, oneLine(side.label))),
      button("Choose another", () => go({ view: "explore", ...(letter === "a" ? { a: b ?? "", A: B ?? "" } : {}), b: "", B: "" }), { class: "small", name: `Choose another in the place of ${oneLine(side.title)}` }));
    swap(element,
      h("div", { class: "heads" }, heading(comparison.a, "a"),
        h("div", { class: "distance-head" },
          closer !== null && h("p", {}, isCloser ? "closer than " : "farther apart than ", h("strong", {}, part >= 0.95 && part < 1 ? `${Math.min(100 * part, 99.9).toFixed(1)} %` : perCent(part)), " of pairs"),
          h("p", { class: "faint" }, "distance ", h("span", { class: "distance", "data-value": comparison.distance }, figure(comparison.distance))),
          button("⇄ Swap", () => go({ a: b ?? "", A: B ?? "", b: a ?? "", B: A ?? "" }), { class: "small" })),
        heading(comparison.b, "b")),
      h("div", { class: "story" }, comparison.lines.filter((line) => !line.endsWith("of pairs.")).map((line) => h("p", {}, oneLine(line)))),
      columns(),
      apart && h("div", { class: "apart" }, apart),
      h("p", { class: "faint caption" }, "A bar is a term's part of the distance. ", !isExport() && "Press a term for the distance without it. ",
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
    const column = (name, kinds) => {
      const terms = comparison.terms.filter(({ where }) => kinds.includes(where)).slice(0, 8);
      return h("section", { "data-where": kinds[0] }, h("h3", {}, name), terms.length
        ? h("ul", {}, terms.map(({ text, part }) => h("li", {}, termButton(text), h("span", { class: "faint" }, perCent(part)),
          h("span", { class: "bar-room" }, h("span", { class: "bar", "--part": part / most })))))
        : h("p", { class: "faint" }, "nothing special"));
    };
    return h("div", { class: "diagram" }, column(`${only} A`, ["only_a"]), column("Both", ["both", "near"]), column(`${only} B`, ["only_b"]));
  }

  /** A term, which tells the distance without it when it is pressed. */
  function termButton(text) {
    if (isExport()) return h("span", { class: "term" }, oneLine(text));
    const told = h("span", { class: "note" }), words = oneLine(text).split(" ~ "); // of two near ones, both are taken out
    const ask = async () => {
      swap(told, " …");
      const { distance } = await without(...sides, words.join(" ")), change = distance === null ? 0 : distance - comparison.distance;
      swap(told, distance === null ? " without it no word is left" : ` without it ${figure(distance)} (${change < 0 ? "−" : "+"}${figure(Math.abs(change))})`);
    };
    return h("button", { type: "button", class: "term", title: `The distance without “${oneLine(text)}”`, "data-key": `term:${text}`, click: () => ask().catch((error) => swap(told, ` ${error.message}`)) }, oneLine(text), told);
  }

  /** A text with its told terms marked; of a group, typical sentences. */
  function textCard(side, found) {
    if (!found && !side.text) return h("article", { class: "card" }, h("h3", {}, oneLine(side.title)));
    return h("article", { class: "card" }, h("h3", {}, found ? nameOf(found) : oneLine(side.title)), h("p", { class: "text" }, marked(found ? found.text : side.text, side.marks)));
  }

  const marked = (text, marks) => markedText(text, marks, (group) => comparison.groups[group]?.name);

  return { element, start() {}, update() { load(); }, repaint() { if (comparison) show(); } };
}
