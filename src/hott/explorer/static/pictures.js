// Topics as pictures: how far apart they are, and their share over time, by label or any other column.

import { getTopicsOver } from "./api.js";
import { GREY, onScale, topicColor } from "./colors.js";
import { choice, count, figure, fitted, h, isNarrow, oneLine, perCent, printable, roomWidth, svg } from "./dom.js";
import { csvButton, pictureMenu } from "./save.js";
import { current, go } from "./state.js";

const ROOM = 190; // pixels for names
const FONT = "12px";

export async function heatmap(list) {
  const names = new Map(list.topics.map((topic) => [topic.number, printable(topic.name)]));
  const shown = list.order.map((number) => names.get(number));
  const n = shown.length, cell = Math.max(13, Math.min(30, 620 / n));
  const apart = list.distances.flatMap((row, i) => row.filter((_, j) => i !== j)); // nought on the diagonal would take half the colours
  const [least, most] = apart.length ? [Math.min(...apart), Math.max(...apart)] : [0, 0];
  const cells = list.distances.flatMap((row, i) => row.map((distance, j) =>
    svg("rect", { x: ROOM + j * cell, y: i * cell, width: cell - 1, height: cell - 1, class: i === j ? "diagonal" : "", fill: i === j ? GREY : onScale(most === least ? 1 : (most - distance) / (most - least)) },
      svg("title", {}, `${shown[i]} – ${shown[j]}: ${figure(distance)}`))));
  const size = Math.min(12, cell - 1);
  const rows = shown.map((name, i) => svg("text", { x: ROOM - 8, y: (i + 0.5) * cell, dy: "0.35em", "text-anchor": "end", "font-size": size }, fitted(name, ROOM - 14, FONT)));
  const columns = shown.map((name, i) => svg("text", { "text-anchor": "end", "font-size": size, transform: `translate(${ROOM + (i + 0.5) * cell},${n * cell + 8}) rotate(-90)`, dy: "0.35em" }, fitted(name, ROOM - 14, FONT)));
  const width = ROOM + n * cell + 90, height = n * cell + ROOM;
  const bar = { x: ROOM + n * cell + 24, height: Math.min(200, Math.max(60, n * cell)) };
  const steps = Array.from({ length: 40 }, (_, i) => svg("rect", { x: bar.x, y: (i * bar.height) / 40, width: 14, height: bar.height / 40 + 0.5, fill: onScale(i / 39) }));
  const ends = [[0, figure(most)], [bar.height, figure(least)]].map(([y, text]) => svg("text", { x: bar.x + 20, y, dy: y ? "0" : "0.8em", "font-size": 12 }, text));
  const drawing = svg("svg", { class: "chart heat", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `Distances between ${n} topics, from ${figure(least)} to ${figure(most)}`, "data-drawn": n }, cells, rows, columns, steps, ends);
  const table = () => list.distances.map((row, i) => [shown[i], ...row]);
  return { element: h("div", { class: "room" }, h("div", { class: "tools" }, h("span", { class: "faint" }, "Near topics stand out; those that are alike are side by side."), h("span", { class: "spring" }), pictureMenu("topic-distances", () => drawing, csvButton("topic-distances", ["topic", ...shown], table))),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Distances between topics" }, drawing)) };
}

const OVER_ROW = 46;

export async function overPicture(list, { corpus }) {
  const columns = corpus.columns.filter(({ type }) => type !== "text");
  if (!columns.length) return { element: h("p", { class: "hint" }, "The documents have no labels, dates or other columns that topics could be shown over.") };
  const { over, by_date: by } = current();
  const column = columns.find(({ name }) => name === over) ?? columns.find(({ type }) => type === "date") ?? columns[0];
  const found = await getTopicsOver(column.name, column.type === "date" ? by : undefined);
  const rows = found.topics.map((number, i) => ({ number, name: oneLine(found.names[i]), shares: found.shares[i] }));
  const width = roomWidth(), names = isNarrow() ? 0.4 * width : 230;
  const wide = (width - names - 60) / found.groups.length;
  const top = 22 + (wide < 60 ? 60 : 0);
  const every = Math.max(1, Math.ceil(found.groups.length / 40));
  const heads = found.groups.flatMap((group, i) => {
    if (i % every) return [];
    const x = names + (i + 0.5) * wide, text = fitted(oneLine(group), wide < 60 ? 70 : wide - 6, "12px");
    return [svg("text", wide < 60 ? { transform: `translate(${x},${top - 8}) rotate(-90)`, dy: "0.35em", "font-size": 12 } : { x, y: top - 10, "text-anchor": "middle", "font-size": 12 }, text)];
  });
  const bars = rows.flatMap(({ number, name, shares }, i) => {
    const y = top + i * OVER_ROW, most = Math.max(...shares, 1e-9);
    return [
      svg("text", { x: names - 10, y: y + OVER_ROW - 12, "text-anchor": "end", "font-size": 13 }, fitted(name, names - 16, "13px")),
      ...shares.map((share, j) => svg("rect", { x: names + j * wide + 1, y: y + OVER_ROW - 6 - (share / most) * (OVER_ROW - 12), width: Math.max(wide - 2, 1), height: (share / most) * (OVER_ROW - 12), fill: topicColor(number) },
        svg("title", {}, `${name}, ${oneLine(found.groups[j])}: ${perCent(share)} of ${count(found.documents[j], "document")}`))),
      svg("text", { x: width - 54, y: y + 16, "font-size": 11, class: "faint-mark" }, `≤ ${perCent(most)}`),
    ];
  });
  const height = top + rows.length * OVER_ROW + 4;
  const drawing = svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `Share of ${rows.length} topics over ${column.name}` }, heads, bars);
  const pick = choice("Column", columns.map(({ name }) => [name, name]), column.name, (value) => go({ over: value }));
  const dates = column.type === "date" && choice("Dates by", [["", "months or years"], ["year", "year"], ["month", "month"], ["day", "day"]], by ?? "", (value) => go({ by_date: value }));
  return { element: h("div", { class: "room" },
    h("div", { class: "tools" }, h("label", {}, "Over ", pick), dates, h("span", { class: "faint" }, "Each row has a height of its own; its largest share stands at the end."), h("span", { class: "spring" }),
      pictureMenu(`topics-over-${column.name}`, () => drawing, csvButton(`topics-over-${column.name}`, ["topic", ...found.groups], () => rows.map(({ name, shares }) => [name, ...shares])))),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Topics over a column" }, drawing)) };
}
