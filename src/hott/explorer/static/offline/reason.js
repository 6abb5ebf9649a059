// Why a document was found for a text, in one line (hott.explain.reason).

import { carriersOf, leastCostPlan } from "./flow.js";
import { ordered, sumOf } from "./store.js";
import { FAR, perCent } from "./story.js";
import { wordWeights } from "./themes.js";
import { sameWord } from "./tokens.js";

const RELATED = 3; // words in a reason
const OFTEN = 3; // times that a word of a corpus is met, to be surely one

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
    const carriers = carriersOf(this.model, [document]), brought = this.brought(carriers), alike = Math.min(sumOf(brought), 1);
    if (alike < FAR) return [[], alike];
    const weights = wordWeights(this.model, carriers.words), named = [];
    const says = carriers.words.map((word, i) => Math.round(brought[i] * weights[i] * this.meant(word) * 1e15) / 1e15);
    const counts = this.model.parts.word_counts, isRarest = carriers.words.map((word) => counts[word] < OFTEN);
    // Rare words say most, but the rarest may be misspelt: they come last.
    const bySaying = ordered(says.length, (at) => -says[at]).filter((at) => says[at] > 0);
    for (const i of [...bySaying.filter((at) => !isRarest[at]), ...bySaying.filter((at) => isRarest[at])]) {
      if (named.length === RELATED) break;
      const word = this.model.words[carriers.words[i]];
      if (![...told, ...named].some((other) => word === other || sameWord(word, other))) named.push(word);
    }
    return [named, alike];
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

export function saidReason(words, related = [], alike = 0) {
  const told = words.length ? [`has ${words.join(", ")}`] : [];
  if (related.length) told.push(`related: ${related.join(", ")} (${perCent(alike)})`);
  return told.join("; ") || "nothing in common";
}
