// Compare: two documents or groups side by side, what moves where between them, and the words that carry it.

import { compare, getDocument } from "./api.js";
import { colorAt } from "./colors.js";
import { transportDiagram } from "./diagram.js";
import { button, choice, count, figure, h, latest, nameOf, oneLine, perCent, printable, problem, swap } from "./dom.js";
import { csvButton, pictureButtons } from "./save.js";
import { nameOfSelection, packed, selectionOf, unpacked } from "./selection.js";
import { current, go, link } from "./state.js";

/** A side of a comparison as the server takes it: a document by its id, or a group by its filter. */
async function sideOf(id, group) {
  if (id) return { id };
  const state = unpacked(group);
  return { selection: selectionOf(state), name: (await nameOfSelection(state)).slice(0, 300) };
}

export function compareView(corpus) {
  let shown = null, comparison, documents, colors;
  const newest = latest();
  const element = h("div", { class: "compare-view column" });
  const drawing = h("div", { class: "drawing" });
  const detail = h("section", { class: "detail", "aria-live": "polite" });
  const texts = h("div", { class: "texts" });
  const watcher = new ResizeObserver(() => comparison && draw());
  let drawnWidth = 0;

  async function load() {
    const { a, b, A, B } = current();
    const key = JSON.stringify([a, b, A, B]);
    if (key === shown) return refresh();
    shown = key;
    comparison = null;
    const isNewest = newest();
    if (!(a || A) || !(b || B)) return swap(element, hint(a || A));
    element.setAttribute("aria-busy", "true");
    try {
      const [first, second] = await Promise.all([sideOf(a, A), sideOf(b, B)]);
      const found = await Promise.all([compare(first, second), a && getDocument(a), b && getDocument(b)]);
      if (!isNewest()) return;
      comparison = drawable(found[0]);
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
    const submit = (event) => { event.preventDefault(); go({ a: "", b: "", A: side(first), B: side(second), band: "" }); };
    return h("form", { class: "row centred", submit }, "Or compare two labels:", first, "with", second, h("button", { type: "submit" }, "Compare"));
  }

  function show() {
    // The themes get the first colours, as in the library's pictures; what no theme holds is grey.
    colors = new Map(comparison.themes.map((theme) => [theme.number, colorAt(theme.is_other ? -1 : theme.number)]));
    const { a, b, A, B } = current();
    const heading = (side, letter) => h("div", {}, h("h2", {}, h("span", { class: "letter" }, letter.toUpperCase()), oneLine(side.title) || oneLine(side.id)),
      h("p", { class: "faint" }, side.documents > 1 ? `a group of ${count(side.of, "document")}${side.of > side.documents ? `, of which ${count(side.documents)} stand for all` : ""}` : "",
        side.label !== null && h("span", { class: "tag" }, oneLine(side.label))),
      button("Choose another", () => go({ view: "map", band: "", ...(letter === "a" ? { a: b ?? "", A: B ?? "" } : {}), b: "", B: "" }), { class: "small", name: `Choose another in the place of ${oneLine(side.title)}` }));
    swap(element,
      h("div", { class: "heads" }, heading(comparison.a, "a"),
        h("div", { class: "distance-head" }, h("p", {}, "distance ", h("strong", { "data-value": comparison.distance }, figure(comparison.distance))),
          h("p", { class: "faint" }, comparison.shared.length ? `${perCent(comparison.both)} in common themes` : ""),
          button("⇄ Swap", () => go({ a: b ?? "", A: B ?? "", b: a ?? "", B: A ?? "", band: "" }), { class: "small" })),
        heading(comparison.b, "b")),
      h("div", { class: "story" }, comparison.sentences.map((sentence) => h("p", {}, oneLine(sentence)))),
      drawing,
      h("p", { class: "faint caption" }, "Coloured: what both have of a theme. Grey: what moves to another. Choose a band to see its words. ",
        ...pictureButtons("comparison", () => drawing.querySelector("svg")),
        csvButton("flow", ["from", "to", "mass", "cost"], () => comparison.flow.map(({ source, target, mass, cost }) => [source, target, mass, cost]))),
      detail, texts);
    drawnWidth = 0;
    draw();
    refresh();
  }

  function draw(force = false) {
    const width = Math.max(300, Math.floor(drawing.clientWidth || element.clientWidth));
    if (width === drawnWidth && !force) return;
    drawnWidth = width;
    swap(drawing, transportDiagram(comparison, {
      width, colorOf: (number) => colors.get(number), picked: current().band,
      pick: (move) => {
        const key = `${move.source}-${move.target}`;
        go({ band: current().band === key ? "" : key });
      },
    }));
  }

  function refresh() {
    if (!comparison) return;
    draw(true);
    const { band } = current();
    const move = comparison.moves.find(({ source, target }) => `${source}-${target}` === band);
    swap(detail, move ? wordPlan(move) : []);
    const strong = move ? new Set([move.source, move.target]) : null;
    swap(texts, ["a", "b"].map((side, i) => (documents[i] ? marked(documents[i], comparison[side], strong) : groupCard(comparison[side]))));
  }

  const topicOf = (side, number) => comparison[side].topics.find((topic) => topic.number === number);

  function wordPlan(move) {
    const [source, target] = [topicOf("a", move.source), topicOf("b", move.target)];
    if (move.source === move.target) {
      const words = (side) => topicOf(side, move.source).carriers.map(({ word }) => word).join(", ") || "none";
      return [h("h3", {}, `${perCent(move.mass)} stays in `, dot(move.source), source.name),
        h("p", {}, "its words in the first: ", words("a")), h("p", {}, "in the second: ", words("b"))];
    }
    const most = Math.max(...move.words.map(({ share }) => share), 1e-12);
    return [
      h("h3", {}, `${perCent(move.mass)} moves from `, dot(move.source), source.name, " to ", dot(move.target), target.name),
      h("p", { class: "faint" }, `cost ${figure(move.cost)}, ${perCent(move.share)} of the distance; the words that make the most of it:`),
      h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Words that move" }, h("table", { class: "plan" },
        h("thead", {}, h("tr", {}, ["from", "to", "mass", "cost", "share of the distance"].map((name) => h("th", { scope: "col" }, name)))),
        h("tbody", {}, move.words.map((step) => h("tr", {},
          h("td", {}, step.source), h("td", {}, step.source === step.target ? "stays" : step.target), h("td", {}, `${(100 * step.mass).toFixed(2)} %`),
          h("td", {}, figure(step.cost)), h("td", {}, h("span", { class: "bar-room" }, h("span", { class: "bar", "--part": step.share / most, "--c": colors.get(move.source) })), `${(100 * step.share).toFixed(1)} %`)))))),
    ];
  }

  const dot = (number) => h("span", { class: "dot", "--c": colors.get(number) });

  const themeNames = (side) => h("p", { class: "theme-names" }, side.topics.map((topic) => h("span", {}, dot(topic.number), topic.name)));

  function groupCard(side) {
    const sentences = comparison.themes.flatMap((theme) => theme[side === comparison.a ? "sentences_a" : "sentences_b"].slice(0, 1).map((one) => [theme, one]));
    return h("article", { class: "card" }, h("h3", {}, oneLine(side.title)), themeNames(side),
      h("ul", { class: "sentences" }, sentences.slice(0, 8).map(([theme, sentence]) => h("li", {}, dot(theme.number), printable(sentence.text), " ",
        h("button", { type: "button", class: "title", "data-id": sentence.document, click: () => go({ doc: sentence.document }) }, "open")))));
  }

  function marked(found, side, strong) {
    const names = new Map(side.topics.map((topic) => [topic.number, topic.name]));
    const pieces = [];
    let at = 0;
    for (const [start, end, number] of side.marks) {
      if (start > at) pieces.push(printable(found.text.slice(at, start)));
      const pale = strong && !strong.has(number);
      pieces.push(h("mark", { "--c": colors.get(number), class: pale ? "pale" : null, title: names.get(number), "data-topic": number }, printable(found.text.slice(start, end))));
      at = end;
    }
    pieces.push(printable(found.text.slice(at)));
    return h("article", { class: "card" }, h("h3", {}, nameOf(found)), themeNames(side), h("p", { class: "text" }, pieces));
  }

  return { element, start() { watcher.observe(element); }, update() { load(); }, repaint() { if (comparison) show(); } };
}

/** A comparison with the themes of each side, as the diagram draws them. */
function drawable(comparison) {
  const share = (cost) => (comparison.distance ? cost / comparison.distance : 0);
  const topics = (side) => comparison.themes.filter((theme) => theme[`mass_${side}`] > 0).map((theme) => ({
    number: theme.number, isOther: theme.is_other, proportion: theme[`mass_${side}`], carriers: theme[`words_${side}`],
    name: theme.is_other ? theme.name : theme[`words_${side}`].slice(0, 3).map(({ word }) => word).join(", "),
  }));
  const words = (move) => comparison.flow
    .filter((step) => step.source_theme === move.source && step.target_theme === move.target).slice(0, 12)
    .map((step) => ({ ...step, share: share(step.cost) }));
  return {
    ...comparison, a: { ...comparison.a, topics: topics("a") }, b: { ...comparison.b, topics: topics("b") },
    moves: comparison.moves.map((move) => ({ ...move, share: share(move.cost), words: words(move) })),
  };
}
