// The words, vectors and topic models of an index, and how a text is read by them.

import { MAX_MASS, NEIGHBORS, POWER, TEMPERATURE, UNITS } from "./constants.js";
import { foldIn } from "./core.js";
import { ordered, startsOf } from "./store.js";
import { tokenize } from "./tokens.js";

const ENDINGS = [4, 3, 2]; // letters of a word by which the form of one that is not listed is found

export class Model {
  constructor(parts) {
    Object.assign(this, parts.settings);
    this.parts = parts;
    this.words = parts.words;
    this.column = new Map(parts.words.map((word, i) => [word, i]));
    this.stopWords = new Set(parts.settings.stop_words);
    this.forms = new Map(parts.tokens.map((token, i) => [token, formOf(token, parts.forms[i])]));
    this.chances = parts.chances && new Map(parts.tokens.map((token, i) => [this.forms.get(token), parts.chances[i]]));
    this.stems = parts.stems && new Map(parts.tokens.map((token, i) => [token, formOf(token, parts.stems[i])]));
    this.extra = new Map((parts.extra ?? []).map((word, i) => [word, parts.words.length + i]));
    this.right = new Set(parts.right ?? []); // words of the language that no document has, without a vector here
    this.vectorCache = new Map();
    this.rowCache = new Map();
    this.unitCache = new Map();
    this.storedPlace = new Map([...parts.stored_words].map((word, i) => [word, i]));
    this.spaces = parts.settings.models.map((space, m) => ({
      ...space, number: m,
      cost: Float64Array.from(parts[`distances_${m}`], (d) => d ** this.p),
      rows: { starts: startsOf(parts[`lengths_${m}`]), sites: Int32Array.from(parts[`sites_${m}`]), masses: parts[`masses_${m}`] },
    }));
  }

  get isMetric() { return this.p === 1; }

  // -- words ------------------------------------------------------------------------------------------

  /** What stands for all forms of a word: its stem; of a word that is not listed, by the endings of those that are. */
  form(word) {
    if (!this.forms.has(word)) this.forms.set(word, formOf(word, this.usualEnding(word)));
    return this.forms.get(word);
  }

  /** What becomes most often of words that end like this one. */
  usualEnding(word) {
    this.endings ??= countedEndings(this.parts.tokens, this.parts.forms);
    for (const n of ENDINGS) {
      const found = word.length > n + 1 && this.endings.get(word.slice(-n));
      if (found) return [...found].reduce((best, one) => (one[1] > best[1] ? one : best))[0];
    }
    return "";
  }

  /** The words of a text that count for search. */
  tokens(text) { return tokenize(text).filter((word) => !this.stopWords.has(word)); }

  /** How often each word of the vocabulary is in a text: a map of columns, ascending. */
  counts(text) {
    const found = new Map();
    for (const token of tokenize(text)) {
      if (this.stems && this.stopWords.has(token)) continue;
      const column = this.column.get(this.stems ? this.stems.get(token) ?? token : token);
      if (column !== undefined) found.set(column, (found.get(column) ?? 0) + 1);
    }
    return new Map([...found].sort(([i], [j]) => i - j));
  }

  // -- vectors ----------------------------------------------------------------------------------------

  get hasVectors() { return this.dimensions > 0; }

  /** The vector of a word by its column, or of one outside the vocabulary by its place behind them. */
  vector(column) {
    if (!this.vectorCache.has(column)) this.vectorCache.set(column, this.decodedVector(column));
    return this.vectorCache.get(column);
  }

  decodedVector(column) {
    const { parts, dimensions } = this, group = column < this.words.length ? 0 : 1;
    const place = group ? column - this.words.length : parts.vector_place[column];
    if (place < 0) {
      const row = -place - 1, scale = parts.other_scales[row];
      return Float32Array.from(parts.other_vectors.subarray(row * dimensions, (row + 1) * dimensions), (x) => (x - this.vector_zero) * scale);
    }
    const vector = new Float32Array(dimensions);
    this.stages.forEach(({ parts: n, covered }, s) => {
      if (place >= covered[group]) return;
      const codes = parts[`codes_${s}_${group}`], centres = parts[`centres_${s}`], width = dimensions / n;
      for (let i = 0; i < dimensions; i++) vector[i] += centres[((i % n) * 256 + codes[place * n + (i % n)]) * width + Math.floor(i / n)];
    });
    const length = Math.sqrt(vector.reduce((total, x) => total + x * x, 0));
    return vector.map((x) => x / length);
  }

  unitVector(column) {
    if (!this.unitCache.has(column)) this.unitCache.set(column, unit(this.vector(column)));
    return this.unitCache.get(column);
  }

  /** The nearest words of the vocabulary, or of those whose topics are stored, by cosine: [column, cosine]. */
  nearest(column, count, isStored = false) {
    const own = this.unitVector(column), { columns, vectors } = this.unitVectors(isStored), n = own.length, found = [];
    for (let i = 0, at = 0; i < columns.length; i++, at += n) {
      let cosine = 0;
      for (let d = 0; d < n; d++) cosine += own[d] * vectors[at + d];
      if (found.length === count && cosine <= found[count - 1][1]) continue;
      let place = found.length;
      while (place > 0 && found[place - 1][1] < cosine) place--;
      found.splice(place, 0, [columns[i], cosine]);
      if (found.length > count) found.pop();
    }
    return found;
  }

  /** A column of the vocabulary for each numbered word of the packed terms. */
  get termColumns() {
    if (!this.columnsOfTerms) {
      this.columnsOfTerms = new Map();
      this.parts.word_terms.forEach((number, column) => { if (number >= 0 && !this.columnsOfTerms.has(number)) this.columnsOfTerms.set(number, column); });
    }
    return this.columnsOfTerms;
  }

  /** Vectors of length 1, one after the other: of all words, or of those whose topics are stored. */
  unitVectors(isStored) {
    const name = isStored ? "storedUnits" : "allUnits";
    if (!this[name]) {
      const columns = isStored ? this.parts.stored_words : Int32Array.from(this.words.keys());
      const vectors = new Float32Array(columns.length * this.dimensions);
      columns.forEach((column, i) => vectors.set(unit(this.decodedVector(column)), i * this.dimensions));
      this[name] = { columns, vectors };
    }
    return this[name];
  }

  // -- topics -----------------------------------------------------------------------------------------

  /** How probable a word is under each topic of each model, up to a factor of the word. */
  topicsOf(column) {
    if (!this.rowCache.has(column)) this.rowCache.set(column, this.storedPlace.has(column) ? this.storedRows(column) : this.borrowedRows(column));
    return this.rowCache.get(column);
  }

  storedRows(column) {
    const place = this.storedPlace.get(column), { parts, levels } = this;
    return this.spaces.map(({ number, topics }) => {
      const codes = parts[`topics_${number}`].subarray(place * topics, (place + 1) * topics);
      if (!levels) return codes; // as they are
      const low = parts[`least_${number}`], top = 2 ** (-parts[`tops_${number}`][place] / 8);
      return Float32Array.from(codes, (code, k) => top * (code ? (code / levels) ** (1 / POWER) : low[k]));
    });
  }

  /** Of a word whose topics are not stored, or that is in no document: by the words near it in meaning. */
  borrowedRows(column) {
    const near = this.nearest(column, NEIGHBORS, this.storedPlace.size < this.words.length);
    return this.spaces.map(({ number, topics }) => {
      const found = new Float64Array(topics);
      for (const [other, cosine] of near) {
        if (cosine <= 0) continue;
        const weight = Math.exp((cosine - 1) / TEMPERATURE), row = this.topicsOf(other)[number];
        for (let k = 0; k < topics; k++) found[k] += weight * row[k];
      }
      const most = found.reduce((a, b) => Math.max(a, b), 0);
      return Float32Array.from(found, (x) => (most > 0 ? (MAX_MASS * x) / most : 0));
    });
  }

  /** Topic proportions of a text in each model, as { sites, masses }; null where no word is known. */
  read(text) {
    const counts = this.counts(text), outside = new Map();
    for (const word of tokenize(text)) {
      if (this.reads_unseen && this.extra.has(word) && !this.column.has(word) && !this.stopWords.has(word)) outside.set(word, (outside.get(word) ?? 0) + 1);
    }
    for (const [word, n] of [...outside].sort(([a], [b]) => (a < b ? -1 : 1))) counts.set(this.extra.get(word), n);
    const rows = [...counts.keys()].map((column) => this.topicsOf(column));
    if (!rows.some((row) => row.every((own) => own.some((p) => p > 0)))) return null;
    return this.spaces.map((space) => {
      const { topics, alpha, gibbs, seed, threshold } = space;
      const settings = { nTopics: topics, alpha, gibbs, seed, steps: this.steps, burnIn: this.burn_in };
      return truncated(foldIn(rows.map((row) => row[space.number]), [...counts.values()], settings), threshold, this.rounds);
    });
  }
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

/** How often each change of an ending is made, by the ending. */
function countedEndings(tokens, changes) {
  const endings = new Map();
  tokens.forEach((token, i) => {
    for (const n of ENDINGS) {
      const ending = token.slice(-n);
      if (!endings.has(ending)) endings.set(ending, new Map());
      endings.get(ending).set(changes[i], (endings.get(ending).get(changes[i]) ?? 0) + 1);
    }
  });
  return endings;
}

/** A form as it is stored: nothing for the word itself, else how many letters to cut and what to put there. */
function formOf(word, stored) {
  if (!stored) return word;
  const [, cut, ending] = /^(\d+)(.*)$/su.exec(stored);
  return word.slice(0, word.length - Number(cut)) + ending;
}

export function unit(vector) {
  let length = 0;
  for (const x of vector) length += x * x;
  length = Math.sqrt(length);
  return Float64Array.from(vector, (x) => (length > 0 ? x / length : 0));
}
