// Search by words and transported topics together, as hott.index and hott.lexical do it.

import { B, BEST, ELSEWHERE, K1, LONG, MAX_ABOUT, MAX_NAMED, MAX_TERMS, NEAR_IN_MEANING, SUBSTITUTES, TOPICS, WORDS } from "./constants.js";
import { leastCosts } from "./core.js";
import { sharesOf, whyAlike } from "./compare.js";
import { differences } from "./flow.js";
import { saidWord, wordsIn, written } from "./reason.js";
import { ordered, sumOf } from "./store.js";
import { snippetOf, tokenize } from "./tokens.js";

const MAX_HEADING_LENGTH = 100; // hott.index.build

/** What search by words reads: words of a title, or of a heading in its stead, count twice. hott.index.build.searchable */
function searchable({ title, text }) {
  if (title) return `${title}\n${title}\n${text}`;
  const [first, ...rest] = text.trimStart().split("\n");
  const isHeading = [...first].length <= MAX_HEADING_LENGTH && rest.some((line) => line.trim());
  return `${isHeading ? first : ""}\n${text}`;
}

export class Searcher {
  constructor(model, documents) {
    this.model = model;
    this.documents = documents; // id, title, text, position, row of each
  }

  // -- words ------------------------------------------------------------------------------------------

  /** Which documents have which word and how often; made when it is first asked for. */
  get postings() {
    if (!this.madePostings) {
      const found = new Map(), lengths = [];
      for (const document of this.documents) {
        const { position } = document, counts = new Map();
        const tokens = this.model.tokens(searchable(document));
        for (const token of tokens) {
          const form = this.model.form(token);
          counts.set(form, (counts.get(form) ?? 0) + 1);
        }
        lengths.push(tokens.length);
        for (const [form, n] of counts) {
          if (!found.has(form)) found.set(form, []);
          found.get(form).push([position, n]);
        }
      }
      this.meanLength = Math.max(sumOf(lengths) / Math.max(lengths.length, 1), 1);
      this.damping = lengths.map((length) => K1 * (1 - B + (B * length) / this.meanLength));
      this.madePostings = found;
    }
    return this.madePostings;
  }

  bm25(query) {
    const total = new Float64Array(this.documents.length), { postings } = this;
    for (const [word, weight] of query) {
      const there = postings.get(word) ?? [];
      const idf = this.idf(word, there.length);
      for (const [position, times] of there) total[position] += (weight * idf * times * (K1 + 1)) / (times + this.damping[position]);
    }
    return total;
  }

  /** How rare a word is, here and in the language at large. */
  idf(word, here) {
    const { chances } = this.model, n = this.documents.length + (chances ? ELSEWHERE : 0);
    const among = here - (chances ? ELSEWHERE * Math.expm1(-this.meanLength * (chances.get(word) ?? 0)) : 0);
    return Math.log1p((n - among + 0.5) / (among + 0.5));
  }

  /** What a word of a query is searched by. */
  match(word) {
    const own = this.model.form(word);
    if (this.postings.has(own)) return { word, how: "same", by: [[own, 1]] };
    // The words outside the documents that are packed are frequent ones: they are not misspelt.
    const alike = this.model.extra.has(word) ? null : this.spelledLike(word, own);
    if (alike) return alike;
    const by = this.nearInMeaning(word);
    if (!by.length) return { word, how: "in no document", by };
    return { word, how: "near in meaning", by, words: by.map(([form]) => this.writtenAs(form)) };
  }

  /** A word of a form as it is written: the shortest that has a vector, or one of a document. */
  writtenAs(form) {
    if (!this.written) {
      const shortest = [...this.model.words].sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
      const words = [...this.model.parts.tokens.filter((word) => !this.model.extra.has(word)), ...shortest];
      this.written = new Map(words.map((word) => [this.model.form(word), word]));
    }
    return this.written.get(form) ?? form;
  }

  /** The word of the documents that takes the fewest edits, with the same first letter, and that most have. */
  spelledLike(word, own) {
    let best = null;
    for (const [typed, spellings] of [[word, this.model.words.map((other) => [other, this.model.form(other)])], [own, [...this.postings.keys()].map((form) => [form, form])]]) {
      const atMost = (typed.length >= 4) + (typed.length >= LONG);
      for (const [other, form] of atMost ? spellings : []) {
        if (Math.abs(other.length - typed.length) > atMost || !this.postings.has(form)) continue;
        if (other[0] !== typed[0] && other.slice(1, 3) !== typed.slice(1, 3)) continue;
        const n = edits(typed, other, atMost);
        if (n === null) continue;
        const one = [n, other[0] !== typed[0], -this.postings.get(form).length, form, other];
        if (!best || isBefore(one, best)) best = one;
      }
    }
    if (!best) return null;
    const [n, , , form, other] = best;
    return { word, how: "spelled like", by: [[form, 1 - n / word.length]], words: [other === form ? this.writtenAs(form) : other] };
  }

  nearInMeaning(word) {
    const { model } = this, column = model.extra.get(word) ?? (model.bundled_words && model.column.get(word));
    if (!model.reads_unseen || column === undefined || column === false) return [];
    const found = new Map();
    for (const [other, cosine] of model.nearest(column, 4 * SUBSTITUTES)) {
      const form = model.form(model.words[other]);
      if (cosine >= NEAR_IN_MEANING && this.postings.has(form) && found.size < SUBSTITUTES && !found.has(form)) found.set(form, cosine);
    }
    return [...found];
  }

  // -- ranking ----------------------------------------------------------------------------------------

  read(text) {
    const matches = [...new Set(this.model.tokens(text))].map((word) => this.match(word));
    const proportions = this.model.read(meantBy(text, matches));
    if (!proportions && !matches.some((match) => match.by.length)) {
      const common = [...this.postings].sort((x, y) => y[1].length - x[1].length || (x[0] < y[0] ? -1 : 1)).slice(0, 5).map(([form]) => this.writtenAs(form));
      const shown = `'${text.slice(0, 60)}'${text.length > 60 ? "..." : ""}`;
      throw new Error(`The query ${shown} has nothing to search by: no word of it is in the documents, or like one that is. Words that many documents have: ${common.join(", ")}.`);
    }
    return { text, proportions, matches, phrases: phrasesOf(text) };
  }

  /** Words of the corpus, and how much each counts for a query. */
  weights({ text, matches = [] }) {
    const times = new Map(), found = new Map();
    for (const token of this.model.tokens(text ?? "")) times.set(token, (times.get(token) ?? 0) + 1);
    for (const { word, how, by } of matches) {
      const share = how === "near in meaning" ? 1 / by.length : 1;
      for (const [form, weight] of by) found.set(form, (found.get(form) ?? 0) + times.get(word) * weight * share);
    }
    return found;
  }

  /** The mean distance over topics from proportions to every document that has a row, by row. */
  topicDistances(proportions) {
    const { model } = this;
    let total;
    for (const space of model.spaces) {
      const costs = leastCosts({ sites: space.topics, cost: space.cost, isMetric: model.isMetric }, proportions[space.number], space.rows);
      const parts = costs.map((cost) => (model.isMetric ? cost : Math.sqrt(cost)) / model.spaces.length);
      total = total ? total.map((sum, i) => sum + parts[i]) : parts;
    }
    return total;
  }

  /** Which documents have all phrases, word for word, of those that a filter leaves. */
  withPhrases(phrases, only) {
    if (!phrases.length) return only;
    const patterns = phrases.map((phrase) => new RegExp(`(?<![\\p{L}\\p{N}_])${phrase.match(WORD).join("[^\\p{L}\\p{N}]+")}(?![\\p{L}\\p{N}_])`, "iu"));
    return this.documents.map(({ title, text, position }) => (!only || only[position]) && patterns.every((pattern) => pattern.test(`${title}\n${text}`)));
  }

  /** The best documents for a text: positions, distances and both parts of the score. */
  rank(query, k, by, filter) {
    const n = this.documents.length, only = this.withPhrases(query.phrases, filter);
    const bm25 = by === "topics" ? new Float64Array(n) : this.bm25(this.weights(query));
    const best = [...bm25].sort((x, y) => y - x).slice(0, BEST).filter((score) => score > 0);
    const mean = sumOf(best) / best.length;
    const lexical = bm25.map((score, i) => (only && !only[i] ? 0 : best.length ? (WORDS * score) / mean : score));
    const placed = this.documents.filter(({ position, row }) => row >= 0 && (!only || only[position]));
    const distances = query.proportions && this.topicDistances(query.proportions);
    if (!query.proportions || by === "words" || !placed.length) {
      const found = ordered(n, (i) => -lexical[i]).filter((i) => lexical[i] > 0).slice(0, k);
      return found.map((position) => {
        const { row } = this.documents[position];
        return { position, distance: distances && row >= 0 ? distances[row] : null, words: lexical[position], topics: 0 };
      });
    }
    const weight = TOPICS / this.model.scale;
    const near = ordered(placed.length, (i) => weight * distances[placed[i].row] - lexical[placed[i].position]).slice(0, k).map((i) => placed[i]);
    const others = this.documents.filter(({ position, row }) => row < 0 && lexical[position] > 0);
    return [
      ...near.map(({ position, row }) => ({ position, distance: distances[row], words: lexical[position], topics: -weight * distances[row] })),
      ...others.map(({ position }) => ({ position, distance: null, words: lexical[position], topics: -weight * this.model.farthest })),
    ].sort((x, y) => y.words + y.topics - (x.words + x.topics) || x.position - y.position).slice(0, k);
  }

  /** How far every document is from one, by row: topics, and words where they count. */
  distancesFrom(document) {
    const { model } = this, topics = this.topicDistances(this.proportionsOf(document.row));
    if (!model.words_factor) return topics;
    const own = this.shares(document);
    return this.documents.filter(({ row }) => row >= 0).map((other) => (
      model.topics_factor * topics[other.row] + model.words_factor * sumOf(differences(own, this.shares(other)))
    ));
  }

  shares(document) {
    document.shares ??= sharesOf(this.model, this.countsOf(document));
    return document.shares;
  }

  countsOf(document) {
    document.counts ??= this.model.counts(document.text);
    return document.counts;
  }

  proportionsOf(row) {
    return this.model.spaces.map(({ rows: { starts, sites, masses } }) => ({
      sites: sites.subarray(starts[row], starts[row + 1]), masses: masses.subarray(starts[row], starts[row + 1]),
    }));
  }

  /** The documents most like one, itself the first. */
  nearest(document, k, only) {
    const distances = this.distancesFrom(document);
    const among = this.documents.filter(({ position, row }) => row >= 0 && (!only || only[position]));
    if (!among.length) throw new Error("No document that the filter leaves has a known word, or a distance.");
    const near = ordered(among.length, (i) => (among[i] === document ? -1 : distances[among[i].row])).slice(0, k);
    return near.map((i) => ({ position: among[i].position, distance: among[i] === document ? 0 : distances[among[i].row], words: 0, topics: 0 }));
  }

  // -- what was found ---------------------------------------------------------------------------------

  /** A document, or a text as one, as comparisons want it. */
  compared(document) {
    return { id: document.id, position: document.position, text: document.text, counts: this.countsOf(document), proportions: document.proportions ?? this.proportionsOf(document.row) };
  }

  /** The words of the terms of a document, by which the passages of those like it are chosen. */
  termsOf({ position }) {
    const special = this.model.parts.terms[position].terms.filter(([, weight]) => weight >= 0).slice(0, MAX_TERMS);
    return new Map(special.flatMap(([text, weight]) => this.model.tokens(text).map((word) => [this.model.form(word), weight])));
  }

  hits(query, ranking, reasons) {
    const words = query.id === undefined ? this.weights(query) : this.termsOf(query.document);
    const hits = ranking.map((found) => {
      const document = this.documents[found.position];
      const { text, marks } = snippetOf(document.text, (word) => words.get(this.model.form(word)) ?? 0);
      return { ...found, id: document.id, title: document.name, label: document.label, meaning: 0, score: found.words + found.topics, snippet: text, marks, why: reasons ? this.reason(query, document) : "" };
    });
    const isItself = ({ position }) => query.id === this.documents[position].id || query.text === this.documents[position].text;
    return [...hits.filter(isItself), ...hits.filter((hit) => !isItself(hit))];
  }

  /** Why a document was found (hott.index.comparing.find_reasons). */
  reason(query, document) {
    if (query.id !== undefined) return document.id === query.id ? "the document itself" : whyAlike(this.model, query.document, document);
    const words = this.namedIn(document, query), before = new Set(words.flatMap((word) => word.toLowerCase().split(/\s+/u)));
    const terms = this.model.parts.terms[document.position].terms.filter(([, weight]) => weight >= 0).map(([text]) => text);
    const about = terms.filter((text) => !text.toLowerCase().split(/\s+/u).some((word) => before.has(word))).slice(0, MAX_ABOUT);
    return [["has", words], ["about", about]].filter(([, told]) => told.length).map(([how, told]) => `${how} ${told.join(", ")}`).join("; ") || "nothing in common";
  }

  /** Words of a query that a document has, as it writes them; of many, the rarest. */
  namedIn({ title, text }, { matches }) {
    const whole = `${title}\n${text}`;
    let found = wordsIn(this.model, whole, matches);
    if (found.length > MAX_NAMED) {
      const often = ([form]) => this.postings.get(form).length, most = found.map(often).sort((x, y) => x - y)[MAX_NAMED - 1];
      found = found.filter((one) => often(one) <= most).slice(0, MAX_NAMED);
    }
    return [...new Set(found.map(([, [word], match]) => saidWord(written(word, whole), match)))];
  }
}

const WORD = /[\p{L}\p{N}_]+/gu, QUOTED = /(?<![\p{L}\p{N}_])["“„«]([^"“”„«»]+)["“”»]/gu;

/** What stands in quotation marks (hott.index.query.find_phrases). */
function phrasesOf(text) {
  return [...text.matchAll(QUOTED)].map(([, phrase]) => phrase.split(/\s+/u).filter(Boolean).join(" ")).filter((phrase) => phrase.match(WORD));
}

/** A text as topics read it: what a misspelt word is spelled like in its place, and no word that none is like. */
function meantBy(text, matches) {
  const instead = new Map(matches.filter(({ how }) => how === "spelled like" || how === "in no document").map(({ word, words }) => [word, words ?? []]));
  return instead.size ? tokenize(text).flatMap((token) => instead.get(token) ?? [token]).join(" ") : text;
}

/** The words of a question, as the page tells them. What they meet by meaning takes an encoder, which no page has. */
export function wordsOf({ matches = [] }) {
  return matches.map(({ word, how, words = [] }) => ({ word, how, by: words, met: [] }));
}

/** What there is to say of words and phrases that are in no document. */
export function notesOf({ matches = [], phrases = [] }, hits) {
  const missing = phrases.length && !hits.length ? [`No document has ${phrases.map((phrase) => `“${phrase}”`).join(" and ")}, word for word`] : [];
  return [...matches.filter(({ how }) => how !== "same").map(noteOf), ...missing];
}

function noteOf({ word, how, by, words }) {
  if (how === "in no document") return `“${word}” is in no document, and no word like it`;
  const listed = (words ?? by.map(([form]) => form)).join(", ");
  return `“${word}” is in no document: searched by ${listed}, ${how}${how === "spelled like" ? " it" : ""}`;
}

/** How many letters to put in, leave out, change or swap with the next make one word the other; null beyond a limit. */
function edits(a, b, atMost) {
  let start = 0, end = 0;
  while (start < Math.min(a.length, b.length) && a[start] === b[start]) start++;
  [a, b] = [a.slice(start), b.slice(start)];
  while (end < Math.min(a.length, b.length) && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  [a, b] = [a.slice(0, a.length - end), b.slice(0, b.length - end)];
  if (Math.abs(a.length - b.length) > atMost) return null;
  if (!a || !b) return a.length + b.length;
  if (!atMost) return null;
  const ways = [[a.slice(1), b], [a, b.slice(1)], [a.slice(1), b.slice(1)]];
  if (a.length > 1 && a[0] === b[1] && a[1] === b[0]) ways.push([a.slice(2), b.slice(2)]);
  const found = ways.map(([one, other]) => edits(one, other, atMost - 1)).filter((n) => n !== null);
  return found.length ? 1 + Math.min(...found) : null;
}

/** Whether a list comes before another of the same length, by the first in which they differ. */
function isBefore(a, b) {
  const i = a.findIndex((value, i) => value !== b[i]);
  return i >= 0 && a[i] < b[i];
}
