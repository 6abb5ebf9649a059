// Subjects as clusters on the map: where each lies, how far it reaches, what colour it has, and which are to be named.

import { getSubjects } from "./api.js";
import { GREY, hueAt, N_HUES } from "./colors.js";
import { oneLine } from "./dom.js";
import { current } from "./state.js";

const SPLIT = 110; // pixels: a subject that reaches so far is named by its parts,
const FEW = 0.03; // of the points in view: so few of a cluster whose middle is elsewhere are strays, which need no name
const NEARER = 1.5; // once the map is so much nearer than at first
const MAX_COUNTED = 50_000;
const CORNERS = 48; // of an outline

/** The level of subjects that is shown: one that was asked for, or the one that has about a dozen. */
export const levelOf = ({ level }, { level: usual, levels }) => Math.min(levels.length, Math.max(1, Math.floor(Number(level)) || usual));

/** Subjects on a map: `nodes`, parents before their parts; `roots`, those of the level that is shown; `leaf`, the finest of each document. */
export async function loadClusters(points) {
  const found = await getSubjects();
  return clustersOf(found, levelOf(current(), found), points);
}

export function clustersOf({ subjects, levels }, level, { x, y }) {
  const place = new Map(subjects.map(({ number }, k) => [number, k]));
  const nodes = subjects.map(({ number, name, parent, positions, is_chaff: isChaff }) => ({
    number, name, isChaff, words: oneLine(name).split(", ").slice(0, 2), positions, parent: place.get(parent) ?? -1, children: [], slot: -1, ...reachOf(positions, x, y) }));
  nodes.forEach(({ parent }, k) => { if (parent >= 0) nodes[parent].children.push(k); });
  const leaf = new Int32Array(x.length).fill(-1);
  nodes.forEach(({ positions }, k) => { for (const i of positions) leaf[i] = k; });
  const roots = levels[level - 1].map((number) => place.get(number)), shown = new Set(roots);
  // Hues go round the map, and parts of one subject are neighbours: near subjects have near hues.
  const order = [], turn = (k) => Math.atan2(nodes[k].y, nodes[k].x) || 0;
  const visit = (k) => { if (shown.has(k)) { if (!nodes[k].isChaff) order.push(k); } else [...nodes[k].children].sort((i, j) => turn(i) - turn(j)).forEach(visit); };
  nodes.map((_, k) => k).filter((k) => nodes[k].parent < 0).sort((i, j) => turn(i) - turn(j)).forEach(visit);
  order.forEach((k, i) => { nodes[k].slot = Math.floor((i * N_HUES) / order.length); });
  nodes.forEach((node) => { if (node.slot < 0 && node.parent >= 0) node.slot = nodes[node.parent].slot; });
  return { nodes, roots, leaf };
}

/** The middle of some documents, and how far nine in ten of them are from it at most. */
export function reachOf(positions, x, y) {
  const placed = positions.filter((i) => Number.isFinite(x[i]));
  if (!placed.length) return { x: NaN, y: NaN, radius: 0 };
  const at = (values, part) => values.sort((a, b) => a - b)[Math.floor(part * (values.length - 1))];
  const [left, top] = [at(placed.map((i) => x[i]), 0.5), at(placed.map((i) => y[i]), 0.5)];
  return { x: left, y: top, radius: at(placed.map((i) => Math.hypot(x[i] - left, y[i] - top)), 0.9) };
}

export const clusterColor = ({ slot }) => (slot < 0 ? GREY : hueAt(slot));

/** Of very many points every so many are counted: a frame has no time for more. */
export const strideOf = (n) => Math.ceil(n / MAX_COUNTED);

/** The clusters that are to be named in a view, the largest first and chaff last: each with the number of its points there and their middle, in pixels. */
export function clustersIn({ nodes, roots, leaf }, scatter) {
  const { zoom, left, top, width, height } = scatter, nearness = zoom / scatter.fit;
  const seen = new Int32Array(nodes.length), sums = new Float64Array(2 * nodes.length);
  for (let i = 0, step = strideOf(leaf.length); i < leaf.length; i += step) {
    const u = scatter.x[i] * zoom + left, v = top - scatter.y[i] * zoom;
    if (leaf[i] < 0 || !(u >= 0 && v >= 0 && u <= width && v <= height)) continue;
    for (let k = leaf[i]; k >= 0; k = nodes[k].parent) { seen[k] += 1; sums[2 * k] += u; sums[2 * k + 1] += v; }
  }
  const named = [], all = roots.reduce((n, k) => n + seen[k], 0);
  const visit = (k) => {
    const { children, radius } = nodes[k];
    if (children.length && nearness >= NEARER && radius * zoom > SPLIT) return children.forEach(visit);
    if (seen[k]) named.push(k);
  };
  roots.forEach(visit);
  return named.flatMap((k) => {
    const node = nodes[k], [u, v] = [node.x * zoom + left, top - node.y * zoom];
    const isHere = u > 20 && v > 20 && u < width - 20 && v < height - 20;
    if (!isHere && seen[k] < FEW * all) return [];
    const [x, y] = isHere ? [u, v] : [sums[2 * k] / seen[k], sums[2 * k + 1] / seen[k]];
    return [{ node, seen: seen[k], x, y, reach: Math.max(12, Math.min(node.radius * zoom, width / 2, height / 2)) }];
  }).sort((a, b) => a.node.isChaff - b.node.isChaff || b.seen - a.seen);
}

/** A line around a cluster, in coordinates of the map: around all but the tenth that is farthest from its middle. */
export function outlineOf({ positions, x: middle, y: centre, radius }, { x, y }) {
  const spots = positions.map((i) => [x[i], y[i]]).filter(([u, v]) => u !== null && Math.hypot(u - middle, v - centre) <= radius);
  const farthest = (_, k) => {
    const turn = (2 * Math.PI * k) / CORNERS, far = ([u, v]) => u * Math.cos(turn) + v * Math.sin(turn);
    return spots.reduce((best, spot) => (far(spot) > far(best) ? spot : best));
  };
  return spots.length ? Array.from({ length: CORNERS }, farthest) : [];
}
