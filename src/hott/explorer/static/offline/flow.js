// The flow between the words of two sides whose costs add up to their distance (hott.explain.flow, hott.explain.plan).

import { MAX_WORDS, MIN_SHARE, NO_MASS } from "./constants.js";
import { solveTransport } from "./core.js";
import { isBefore, ordered, sumOf, totals } from "./store.js";

/** How the words of one side carry its topics: of each model a row of masses a topic. `documents`: counts, proportions. */
export function carriersOf(model, documents) {
  const occurrences = totals(documents.flatMap(({ counts }) => [...counts]));
  let words = [...occurrences.keys()].sort((i, j) => i - j);
  if (documents.length > 1 && words.length > MAX_WORDS) {
    words = ordered(words.length, (i) => -occurrences.get(words[i])).slice(0, MAX_WORDS).map((i) => words[i]).sort((i, j) => i - j);
  }
  const place = new Map(words.map((word, i) => [word, i]));
  const rows = words.map((word) => model.topicsOf(word));
  const masses = model.spaces.map(({ number, topics }) => carried(documents, number, topics, rows, place, words, occurrences));
  return { words, occurrences: words.map((word) => occurrences.get(word)), masses };
}

function carried(documents, number, nTopics, rows, place, words, occurrences) {
  const total = Array.from({ length: nTopics }, () => new Float64Array(words.length));
  const means = new Float64Array(nTopics);
  for (const { counts, proportions } of documents) {
    const { sites, masses } = proportions[number];
    const own = [...counts].filter(([word]) => place.has(word)).map(([word, n]) => [place.get(word), n]);
    const joint = Array.from(sites, (k, t) => own.map(([w]) => masses[t] * rows[w][number][k]));
    own.forEach(([, n], i) => {
      const likely = joint.reduce((sum, row) => sum + row[i], 0);
      for (const row of joint) row[i] *= likely > 0 ? n / likely : 0;
    });
    sites.forEach((k, t) => {
      means[k] += masses[t] / documents.length;
      scaled(joint[t], masses[t]).forEach((mass, i) => { total[k][own[i][0]] += mass; });
    });
  }
  return total.map((row, k) => {
    if (means[k] > 0 && sumOf(row) === 0) row = Float64Array.from(words, (word) => occurrences.get(word));
    const least = Math.min(MIN_SHARE * sumOf(row), row.reduce((a, b) => Math.max(a, b), 0));
    return scaled(row.map((mass) => (mass < least ? 0 : mass)), means[k]);
  });
}

function scaled(row, sum) {
  const present = sumOf(row);
  return row.map((mass) => (present > 0 ? mass * (sum / present) : 0));
}

/** Something to put two sides in an order: the bytes that the library compares, as letters. */
function orderOf({ words, occurrences, masses }) {
  const numbers = [BigInt64Array.from(words, BigInt), ...[occurrences, ...masses.map((rows) => rows.flatMap((row) => [...row]))].map((row) => Float64Array.from(row))];
  return numbers.map(({ buffer }) => Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join(""));
}

/** Sources, targets (columns of words), masses and costs of the flow. */
export function flowBetween(model, a, b) {
  if (isBefore(orderOf(b), orderOf(a))) {
    const back = flowBetween(model, b, a);
    return { ...back, sources: back.targets, targets: back.sources };
  }
  const words = [...new Set([...a.words, ...b.words])].sort((i, j) => i - j);
  const place = new Map(words.map((word, i) => [word, i]));
  const [left, right] = [a, b].map((side) => side.words.map((word) => place.get(word)));
  const costs = wordCosts(model, words);
  const moves = model.spaces.flatMap((space) => {
    const P = a.masses[space.number].map((row) => spread(row, left, words.length));
    const Q = b.masses[space.number].map((row) => spread(row, right, words.length));
    const topics = leastCostPlan(Float64Array.from(P, sumOf), Float64Array.from(Q, sumOf), space.cost, model.isMetric);
    const total = sumOf(topics.map(([i, j, mass]) => mass * space.cost[i * space.topics + j]));
    const unitCost = total ? total ** (1 / model.p - 1) : 0;
    return topics.flatMap(([i, j, mass]) => {
      const [p, q] = [sumOf(P[i]), sumOf(Q[j])], cost = space.cost[i * space.topics + j] * unitCost;
      const plan = leastCostPlan(P[i].map((x) => x / p), Q[j].map((x) => x / q), costs, model.isMetric);
      return plan.map(([s, t, part]) => [s * words.length + t, part * (mass / model.spaces.length), cost]);
    });
  });
  const masses = totals(moves), spent = totals(moves.map(([pair, mass, cost]) => [pair, mass * cost]));
  const pairs = [...masses.keys()].sort((i, j) => i - j);
  return {
    sources: pairs.map((pair) => words[Math.floor(pair / words.length)]),
    targets: pairs.map((pair) => words[pair % words.length]),
    masses: pairs.map((pair) => masses.get(pair)),
    costs: pairs.map((pair) => spent.get(pair)),
  };
}

function spread(row, places, n) {
  const wide = new Float64Array(n);
  row.forEach((mass, i) => { wide[places[i]] = mass; });
  return wide;
}

/** How far apart each two of the words are; all equally far without vectors. */
function wordCosts(model, words) {
  const n = words.length, cost = new Float64Array(n * n).fill(1);
  const vectors = model.hasVectors && words.map((word) => model.vector(word));
  const squares = vectors && vectors.map((vector) => vector.reduce((total, x) => total + x * x, 0));
  for (let i = 0; i < n; i++) {
    cost[i * n + i] = 0;
    for (let j = 0; vectors && j < i; j++) {
      const [x, y] = [vectors[i], vectors[j]];
      let product = 0;
      for (let d = 0; d < x.length; d++) product += x[d] * y[d];
      const squared = Math.max(squares[i] + squares[j] - 2 * product, 0);
      cost[i * n + j] = cost[j * n + i] = model.isMetric ? Math.sqrt(squared) : squared;
    }
  }
  return cost;
}

/** Move `a` onto `b`, both over the same sites: [source, target, mass], what stays first. */
export function leastCostPlan(a, b, cost, keepCommon) {
  const n = a.length, plan = [], left = a.slice(), right = b.slice();
  for (let i = 0; keepCommon && i < n; i++) {
    const common = Math.min(a[i], b[i]);
    left[i] -= common;
    right[i] -= common;
    if (common) plan.push([i, i, common]);
  }
  const rest = sumOf(left);
  if (rest < NO_MASS) return plan;
  const [sources, targets] = [left, right].map((side) => [...side.keys()].filter((i) => side[i]));
  const there = new Float64Array(sources.length * targets.length);
  sources.forEach((i, r) => targets.forEach((j, c) => { there[r * targets.length + c] = cost[i * n + j]; }));
  const whole = sumOf(targets.map((j) => right[j]));
  const solved = solveTransport(Float64Array.from(sources, (i) => left[i] / rest), Float64Array.from(targets, (j) => right[j] / whole), there);
  solved.masses.forEach((mass, k) => { if (mass > 0) plan.push([sources[solved.rows[k]], targets[solved.columns[k]], mass * rest]); });
  return plan;
}

/** What unlike shares of words add to each entry of a flow; `a` and `b` are maps of columns to shares. */
export function costsOfWords(flow, a, b, factor) {
  const costs = flow.masses.map(() => 0);
  const apart = (one, other) => new Map([...one].map(([word, share]) => [word, Math.max(share - (other.get(word) ?? 0), 0)]));
  for (const [ends, more] of [[flow.sources, apart(a, b)], [flow.targets, apart(b, a)]]) {
    const held = totals(ends.map((word, i) => [word, flow.masses[i]]));
    ends.forEach((word, i) => { costs[i] += flow.masses[i] * ((more.get(word) ?? 0) / (held.get(word) > 0 ? held.get(word) : 1)); });
  }
  const rest = Math.max(sumOf(differences(a, b)) - sumOf(costs), 0), whole = sumOf(flow.masses);
  return costs.map((cost, i) => factor * (cost + (flow.masses[i] * rest) / whole));
}

/** How much the shares of each word differ, in the order of the columns. */
export function differences(a, b) {
  const words = [...new Set([...a.keys(), ...b.keys()])].sort((i, j) => i - j);
  return words.map((word) => Math.abs((a.get(word) ?? 0) - (b.get(word) ?? 0)));
}
