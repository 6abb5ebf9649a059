// The words, vectors and topic models of an index, and how a text is read by them.

import { MAX_MASS, MIN_RATIO, NEIGHBORS, SCALE, TEMPERATURE, UNITS, UNSEEN } from "./constants.js";
import { foldIn, kept, products, topicShares } from "./core.js";
import { stemEnglish } from "./stemmer.js";
import { lengthOf, ordered, remembered, roundedEven, startsOf, sumOf, tally } from "./store.js";
import { tokenize } from "./tokens.js";

const ENDINGS = [4, 3, 2]; // letters of a word by which the form of one that is not listed is found, in languages other than English
const { fround } = Math;

export class Model {
  constructor(parts) {
    Object.assign(this, parts.settings);
    this.parts = parts;
    this.words = parts.words;
    this.column = new Map(parts.words.map((word, i) => [word, i]));
    this.stopWords = new Set(parts.settings.stop_words);
    this.forms = new Map(parts.tokens.map((token, i) => [token, parts.forms[i]]));
    this.chances = parts.chances && new Map(parts.common.map((form, i) => [form, parts.chances[i]]));
    this.stems = parts.stems && new Map(parts.tokens.map((token, i) => [token, parts.stems[i]]));
    this.own = new Map([...(parts.own_words ?? [])].map((column, row) => [column, row])); // whose vectors come with the documents
    this.termColumns = new Map([...parts.word_terms].map((number, column) => [number, column]).reverse()); // the first of each numbered word of the packed terms
    this.rank = new Map(); // of words of the language, which come later
    this.vectorCache = new Map();
    this.rowCache = new Map();
    this.spaces = parts.settings.models.map((space, m) => ({
      ...space, number: m,
      cost: Float64Array.from(parts[`distances_${m}`], (d) => d ** this.p),
      rows: { starts: startsOf(parts[`lengths_${m}`]), sites: Int32Array.from(parts[`sites_${m}`]), masses: parts[`masses_${m}`] },
    }));
  }

  get isMetric() { return this.p === 1; }

  /** Take in words of the language and their vectors. */
  learn(parts) {
    this.language = parts.language;
    this.stages = Object.keys(parts).filter((name) => name.startsWith("codes_")).map((name) => [parts[name], parts[name.replace("codes", "centres")], parts[name.replace("codes", "parts")]]);
    this.rank = new Map((parts.language ?? []).map((word, i) => [word, i]));
  }

  // -- words ------------------------------------------------------------------------------------------

  /** What stands for all forms of a word: its stem. */
  form(word) {
    return remembered(this.forms, word, () => (this.stem === "english" ? stemEnglish(word) : this.stem ? this.usualForm(word) : word));
  }

  /** What becomes most often of words that end like this one. */
  usualForm(word) {
    this.endings ??= countedEndings(this.parts.tokens, this.parts.forms);
    const known = ENDINGS.map((n) => word.length > n + 1 && this.endings.get(word.slice(-n))).find(Boolean);
    if (!known) return word;
    const [[cut, ending]] = [...known.values()].reduce((best, one) => (one[1] > best[1] ? one : best));
    return word.slice(0, word.length - cut) + ending;
  }

  /** The words of a text that count for search. */
  tokens(text) { return tokenize(text).filter((word) => !this.stopWords.has(word)); }

  /** How often each word of the vocabulary is in a text, cut into words: a map of columns, ascending. */
  counts(tokens) {
    const known = this.stems ? tokens.filter((token) => !this.stopWords.has(token)).map((token) => this.stems.get(token) ?? token) : tokens;
    const found = tally(known.map((word) => this.column.get(word)).filter((column) => column !== undefined));
    return new Map([...found].sort(([i], [j]) => i - j));
  }

  // -- vectors ----------------------------------------------------------------------------------------

  get hasVectors() { return this.dimensions > 0; }

  /** The vector of a word of the vocabulary, by its column, or of another word of the language; zeros where there is none. */
  vector(column) { return remembered(this.vectorCache, column, () => this.decodedVector(column)); }

  decodedVector(column) {
    const { parts, dimensions } = this, own = this.own.get(column);
    if (own !== undefined) return Float32Array.from(parts.own_vectors.subarray(own * dimensions, (own + 1) * dimensions), (x) => (x - this.vector_zero) * parts.own_scales[own]);
    const row = this.rank.get(typeof column === "string" ? column : this.words[column]), vector = new Float32Array(dimensions);
    for (const [codes, centres, n] of this.stages) {
      if (row >= codes.length / n) break; // further ones are of the frequent words
      const width = dimensions / n;
      for (let i = 0; i < dimensions; i++) vector[i] += centres[((i % n) * 256 + codes[row * n + (i % n)]) * width + Math.floor(i / n)];
    }
    const length = fround(Math.sqrt(sumOfSquares(vector)));
    return vector.map((x) => x / length);
  }

  /** The words of the vocabulary nearest to a word, by cosine: [column, cosine]; the same everywhere (hott.embeddings.nearest). */
  nearest(word, count) {
    this.whole ??= kept(this.words.map((_, column) => wholeNumbers(this.decodedVector(column))));
    const found = products(this.whole, wholeNumbers(this.vector(word)));
    return ordered(found.length, (column) => -found[column]).slice(0, count).map((column) => [column, Math.min(found[column] / SCALE ** 2, 1)]);
  }

  // -- topics -----------------------------------------------------------------------------------------

  /** How probable a word of the vocabulary is under each topic of each model; of another word up to a factor. */
  topicsOf(column) {
    return remembered(this.rowCache, column, () => (typeof column === "string" ? this.borrowedRows(column) : this.spaces.map((space) => this.learnedRow(space, column))));
  }

  /** A word's probabilities; where it is told what was drawn, they are made of that (hott.topics.counts). */
  learnedRow(space, word) {
    const { parts } = this, { number, topics, eta } = space, row = (table) => table.subarray(word * topics, (word + 1) * topics);
    if (parts[`topics_${number}`]) return row(parts[`topics_${number}`]);
    const own = parts[`lenders_${number}`] ? number : 0, counts = parts[`drawn_${number}`], sums = parts[`sums_${number}`];
    space.starts ??= startsOf(parts[`drawn_lengths_${number}`]);
    space.shares ??= topicShares(space, { starts: space.starts, sites: parts[`drawn_topics_${number}`], masses: counts }, parts[`lenders_${own}`], parts[`lent_${own}`]);
    const occurrences = sumOf(counts.subarray(space.starts[word], space.starts[word + 1])), weight = occurrences ? occurrences + topics * eta : UNSEEN;
    return row(space.shares).map((share, k) => (share * weight) / sums[k]);
  }

  /** Of a word that is in no document: by the words near it in meaning (hott.topics.neighborhood). */
  borrowedRows(word) {
    const near = this.nearest(word, NEIGHBORS).filter(([, cosine]) => cosine > 0).map(([column, cosine]) => [column, half(Math.exp((cosine - 1) / TEMPERATURE))]);
    return this.spaces.map(({ number, topics }) => {
      const lent = new Float64Array(topics);
      for (const [column, weight] of near) this.topicsOf(column)[number].forEach((p, k) => { lent[k] += weight * p; });
      const most = lent.reduce((a, b) => Math.max(a, b), 0);
      return Float32Array.from(lent, (p) => (p > 0 && p / most >= MIN_RATIO ? (MAX_MASS * p) / most : 0));
    });
  }

  /** Topic proportions of a text, cut into words, in each model, as { sites, masses }; null where no word is known. */
  read(tokens) {
    const counts = this.counts(tokens), outside = tally(tokens.filter((word) => this.hasVectors && this.rank.has(word) && !this.column.has(word) && !this.stopWords.has(word)));
    for (const [word, n] of [...outside].sort(([a], [b]) => (a < b ? -1 : 1))) counts.set(word, n);
    const rows = [...counts.keys()].map((column) => this.topicsOf(column));
    if (!rows.some((row) => row.every((own) => own.some((p) => p > 0)))) return null;
    return this.spaces.map((space) => {
      const { topics, alpha, gibbs, seed, threshold } = space;
      const settings = { nTopics: topics, alpha, gibbs, seed, steps: this.steps, burnIn: this.burn_in };
      return truncated(foldIn(rows.map((row) => row[space.number]), [...counts.values()], settings), threshold, this.rounds);
    });
  }
}

/** A vector in whole numbers, scaled to one length. */
function wholeNumbers(vector) {
  const most = vector.reduce((a, b) => Math.max(a, Math.abs(b)), 0), scaled = Float64Array.from(vector, (x) => (most ? x / most : 0));
  const length = Math.max(lengthOf(scaled), 1);
  return Int16Array.from(scaled, (x) => Math.round((x / length) * SCALE));
}

/** A number in half precision. */
function half(x) {
  const step = 2 ** Math.max(Math.floor(Math.log2(x)) - 10, -24);
  return step * roundedEven(x / step);
}

/** In single precision and in the order in which NumPy adds up, for vectors that are the same to the bit. */
function sumOfSquares(vector) {
  const lanes = new Float32Array(4);
  for (let i = 0; i < vector.length; i += 16) {
    for (let j = 12; j >= 0; j -= 4) for (let l = 0; l < 4; l++) lanes[l] += fround(vector[i + j + l] ** 2);
  }
  return fround(fround(lanes[0] + lanes[1]) + fround(lanes[2] + lanes[3]));
}

/** Leave out topics below a threshold, and let the others sum to 1 again; rounded as those of the documents are. */
function truncated(proportions, threshold, rounds) {
  const largest = proportions.indexOf(proportions.reduce((a, b) => Math.max(a, b)));
  const sites = [...proportions.keys()].filter((k) => (proportions[k] >= threshold && proportions[k] > 0) || k === largest);
  const total = sites.reduce((sum, k) => sum + proportions[k], 0), masses = sites.map((k) => proportions[k] / total);
  if (!rounds) return { sites: Int32Array.from(sites), masses: Float64Array.from(masses) };
  const whole = masses.map((mass) => Math.floor(mass * UNITS)), missing = UNITS - whole.reduce((sum, n) => sum + n, 0);
  const lost = masses.map((mass, i) => whole[i] - mass * UNITS);
  for (const i of ordered(sites.length, (at) => lost[at]).slice(0, missing)) whole[i] += 1;
  const kept = [...sites.keys()].filter((i) => whole[i] > 0);
  return { sites: Int32Array.from(kept, (i) => sites[i]), masses: Float64Array.from(kept, (i) => whole[i] / UNITS) };
}

/** By an ending of words, what became of it: how many letters were cut and what was put there, and how often. */
function countedEndings(tokens, forms) {
  const endings = new Map();
  tokens.forEach((token, i) => {
    let same = 0;
    while (same < token.length && token[same] === forms[i][same]) same += 1;
    const change = [token.length - same, forms[i].slice(same)], key = change.join();
    for (const n of ENDINGS) remembered(remembered(endings, token.slice(-n), () => new Map()), key, () => [change, 0])[1] += 1;
  });
  return endings;
}
