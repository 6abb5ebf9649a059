// The page: its head, the view that the address names, the reading pane, and what waits to be compared.

import { getCorpus, getPoints } from "./api.js";
import { compareView } from "./compare.js";
import { count, h, oneLine, problem, swap } from "./dom.js";
import { groupsView } from "./groups.js";
import { markOpen } from "./list.js";
import { mapView } from "./map.js";
import { loadTopicColors } from "./palette.js";
import { readingPane } from "./reader.js";
import { searchView } from "./search.js";
import { current, link, onState, VIEWS } from "./state.js";
import { topicsView } from "./topics.js";
import { comparisonTray } from "./tray.js";

const MAKERS = { map: mapView, search: searchView, topics: topicsView, groups: groupsView, compare: compareView };
const main = document.getElementById("main");
const pane = readingPane(document.getElementById("reader"));
const tray = comparisonTray(document.getElementById("tray"));
const views = new Map(); // each is made once and kept: where one was in it, one finds it again
const scrolled = new Map();
let corpusInfo, viewName;

function update() {
  const { view: wanted } = current();
  swap(document.getElementById("views"), Object.entries(VIEWS).map(([name, title]) =>
    h("a", { href: link({ view: name }), "data-key": `view:${name}`, "aria-current": name === wanted ? "page" : null }, title)));
  document.title = `${VIEWS[wanted]} · ${oneLine(corpusInfo.name) || "hott explorer"}`;
  const isNew = !views.has(wanted);
  if (isNew) views.set(wanted, MAKERS[wanted](corpusInfo));
  const view = views.get(wanted);
  if (wanted !== viewName) {
    scrolled.set(viewName, scrollY);
    viewName = wanted;
    main.className = wanted;
    main.replaceChildren(view.element);
    scrollTo(0, scrolled.get(wanted) ?? 0);
  }
  pane.update();
  tray.update();
  if (isNew) view.start();
  view.update();
  markOpen();
}

function repaint() {
  for (const part of [...views.values(), pane]) part.repaint?.();
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  repaint();
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
  if (current().view === "map") getPoints().catch(() => {}); // meanwhile; told where they are waited for
  try {
    corpusInfo = await getCorpus();
  } catch (error) {
    return main.replaceChildren(problem(error));
  }
  document.getElementById("corpus").textContent = `${oneLine(corpusInfo.name)} · ${count(corpusInfo.documents, "document")}`;
  addEventListener("hott:topics", repaint);
  onState(update);
  update();
  // The colours of topics come when they come: the first picture does not wait for them.
  await loadTopicColors().catch(() => {});
  repaint();
}

startPage();
