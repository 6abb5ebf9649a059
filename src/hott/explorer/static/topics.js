// Topics: what the documents are mixtures of. As cards, by their distances, over a column.

import { editTopics, getMap, getTopics, isExport } from "./api.js";
import { topicCards } from "./cards.js";
import { loadTopicColors } from "./colors.js";
import { announce, button, choice, count, h, latest, problem, swap, tabs } from "./dom.js";
import { current, go, link } from "./state.js";
import { distanceTable, overTable } from "./tables.js";

const TABLES = { distances: distanceTable, over: overTable };
const RELEVANCE = 0.3;

export function topicsView(corpus) {
  let shown = null, drawn = null;
  const newest = latest();
  const head = h("div", { class: "view-head" });
  const room = h("div", { class: "room" });
  const element = h("div", { class: "topics-view column" }, head, room);

  const modelOf = (state) => {
    const wanted = Number(state.model ?? 0);
    return Number.isInteger(wanted) && wanted >= 0 && wanted < corpus.models ? wanted : 0;
  };
  const tabOf = (state) => (Object.hasOwn(TABLES, state.tab ?? "") && !(state.tab === "over" && isExport()) ? state.tab : "cards");

  function drawHead(state, list) {
    const options = [["cards", "Cards"], ["distances", "Distances"], ...(isExport() ? [] : [["over", "Over a column"]])];
    const models = Array.from({ length: corpus.models }, (_, i) => [i, `${i + 1} of ${corpus.models}`]);
    swap(head, tabs("Ways to see the topics", options, tabOf(state), (key) => link({ tab: key === "cards" ? "" : key })), h("span", { class: "spring" }),
      list.undo && corpus.editable && button("Undo", () => edit({ kind: "undo" }), { name: `Undo: ${list.undo}`, "data-key": "undo" }),
      corpus.models > 1 && h("label", {}, "Topic model ", choice("Topic model", models, modelOf(state), (value) => go({ model: value === "0" ? "" : value, card: "" }))));
  }

  /** Change topics, and let every view know. */
  async function edit(change) {
    room.setAttribute("aria-busy", "true");
    try {
      const found = await editTopics({ model: modelOf(current()), ...change });
      await loadTopicColors();
      announce(change.kind === "undo" ? "undone" : found.undo ?? "done");
      dispatchEvent(new Event("hott:topics"));
    } catch (error) {
      room.prepend(problem(error));
    }
    room.removeAttribute("aria-busy");
  }

  async function load(state) {
    const isNewest = newest();
    const [model, tab, relevance] = [modelOf(state), tabOf(state), Number(state.relevance ?? RELEVANCE)];
    try {
      const [list, points] = await Promise.all([getTopics(model, Number.isFinite(relevance) ? relevance : RELEVANCE), getMap()]);
      if (!isNewest()) return;
      drawHead(state, list);
      const made = tab === "cards" ? topicCards(list, points, { corpus, model, edit, relevance }) : await TABLES[tab](list, { corpus, model });
      if (!isNewest()) return;
      drawn = made;
      swap(room, state.model !== undefined && Number(state.model) !== model && h("p", { class: "faint" }, `There is no topic model ${state.model}: this is the first of ${count(corpus.models)}.`), made.element);
      drawn.update?.();
    } catch (error) {
      if (isNewest()) swap(room, problem(error));
    }
  }

  return {
    element,
    start() {},
    update() {
      const state = current();
      const key = JSON.stringify([state.model, state.tab, state.relevance, state.over, state.by_date]);
      if (key === shown) return drawn?.update?.();
      shown = key;
      load(state);
    },
    repaint() { if (shown !== null) load(current()); },
  };
}
