// Topics over time, or by label or any other column: a row of bars for each topic.

import { getTopicsOver } from "./api.js";
import { topicColor } from "./colors.js";
import { choice, count, fitted, h, isNarrow, oneLine, perCent, roomWidth, svg } from "./dom.js";
import { csvButton, pictureMenu } from "./save.js";
import { current, go } from "./state.js";

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
