// The page: its head, the view that the address names, the reading pane, and what waits to be compared.

import { getCorpus, getPoints } from "./api.js";
import { searchBox } from "./box.js";
import { loadTopicColors } from "./colors.js";
import { compareView } from "./compare.js";
import { count, h, oneLine, problem, swap } from "./dom.js";
import { comparisonTray } from "./groups.js";
import { listenToKeys } from "./keys.js";
import { markOpen } from "./list.js";
import { mapView } from "./map.js";
import { readingPane } from "./reader.js";
import { current, isSearching, isWorkspace, link, onState, VIEWS } from "./state.js";
import { topicsView } from "./topics.js";

const MAKERS = { explore: mapView, compare: compareView, advanced: topicsView };
const main = document.getElementById("main");
const pane = readingPane(document.getElementById("reader"));
const box = searchBox(document.getElementById("ask"));
const tray = comparisonTray(document.getElementById("tray"));
const views = new Map(); // each is made once and kept: where one was in it, one finds it again
const scrolled = new Map();
let corpusInfo, viewName;

function update() {
  const { view: wanted } = current();
  swap(document.getElementById("views"), Object.entries(VIEWS).map(([name, title]) =>
    h("a", { href: link({ view: name }), "data-key": `view:${name}`, "aria-current": name === wanted ? "page" : null }, title)));
  document.title = `${VIEWS[wanted]} · ${oneLine(corpusInfo.name) || "hott explorer"}`;
  const name = isWorkspace(current()) ? "explore" : wanted, isNew = !views.has(name);
  if (isNew) views.set(name, MAKERS[name](corpusInfo));
  const view = views.get(name);
  if (name !== viewName) {
    scrolled.set(viewName, scrollY);
    viewName = name;
    main.className = name;
    document.body.classList.toggle("workspace", isWorkspace(current()));
    main.replaceChildren(view.element);
    scrollTo(0, scrolled.get(name) ?? 0);
  }
  box.update();
  document.body.classList.toggle("asking", isSearching(current()));
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
  listenToKeys(box);
  if (isWorkspace(current())) getPoints().catch(() => {}); // meanwhile; told where they are waited for
  try {
    corpusInfo = await getCorpus();
  } catch (error) {
    return main.replaceChildren(problem(error));
  }
  document.getElementById("corpus").textContent = [oneLine(corpusInfo.name), count(corpusInfo.documents, "document")].filter(Boolean).join(" · ");
  addEventListener("hott:topics", repaint);
  onState(update);
  update();
  // The colours of topics come when they come: the first picture does not wait for them.
  await loadTopicColors().catch(() => {});
  repaint();
}

startPage();
