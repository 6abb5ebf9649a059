// Themes: words of two documents that belong together (hott.explain.themes).

import { ALIKE, CUTS, MAX_GROUPED, MAX_THEMES, MIN_DENSE, MIN_MASS, MIN_SAID, STRICT } from "./constants.js";
import { unit } from "./model.js";
import { ordered, rounded, sumOf } from "./store.js";
import { sameWord } from "./tokens.js";

/** How much each word says: rare words, of topics that fill their documents, say the most. */
export function wordWeights(model, words) {
  const total = Math.max(model.total_words, 2), frequencies = model.parts.word_counts;
  return words.map((word) => {
    let weight = (Math.log(total / Math.max(frequencies[word], 1)) / Math.log(total)) ** 2;
    const parts = model.spaces.map(({ number, concentration }) => {
      const row = model.topicsOf(word)[number], whole = sumOf(row), most = Math.max(...concentration, 1e-12);
      let found = 0;
      for (let k = 0; k < row.length; k++) found += whole > 0 ? (row[k] / whole) * concentration[k] : 0;
      return found / most;
    });
    weight *= (sumOf(parts) / parts.length) ** 2;
    return Math.max(weight, 1e-6);
  });
}

/** The themes of a flow: words (columns), the theme of each (-1: none), how much each says, how much each theme says. */
export function groupedWords(model, flow) {
  const words = [...new Set([...flow.sources, ...flow.targets])].sort((i, j) => i - j);
  const place = new Map(words.map((word, i) => [word, i]));
  const sides = [flow.sources, flow.targets].map((ends) => summedAt(ends.map((word) => place.get(word)), flow.masses, words.length));
  const masses = words.map((_, i) => (sides[0][i] + sides[1][i]) / 2);
  const weights = wordWeights(model, words);
  const said = masses.map((mass, i) => -Math.round(mass * weights[i] * 1e15) / 1e15);
  const kept = ordered(words.length, (i) => said[i]).slice(0, MAX_GROUPED).sort((i, j) => i - j);
  const alike = likenessOf(model, kept.map((i) => words[i]));
  const members = cutGroups(alike, kept.map((i) => masses[i]), kept.map((i) => weights[i])).map((group) => {
    const whole = sumOf(group.map((i) => masses[kept[i]]));
    const fits = group.map((i) => sumOf(group.map((j) => alike[i][j] * masses[kept[j]])) / whole);
    group.forEach((i, at) => { weights[kept[i]] *= fits[at]; });
    return group.map((i) => kept[i]);
  });
  const [one, other] = sides.map((side) => saidBy(members, side, weights));
  const says = members.map((_, k) => Math.max(one[k], other[k]));
  const order = ordered(says.length, (k) => -rounded(says[k])).filter((k) => says[k]).slice(0, MAX_THEMES);
  const themes = words.map(() => -1);
  order.forEach((k, theme) => members[k].forEach((i) => { themes[i] = theme; }));
  return { words, place, themes, weights, says: order.map((k) => says[k]) };
}

/** Without the themes that say less than this. */
export function ofWeight(groups, least) {
  const kept = [...groups.says.keys()].filter((k) => groups.says[k] >= least);
  const number = new Map(kept.map((k, i) => [k, i]));
  return { ...groups, themes: groups.themes.map((theme) => number.get(theme) ?? -1), says: kept.map((k) => groups.says[k]) };
}

export function summedAt(places, values, n) {
  const sums = new Array(n).fill(0);
  places.forEach((at, i) => { sums[at] += values[i]; });
  return sums;
}

function saidBy(members, masses, weights) {
  const mass = members.map((own) => sumOf(own.map((i) => masses[i])));
  const says = members.map((own) => sumOf(own.map((i) => masses[i] * weights[i])));
  if (!says.some((s) => s)) return members.map(() => 0);
  const dense = says.map((s, k) => (mass[k] > 0 ? s / mass[k] : 0));
  const best = says.indexOf(Math.max(...says));
  return says.map((s, k) => (s >= MIN_SAID * says[best] && dense[k] >= MIN_DENSE * dense[best] ? s / says[best] : 0));
}

/** How alike each two words are, from 0 to 1: in their topics and in their vectors; forms of one word are one. */
function likenessOf(model, words) {
  const n = words.length;
  const topics = words.map((word) => unitTopics(model, word));
  const vectors = model.hasVectors && words.map((word) => model.unitVector(word));
  const alike = words.map(() => new Float64Array(n));
  for (let i = 0; i < n; i++) {
    alike[i][i] = 1;
    for (let j = 0; j < i; j++) {
      let value = dot(topics[i], topics[j]);
      if (vectors) value = (value + Math.max(dot(vectors[i], vectors[j]), 0)) / 2;
      const [word, other] = [model.words[words[i]], model.words[words[j]]];
      if (word.slice(0, 4) === other.slice(0, 4) && sameWord(word, other)) value = 1;
      alike[i][j] = alike[j][i] = value;
    }
  }
  return alike;
}

/** p(topic | word) of all models side by side, of length 1. */
function unitTopics(model, word) {
  model.unitTopicCache ??= new Map();
  if (!model.unitTopicCache.has(word)) {
    const rows = model.topicsOf(word).flatMap((row) => {
      const whole = sumOf(row);
      return Array.from(row, (p) => (whole > 0 ? p / whole : 0));
    });
    model.unitTopicCache.set(word, unit(rows));
  }
  return model.unitTopicCache.get(word);
}

function dot(x, y) {
  let total = 0;
  for (let i = 0; i < x.length; i++) total += x[i] * y[i];
  return total;
}

/** The words of each group that is large enough, where groups hold together best. */
function cutGroups(alike, masses, weights) {
  const n = masses.length, whole = sumOf(masses.map((mass, i) => mass * weights[i]));
  const telling = masses.map((mass, i) => (mass * weights[i]) / whole);
  let mean = 0;
  for (let i = 0; i < n; i++) mean += telling[i] * dot(alike[i], telling);
  const usual = Math.min(mean + STRICT, ALIKE);
  let best = -Infinity, chosen = [];
  for (const groups of groupings(alike)) {
    const members = new Map();
    groups.forEach((group, i) => members.set(group, [...(members.get(group) ?? []), i]));
    const large = [...members.keys()].sort((a, b) => a - b).map((group) => members.get(group)).filter((own) => sumOf(own.map((i) => masses[i])) >= MIN_MASS);
    let value = 0;
    for (const own of large) for (const i of own) for (const j of own) value += (alike[i][j] - usual) * telling[i] * telling[j];
    if (value > best + 1e-12) [best, chosen] = [value, large];
  }
  return chosen;
}

/** The group of each word while words are joined by average linkage, at some numbers of groups. */
function* groupings(alike) {
  const n = alike.length;
  let groups = Array.from({ length: n }, (_, i) => i);
  if (n > 1) {
    const joins = averageLinkage(alike);
    for (let step = 0; step < joins.length; step++) {
      if (CUTS.has(n - step)) yield groups;
      const [i, j] = joins[step];
      groups = groups.map((group) => (group === i || group === j ? n + step : group));
    }
  }
  yield groups;
}

/** The joins of average linkage, the nearest first, by chains of nearest neighbours (Müllner, 2011). */
function averageLinkage(alike) {
  const n = alike.length, size = new Array(n).fill(1), joins = [], chain = [];
  const apart = alike.map((row) => Float64Array.from(row, (x) => rounded(Math.max(1 - x, 0))));
  for (let k = 0; k < n - 1; k++) {
    if (!chain.length) chain.push(size.findIndex((s) => s > 0));
    let x, y, least;
    for (;;) {
      x = chain[chain.length - 1];
      [y, least] = chain.length > 1 ? [chain[chain.length - 2], apart[x][chain[chain.length - 2]]] : [-1, Infinity];
      for (let i = 0; i < n; i++) if (size[i] && i !== x && apart[x][i] < least) [least, y] = [apart[x][i], i];
      if (chain.length > 1 && y === chain[chain.length - 2]) break;
      chain.push(y);
    }
    chain.length -= 2;
    if (x > y) [x, y] = [y, x];
    joins.push([x, y, least]);
    const [nx, ny] = [size[x], size[y]];
    size[x] = 0;
    size[y] = nx + ny;
    for (let i = 0; i < n; i++) if (size[i] && i !== y) apart[i][y] = apart[y][i] = (nx * apart[i][x] + ny * apart[i][y]) / (nx + ny);
  }
  const order = ordered(joins.length, (k) => joins[k][2]), parent = Array.from({ length: 2 * n - 1 }, (_, i) => i);
  const root = (i) => { while (parent[i] !== i) i = parent[i] = parent[parent[i]]; return i; };
  return order.map((k, step) => {
    const ends = [root(joins[k][0]), root(joins[k][1])].sort((i, j) => i - j);
    parent[ends[0]] = parent[ends[1]] = n + step;
    return ends;
  });
}
