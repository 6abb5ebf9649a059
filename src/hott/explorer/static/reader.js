// The reading pane: a document's text, themes and neighbours, one click from anywhere.

import { getDocument, search } from "./api.js";
import { topicColor } from "./palette.js";
import { button, figure, h, latest, nameOf, oneLine, perCent, printable, problem, swap } from "./dom.js";
import { documentLine, markOpen } from "./list.js";
import { current, go, link, noSearch } from "./state.js";

const NEAREST = 8, TOPICS = 5;

/** Topics with their proportions as bars. */
export function topicBars(topics, most = TOPICS) {
  return h("ul", { class: "bars" }, topics.slice(0, most).map((topic) =>
    h("li", {},
      h("a", { href: link({ view: "topics", tab: "", model: "", card: topic.number }), class: "topic-name" }, oneLine(topic.name)),
      h("span", { class: "bar-room" }, h("span", { class: "bar", "--part": topic.proportion, "--c": topicColor(topic.number) })),
      h("span", { class: "note" }, perCent(topic.proportion)))));
}

export function readingPane(pane) {
  const newest = latest();
  let shown, sides;

  const close = () => {
    const opener = document.querySelector(`main [data-id="${CSS.escape(shown ?? "")}"]`);
    go({ doc: "" });
    (opener ?? document.getElementById("main")).focus();
  };
  pane.addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });

  async function open(id) {
    const isNewest = newest();
    pane.setAttribute("aria-busy", "true");
    try {
      const found = await getDocument(id);
      if (isNewest()) fill(found);
    } catch (error) {
      if (isNewest()) swap(pane, h("div", { class: "pane-head" }, closer()), problem(error));
    }
    pane.removeAttribute("aria-busy");
  }

  const closer = () => button("×", close, { class: "close", name: "Close the document" });

  function fill(found) {
    const heading = h("h2", { tabindex: "-1", "data-key": "reading" }, nameOf(found));
    const near = h("ol", { class: "lines" }, h("li", { class: "faint" }, "…"));
    const tags = [["label", found.label], ...Object.entries(found.columns)].filter(([, value]) => value !== null && value !== "" && String(value).length < 80);
    swap(pane,
      h("div", { class: "pane-head" }, heading, closer()),
      tags.length > 0 && h("ul", { class: "tags" }, tags.map(([name, value]) => h("li", { class: "tag", title: name }, name === "label" ? "" : h("span", { class: "faint" }, `${oneLine(name)} `), oneLine(value)))),
      h("div", { class: "actions" }, actions(found)),
      topicBars(found.topics),
      h("div", { class: "text", tabindex: "0", role: "region", "aria-label": "Text" }, printable(found.text)),
      h("h3", {}, "Nearest documents"), near);
    pane.scrollTop = 0;
    heading.focus({ preventScroll: true });
    search({ id: found.id, k: NEAREST + 1, reasons: false }).then(
      ({ hits }) => swap(near, hits.filter((hit) => hit.id !== found.id).map((hit) => documentLine(hit, hit.distance === null ? "" : figure(hit.distance)))),
      (error) => swap(near, h("li", {}, problem(error)))).then(markOpen);
  }

  function actions(found) {
    const { a, A, b, B } = current();
    const waiting = (a || A) && !(b || B) && a !== found.id;
    return [
      waiting ? button("Compare these two", () => go({ view: "compare", b: found.id, B: "" }), { class: "primary" })
        : button("Compare…", () => go({ a: found.id, A: "", b: "", B: "" }), { disabled: a === found.id && !(b || B) }),
      button("More like this", () => go({ view: "search", ...noSearch, like: found.id })),
      button("Distances on the map", () => go({ view: "map", color: "distance", from: found.id })),
    ];
  }

  return {
    update() {
      const { doc, a, b, A, B } = current();
      pane.hidden = !doc;
      document.body.classList.toggle("reading", Boolean(doc));
      const now = JSON.stringify([a, b, A, B]);
      if (doc && doc !== shown) open(doc);
      else if (doc && now !== sides) getDocument(doc).then((found) => { const room = pane.querySelector(".actions"); if (room) swap(room, actions(found)); }, () => {});
      [shown, sides] = [doc, now];
    },
    /** Colours or names of topics are others than before. */
    repaint() {
      const bars = pane.querySelector(".bars");
      if (bars && shown) getDocument(shown).then(({ topics }) => bars.replaceWith(topicBars(topics)), () => {});
    },
  };
}
