// Compare: two documents side by side, what moves where between them, and the words that carry it.

import { getComparison, getDocument } from "./api.js";
import { colorAt } from "./colors.js";
import { transportDiagram } from "./diagram.js";
import { figure, h, nameOf, oneLine, perCent, printable, problem } from "./dom.js";
import { current, go, link } from "./state.js";

export function compareView() {
  let shown = null, comparison, documents, colors, asked = 0;
  const element = h("div", { class: "compare-view" });
  const drawing = h("div", { class: "drawing" });
  const detail = h("section", { class: "detail", "aria-live": "polite" });
  const texts = h("div", { class: "texts" });
  const watcher = new ResizeObserver(() => comparison && draw());
  let drawnWidth = 0;

  async function load() {
    const { a, b } = current();
    const key = JSON.stringify([a, b]);
    if (key === shown) return refresh();
    shown = key;
    comparison = null;
    const ticket = ++asked;
    if (!a || !b) {
      return element.replaceChildren(h("p", { class: "hint" }, a || b ? "Select a second document, on the " : "Select two documents, on the ",
        h("a", { href: link("map") }, "map"), " or in a ", h("a", { href: link("search") }, "search"), "."));
    }
    element.setAttribute("aria-busy", "true");
    try {
      const found = await Promise.all([getComparison(a, b), getDocument(a), getDocument(b)]);
      if (ticket !== asked) return;
      comparison = drawable(found[0]);
      documents = found.slice(1);
      show();
    } catch (error) {
      if (ticket === asked) element.replaceChildren(problem(error));
    }
    element.removeAttribute("aria-busy");
  }

  function show() {
    // The themes get the first colours, as in the library's pictures; what no theme holds is grey.
    colors = new Map(comparison.themes.map((theme) => [theme.number, colorAt(theme.is_other ? -1 : theme.number)]));
    const heading = (document) => h("h2", {}, nameOf(document), document.label !== null ? h("span", { class: "tag" }, oneLine(document.label)) : "");
    element.replaceChildren(
      h("div", { class: "heads" }, heading(documents[0]),
        h("p", { class: "distance-head" }, "distance ", h("strong", { "data-value": comparison.distance }, figure(comparison.distance)),
          h("span", {}, `${perCent(comparison.both)} in common themes, ${perCent(1 - comparison.both)} moved`)),
        heading(documents[1])),
      h("div", { class: "story" }, comparison.sentences.map((sentence) => h("p", {}, oneLine(sentence)))),
      drawing,
      h("p", { class: "faint caption" }, "Coloured: what both have of a theme. Grey: what moves to another. Choose a band to see its words."),
      detail, texts);
    drawnWidth = 0;
    draw();
    refresh();
  }

  function draw(force = false) {
    const width = Math.max(320, Math.floor(drawing.clientWidth || element.clientWidth));
    if (width === drawnWidth && !force) return;
    drawnWidth = width;
    const focused = document.activeElement?.dataset?.move;
    drawing.replaceChildren(transportDiagram(comparison, {
      width, colorOf: (number) => colors.get(number), picked: current().band,
      pick: (move) => {
        const key = `${move.source}-${move.target}`;
        go({ band: current().band === key ? "" : key });
      },
    }));
    if (focused) drawing.querySelector(`[data-move="${CSS.escape(focused)}"]`)?.focus();
  }

  function refresh() {
    if (!comparison) return;
    draw(true);
    const { band } = current();
    const move = comparison.moves.find(({ source, target }) => `${source}-${target}` === band);
    detail.replaceChildren(...(move ? wordPlan(move) : []));
    const strong = move ? new Set([move.source, move.target]) : null;
    texts.replaceChildren(...["a", "b"].map((side, i) => marked(documents[i], comparison[side], strong)));
  }

  const topicOf = (side, number) => comparison[side].topics.find((topic) => topic.number === number);

  function wordPlan(move) {
    const [source, target] = [topicOf("a", move.source), topicOf("b", move.target)];
    if (move.source === move.target) {
      const words = (side) => topicOf(side, move.source).carriers.map(({ word }) => word).join(", ") || "none";
      return [h("h3", {}, `${perCent(move.mass)} stays in ${source.name}`),
        h("p", {}, h("strong", {}, "On the left: "), words("a")), h("p", {}, h("strong", {}, "On the right: "), words("b"))];
    }
    const most = Math.max(...move.words.map((step) => step.share), 1e-12);
    return [
      h("h3", {}, `${perCent(move.mass)} moves from `, dot(move.source), source.name, " to ", dot(move.target), target.name),
      h("p", { class: "faint" }, `cost ${figure(move.cost)}, ${perCent(move.share)} of the distance; the words that make the most of it:`),
      h("div", { class: "scroll" }, h("table", { class: "plan" },
        h("thead", {}, h("tr", {}, ["from", "to", "mass", "cost", "share of the distance"].map((name) => h("th", { scope: "col" }, name)))),
        h("tbody", {}, move.words.map((step) => h("tr", {},
          h("td", {}, step.source), h("td", {}, step.source === step.target ? "stays" : step.target), h("td", {}, `${(100 * step.mass).toFixed(2)} %`),
          h("td", {}, figure(step.cost)), h("td", {}, h("span", { class: "bar", "--part": step.share / most, "--c": colors.get(move.source) }), `${(100 * step.share).toFixed(1)} %`)))))),
    ];
  }

  const dot = (number) => h("span", { class: "dot", "--c": colors.get(number) });

  function marked(document, side, strong) {
    const names = new Map(side.topics.map((topic) => [topic.number, topic.name]));
    const pieces = [];
    let at = 0;
    for (const [start, end, number] of side.marks) {
      if (start > at) pieces.push(printable(document.text.slice(at, start)));
      const pale = strong && !strong.has(number);
      pieces.push(h("mark", { "--c": colors.get(number), class: pale ? "pale" : null, title: names.get(number), "data-topic": number }, printable(document.text.slice(start, end))));
      at = end;
    }
    pieces.push(printable(document.text.slice(at)));
    return h("article", { class: "card" }, h("h3", {}, nameOf(document)),
      h("p", { class: "chips" }, side.topics.map((topic) => h("span", { class: "chip" }, dot(topic.number), topic.name))),
      h("p", { class: "text" }, pieces));
  }

  return { element, start() { watcher.observe(element); load(); }, update() { load(); }, close() { watcher.disconnect(); } };
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
