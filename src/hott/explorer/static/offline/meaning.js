// Search by meaning: the encoder, the vectors of the documents, and by which words the words of a question were met
// (hott.embeddings.encoder, hott.index.meaning).

import { LEAD_WEIGHT, LEAD_WORDS, MAX_CANDIDATES, MAX_MET, MIN_LIKENESS, MIN_MEETING, MIN_MET, QUERY_CENTRE } from "./constants.js";
import { kept, products, startEncoder } from "./core.js";
import { LETTERS } from "./matching.js";
import { lengthOf, ordered, remembered, sumOf } from "./store.js";

const wide = (row) => Float64Array.from(row);

export class Meaning {
  constructor(parts) {
    Object.assign(this, { centre: parts.centre, size: parts.centre.length, scales: parts.meaning_scales, factor: parts.settings.meaning_factor, deviation: parts.settings.meaning_deviation });
    this.codes = parts.meaning;
    this.rows = kept([parts.meaning]);
    this.alone = new Map();
  }

  /** Take in the encoder. */
  learn(parts) {
    this.numbers = new Map(parts.encoder_words.map((word, i) => [word, i]));
    const table = Object.keys(parts).filter((name) => name.startsWith("encoder_table_")).sort().map((name) => parts[name]);
    this.encode = startEncoder({ size: this.size, table, words: this.numbers.size, numbers: parts.encoder_numbers, weights: parts.encoder_weights });
  }

  /** The words of a text that the encoder knows. */
  words(text) {
    return (text.match(LETTERS) ?? []).map((word) => word.normalize("NFKC").toLowerCase()).filter((word) => this.numbers.has(word));
  }

  /** The vector of a text; null where no word of it is known. */
  vector(text) {
    const numbers = this.words(text).map((word) => this.numbers.get(word));
    if (!numbers.length) return null;
    const row = this.encode(numbers, true), length = lengthOf(wide(row));
    return row.map((x) => x / (length || 1));
  }

  /** The vector of a question, whose words count by a weight, with the part of the centre that it keeps; null where no word is known. */
  vectorOf(question, weigh) {
    const words = this.words(question), weights = words.map(weigh), { size, centre } = this;
    const rows = wide(this.encode(words.map((word) => this.numbers.get(word))));
    const total = summed(rows.map((x, i) => Math.fround(x * Math.fround(weights[Math.floor(i / size)]))), size), length = lengthOf(total);
    return words.length && length ? Float32Array.from(total, (x, d) => x / length + (1 - QUERY_CENTRE) * centre[d]) : null;
  }

  /** The cosine of every document with a vector, both less the centre, over the deviation of their distances. */
  cosines(vector) {
    const apart = wide(vector.map((x, i) => x - this.centre[i])), peak = apart.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
    if (!peak) return new Float64Array(this.scales.length);
    const whole = apart.map((x) => Math.round(x * (32767 / peak))), length = Math.fround(lengthOf(whole));
    return Float64Array.from(products(this.rows, whole), (product, i) => (product * Math.fround(this.scales[i] / length)) / this.deviation);
  }

  /** How far every document is from one: the distance of their directions (hott.distances.vector.MeaningVectors). */
  distancesFrom(position) {
    const own = this.codes.subarray(position * this.size, (position + 1) * this.size);
    this.squares ??= Float64Array.from(this.scales, (_, i) => this.codes.subarray(i * this.size, (i + 1) * this.size).reduce((sum, x) => sum + x * x, 0));
    return Float64Array.from(products(this.rows, own), (product, i) => {
      const length = Math.sqrt(this.squares[i] * this.squares[position]), cosine = length ? product / length : Number(this.squares[i] === this.squares[position]);
      return Math.sqrt(Math.max(2 - 2 * cosine, 0));
    });
  }

  /** What meaning adds to the distance of two documents, or of the means of two groups, by their positions. */
  between(left, right) {
    if (left.length === 1 && right.length === 1) return this.factor * this.distancesFrom(left[0])[right[0]];
    const mean = (positions) => Float64Array.from({ length: this.size }, (_, d) => sumOf(positions.map((i) => this.codes[i * this.size + d] * this.scales[i])) / positions.length);
    const other = mean(right);
    return this.factor * lengthOf(mean(left).map((x, d) => x - other[d]));
  }

  /** The words of a text in their contexts, as what each adds to the text's direction from the centre, or from a part of it. */
  wordsInContext(text, { lead = 0, weigh = () => 1, share: taken = 1 } = {}) {
    const words = this.words(text), numbers = words.map((word) => this.numbers.get(word)), { size, centre } = this;
    const rows = this.encode(numbers), first = lead ? this.encode(numbers.slice(0, LEAD_WORDS)) : [];
    if (first.length) {
      const share = Math.fround((lead * lengthOf(summed(rows, size))) / lengthOf(summed(first, size)));
      first.forEach((x, i) => { rows[i] += Math.fround(share * x); });
    }
    words.forEach((word, w) => { const weight = weigh(word); for (let i = w * size; i < (w + 1) * size; i++) rows[i] *= weight; });
    const length = Math.fround(lengthOf(summed(rows, size))), shares = wide(rows.map((x) => (length ? x / length : x)));
    const weights = words.map((_, w) => lengthOf(shares.subarray(w * size, (w + 1) * size))), total = sumOf(weights);
    const apart = shares.map((x, i) => x - ((taken * weights[Math.floor(i / size)]) / total) * centre[i % size]), scale = Math.max(lengthOf(summed(apart, size)), 1e-12);
    return { words, rows: words.map((_, w) => apart.subarray(w * size, (w + 1) * size).map((x) => x / scale)) };
  }

  /** The words of a question that a document meets by other words, those that add most first: { word, met, share }. */
  meetings(asked, document, untold, model) {
    const there = this.wordsInContext(document, { lead: LEAD_WEIGHT }), added = new Map();
    if (!asked.words.length || !there.words.length) return [];
    const names = [...new Set(there.words)].sort(), place = new Map(names.map((name, i) => [name, i]));
    asked.words.forEach((word, w) => {
      if (untold.has(word)) return;
      const row = remembered(added, word, () => new Float64Array(names.length)), own = asked.rows[w];
      there.words.forEach((name, i) => { const other = there.rows[i]; let product = 0; for (let d = 0; d < own.length; d++) product += own[d] * other[d]; row[place.get(name)] += product; });
    });
    const total = sumOf([...added.values()].map((row) => Math.max(sumOf(row), 0))), found = [];
    for (const [word, row] of added) {
      const share = total > 0 ? sumOf(row) / total : 0, own = model.form(word);
      if (share < MIN_MET) continue;
      const others = ordered(names.length, (i) => -row[i]).filter((i) => !untold.has(names[i]) && model.form(names[i]) !== own).slice(0, MAX_CANDIDATES);
      const best = others.filter((i) => row[i] > 0 && this.likeness(word, names[i]) >= MIN_LIKENESS);
      const met = best.slice(0, MAX_MET).filter((i) => row[i] >= MIN_MEETING * row[best[0]]).map((i) => names[i]);
      if (met.length) found.push({ word, met, share });
    }
    return found.sort((a, b) => b.share - a.share);
  }

  /** The cosine of two words or terms by themselves; 1 where one is not known. */
  likeness(a, b) {
    if (!this.knows(a) || !this.knows(b)) return 1;
    return sumOf(this.alone.get(a).map((x, i) => x * this.alone.get(b)[i]));
  }

  knows(text) { return remembered(this.alone, text, () => this.vector(text)) !== null; }
}

/** The sum of rows that are one after the other. */
function summed(rows, size) {
  const total = new Float64Array(size);
  rows.forEach((x, i) => { total[i % size] += x; });
  return total;
}
