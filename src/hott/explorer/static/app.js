// The page: its head, the two selected documents, and the view that the address names.

import { getCorpus, getDocument } from "./api.js";
import { compareView } from "./compare.js";
import { count, h, nameOf, oneLine, problem } from "./dom.js";
import { mapView } from "./map.js";
import { searchView } from "./search.js";
import { current, go, link, onState, VIEWS } from "./state.js";
import { topicsView } from "./topics.js";

const make = { map: mapView, search: searchView, compare: compareView, topics: topicsView };
const main = document.getElementById("main");
let corpusInfo, view, viewName;

function update() {
  const { view: wanted } = current();
  drawHead(wanted);
  drawTray();
  if (wanted !== viewName) {
    view?.close();
    viewName = wanted;
    view = make[wanted](corpusInfo);
    main.className = wanted;
    main.replaceChildren(view.element);
    view.start();
  }
  view.update();
}

function drawHead(wanted) {
  const { text, id, color } = current();
  document.getElementById("views").replaceChildren(...Object.entries(VIEWS).map(([name, title]) =>
    h("a", { href: link(name, { ...(name === "search" && { text, id }), ...(name === "map" && { color }) }), "aria-current": name === wanted ? "page" : null }, title)));
  document.title = `${VIEWS[wanted]} · ${oneLine(corpusInfo.name) || "hott explorer"}`;
}

const titles = new Map();
function drawTray() {
  const { a, b } = current();
  const slot = (letter, id, other) => {
    if (id === undefined) return h("div", { class: "slot empty" }, h("span", { class: "letter" }, letter), h("span", { class: "faint" }, "no document selected"));
    const name = h("span", { class: "name" }, titles.get(id) ?? oneLine(id));
    if (!titles.has(id)) {
      getDocument(id).then((found) => { titles.set(id, nameOf(found)); name.textContent = nameOf(found); }, () => {});
    }
    return h("div", { class: "slot" }, h("span", { class: "letter" }, letter),
      h("a", { href: link("search", { id }), title: "Nearest documents" }, name),
      h("button", { type: "button", class: "small", "aria-label": `Remove ${letter}`, click: () => go(letter === "A" ? { a: other, b: "", focus: "", band: "" } : { b: "", focus: "", band: "" }) }, "×"));
  };
  const both = a !== undefined && b !== undefined;
  document.getElementById("tray").replaceChildren(slot("A", a, b), slot("B", b, a),
    h("div", { class: "actions" },
      h("button", { type: "button", disabled: !both, title: "Swap A and B", "aria-label": "Swap A and B", click: () => go({ a: b, b: a, band: "" }) }, "⇄"),
      h("button", { type: "button", class: "primary", disabled: !both, id: "compare", click: () => go({ view: "compare", focus: "", text: "", id: "", color: "", only: "" }) }, "Compare")));
}

/** Pictures take their colours when they are drawn, so another theme draws the view anew. */
function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  viewName = undefined;
  if (corpusInfo) update();
}

function remembered() {
  try { return localStorage.getItem("hott-theme"); } catch { return null; }
}

async function startPage() {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const preferred = () => remembered() ?? (system.matches ? "dark" : "light");
  setTheme(preferred());
  system.addEventListener("change", () => setTheme(preferred()));
  document.getElementById("theme").addEventListener("click", () => {
    const other = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    try { localStorage.setItem("hott-theme", other); } catch { /* not allowed to remember: this page only */ }
    setTheme(other);
  });
  document.querySelector(".skip").addEventListener("click", (event) => { event.preventDefault(); main.focus(); });
  try {
    corpusInfo = await getCorpus();
  } catch (error) {
    return main.replaceChildren(problem(error));
  }
  document.getElementById("corpus").textContent = `${oneLine(corpusInfo.name)} · ${count(corpusInfo.documents, "document")}`;
  onState(update);
  update();
}

startPage();
