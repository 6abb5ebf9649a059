// Names on the map: of every cluster that is seen, beside its points where there is room; of documents from near. Never one over another.

import { clusterColor, clustersIn, strideOf } from "./clusters.js";
import { mixed } from "./colors.js";
import { svg } from "./dom.js";

const MARGIN = 6;
const CELL = 6; // pixels of the grid in which points are counted
const DIRECTIONS = 16, FAR = [0, 0.35, 0.6, 0.8, 1]; // where a name may stand: so far from the middle of its cluster, as parts of its reach
const MAX_TITLES = 40, TITLES_FROM = 3; // documents in view of which the titles are shown, and from which nearness
const TITLE = { size: 12, weight: 400 };
const LED = 14; // pixels from the middle of a cluster beyond which a line leads there

/** Numbers of points in any rectangle, from sums over a grid. */
function countPoints({ x, y, zoom, left, top, width, height }) {
  const wide = Math.ceil(width / CELL) + 1, tall = Math.ceil(height / CELL) + 1, sums = new Int32Array(wide * tall);
  for (let i = 0, step = strideOf(x.length); i < x.length; i += step) {
    const u = x[i] * zoom + left, v = top - y[i] * zoom;
    if (u >= 0 && v >= 0 && u < width && v < height) sums[(Math.floor(v / CELL) + 1) * wide + Math.floor(u / CELL) + 1] += 1;
  }
  for (let row = 1; row < tall; row++) for (let k = 1; k < wide; k++) sums[row * wide + k] += sums[(row - 1) * wide + k] + sums[row * wide + k - 1] - sums[(row - 1) * wide + k - 1];
  const at = (u, v) => sums[Math.min(tall - 1, Math.max(0, Math.round(v / CELL))) * wide + Math.min(wide - 1, Math.max(0, Math.round(u / CELL)))];
  return (box) => {
    const [west, east, north, south] = [box.x - box.width / 2, box.x + box.width / 2, box.y - box.height / 2, box.y + box.height / 2];
    return at(east, south) - at(west, south) - at(east, north) + at(west, north);
  };
}

const overlap = (a, b) => Math.abs(a.x - b.x) < (a.width + b.width) / 2 && Math.abs(a.y - b.y) < (a.height + b.height) / 2;

/** Place names for what is shown: `{text, x, y, width, height, look, number or position}` each, in pixels, none over another or over a
 *  `reserved` place. Of the free places of a name the one is taken that hides the fewest points. `before` are those of the last time. */
export function placeLabels(clusters, scatter, measure, { reserved = [], before = [], titles = null } = {}) {
  const seen = clusters ? clustersIn(clusters, scatter) : [], hidden = countPoints(scatter), placed = [];
  const { width: room, height: rows } = scatter, small = room < 500 ? 0.85 : 1, most = Math.max(...seen.map((one) => one.seen), 1);
  const last = new Map(before.map((label) => [label.number, label.spot]));
  const isFree = (box) => box.x >= box.width / 2 && box.x <= room - box.width / 2 && box.y >= box.height / 2 && box.y <= rows - box.height / 2 && ![...reserved, ...placed].some((other) => overlap(other, box));

  for (const { node, seen: n, x, y, reach } of seen) {
    const look = { size: Math.round(small * (12.5 + 5.5 * Math.sqrt(n / most))), weight: node.isChaff ? 500 : 650 };
    let best = null;
    for (const text of new Set([node.words.join(", "), node.words[0]])) {
      const width = measure(text, look) + MARGIN, height = look.size + MARGIN;
      FAR.forEach((far, ring) => {
        for (let k = 0; k < (ring ? DIRECTIONS : 1); k++) {
          const [c, s] = [Math.cos((2 * Math.PI * k) / DIRECTIONS), Math.sin((2 * Math.PI * k) / DIRECTIONS)];
          const box = { x: x + far * c * (reach + width / 2), y: y + far * s * (reach + height / 2), width, height }, spot = `${ring} ${k}`;
          if (!isFree(box)) continue;
          const cost = hidden(box) + (far * reach) / 10 + (text === node.words[0] ? 5 : 0) - (last.get(node.number) === spot ? 2 : 0);
          if (!best || cost < best.cost) best = { ...box, cost, spot, text };
        }
      });
    }
    if (!best) continue;
    const { cost, ...label } = best, end = [Math.min(Math.max(x, label.x - label.width / 2), label.x + label.width / 2), Math.min(Math.max(y, label.y - label.height / 2), label.y + label.height / 2)];
    placed.push({ ...label, number: node.number, node, isChaff: node.isChaff, look, leader: Math.hypot(end[0] - x, end[1] - y) > LED ? [...end, x, y] : null });
  }
  if (titles && scatter.zoom / scatter.fit >= TITLES_FROM) placed.push(...placeTitles(scatter, measure, titles, isFree, placed));
  return placed;
}

/** Titles beside the points of a few documents; `placed` is added to meanwhile, so that none is over another. */
function placeTitles(scatter, measure, titles, isFree, placed) {
  const found = [], points = [];
  for (let i = 0; i < scatter.n && points.length <= MAX_TITLES; i++) {
    const [x, y] = scatter.placeOf(i);
    if (x >= 0 && y >= 0 && x <= scatter.width && y <= scatter.height) points.push([i, x, y]);
  }
  if (points.length > MAX_TITLES) return [];
  const dots = points.map(([, x, y]) => ({ x, y, width: 6, height: 6 }));
  for (const [i, x, y] of points) {
    const text = titles[i]?.length > 38 ? `${titles[i].slice(0, 37)}…` : titles[i];
    if (!text) continue;
    const width = measure(text, TITLE) + MARGIN, height = TITLE.size + MARGIN, gap = 9;
    const box = [[x + gap + width / 2, y], [x - gap - width / 2, y], [x, y - gap - height / 2], [x, y + gap + height / 2]].map(([u, v]) => ({ x: u, y: v, width, height }))
      .find((one) => isFree(one) && !found.some((other) => overlap(other, one)) && !dots.some((dot) => overlap(dot, one)));
    if (box) found.push({ ...box, text, position: i, look: TITLE, leader: null });
  }
  return found;
}

/** Draws names over the map. */
export class Labels {
  constructor(host) {
    this.pen = document.createElement("canvas").getContext("2d"); // measures
    this.drawing = svg("svg", { class: "labels", "aria-hidden": "true" });
    this.clusters = null;
    this.titles = null;
    this.isColored = false; // whether points have the colours of subjects, so that names may have them too
    this.placed = [];
    this.reserved = []; // places of other things over the map: their middle and size
    this.widths = new Map();
    host.append(this.drawing);
  }

  /** The name at a place on the screen. */
  at(x, y) {
    return this.placed.find((label) => Math.abs(label.x - x) < label.width / 2 && Math.abs(label.y - y) < label.height / 2);
  }

  color({ node, isChaff }) {
    const [dark, grey] = ["--text", "--faint"].map((name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim());
    return isChaff ? grey : node && this.isColored ? mixed(clusterColor(node), dark, 0.4) : dark;
  }

  measure(text, look) {
    const key = `${look.weight} ${look.size} ${text}`;
    if (!this.widths.has(key)) {
      this.pen.font = `${look.weight} ${look.size}px ${getComputedStyle(document.body).fontFamily}`;
      this.widths.set(key, this.pen.measureText(text).width);
    }
    return this.widths.get(key);
  }

  draw(scatter) {
    this.placed = placeLabels(this.clusters, scatter, (text, look) => this.measure(text, look), { reserved: this.reserved, before: this.placed, titles: this.titles });
    this.drawing.replaceChildren(...this.elements());
  }

  /** The names as they are placed, and lines from those that stand aside, with all that a picture of them needs. */
  elements() {
    const back = getComputedStyle(document.documentElement).getPropertyValue("--back").trim(), { fontFamily } = getComputedStyle(document.body);
    const lines = this.placed.filter(({ leader }) => leader).map(({ leader: [x1, y1, x2, y2], ...label }) => svg("line", { x1, y1, x2, y2, stroke: this.color(label) }));
    const names = this.placed.map(({ text, x, y, look, ...label }) => svg("text", {
      x, y, dy: "0.35em", "text-anchor": "middle", "font-size": look.size, "font-weight": look.weight, "font-family": fontFamily,
      fill: this.color(label), stroke: back, "stroke-opacity": 0.8, "stroke-width": 3.5, "stroke-linejoin": "round", "paint-order": "stroke",
    }, text));
    return [...lines, ...names];
  }
}
