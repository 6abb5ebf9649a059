// Search by words and transported topics together, as hott.index and hott.lexical do it.

import { B, BEST, ELSEWHERE, K1, MAX_ABOUT, MAX_NAMED, MAX_TERMS, TOPICS, WORDS } from "./constants.js";
import { leastCosts } from "./core.js";
import { sharesOf, whyAlike } from "./compare.js";
import { differences } from "./flow.js";
import { Matcher, meantBy, phrasesOf, WORD } from "./matching.js";
import { saidWord, wordsIn, written } from "./reason.js";
import { ordered, sumOf } from "./store.js";
import { snippetOf } from "./tokens.js";

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

  get matcher() {
    this.madeMatcher ??= new Matcher(this.model, this.postings);
    return this.madeMatcher;
  }

  /** How rare a word is, here and in the language at large. */
  idf(word, here) {
    const { chances } = this.model, n = this.documents.length + (chances ? ELSEWHERE : 0);
    const among = here - (chances ? ELSEWHERE * Math.expm1(-this.meanLength * (chances.get(word) ?? 0)) : 0);
    return Math.log1p((n - among + 0.5) / (among + 0.5));
  }

  // -- ranking ----------------------------------------------------------------------------------------

  read(text) {
    const matches = this.matcher.matchAll(text);
    const proportions = this.model.read(meantBy(text, matches));
    if (!proportions && !matches.some((match) => match.by.length)) {
      const common = [...this.postings].sort((x, y) => y[1].length - x[1].length || (x[0] < y[0] ? -1 : 1)).slice(0, 5).map(([form]) => this.matcher.writtenAs(form));
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
