// Topics as a tree: similar ones join first. A cut at any height makes groups of them.

import { colorAt, GREY } from "./colors.js";
import { count, figure, fitted, h, isNarrow, oneLine, roomWidth, svg, swap } from "./dom.js";
import { csvButton, pictureButtons } from "./save.js";
import { current, go } from "./state.js";

const LEAF = 24;

/** The group of each leaf when joins above a height are cut. */
function groupsBelow(tree, n, height) {
  const group = Array.from({ length: n }, (_, i) => [i]);
  const alive = new Set(group.keys());
  tree.forEach(({ left, right, height: at }, i) => {
    group[n + i] = [...group[left], ...group[right]];
    if (at > height) return;
    alive.delete(left);
    alive.delete(right);
    alive.add(n + i);
  });
  return [...alive].map((node) => group[node]).sort((a, b) => Math.min(...a) - Math.min(...b));
}

export async function topicTree(list) {
  const names = new Map(list.topics.map((topic) => [topic.number, oneLine(topic.name)]));
  const shown = list.order.map((number) => names.get(number));
  const n = shown.length, most = Math.max(...list.tree.map(({ height }) => height), 1e-12);
  const slider = h("input", { type: "range", min: 0, max: most, step: most / 100, "aria-label": "Height of the cut", "data-key": "cut", input: () => go({ cut: Number(slider.value).toPrecision(4) }, { replace: true }) });
  const told = h("span", { class: "faint" });
  const room = h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Tree of topics" });
  let groups = [];
  const usual = list.tree[Math.max(0, n - 1 - Math.ceil(Math.sqrt(n)))]?.height ?? 0; // as many groups as each has topics
  const rows = () => groups.flatMap((group, i) => group.map((leaf) => [i + 1, list.order[leaf], shown[leaf]]));
  const element = h("div", { class: "room" }, h("div", { class: "tools" }, h("label", { class: "slider" }, "Cut ", slider), told, h("span", { class: "spring" }),
    ...pictureButtons("topic-tree", () => room.querySelector("svg")), csvButton("topic-groups", ["group", "number", "topic"], rows)), room);

  function update() {
    const wanted = Number(current().cut);
    const cut = Number.isFinite(wanted) && current().cut ? wanted : usual;
    slider.value = cut;
    groups = groupsBelow(list.tree, n, cut);
    told.textContent = `${count(groups.length, "group")} of topics nearer than ${figure(cut)}`;
    const colorOf = new Map(groups.flatMap((group, i) => group.map((leaf) => [leaf, group.length > 1 ? colorAt(i) : GREY])));
    const width = roomWidth(), names = isNarrow() ? 0.45 * width : 260;
    const x = (height) => names + (height / most) * (width - names - 20);
    const nodes = shown.map((_, i) => ({ x: x(0), y: (i + 0.5) * LEAF, leaf: i }));
    const branches = list.tree.map(({ left, right, height }) => {
      const [a, b] = [nodes[left], nodes[right]];
      nodes.push({ x: x(height), y: (a.y + b.y) / 2, leaf: a.leaf });
      return svg("path", { d: `M${a.x} ${a.y}H${x(height)}V${b.y}H${b.x}`, fill: "none", "stroke-width": 2, stroke: height <= cut ? colorOf.get(a.leaf) : GREY });
    });
    const labels = shown.map((name, i) => svg("text", { x: names - 8, y: (i + 0.5) * LEAF, dy: "0.35em", "text-anchor": "end", "font-size": 13 }, fitted(name, names - 16, "13px")));
    const line = svg("path", { d: `M${x(cut)} 0V${n * LEAF}`, class: "cut", fill: "none" });
    const size = { width, height: n * LEAF + 8 };
    swap(room, svg("svg", { class: "chart", viewBox: `0 0 ${size.width} ${size.height}`, ...size, role: "img", "aria-label": `Tree of ${n} topics` }, branches, labels, line));
  }
  return { element, update };
}
