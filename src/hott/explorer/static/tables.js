// Topics as tables: how far apart they are, and their share over time, by label or any other column.

import { getTopicsOver } from "./api.js";
import { GREY, onScale, topicColor } from "./colors.js";
import { choice, count, figure, h, oneLine, perCent, rangeOf } from "./dom.js";
import { csvButton, pageButton } from "./save.js";
import { current, go } from "./state.js";

const MAX_HEADS = 80; // names of columns that there is room for

/** A table whose rows have names; `heads` are those of its columns. */
function grid(name, title, heads, rows, tools) {
  const every = Math.ceil(heads.length / MAX_HEADS);
  const table = h("table", { class: "grid", "data-drawn": rows.length }, h("thead", {}, h("tr", {}, h("td", {}), heads.map((head, i) => h("th", { scope: "col" }, i % every ? "" : h("span", {}, head))))),
    h("tbody", {}, rows.map(([head, cells]) => h("tr", {}, h("th", { scope: "row" }, head), cells))));
  const scroll = h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title }, table);
  return { element: h("div", { class: "room" }, h("div", { class: "tools" }, tools, pageButton(name, () => title, scroll)), scroll) };
}

export async function distanceTable({ topics, order, distances }) {
  const names = new Map(topics.map(({ number, name }) => [number, oneLine(name)])), shown = order.map((number) => names.get(number));
  const [least, most] = rangeOf(distances.length > 1 ? distances.flatMap((row, i) => row.filter((_, j) => i !== j)) : [0]); // nought on the diagonal would take half the colours
  const color = (distance) => onScale(most === least ? 1 : (most - distance) / (most - least));
  const rows = distances.map((row, i) => [shown[i], row.map((distance, j) => h("td", { class: "cell", "--c": i === j ? GREY : color(distance), title: `${shown[i]} – ${shown[j]}: ${figure(distance)}` }))]);
  return grid("topic-distances", "Distances between topics", shown, rows, [
    h("span", { class: "faint" }, `Near topics stand out; those that are alike are side by side. Distances are from ${figure(least)} to ${figure(most)}.`), h("span", { class: "spring" }),
    csvButton("topic-distances", ["topic", ...shown], () => distances.map((row, i) => [shown[i], ...row]))]);
}

export async function overTable(list, { corpus }) {
  const columns = corpus.columns.filter(({ type }) => type !== "text");
  if (!columns.length) return { element: h("p", { class: "hint" }, "The documents have no labels, dates or other columns that topics could be shown over.") };
  const { over, by_date: by } = current();
  const column = columns.find(({ name }) => name === over) ?? columns.find(({ type }) => type === "date") ?? columns[0];
  const { topics, names, groups, documents, shares } = await getTopicsOver(column.name, column.type === "date" ? by : undefined);
  const rows = topics.map((number, i) => {
    const most = Math.max(...shares[i], 1e-9), name = oneLine(names[i]);
    const bar = (share, j) => h("td", { class: "column-bar", "--c": topicColor(number), "--part": share / most, title: `${name}, ${oneLine(groups[j])}: ${perCent(share)} of ${count(documents[j], "document")}` });
    return [name, [...shares[i].map(bar), h("td", { class: "note" }, perCent(most))]];
  });
  const pick = choice("Column", columns.map(({ name }) => [name, name]), column.name, (value) => go({ over: value }));
  const dates = column.type === "date" && choice("Dates by", [["", "months or years"], ["year", "year"], ["month", "month"], ["day", "day"]], by ?? "", (value) => go({ by_date: value }));
  return grid(`topics-over-${column.name}`, `Share of ${topics.length} topics over ${column.name}`, groups.map(oneLine), rows, [
    h("label", {}, "Over ", pick), dates, h("span", { class: "faint" }, "Each row has a height of its own; its largest share stands at the end."), h("span", { class: "spring" }),
    csvButton(`topics-over-${column.name}`, ["topic", ...groups], () => topics.map((_, i) => [oneLine(names[i]), ...shares[i]]))]);
}
