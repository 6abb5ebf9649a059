// The reader, in the place of the panel: a document's text with what was searched for marked, its topics, documents near it.

import { getDocument, getMarks, labelName, search } from "./api.js";
import { colorAt, topicColor } from "./colors.js";
import { button, count, figure, h, latest, nameOf, oneLine, perCent, printable, problem, swap } from "./dom.js";
import { documentLine, markOpen } from "./list.js";
import { askedText, current, go, isChoosing, link, noSearch } from "./state.js";

const NEAREST = 8, TOPICS = 5;

/** Topics with their proportions as bars. */
export function topicBars(topics, most = TOPICS) {
  return h("ul", { class: "bars" }, topics.slice(0, most).map((topic) =>
    h("li", {},
      h("a", { href: link({ view: "advanced", tab: "", model: "", card: topic.number }), class: "topic-name" }, oneLine(topic.name)),
      h("span", { class: "bar-room" }, h("span", { class: "bar", "--part": topic.proportion, "--c": topicColor(topic.number) })),
      h("span", { class: "note" }, perCent(topic.proportion)))));
}

/** A text whose lines were broken at a width, flowing again, with one blank line in the place of many; every character keeps its place. */
const flowing = (text) => text.replace(/(?<=^[^\n]{50,90})\n(?=[\p{L}("'])/gmu, " ").replace(/(?<=\n\s*\n)\s*\n/g, (blank) => "\u200b".repeat(blank.length));

/** A text with marks: start, end and, where they have colours, number of the group each. */
export function markedText(text, marks, nameOfGroup = () => null) {
  const pieces = [];
  let at = 0;
  text = flowing(text);
  for (const [start, end, group] of marks) {
    if (start < at) continue;
    pieces.push(printable(text.slice(at, start)), h("mark", { "--c": group === undefined ? null : colorAt(group), title: nameOfGroup(group), "data-group": group }, printable(text.slice(start, end))));
    at = end;
  }
  return [...pieces, printable(text.slice(at))];
}

export function readingPane(pane) {
  const newest = latest();
  let shown, sides;

  const close = () => {
    const opener = document.querySelector(`main [data-id="${CSS.escape(current().doc ?? "")}"]`);
    go({ doc: "" });
    (opener ?? document.getElementById("main")).focus();
  };
  pane.addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });

  async function open(id) {
    const isNewest = newest(), state = current();
    pane.setAttribute("aria-busy", "true");
    try {
      const found = await getDocument(id);
      if (!isNewest()) return;
      fill(found);
      if (state.like !== id) await mark(found, state, isNewest);
    } catch (error) {
      if (isNewest()) swap(pane, h("div", { class: "pane-head" }, closer()), problem(error));
    }
    if (isNewest()) pane.removeAttribute("aria-busy");
  }

  const closer = () => button("×", close, { class: "close", name: "Close the document" });

  function fill(found) {
    const heading = h("h2", { tabindex: "-1", "data-key": "reading" }, nameOf(found));
    const near = h("ol", { class: "lines" }, h("li", { class: "faint" }, "…"));
    const tags = Object.entries({ [labelName]: found.label, ...found.columns }).filter(([, value]) => value !== null && value !== "" && String(value).length < 80);
    swap(pane,
      h("div", { class: "pane-head" }, heading, closer(), h("div", { class: "steps", hidden: true })),
      tags.length > 0 && h("ul", { class: "tags" }, tags.map(([name, value]) => h("li", { class: "tag", title: name }, name === labelName ? "" : h("span", { class: "faint" }, `${oneLine(name)} `), oneLine(value)))),
      h("div", { class: "actions" }, actions(found)),
      h("div", { class: "text" }, printable(flowing(found.text))),
      h("h3", {}, "Topics"), topicBars(found.topics),
      h("h3", {}, "Nearest documents"), near);
    pane.scrollTop = 0;
    heading.focus({ preventScroll: true });
    search({ id: found.id, k: NEAREST + 1, reasons: false }).then(
      ({ hits }) => swap(near, hits.filter((hit) => hit.id !== found.id).map((hit) => documentLine(hit, hit.distance === null ? "" : figure(hit.distance)))),
      (error) => swap(near, h("li", {}, problem(error)))).then(markOpen);
  }

  /** Mark what was searched for, and begin to read at the best passage. */
  async function mark(found, state, isNewest) {
    const text = askedText(state);
    if (!text && !state.like) return;
    const { marks, words, passage } = await getMarks({ id: found.id, ...(state.like ? { like: state.like } : { text }) });
    if (!isNewest() || !marks.length) return;
    const room = pane.querySelector(".text"), steps = pane.querySelector(".steps");
    swap(room, markedText(found.text, marks, (group) => words[group]));
    const places = [...room.querySelectorAll("mark")];
    let at = Math.max(0, marks.findIndex(([start]) => start >= passage));
    const tally = h("span", { class: "note" });
    const show = (next) => {
      places[at].removeAttribute("aria-current");
      at = (next + places.length) % places.length;
      places[at].setAttribute("aria-current", "true");
      tally.textContent = `${count(at + 1)} of ${count(places.length, "mark")}`;
      const offset = places[at].getBoundingClientRect().top - pane.getBoundingClientRect().top;
      if (offset < 130 || offset > pane.clientHeight - 60) pane.scrollTop += offset - pane.clientHeight / 3;
    };
    steps.hidden = false;
    swap(steps, button("↑", () => show(at - 1), { class: "small", name: "Previous mark" }), button("↓", () => show(at + 1), { class: "small", name: "Next mark" }), tally,
      h("span", { class: "group-names" }, words.map((word, i) => marks.some(([, , group]) => group === i) && h("span", {}, h("span", { class: "dot", "--c": colorAt(i) }), oneLine(word)))));
    show(at);
  }

  function actions(found) {
    const state = current();
    return [
      isChoosing(state) && state.a !== found.id ? button("Compare these two", () => go({ view: "compare", b: found.id, B: "" }), { class: "primary" })
        : button("Compare with…", () => go({ a: found.id, A: "", b: "", B: "", doc: "" })),
      button("More like this", () => go({ view: "explore", ...noSearch, like: found.id, doc: "" })),
      button("Distances", () => go({ view: "explore", ...noSearch, color: "distance", from: found.id }), { name: "Distances on the map" }),
    ];
  }

  return {
    update() {
      const { doc, a, b, A, B, text, paste, like, without } = current();
      pane.hidden = !doc;
      document.body.classList.toggle("reading", Boolean(doc));
      const [key, now] = [doc && JSON.stringify([doc, text, paste, like, without]), JSON.stringify([a, b, A, B])];
      if (key && key !== shown) open(doc);
      else if (doc && now !== sides) getDocument(doc).then((found) => { const room = pane.querySelector(".actions"); if (room) swap(room, actions(found)); }, () => {});
      [shown, sides] = [key, now];
    },
    /** Colours or names of topics are others than before. */
    repaint() {
      const bars = pane.querySelector(".bars"), { doc } = current();
      if (bars && doc) getDocument(doc).then(({ topics }) => bars.replaceWith(topicBars(topics)), () => {});
    },
  };
}
