// What two documents, or two groups of them, have in common, from their packed terms (hott.explain.comparison).

import { CLOSE, MAX_IN_LINE, MAX_TOLD, MIN_COVER, MIN_NEAR, MIN_SAME, MIN_SHARED, MIN_STRONG } from "./constants.js";
import { carriersOf, costsOfWords, flowBetween } from "./flow.js";
import { eachOnce, lengthOf, pairsOf, perCent, rounded, sumOf, totals } from "./store.js";

const QUOTES = 5, STEPS = 200;
const GROUPS = { both: 0, near: 0, only_a: 1, only_b: 2 };

/** Weights of words that sum to 1: the mean over some documents. */
const meanShares = (model, documents) => totals(documents.flatMap(({ counts }) => [...sharesOf(model, counts)].map(([word, share]) => [word, share / documents.length])));

export function sharesOf(model, counts) {
  const weights = [...counts].map(([word, n]) => [word, n * model.parts.idf[word]]);
  const whole = sumOf(weights.map(([, weight]) => weight));
  return new Map(weights.map(([word, weight]) => [word, whole ? weight / whole : 0]));
}

/** A side in terms: those of its document, or those that many documents of a group have. */
function termsOfSide(model, documents) {
  const own = documents.map(({ position }) => model.parts.terms[position]);
  const term = ([text, weight, words, spans]) => ({ text, weight: Math.abs(weight), isMinor: weight < 0, words, spans });
  if (documents.length === 1) return { terms: own[0].terms.map(term), title: new Set(own[0].title), sentences: own[0].sentences, text: documents[0].text };
  const found = new Map();
  for (const { terms } of own) {
    for (const one of terms.map(term)) {
      const key = one.words.join(), same = found.get(key);
      if (same) Object.assign(same, { n: same.n + 1, weight: same.weight + one.weight });
      else found.set(key, { ...one, spans: [], n: 1 });
    }
  }
  const terms = [...found.values()].filter(({ n }) => n >= Math.max(2, MIN_COVER * own.length)).map((one) => ({ ...one, weight: one.weight / own.length }));
  return { terms: terms.sort((x, y) => y.weight - x.weight), title: new Set(), sentences: [], text: "" };
}

const areUnlike = (model, a, b, least) => model.reads_unseen && model.meaning?.likeness(a, b) < least; // as the encoder reads them
const isName = ({ text }) => text[0] !== text[0].toLowerCase();

/** Terms of both, and of each alone; no word is told twice. */
function comparedTerms(model, a, b) {
  const wordsOf = ({ terms }) => {
    const found = new Map();
    for (const term of terms) for (const word of term.words) if (!found.has(word)) found.set(word, term);
    return found;
  };
  const [left, right] = [wordsOf(a), wordsOf(b)];
  const shared = new Map();
  for (const [word, one] of left) {
    const other = right.get(word);
    if (!other) continue;
    const isSame = one.words.join() === other.words.join(), words = isSame ? one.words : [word];
    if (!isSame && [one, other].some((term) => term.text.includes("-") && !isName(term))) continue; // no "avoid" of self-avoiding
    const name = (term) => (isSame || term.words.length === 1 ? term.text : term.text.split(/[ -]/)[term.words.indexOf(word)] ?? term.text);
    const [x, y] = [name(one), name(other)];
    const isOne = x.toLowerCase() === y.toLowerCase(), text = isOne ? x : `${x}/${y}`;
    if (!isOne && areUnlike(model, x, y, MIN_SAME)) continue;
    shared.set(words.join(), { text, weight: Math.min(one.weight, other.weight), isMinor: one.isMinor || other.isMinor, words, spansA: one.spans, spansB: other.spans });
  }
  const varied = (terms, before) => eachOnce(terms, ({ words }) => words, before);
  const both = varied([...shared.values()].filter(({ weight }) => weight >= MIN_SHARED).sort((x, y) => rounded(y.weight) - rounded(x.weight)));
  const own = (side, other, { title }) => side.terms.filter(({ words, isMinor }) => !isMinor && !words.some((word) => other.has(word)) && !words.every((word) => title.has(word)));
  const [inA, inB] = [own(a, right, b), own(b, left, a)], near = nearTerms(model, inA, inB);
  return { both, near, only_a: varied(inA, near.flatMap(({ words }) => words)), only_b: varied(inB, near.flatMap(({ wordsB }) => wordsB)) };
}

/** What two documents have in common, in one line. */
export function whyAlike(model, a, b) {
  return linesOf(comparedTerms(model, termsOfSide(model, [a]), termsOfSide(model, [b])), false)[0].replace(/\.$/, "");
}

/** A's terms of one word and B's that mean much the same, the best first, each once. */
function nearTerms(model, inA, inB) {
  if (!model.hasVectors) return [];
  const column = (term) => (term.words.length > 1 ? undefined : model.termColumns.get(term.words[0]));
  const vectors = (terms) => terms.filter((term) => column(term) !== undefined).map((term) => {
    const vector = Float64Array.from(model.vector(column(term))), length = lengthOf(vector) || 1;
    return [term, vector.map((x) => x / length)];
  });
  const [left, right] = [vectors(inA), vectors(inB)], found = [];
  for (const [one, x] of left) {
    for (const [other, y] of right) {
      const likeness = sumOf(x.map((value, i) => value * y[i]));
      if (likeness > MIN_NEAR && !(isName(one) && isName(other)) && !areUnlike(model, one.text, other.text, MIN_NEAR)) found.push([likeness * Math.min(one.weight, other.weight), one, other]);
    }
  }
  return eachOnce(found.sort(([x], [y]) => y - x), ([, ...both]) => both).map(([, one, other]) => ({ text: `${one.text} ~ ${other.text}`, words: one.words, wordsB: other.words, spansA: one.spans, spansB: other.spans, weight: 0 }));
}

/** The comparison as the API answers it; a side is a list of documents with counts, proportions, id and text. */
export function comparedSides(model, a, b, sides, meaning) {
  const flow = flowBetween(model, carriersOf(model, a), carriersOf(model, b)), topics = sumOf(flow.costs);
  const told = model.words_factor
    ? costsOfWords(flow, meanShares(model, a), meanShares(model, b), model.words_factor).map((cost, i) => model.topics_factor * flow.costs[i] + cost)
    : flow.costs;
  const bearing = sumOf(told) > 0 ? told : flow.masses, whole = sumOf(bearing); // meaning, in proportion
  const costs = told.map((cost, i) => cost + (meaning && (meaning * bearing[i]) / whole));
  const distance = sumOf(costs), [left, right] = [termsOfSide(model, a), termsOfSide(model, b)], found = comparedTerms(model, left, right);
  const { terms, rest } = partsOf(model, flow, costs, distance, found);
  const spans = (side) => Object.entries(found).flatMap(([where, list]) => list.slice(0, MAX_TOLD).flatMap((term) => {
    const own = where === "both" || where === "near" ? term[side === left ? "spansA" : "spansB"] : (where === "only_a") === (side === left) ? term.spans : [];
    return pairsOf(own).map(([start, end]) => [start, end, GROUPS[where]]);
  })).sort(([x], [y]) => x - y);
  const [marksA, marksB] = [spans(left), spans(right)];
  const farther = model.parts.sample.filter((other) => other > distance).length / Math.max(model.parts.sample.length, 1);
  const lines = linesOf(found, a.length + b.length > 2), isCloser = farther >= 0.5;
  if (!found.both.length && !found.near.length && model.parts.sample.length && farther >= CLOSE) lines[0] = "Near in meaning, with no special word in common.";
  const more = model.parts.sample.length ? [`${isCloser ? "Closer" : "Farther apart"} than ${perCent(isCloser ? farther : 1 - farther)} of pairs.`] : [];
  if (distance && terms.length) more.push(`These terms: ${perCent(1 - rest.part)} of the distance${rest.words ? `; the rest in small parts over ${rest.words} words` : ""}.`);
  const names = (list, n) => list.slice(0, n).map(({ text }) => text);
  return {
    distance, topics, closer_than: model.parts.sample.length ? farther : null, why: lines[0].replace(/\.$/, ""), lines: [...lines, ...more],
    a: { ...sides[0], text: a.length > 1 ? "" : null, marks: marksA }, b: { ...sides[1], text: b.length > 1 ? "" : null, marks: marksB },
    terms, rest, groups: [["both", found.both, found.both], ["only A", found.only_a, []], ["only B", [], found.only_b]].map(([name, x, y]) => ({ name, terms_a: names(x, MAX_TOLD), terms_b: names(y, MAX_TOLD) })),
    quotes: quotesOf(left, right, found.both, marksA, marksB),
    flow: flow.masses.map((mass, i) => ({ source: model.words[flow.sources[i]], target: model.words[flow.targets[i]], mass, cost: costs[i] })).sort((x, y) => y.mass - x.mass).slice(0, STEPS),
  };
}

function linesOf({ both, near, only_a: onlyA, only_b: onlyB }, areGroups) {
  const listed = (terms) => terms.slice(0, MAX_IN_LINE).map(({ text }) => text).join(", ");
  const strong = sumOf(both.filter(({ isMinor }) => !isMinor).slice(0, 3).map(({ weight }) => weight)) >= MIN_STRONG;
  const pairs = near.slice(0, 3).map(({ text }) => text).join("; ");
  const common = both.length ? `${strong ? "Both" : "Little in common"}: ${listed(both)}.` : near.length ? `Little in common: ${pairs}.` : "Nothing in common.";
  const only = areGroups ? "More in" : "Only";
  return [common, ...(both.length && near.length ? [`Near: ${pairs}.`] : []), ...[["A", onlyA], ["B", onlyB]].filter(([, terms]) => terms.length).map(([letter, terms]) => `${only} ${letter}: ${listed(terms)}.`)];
}

/** Told terms with their parts of the distance: half of what leaves their words in A, half of what arrives in B. */
function partsOf(model, flow, costs, distance, found) {
  const keyOf = (word, number = model.parts.word_terms[word]) => (number < 0 ? `w${word}` : number);
  const halves = [flow.sources, flow.targets].map((words) => totals(words.map((word, i) => [keyOf(word), costs[i] / 2]))), used = [new Set(), new Set()];
  const terms = Object.entries(found).flatMap(([where, list]) => list.slice(0, MAX_TOLD).map(({ text, words, wordsB = words }) => {
    let part = 0;
    [0, 1].forEach((side) => {
      if (where === (side ? "only_a" : "only_b")) return;
      for (const word of side ? wordsB : words) if (!used[side].has(word)) { part += halves[side].get(word) ?? 0; used[side].add(word); }
    });
    return { text, where, part: distance ? part / distance : 0 };
  }));
  const others = new Set([...halves[0].keys(), ...halves[1].keys()].filter((word) => !used[0].has(word) && !used[1].has(word)));
  return { terms, rest: { part: distance ? Math.max(1 - sumOf(terms.map(({ part }) => part)), 0) : 0, words: others.size } };
}

/** Sentences that have the most of what both have, side by side; each once. */
function quotesOf(left, right, both, marksA, marksB) {
  const shown = both.slice(0, MAX_TOLD).filter(({ isMinor }) => !isMinor);
  const holds = (ends, [start, end]) => pairsOf(ends).some(([at]) => at >= start && at < end);
  const [inA, inB] = [left, right].map(({ sentences }) => pairsOf(sentences));
  const pairs = inA.flatMap((one) => inB.map((other) => [one, other, sumOf(shown.filter(({ spansA, spansB }) => holds(spansA, one) && holds(spansB, other)).map(({ weight }) => weight))]));
  const quote = (text, [start, end], marks) => ({
    text: text.slice(start, end), start, marks: marks.filter(([from, to]) => from >= start && to <= end).map(([from, to, group]) => [from - start, to - start, group]),
  });
  return eachOnce(pairs.filter(([, , weight]) => weight > 0).sort((x, y) => y[2] - x[2]), ([one, other]) => [one, other]).slice(0, QUOTES).map(([one, other]) => [quote(left.text, one, marksA), quote(right.text, other, marksB)]);
}
