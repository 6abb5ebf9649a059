// The transport diagram: themes of two sides as bars, mass that stays or moves as bands between them.

import { GREY } from "./colors.js";
import { perCent, svg } from "./dom.js";

const UNIT = 300; // height of the whole mass of a side
const SLOT = 40; // height that the label of a theme needs
const GAP = 8;
const BAR = 14;
const NARROW = 620; // pixels below which names lie over the bands, where there is more room
const LINE = 16; // height of a line of text

/** Draw a comparison `width` pixels wide; `pick(move)` is called for a band that is chosen. */
export function transportDiagram(comparison, { width, colorOf, picked, pick }) {
  const narrow = width < NARROW;
  const side = narrow ? 0 : Math.min(250, width * 0.27);
  const { left, right, height } = placed(comparison);
  const drawing = svg("svg", {
    class: narrow ? "diagram narrow" : "diagram", viewBox: `0 0 ${width} ${height}`, width, height, role: "group",
    "aria-label": comparison.shared.length ? `Transport diagram: ${perCent(comparison.both)} in common themes` : "Transport diagram",
  });
  const bands = laid(comparison.moves, left, right);
  const [from, to] = [side + BAR, width - side - BAR];
  // Large bands first, so that small ones stay on top and can be reached; what stays lies above what moves.
  const stays = ({ move }) => move.source === move.target;
  for (const band of [...bands].sort((m, n) => stays(m) - stays(n) || n.move.mass - m.move.mass)) {
    drawing.append(bandShape(band, from, to, { colorOf, picked, pick, left, right }));
  }
  if (!narrow) drawing.append(...bandNames(bands.filter(stays), (from + to) / 2, left));
  for (const [nodes, x, atLeft] of [[left, side, true], [right, width - side - BAR, false]]) {
    const room = narrow ? width / 2 - BAR - 14 : side - 12;
    for (const node of nodes.values()) drawing.append(...nodeShape(node, x, atLeft !== narrow ? "end" : "start", room, colorOf));
  }
  return drawing;
}

/** Tops of the themes of both sides, in one order, so that what both have runs straight across. */
function placed({ a, b }) {
  const [left, right] = [a, b].map((one) => stacked([...one.topics].sort((t, u) => t.number - u.number)));
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

/** Where each band begins on the left and ends on the right. */
function laid(moves, left, right) {
  const used = { left: new Map(), right: new Map() };
  const next = (side, number, mass) => {
    const above = used[side].get(number) ?? 0;
    used[side].set(number, above + mass);
    return UNIT * above;
  };
  const top = (move) => [left.get(move.source).top, right.get(move.target).top];
  const bands = [...moves].sort((m, n) => top(m)[0] - top(n)[0] || top(m)[1] - top(n)[1])
    .map((move) => ({ move, from: top(move)[0] + next("left", move.source, move.mass), thick: Math.max(UNIT * move.mass, 1) }));
  for (const band of bands) band.end = top(band.move)[1] + next("right", band.move.target, band.move.mass);
  return bands;
}

function bandShape({ move, from, end, thick }, x1, x2, { colorOf, picked, pick, left, right }) {
  const middle = (x1 + x2) / 2, stays = move.source === move.target;
  const key = `${move.source}-${move.target}`;
  const label = stays
    ? `${perCent(move.mass)} stays in ${left.get(move.source).name}`
    : `${perCent(move.mass)} moves from ${left.get(move.source).name} to ${right.get(move.target).name}`;
  const choose = () => pick(move);
  return svg("path", {
    d: `M${x1} ${from}C${middle} ${from} ${middle} ${end} ${x2} ${end}v${thick}C${middle} ${end + thick} ${middle} ${from + thick} ${x1} ${from + thick}Z`,
    class: stays ? "band stays" : "band moves", "--c": stays ? colorOf(move.source) : GREY, "data-move": key, "data-key": `band:${key}`,
    tabindex: 0, role: "button", "aria-pressed": String(picked === key), "aria-label": label, click: choose,
    keydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(); } },
  }, svg("title", {}, label));
}

/** How much stays, written on the bands: on the largest first, and never one over another. */
function bandNames(bands, x, left) {
  const taken = [];
  return [...bands].sort((m, n) => n.move.mass - m.move.mass).flatMap(({ move, from, end, thick }) => {
    const y = (from + end + thick) / 2;
    if (thick < LINE - 3 || left.get(move.source).isOther || taken.some((other) => Math.abs(other - y) < LINE)) return [];
    taken.push(y);
    return [svg("text", { x, y, class: "mass", "text-anchor": "middle", dy: "0.35em" }, `both ${perCent(move.mass)}`)];
  });
}

function nodeShape(node, x, anchor, room, colorOf) {
  const at = anchor === "end" ? x - 8 : x + BAR + 8;
  const middle = node.top + node.height / 2;
  const [name, mass] = [fitted(node.name, room), perCent(node.proportion)];
  return [
    svg("rect", { x, y: node.top, width: BAR, height: node.height, rx: 2, class: "node", "--c": colorOf(node.number) },
      svg("title", {}, `${node.name}: ${mass}`)),
    svg("text", { x: at, y: middle - 4, "text-anchor": anchor, class: "node-name" }, name),
    svg("text", { x: at, y: middle + 12, "text-anchor": anchor, class: "node-mass" }, mass),
  ];
}

let pen;
/** A name cut to what there is room for, in pixels: at the end of a word where that is possible. */
export function fitted(name, room, font = "600 13px") {
  pen ??= document.createElement("canvas").getContext("2d");
  pen.font = `${font} ${getComputedStyle(document.body).fontFamily}`;
  let shown = name;
  while (shown.length > 2 && pen.measureText(shown).width > room) {
    const words = shown.replace(/…$/, "").replace(/, [^,]*$/, "");
    shown = words.length < shown.replace(/…$/, "").length ? `${words}…` : `${words.slice(0, -1).replace(/[ ,]+$/, "")}…`;
  }
  return shown;
}
