// The map: every document a point, near documents near each other. What is meant is lit.

import { getDocument, getNames, getPoints, getProgress, isExport, stopLayout, working } from "./api.js";
import { loadClusters, outlineOf } from "./clusters.js";
import { coloring, coloringOf, colorings } from "./coloring.js";
import { GREY } from "./colors.js";
import { announce, button, choice, count, h, isNarrow, latest, nameOf, oneLine, perCent, problem, SOON, swap } from "./dom.js";
import { timeline } from "./histogram.js";
import { Labels } from "./labels.js";
import { entryAt } from "./list.js";
import { sidePanel } from "./panel.js";
import { mapDrawing } from "./picture.js";
import { pictureMenu } from "./save.js";
import { Scatter } from "./scatter.js";
import { current, go, isSearching, isWorkspace, meant, openDocument, selectionOf } from "./state.js";

const AGAIN = 1000; // milliseconds until it is asked again how far the map is
const NAMING = "Finding the subjects, to name them.";
const LAYING_OUT = "The map is being laid out; these are its two principal axes.";
const NEAR = 4; // pixels: a click so near a point means it, and not the name that lies over it
const EXCERPT = 180, PAUSE = 250; // characters of a document that the pointer rests on for so many milliseconds
const SETTLED = 400; // milliseconds after which a move is in the address

const asText = (place) => place.map((value) => Number(value.toFixed(3))).join(",");

export function mapView(corpus) {
  let points, scatter, labels, painted, lit = null, namedAt, outlined, reading, shownKey, shownAt, timer, settling;
  const newest = latest();
  const tip = h("div", { class: "tip", hidden: true });
  const stage = h("div", {
    class: "stage", tabindex: 0, role: "application", "data-key": "stage",
    "aria-label": `Map of ${count(corpus.documents, "document")}. Arrows go from document to document, Enter opens one; with Shift they move the map; plus and minus zoom, 0 shows all. The list beside it holds the same documents.`,
  });
  const markers = h("div", { class: "markers", "aria-hidden": "true" });
  const note = h("p", { class: "faint map-note" });
  const panel = sidePanel(corpus, (positions) => viewOf(positions));
  const lasso = button("Lasso", () => {
    const on = stage.dataset.mode !== "lasso";
    stage.dataset.mode = on ? "lasso" : "pan";
    lasso.setAttribute("aria-pressed", String(on));
  }, { name: "Lasso: draw around documents (or hold Shift)", "aria-pressed": "false" });
  const tools = h("div", { class: "tools" });
  const time = timeline(corpus, (isShown) => painted && scatter.setColors(painted.codes, painted.colors, Uint8Array.from(points.x, (_, i) => (!lit || lit[i]) && isShown(i))));
  const zooms = h("div", { class: "zooms" }, button("+", () => scatter.zoomBy(1.5), { name: "Zoom in" }),
    button("−", () => scatter.zoomBy(1 / 1.5), { name: "Zoom out" }), button("⤢", () => scatter.reset(), { name: "Show all" }));
  const element = h("div", { class: "map-view" },
    h("div", { class: "map-main" }, tools, h("div", { class: "frame" }, stage, markers, zooms, tip, note), time.element),
    panel.element);

  function drawTools() {
    swap(tools, h("label", {}, !isNarrow() && "Colour by ", choice("Colour by", colorings(corpus), coloringOf(corpus), (value) => go({ color: value }))),
      lasso, button(isNarrow() ? "In view" : "Select what is in view", () => caught([[0, 0], [1, 0], [1, 1], [0, 1]].map(([x, y]) => [x * scatter.width, y * scatter.height])), { name: "Select what is in view" }), h("span", { class: "spring" }), pictureMenu("map", () => mapDrawing(corpus, points, scatter, labels, painted)));
  }

  /** Select what is within some corners of the screen. */
  function caught(corners) {
    go({ lasso: corners.map((corner) => asText(scatter.coordinates(corner))).join(";") });
  }

  async function paint() {
    const state = current();
    const isNewest = newest();
    panel.busy(isSearching(state));
    const by = coloringOf(corpus);
    const light = () => {
      scatter.setColors(painted?.codes ?? new Int8Array(points.x.length), painted?.colors ?? [GREY], lit); // finding subjects may take a while
      if (painted) panel.showLegend(painted.legend(lit));
    };
    const colored = coloring(by, corpus, points).then((look) => {
      if (!isNewest()) return;
      painted = look;
      labels.isColored = by === "subject";
      light();
    });
    const chosen = await meant(state).catch((error) => ({ error, positions: [], notes: [], total: 0 }));
    if (!isNewest()) return;
    lit = isSearching(state) || selectionOf(state) ? new Uint8Array(points.x.length) : null;
    if (lit) for (const i of chosen.positions) lit[i] = 1;
    light();
    scatter.setLines({ shape: selectionOf(state)?.lasso ?? [] });
    panel.busy(false);
    const shown = panel.show(chosen, state, named, isNewest);
    await colored;
    if (!isNewest()) return;
    stage.dataset.lit = lit ? chosen.total : points.x.length;
    if (lit && chosen.kind === "filter") announce(count(chosen.total, "document"));
    time.update(lit).catch(fail);
    await Promise.all([named(), shown]);
    if (isNewest()) mark();
  }

  /** The map with the ids and names of its documents, which come after the first picture. */
  async function named() {
    if (!points.ids.length) Object.assign(points, await getNames());
    return points;
  }

  function moved() {
    const { offsetLeft: left, offsetTop: top, offsetWidth: width, offsetHeight: height } = zooms;
    labels.reserved = [{ x: left + width / 2, y: top + height / 2, width, height }];
    labels.draw(scatter);
    stage.labels = labels.placed;
    mark();
    clearTimeout(settling);
    settling = setTimeout(() => {
      if (!element.isConnected || !isWorkspace(current())) return;
      shownAt = scatter.isWhole ? undefined : asText(scatter.view);
      go({ at: shownAt ?? "" }, { replace: true, quiet: true });
    }, SETTLED);
  }

  function mark() {
    const { a, b, doc } = current();
    const found = [["A", a], ["B", b], ["", doc === a || doc === b ? undefined : doc]].map(([letter, id]) => [letter, points.ids.indexOf(id)]);
    const spots = [...found, ["", scatter.cursor ?? -1]].flatMap(([letter, i]) => {
      if (i < 0 || points.x[i] === null) return [];
      const [x, y] = scatter.placeOf(i);
      if (x < 0 || y < 0 || x > scatter.width || y > scatter.height) return [];
      return [h("span", { class: letter ? "marker" : "marker open", "--x": `${x}px`, "--y": `${y}px` }, letter)];
    });
    markers.replaceChildren(...spots);
  }

  /** What is meant at a place: a document, by its point or its title, or the name of a subject that lies over points. */
  function meantAt(i, x, y) {
    const label = labels.at(x, y), [left, top] = scatter.placeOf(i);
    if (label?.position !== undefined) return { i: label.position };
    return label && !(Math.hypot(left - x, top - y) < NEAR) ? { i: -1, label } : { i };
  }

  /** A click: a name of a subject selects it, a point opens its document. */
  async function pick(...place) {
    const { i, label } = meantAt(...place);
    if (label) go({ view: "subjects", kind: "", subject: label.number, doc: "", at: viewOf(label.node.positions) });
    else if (i >= 0) openDocument((await named()).ids[i]);
  }

  const viewOf = (positions) => asText(scatter?.viewOf(positions) ?? []);

  function hover(at, x, y, isWalked = false) {
    if (!isWalked) scatter.cursor = undefined;
    const { i, label } = isWalked ? { i: at } : meantAt(at, x, y);
    tip.hidden = i < 0 || !painted;
    stage.classList.toggle("over", i >= 0 || Boolean(label));
    if (label?.node !== outlined) {
      outlined = label?.node;
      scatter.setLines({ outline: outlined ? outlineOf(outlined, points) : [] });
    }
    clearTimeout(reading);
    if (tip.hidden) return;
    if (isWalked && points.ids.length) announce(nameOf(entryAt(points, i)));
    const excerpt = h("span", { class: "excerpt" });
    swap(tip, points.ids.length > 0 && h("strong", {}, nameOf(entryAt(points, i))), h("span", {}, painted.nameAt(i)), excerpt);
    reading = setTimeout(() => points.ids.length && getDocument(points.ids[i]).then(({ text }) => { excerpt.textContent = `${oneLine(text).slice(0, EXCERPT)}…`; }, () => {}), PAUSE);
    tip.classList.toggle("flip", x > scatter.width / 2);
    tip.style.setProperty("--x", `${x}px`);
    tip.style.setProperty("--y", `${y}px`);
  }

  // -- life -------------------------------------------------------------------------------------------

  async function load() {
    points = { ...(await getPoints()), ids: points?.ids ?? [], titles: points?.titles ?? [] };
    getNames().catch(() => {}); // while the first picture is drawn; told where they are waited for
    if (!scatter) {
      scatter = new Scatter(stage, { hover, pick, lasso: caught, moved });
      labels = new Labels(stage);
    }
    scatter.setPoints(points.x, points.y);
    stage.dataset.state = points.state;
    const missing = points.x.filter((x) => x === null).length;
    note.textContent = points.state === "final" ? (missing ? `${count(missing, "document")} without a known word not on the map` : "")
      : LAYING_OUT;
    restore();
    await paint();
    await (points.state === "final" ? name() : waitForMap());
  }

  async function waitForMap() {
    const { final, done } = await getProgress();
    if (final) return load();
    swap(note, `${LAYING_OUT} ${perCent(done)} `, !isExport() && button("Stop", () => stopLayout().catch(fail), { class: "small", name: "Stop laying out the map" }));
    timer = setTimeout(() => waitForMap().catch(fail), AGAIN);
  }

  /** Put the names of subjects on the map; finding them may take longer than laying it out. */
  async function name() {
    namedAt = current().level;
    const line = working(NAMING, "api/subjects"), soon = setTimeout(() => note.textContent || swap(note, line), SOON);
    try {
      labels.clusters = await loadClusters(points);
    } finally {
      clearTimeout(soon);
      line.remove();
    }
    scatter.draw();
    labels.titles = (await named()).titles;
    scatter.draw();
  }

  function restore() {
    const { at } = current();
    if (at === shownAt || !scatter?.width) return;
    shownAt = at;
    const view = at?.split(",").map(Number);
    if (view?.length === 3 && view.every(Number.isFinite)) scatter.show(view);
    else scatter.reset();
  }

  const fail = (error) => swap(note, problem(error));
  const keyOf = (state) => JSON.stringify([state.view, state.kind, state.level, state.likeness, state.color, state.from, state.where, state.words, state.topic, state.subject, state.lasso, state.hits, state.text, state.paste, state.like, state.without, state.by, state.a, state.A]);

  return {
    element,
    start() { load().catch(fail); },
    update() {
      const state = current();
      panel.update();
      if (painted) time.update(lit).catch(fail); // the first picture does not wait for it
      const key = keyOf(state);
      if (key !== shownKey) {
        shownKey = key;
        drawTools();
        if (points) paint().catch(fail);
      }
      if (points?.state === "final" && state.level !== namedAt) name().catch(fail);
      if (points) { restore(); if (scatter.width) mark(); }
    },
    /** Colours or topics are others than before. */
    repaint() { if (points) { clearTimeout(timer); load().catch(fail); drawTools(); } },
  };
}
