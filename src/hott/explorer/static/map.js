// The map: every document a point, near documents near each other.

import { getMap } from "./api.js";
import { colorAt, GREY } from "./colors.js";
import { announce, count, h, nameOf, oneLine, problem } from "./dom.js";
import { documentCard, documentLine, documentList } from "./panel.js";
import { Scatter } from "./scatter.js";
import { current, go, select } from "./state.js";

const MOST_CLASSES = 40; // in the legend
const AGAIN = 2000; // milliseconds until a preliminary map is asked for again

export function mapView(corpus) {
  let map, scatter, names = [], codes = [], shownFocus, timer;
  const tip = h("div", { class: "tip", hidden: true });
  const stage = h("div", {
    class: "stage", tabindex: 0, role: "application",
    "aria-label": `Map of ${count(corpus.documents, "document")}. Arrows move it, plus and minus zoom, 0 shows all. The list beside it holds the same documents.`,
  });
  const markers = h("div", { class: "markers", "aria-hidden": "true" });
  const note = h("p", { class: "faint map-note" });
  const legend = h("ul", { class: "legend", "aria-label": "Colours" });
  const card = h("div", { class: "focus" });
  const caught = h("div", { class: "caught" });
  const list = documentList({});
  const button = (text, label, click) => h("button", { type: "button", title: label, "aria-label": label, click }, text);
  const lasso = button("⬚", "Lasso: draw around documents (or hold Shift)", () => {
    const on = scatter.mode !== "lasso";
    scatter.setMode(on ? "lasso" : "pan");
    lasso.setAttribute("aria-pressed", String(on));
  });
  lasso.setAttribute("aria-pressed", "false");
  const color = h("select", { "aria-label": "Colour by", change: () => go({ color: color.value, only: "" }) },
    corpus.labels.length ? h("option", { value: "label" }, "label") : null, h("option", { value: "topic" }, "dominant topic"));
  const tools = h("div", { class: "tools" },
    h("label", {}, "Colour by ", color),
    button("+", "Zoom in", () => scatter.zoomBy(1.5)), button("−", "Zoom out", () => scatter.zoomBy(1 / 1.5)),
    button("⤢", "Show all", () => scatter.reset()), lasso);
  const element = h("div", { class: "map-view" },
    h("div", { class: "map-main" }, tools, h("div", { class: "frame" }, stage, markers, tip, note)),
    h("aside", {}, card, caught, h("details", { class: "classes", open: true }, h("summary", {}, "Colours"), legend), list.element));

  function colorBy() {
    return current().color ?? (corpus.labels.length ? "label" : "topic");
  }

  function paint() {
    const { only } = current();
    color.value = colorBy();
    [names, codes] = colorBy() === "label" ? [map.labels, map.label] : [map.topics, map.topic];
    const chosen = only === undefined ? null : Number(only);
    scatter.setColors(codes.map((code) => colorAt(code)), (i) => chosen === null || codes[i] === chosen);
    const sizes = new Map();
    for (const code of codes) sizes.set(code, (sizes.get(code) ?? 0) + 1);
    const ranked = [...sizes].sort(([, n], [, m]) => m - n).slice(0, MOST_CLASSES);
    legend.replaceChildren(...ranked.map(([code, n]) =>
      h("li", {}, h("button", {
        type: "button", "aria-pressed": String(chosen === code), click: () => go({ only: chosen === code ? "" : code }),
      }, h("span", { class: "dot", "--c": code < 0 ? GREY : colorAt(code) }),
      h("span", { class: "name" }, code < 0 ? "none" : oneLine(names[code])), h("span", { class: "note" }, count(n))))));
    const filter = { label: undefined, topic: undefined };
    if (chosen !== null && chosen >= 0) filter[colorBy() === "label" ? "label" : "topic"] = colorBy() === "label" ? names[chosen] : chosen;
    list.load(filter);
  }

  function mark() {
    const { a, b } = current();
    markers.replaceChildren(...[["A", a], ["B", b]].flatMap(([letter, id]) => {
      const i = id === undefined ? -1 : map.ids.indexOf(id);
      if (i < 0 || map.x[i] === null) return [];
      const [x, y] = scatter.placeOf(i);
      if (x < 0 || y < 0 || x > scatter.width || y > scatter.height) return [];
      return [h("span", { class: "marker", "--x": `${x}px`, "--y": `${y}px` }, letter)];
    }));
  }

  function hover(i, x, y) {
    tip.hidden = i < 0;
    stage.classList.toggle("over", i >= 0);
    if (i < 0) return;
    const name = codes[i] < 0 ? "" : oneLine(names[codes[i]]);
    tip.replaceChildren(h("strong", {}, nameOf({ id: map.ids[i], title: map.titles[i] })), name && h("span", {}, name));
    tip.classList.toggle("flip", x > scatter.width / 2);
    tip.style.setProperty("--x", `${x}px`);
    tip.style.setProperty("--y", `${y}px`);
  }

  function catchThem(indices) {
    announce(`${count(indices.length, "document")} in the lasso`);
    const lines = indices.slice(0, 200).map((i) =>
      documentLine({ id: map.ids[i], title: map.titles[i], label: map.labels[map.label[i]] ?? null }));
    caught.replaceChildren(h("section", { class: "card" },
      h("h3", {}, `${count(indices.length, "document")} in the lasso `,
        h("button", { type: "button", class: "small", click: () => caught.replaceChildren() }, "Clear")),
      h("ul", { class: "lines" }, lines)));
  }

  async function focus() {
    const { focus: id, a, b } = current();
    const wanted = id ?? b ?? a;
    if (wanted === shownFocus) return;
    shownFocus = wanted;
    card.replaceChildren();
    if (!wanted) return;
    const made = await documentCard(wanted).catch(problem);
    if (wanted === shownFocus) card.replaceChildren(made);
  }

  async function load() {
    map = await getMap();
    if (!stage.isConnected) return;
    scatter ??= new Scatter(stage, { hover, pick: (i) => select(map.ids[i]), lasso: catchThem, moved: mark });
    scatter.setPoints(map.x, map.y);
    paint();
    stage.dataset.state = map.state;
    const missing = map.x.filter((x) => x === null).length;
    note.textContent = map.state === "final" ? (missing ? `${count(missing, "document")} without a known word not on the map` : "")
      : "The map is being laid out; these are its two principal axes.";
    if (map.state !== "final") timer = setTimeout(() => load().catch(fail), AGAIN);
  }

  const fail = (error) => note.replaceChildren(problem(error));
  let painted = "";
  return {
    element,
    start() { load().catch(fail); },
    update() {
      focus();
      const key = `${colorBy()} ${current().only}`;
      if (map && key !== painted) paint();
      else if (map) { mark(); list.load({}); }
      painted = key;
    },
    close() { clearTimeout(timer); scatter?.close(); },
  };
}
