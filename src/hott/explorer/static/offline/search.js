// Search by words, transported topics and meaning together, as hott.index and hott.lexical do it.

import { sharesOf, whyAlike } from "./compare.js";
import { B, ELSEWHERE, K1, MAX_ABOUT, MAX_ENCODED, MAX_NAMED, MAX_TERMS, QUERY_CENTRE, TOPICS, WORDS, WORDS_BESIDE_MEANING } from "./constants.js";
import { leastCosts } from "./core.js";
import { differences } from "./flow.js";
import { corrected, Matcher, namesOf, numbersOf, phrasesOf, readAs, replaceMisspelt, saidWord, WORD, wordsIn, written } from "./matching.js";
import { Meaning } from "./meaning.js";
import { ordered, startsOf, sumOf } from "./store.js";
import { snippetOf, tokenize } from "./tokens.js";

export class Searcher {
  constructor(model, documents) {
    this.model = model;
    this.documents = documents; // id, title, text, position, row of each
    this.meaning = model.meaning = model.parts.meaning ? new Meaning(model.parts) : null;
    const { forms_had: forms, spellings, had_by: sizes, having, times, lengths } = model.parts, starts = startsOf(sizes);
    this.postings = new Map(forms.map((form, i) => [form, { spelling: spellings[i], documents: having.subarray(starts[i], starts[i + 1]), times: times.subarray(starts[i], starts[i + 1]) }]));
    this.meanLength = Math.max(sumOf(lengths) / Math.max(lengths.length, 1), 1);
    this.damping = Float64Array.from(lengths, (length) => K1 * (1 - B + (B * length) / this.meanLength));
    this.matcher = new Matcher(model, this.postings);
  }

  // -- words ------------------------------------------------------------------------------------------

  /** BM25 of all documents for words with their weights, and the share of these that each has. */
  bm25(weights, whole) {
    const total = new Float64Array(this.documents.length), coverage = new Float64Array(this.documents.length);
    for (const [word, often] of weights) {
      const weight = often * this.idf(word), { documents, times } = this.postings.get(word) ?? { documents: [] };
      documents.forEach((position, i) => {
        total[position] += (weight * times[i] * (K1 + 1)) / (times[i] + this.damping[position]);
        coverage[position] += weight;
      });
    }
    return { total, coverage: coverage.map((share) => (whole ? Math.min(share / whole, 1) : share)) };
  }

  /** How rare a word is, here and in the language at large. */
  idf(word) {
    const { chances } = this.model, here = this.matcher.often(word), n = this.documents.length + (chances ? ELSEWHERE : 0);
    const among = here - (chances ? ELSEWHERE * Math.expm1(-this.meanLength * (chances.get(word) ?? 0)) : 0);
    return Math.log1p((n - among + 0.5) / (among + 0.5));
  }

  // -- ranking ----------------------------------------------------------------------------------------

  read(text, by = "both") {
    const tokens = tokenize(text), times = new Map();
    for (const token of tokens) if (!this.model.stopWords.has(token)) times.set(token, (times.get(token) ?? 0) + 1);
    const matches = this.matcher.matchAll([...times.keys()], text), asRead = corrected(text, matches);
    const proportions = this.model.read(replaceMisspelt(tokens, matches, this.meaning?.numbers));
    const vector = this.meaning && times.size && (by === "both" || by === "meaning") ? this.meaning.vectorOf(asRead.slice(0, MAX_ENCODED), this.weigherOf(asRead)) : null;
    const weighed = this.weigh(times, matches), quoted = phrasesOf(text);
    if (vector || proportions || weighed.weights.size) return { text, asRead, by, vector, proportions, matches, phrases: quoted, ...weighed };
    const phrases = quoted.length ? quoted : numbersOf(text); // which are no words, and in the texts all the same
    if (!phrases.length) {
      const common = [...this.postings.keys()].sort((x, y) => this.matcher.often(y) - this.matcher.often(x) || (x < y ? -1 : 1)).slice(0, 5).map((form) => this.matcher.spellingOf(form));
      const shown = `'${text.slice(0, 60)}'${text.length > 60 ? "..." : ""}`;
      throw new Error(`The query ${shown} has nothing to search by: no word of it is in the documents, or like one that is. Words that many documents have: ${common.join(", ")}.`);
    }
    const weights = new Map(phrases.join(" ").toLowerCase().match(WORD).map((word) => [word, 1])); // to be marked
    return { text, asRead, by, vector, proportions, matches, phrases, ...weighed, weights, isPhrase: true };
  }

  /** How much each word of a question counts for the encoder: by how rare it is, and stop words as the rarest (hott.index.query). */
  weigherOf(text) {
    const words = this.meaning.words(text.slice(0, MAX_ENCODED)).filter((word) => !this.model.stopWords.has(word));
    const rarity = new Map(words.map((word) => [word, this.idf(this.model.form(word))])), most = words.length ? Math.max(...rarity.values()) : 1;
    return (word) => (rarity.get(word) ?? most) / most;
  }

  /** Words of the documents with how much each counts for a query, and how rare its words are together. */
  weigh(times, matches) {
    const weights = new Map();
    let whole = 0;
    for (const { word, how, by } of matches) {
      const share = how === "near in meaning" ? 1 / by.length : 1, isThere = how === "same" || how === "spelled like";
      for (const [form, weight] of by) weights.set(form, (weights.get(form) ?? 0) + times.get(word) * weight * share);
      whole += times.get(word) * (isThere ? Math.max(...by.map(([form, weight]) => weight * this.idf(form))) : this.idf(this.model.form(word)));
    }
    return { weights, whole };
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

  /** The best documents for a text: positions, distances and the parts of the score. */
  rank(query, k, filter) {
    const { by, proportions, vector } = query, only = this.withPhrases(query.phrases, filter), isLeft = ({ position }) => !only || only[position];
    const { total, coverage } = this.bm25(by === "both" || by === "words" ? query.weights : [], query.whole);
    const meaning = vector ? this.meaning.cosines(vector) : new Float64Array(total.length);
    const ofWords = (score, i) => (query.whole ? score * ((vector ? WORDS_BESIDE_MEANING * coverage[i] ** 2 : WORDS) / query.whole) : score);
    const lexical = total.map(ofWords).map((score, i) => (isLeft({ position: i }) ? score : 0));
    const placed = this.documents.filter((document) => document.row >= 0 && isLeft(document)), distances = proportions && this.topicDistances(proportions);
    const counts = proportions && (by === "both" || by === "topics") && this.model.parts.positions.length;
    const weight = counts ? TOPICS / this.model.scale : 0;
    const scored = (document) => {
      const { position, row } = document, distance = distances && row >= 0 ? distances[row] : null;
      const topics = weight ? -weight * (distance ?? this.model.farthest) : 0;
      return { position, distance, words: lexical[position], topics, meaning: meaning[position], score: lexical[position] + topics + meaning[position] };
    };
    const others = this.documents.filter((document) => isLeft(document) && (weight ? document.row < 0 && lexical[document.position] + meaning[document.position] : vector || query.isPhrase || lexical[document.position] > 0));
    const found = (weight ? [...placed, ...others] : others).map(scored);
    return found.sort((x, y) => y.score - x.score || x.position - y.position).slice(0, k);
  }

  /** How far every document is from one, by row: topics, and words where they count. */
  distancesFrom(document) {
    const { model } = this, topics = this.topicDistances(this.proportionsOf(document.row));
    const own = model.words_factor && this.shares(document), meaning = this.meaning?.factor && this.meaning.distancesFrom(document.position);
    return this.documents.filter(({ row }) => row >= 0).map((other) => (
      (own || meaning ? model.topics_factor : 1) * topics[other.row] + (own ? model.words_factor * sumOf(differences(own, this.shares(other))) : 0) + (meaning ? this.meaning.factor * meaning[other.position] : 0)
    ));
  }

  shares(document) {
    document.shares ??= sharesOf(this.model, this.countsOf(document));
    return document.shares;
  }

  countsOf(document) {
    document.counts ??= this.model.counts(tokenize(document.text));
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
    return near.map((i) => ({ position: among[i].position, distance: among[i] === document ? 0 : distances[among[i].row], words: 0, topics: 0, meaning: 0, score: 0 }));
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
    const words = query.id === undefined ? query.weights : this.termsOf(query.document), met = reasons && query.id === undefined ? this.meetings(query, ranking.map(({ position }) => this.documents[position])) : [];
    const hits = ranking.map((found, i) => {
      const document = this.documents[found.position], meetings = met[i] ?? [], near = new Set(meetings.flatMap((one) => one.met));
      let passage = snippetOf(document.text, (word) => words.get(this.model.form(word)) ?? 0);
      if (!passage.marks.length && near.size) passage = snippetOf(document.text, (word) => Number(near.has(word)));
      return { ...found, id: document.id, title: document.name, label: document.label, snippet: passage.text, marks: passage.marks, why: reasons ? this.reason(query, document, meetings) : "", meetings };
    });
    const isItself = ({ position }) => query.id === this.documents[position].id || query.text === this.documents[position].text;
    return [...hits.filter(isItself), ...hits.filter((hit) => !isItself(hit))];
  }

  /** By which words each document meets a query in meaning (hott.index.comparing.find_all_meetings). */
  meetings({ vector, asRead, matches }, documents) {
    if (!vector) return documents.map(() => []);
    const rarity = matches.map(({ word }) => this.idf(this.model.form(word))), most = Math.max(...rarity);
    const untold = new Set([...matches.filter((_, i) => rarity[i] < most / 2).map(({ word }) => word), ...this.model.stopWords]);
    const asked = this.meaning.wordsInContext(asRead.slice(0, MAX_ENCODED), { weigh: this.weigherOf(asRead), share: QUERY_CENTRE });
    const names = namesOf(matches);
    return documents.map(({ title, text }) => this.meaning.meetings(asked, `${title}\n${text}`, untold, this.model).map((one) => ({ ...one, word: names.get(one.word) ?? one.word })));
  }

  /** Why a document was found (hott.index.comparing.find_reasons). */
  reason(query, document, meetings) {
    if (query.id !== undefined) return document.id === query.id ? "the document itself" : whyAlike(this.model, query.document, document);
    const whole = `${document.title}\n${document.text}`, found = this.namedIn(whole, query), had = new Set(found.map(([, , { word }]) => word));
    const { terms: all, names: more } = this.model.parts.terms[document.position], names = [...all.map(([term]) => term), ...more, document.title], near = [];
    const own = found.map(([, [word], match]) => saidWord(written(word, whole, names), match));
    const words = own.length ? [...new Set(own)] : query.phrases.map((phrase) => `“${phrase}”`); // of numbers, or of stop words
    const before = new Set(words.flatMap((word) => word.toLowerCase().split(/\s+/u))), typed = new Map(query.matches.map((match) => [match.word, readAs(match)]));
    for (const { word, met } of meetings) {
      if (had.has(word) || before.has(word)) continue;
      const told = met.filter((one) => ![one, `${one}s`, one.replace(/s$/, "")].some((form) => before.has(form)) && before.add(one));
      if (told.length) near.push(`${typed.get(word) ?? word} ~ ${told.map((one) => written(one, whole, names)).join(", ")}`);
    }
    const terms = near.length ? [] : all.filter(([, weight]) => weight >= 0).map(([text]) => text);
    for (const [form] of found) before.add(form);
    const about = terms.filter((text) => !text.toLowerCase().split(/\s+/u).some((word) => before.has(word) || before.has(this.model.form(word)))).slice(0, MAX_ABOUT);
    const parts = [["has ", words.join(", ")], ["near: ", near.join("; ")], ["about ", about.join(", ")]];
    return parts.filter(([, told]) => told).map((part) => part.join("")).join("; ") || "nothing in common";
  }

  /** Words of a query that a text has; of many, the rarest. */
  namedIn(text, { matches }) {
    const found = wordsIn(this.model, text, matches);
    if (found.length <= MAX_NAMED) return found;
    const often = ([form]) => this.matcher.often(form), most = found.map(often).sort((x, y) => x - y)[MAX_NAMED - 1];
    return found.filter((one) => often(one) <= most).slice(0, MAX_NAMED);
  }
}
