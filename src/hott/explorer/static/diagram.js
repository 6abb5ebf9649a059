// The transport diagram: themes of two documents as bars, mass that stays or moves as bands between them.

import { GREY } from "./colors.js";
import { perCent, svg } from "./dom.js";

const UNIT = 300; // height of the whole mass of a document
const SLOT = 38; // height that the label of a topic needs
const GAP = 8;
const BAR = 14;

/** Draw a comparison `width` pixels wide; `pick(move)` is called for a band that is chosen. */
export function transportDiagram(comparison, { width, colorOf, picked, pick }) {
  const narrow = width < 620;
  const side = narrow ? 84 : Math.min(230, width * 0.27);
  const { left, right, height } = placed(comparison);
  const [start, end] = [side, width - side];
  const drawing = svg("svg", {
    class: "diagram", viewBox: `0 0 ${width} ${height}`, width, height, role: "group",
    "aria-label": `Transport diagram: ${perCent(comparison.both)} in common themes, ${perCent(1 - comparison.both)} moved`,
  });
  const used = { left: new Map(), right: new Map() };
  const ordered = [...comparison.moves].sort((m, n) =>
    left.get(m.source).top - left.get(n.source).top || right.get(m.target).top - right.get(n.target).top);
  const bands = ordered.map((move) => {
    const from = left.get(move.source), to = right.get(move.target);
    const above = used.left.get(move.source) ?? 0;
    used.left.set(move.source, above + move.mass);
    return { move, from: from.top + UNIT * above, to };
  });
  for (const band of [...bands].sort((m, n) => left.get(m.move.source).top - left.get(n.move.source).top)) {
    const above = used.right.get(band.move.target) ?? 0;
    band.end = band.to.top + UNIT * above;
    used.right.set(band.move.target, above + band.move.mass);
  }
  // Large bands first, so that small ones stay on top and can be reached; what stays lies above what moves.
  const stays = ({ move }) => move.source === move.target;
  for (const band of bands.sort((m, n) => stays(m) - stays(n) || n.move.mass - m.move.mass)) {
    drawing.append(bandShape(band, start + BAR, end - BAR, { colorOf, picked, pick, names: { left, right } }));
  }
  for (const [nodes, x, anchor] of [[left, start, "end"], [right, end - BAR, "start"]]) {
    for (const node of nodes.values()) drawing.append(...nodeShape(node, x, anchor, side, colorOf, narrow));
  }
  return drawing;
}

/** Tops of the themes of both sides, in one order, so that what both have runs straight across. */
function placed({ a, b }) {
  const [left, right] = [a, b].map((side) => stacked([...side.topics].sort((t, u) => t.number - u.number)));
  return { left: left.nodes, right: right.nodes, height: Math.max(left.height, right.height) };
}

function stacked(topics) {
  const nodes = new Map();
  let free = 4;
  for (const topic of topics) {
    const height = Math.max(UNIT * topic.proportion, 1.5);
    const slot = Math.max(height, SLOT);
    nodes.set(topic.number, { ...topic, top: free + (slot - height) / 2, height });
    free += slot + GAP;
  }
  return { nodes, height: free };
}

function bandShape({ move, from, end }, x1, x2, { colorOf, picked, pick, names }) {
  const thick = Math.max(UNIT * move.mass, 1);
  const middle = (x1 + x2) / 2;
  const stays = move.source === move.target;
  const key = `${move.source}-${move.target}`;
  const label = stays
    ? `${perCent(move.mass)} stays in ${names.left.get(move.source).name}`
    : `${perCent(move.mass)} moves from ${names.left.get(move.source).name} to ${names.right.get(move.target).name}`;
  const choose = () => pick(move);
  const shape = svg("path", {
    d: `M${x1} ${from}C${middle} ${from} ${middle} ${end} ${x2} ${end}v${thick}C${middle} ${end + thick} ${middle} ${from + thick} ${x1} ${from + thick}Z`,
    class: stays ? "band stays" : "band moves", "--c": stays ? colorOf(move.source) : GREY, "data-move": key,
    tabindex: 0, role: "button", "aria-pressed": String(picked === key), "aria-label": label, click: choose,
    keydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(); } },
  }, svg("title", {}, label));
  if (thick < 13 || !stays || names.left.get(move.source).isOther) return svg("g", {}, shape);
  const text = svg("text", { x: middle, y: (from + end + thick) / 2, class: "mass", "text-anchor": "middle", dy: "0.35em" }, `both ${perCent(move.mass)}`);
  return svg("g", {}, shape, text);
}

function nodeShape(node, x, anchor, side, colorOf, narrow) {
  const at = anchor === "end" ? x - 8 : x + BAR + 8;
  const middle = node.top + node.height / 2;
  const name = fitted(narrow ? node.name.split(", ")[0] : node.name, side - 12);
  return [
    svg("rect", { x, y: node.top, width: BAR, height: node.height, rx: 2, class: "node", "--c": colorOf(node.number) },
      svg("title", {}, `${node.name}: ${perCent(node.proportion)}`)),
    svg("text", { x: at, y: middle - 4, "text-anchor": anchor, class: "node-name" }, name),
    svg("text", { x: at, y: middle + 12, "text-anchor": anchor, class: "node-mass" }, perCent(node.proportion)),
  ];
}

let pen;
/** A name cut to what there is room for, in pixels. */
function fitted(name, room) {
  pen ??= document.createElement("canvas").getContext("2d");
  pen.font = `600 13px ${getComputedStyle(document.body).fontFamily}`;
  let shown = name;
  while (shown.length > 2 && pen.measureText(shown).width > room) shown = `${shown.slice(0, -2).replace(/[ ,]+$/, "")}…`;
  return shown;
}
