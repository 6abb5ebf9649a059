// Why a document was found for a text or for another document, in one line (hott.explain.reason).

import { FAR, LARGE, MAX_IN_REASON, MAX_STANDING, OFTEN, WORTH_SAYING } from "./constants.js";
import { carriersOf, leastCostPlan } from "./flow.js";
import { ordered, perCent, sumOf } from "./store.js";
import { sameWord } from "./tokens.js";

/** How much each word says: rare words, of topics that fill their documents, say the most. */
function wordWeights(model, words) {
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

/** A text that was searched for, as many documents are related to it. */
export class Sought {
  constructor(model, proportions, words) {
    const weights = wordWeights(model, words), most = Math.max(...weights);
    const vectors = model.hasVectors ? words.map((word, i) => model.unitVector(word).map((x) => (x * weights[i]) / most)) : [];
    Object.assign(this, { model, vectors: vectors.some((vector) => vector.some((x) => x)) ? vectors : null });
    this.proportions = model.spaces.map(({ number, topics }) => {
      const wide = new Float64Array(topics), { sites, masses } = proportions[number];
      sites.forEach((k, i) => { wide[k] = masses[i]; });
      return wide;
    });
  }

  /** Words of a document that relate it to the text, and how alike their topics are. */
  related(document, told) {
    const { words, says, alike } = this.said(document);
    return [alike < FAR ? [] : this.named(words, says.map((said, i) => said * this.meant(words[i])), told), alike];
  }

  /** What a document shares with the one that was searched for, of which a word isOwn or is not. */
  shared(document, isOwn) {
    const { words, says, alike } = this.said(document), least = WORTH_SAYING * says.reduce((a, b) => Math.max(a, b), 0);
    const common = this.named(words, says.map((said) => (said >= least ? said : 0)), [], isOwn, false); // both have them
    const near = alike < FAR ? [] : this.named(words, says.map((said, i) => said * this.meant(words[i])), common, (word) => !isOwn(word));
    return saidReason(common, near, alike, "both have");
  }

  /** The words of a document, how much each says of what it has of the text's topics, and how much that is. */
  said(document) {
    const carriers = carriersOf(this.model, [document]), brought = this.brought(carriers), weights = wordWeights(this.model, carriers.words);
    return { words: carriers.words, says: Array.from(brought, (mass, i) => mass * weights[i]), alike: Math.min(sumOf(brought), 1) };
  }

  /** The words that say most, one form of each. Rare words do, but the rarest may be misspelt. */
  named(words, says, told = [], only = () => true, rarestLast = true) {
    const { total_words: total, parts } = this.model, isLarge = total >= LARGE;
    const isLate = (at) => rarestLast && isLarge && parts.word_counts[words[at]] < OFTEN;
    const named = [], rounded = says.map((said) => Math.round(said * 1e15) / 1e15);
    const bySaying = ordered(words.length, (at) => -rounded[at]).filter((at) => says[at] > 0);
    for (const i of [...bySaying.filter((at) => !isLate(at)), ...bySaying.filter(isLate)]) {
      if (named.length === MAX_IN_REASON) break;
      const word = this.model.words[words[i]];
      if (only(word) && ![...told, ...named].some((other) => word === other || sameWord(word, other))) named.push(word);
    }
    return named;
  }

  /** What comes to each word of a document from topics near those that it carries. */
  brought({ words, masses }) {
    const { spaces, isMetric, far, p } = this.model, brought = new Float64Array(words.length);
    for (const { number, topics, cost } of spaces) {
      const there = Float64Array.from(masses[number], sumOf), near = new Float64Array(topics);
      const plan = leastCostPlan(this.proportions[number], there, cost, isMetric);
      const total = sumOf(plan.map(([i, j, mass]) => mass * cost[i * topics + j])), unitCost = total ? total ** (1 / p - 1) : 0;
      for (const [i, j, mass] of plan) near[j] += mass * (far ? Math.max(1 - (cost[i * topics + j] * unitCost) / far, 0) : 1);
      masses[number].forEach((row, k) => {
        if (there[k] > 0) row.forEach((mass, i) => { brought[i] += (mass * near[k]) / there[k] / spaces.length; });
      });
    }
    return brought;
  }

  /** How near a word is to what was searched for in meaning; all alike without vectors. */
  meant(word) {
    if (!this.vectors) return 1;
    const own = this.model.unitVector(word);
    return Math.max(0, ...this.vectors.map((vector) => vector.reduce((sum, x, i) => sum + x * own[i], 0)));
  }
}

/** The words of a document that say most of what it is about, ascending. */
export function standingFor(model, document) {
  const { words, masses } = carriersOf(model, [document]), weights = wordWeights(model, words);
  const mass = new Float64Array(words.length);
  for (const rows of masses) {
    const total = new Float64Array(words.length);
    for (const row of rows) row.forEach((own, i) => { total[i] += own; });
    total.forEach((own, i) => { mass[i] += own; });
  }
  const says = Array.from(mass, (own, i) => Math.round(own * weights[i] * 1e15) / 1e15);
  return ordered(words.length, (at) => -says[at]).slice(0, MAX_STANDING).map((i) => words[i]).sort((i, j) => i - j);
}

/** The words of a query that a text has (hott.lexical.matching): form, words as they are written, match. */
export function wordsIn(model, text, matches) {
  const wanted = new Set(matches.flatMap(({ by }) => by.map(([form]) => form))), written = new Map();
  for (const word of model.tokens(text)) {
    const form = model.form(word);
    if (!wanted.has(form)) continue;
    if (!written.has(form)) written.set(form, new Map());
    written.get(form).set(word, (written.get(form).get(word) ?? 0) + 1);
  }
  return matches.flatMap((match) => match.by.filter(([form]) => written.has(form)).map(([form]) => {
    const own = [...written.get(form)].sort(([a, m], [b, n]) => (a !== match.word) - (b !== match.word) || n - m || (a < b ? -1 : 1));
    return [form, own.map(([word]) => word), match];
  }));
}

/** A word of a document, and which word of the query it stands for where that is another. */
export function saidWord(word, match) {
  const how = { "spelled like": "for", "near in meaning": "near" }[match.how];
  return how ? `${word} ${how} “${match.word}”` : word;
}

export function saidReason(words, related = [], alike = 0, verb = "has") {
  const told = words.length ? [`${verb} ${words.join(", ")}`] : [];
  if (related.length) told.push(`related: ${related.join(", ")} (${perCent(alike)})`);
  return told.join("; ") || "nothing in common";
}
