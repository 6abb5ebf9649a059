// Groups of documents: clusters of near ones, and copies of one another.

import { getClusters, getDuplicates, getMap } from "./api.js";
import { button, count, h, latest, oneLine, perCent, problem, swap, tabs } from "./dom.js";
import { isExport } from "./exported.js";
import { documentLine, entryAt, markOpen } from "./list.js";
import { csvButton } from "./save.js";
import { onlyThis } from "./selection.js";
import { current, go, link } from "./state.js";

const IN_GROUP = 6; // documents of a group
const SOON = 400; // milliseconds after which it is said what takes so long

export function groupsView() {
  let shown = null;
  const newest = latest();
  const head = h("div", { class: "view-head" });
  const room = h("div", { class: "room" });
  const element = h("div", { class: "groups-view column" }, head, room);

  const setting = (name, value, properties, change) => {
    const field = h("input", { "aria-label": name, "data-key": `setting:${name}`, ...properties, change: () => change(field.value) });
    field.value = value;
    return field;
  };

  async function load(state) {
    const isNewest = newest();
    const copies = state.kind === "copies";
    swap(head, tabs("Kinds of groups", [["", "Clusters"], ["copies", "Copies"]], copies ? "copies" : "", (kind) => link({ kind })));
    if (isExport()) return swap(room, h("p", { class: "hint" }, "An exported page does not hold groups. Open the index with: hott explore"));
    room.setAttribute("aria-busy", "true");
    const what = copies ? "copies" : "clusters";
    const soon = setTimeout(() => isNewest() && swap(room, h("p", { class: "hint" }, `Looking for ${what}. Among many documents that takes a minute, once.`)), SOON);
    try {
      const made = await (copies ? copiesOf(state) : clustersOf(state));
      if (isNewest()) swap(room, made);
    } catch (error) {
      if (isNewest()) swap(room, problem(error));
    }
    clearTimeout(soon);
    room.removeAttribute("aria-busy");
    markOpen();
  }

  async function clustersOf({ size = "5" }) {
    const wanted = Math.max(2, Math.floor(Number(size)) || 5);
    const [{ clusters, unclustered }, points] = await Promise.all([getClusters(wanted), getMap()]);
    const rows = () => clusters.flatMap(({ number, name, positions }) => positions.map((i) => [number + 1, name, points.ids[i], points.titles[i]]));
    return [
      h("div", { class: "tools" }, h("label", {}, "Documents in a cluster, at least ", setting("Least size", wanted, { type: "number", min: 2, max: 1000 }, (value) => go({ size: value === "5" ? "" : value }))),
        h("span", { class: "faint" }, `${count(clusters.length, "cluster")}; ${count(unclustered, "document")} in none`), h("span", { class: "spring" }), csvButton("clusters", ["cluster", "name", "id", "title"], rows)),
      h("div", { class: "cards" }, clusters.map((cluster) => h("article", { class: "card group" },
        h("h2", {}, oneLine(cluster.name) || `cluster ${cluster.number + 1}`, h("span", { class: "note" }, count(cluster.positions.length))),
        h("p", { class: "faint small-text" }, cluster.words.slice(3).map(oneLine).join(", ")),
        h("ul", { class: "lines" }, cluster.positions.slice(0, IN_GROUP).map((i) => documentLine(entryAt(points, i)))),
        h("div", { class: "actions" }, button("All on the map", () => go({ view: "map", ...onlyThis({ cluster: cluster.number, min: wanted === 5 ? "" : wanted }) }), { class: "small", name: `Show cluster ${oneLine(cluster.name)} on the map` }))))),
    ];
  }

  async function copiesOf({ likeness = "0.8" }) {
    const wanted = Math.min(1, Math.max(0.4, Number(likeness) || 0.8));
    const [{ copies }, points] = await Promise.all([getDuplicates(wanted), getMap()]);
    const rows = () => copies.flatMap(({ positions, likeness: alike, are_exact: same }, k) => positions.map((i) => [k + 1, same ? "the same text" : alike.toFixed(3), points.ids[i], points.titles[i]]));
    return [
      h("div", { class: "tools" }, h("label", { class: "slider" }, "Words in common, at least ", setting("Likeness", wanted, { type: "range", min: 0.4, max: 1, step: 0.05 }, (value) => go({ likeness: value === "0.8" ? "" : value })), perCent(wanted)),
        h("span", { class: "faint" }, copies.length ? `${count(copies.length, "group")} of copies` : "No document is a copy of another."), h("span", { class: "spring" }),
        copies.length > 0 && csvButton("copies", ["group", "likeness", "id", "title"], rows)),
      h("div", { class: "cards" }, copies.map((group) => h("article", { class: "card group" },
        h("h2", {}, group.are_exact ? "The same text" : `${perCent(group.likeness)} of the words in common`, h("span", { class: "note" }, count(group.positions.length))),
        h("ul", { class: "lines" }, group.positions.slice(0, IN_GROUP).map((i) => documentLine(entryAt(points, i)))),
        group.positions.length > IN_GROUP && h("p", { class: "faint small-text" }, `and ${count(group.positions.length - IN_GROUP)} more, all in the CSV`),
        !group.are_exact && h("div", { class: "actions" }, button("Compare the first two", () => go({ view: "compare", a: points.ids[group.positions[0]], b: points.ids[group.positions[1]], A: "", B: "" }), { class: "small" }))))),
    ];
  }

  return {
    element,
    start() {},
    update() {
      const state = current();
      const key = JSON.stringify([state.kind, state.size, state.likeness]);
      if (key === shown) return;
      shown = key;
      load(state);
    },
  };
}
