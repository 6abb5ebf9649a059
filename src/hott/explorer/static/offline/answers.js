// What the server of the explorer answers, computed here (hott.explorer.answers).

import { comparedSides } from "./compare.js";
import { MAX_COMPARED, MAX_MET_BY_WORD, MAX_SPECIAL, MIN_HITS, MIN_PROPORTION } from "./constants.js";
import { startCore } from "./core.js";
import { findAsked, findShared, notesOf } from "./matching.js";
import { Model } from "./model.js";
import { Searcher } from "./search.js";
import { evenly, holds, isInside } from "./selection.js";
import { ordered, tally, totals, unpackAll } from "./store.js";

const COMPUTED = ["topics", "column", "document", "distances", "select", "rows", "search", "marks", "compare"];

export class OfflineAnswers {
  static async of(packed) {
    const parts = await unpackAll(packed);
    await startCore(parts.core);
    return new OfflineAnswers(parts);
  }

  constructor(parts) {
    this.parts = parts;
    this.stored = parts.answers;
    this.model = new Model(parts);
    const { ids, titles: names } = this.stored["api/names"], { labels, label } = this.stored["api/map"], { title, text } = parts.table;
    const columns = this.stored["api/corpus"].columns.map(({ name }) => [name, parts.table[name]]).filter(([, values]) => values);
    const rows = new Map([...parts.positions].map((position, row) => [position, row]));
    this.documents = ids.map((id, position) => ({
      id, position, name: names[position], title: title[position] ?? "", label: labels[label[position]] ?? null, text: text[position], row: rows.get(position) ?? -1,
      columns: Object.fromEntries(columns.filter(([name, values]) => name !== "label" && values[position] !== null).map(([name, values]) => [name, values[position]])),
    }));
    this.byId = new Map(this.documents.map((document) => [document.id, document]));
    this.searcher = new Searcher(this.model, this.documents);
    this.topicNames = new Map(this.stored["api/topics"][0].topics.map(({ number, name }) => [number, name]));
  }

  /** Take in what came later: the language, and the encoder. */
  async learn(packed) {
    const parts = await unpackAll(packed);
    this.model.learn(parts);
    this.searcher.meaning?.learn(parts);
  }

  /** The answer to a request of the page. */
  answer(path, parameters = {}, body = {}) {
    const name = path.slice("api/".length);
    if (COMPUTED.includes(name)) return this[name]({ ...parameters, ...body });
    if (Object.hasOwn(this.stored, path)) return this.stored[path];
    throw new Error("An exported page does not hold this. Open the index with: hott explore");
  }

  topics({ model = 0, relevance = 0.3 }) {
    const stored = this.stored["api/topics"];
    if (!stored[model]) throw new Error(`model must be from 0 to ${stored.length - 1}, got ${model}: the index has no more topic models.`);
    if (Number(relevance) !== 0.3) throw new Error("An exported page lists the words of topics by one relevance, 0.3. Open the index with: hott explore");
    return stored[model];
  }

  column({ name }) {
    const found = this.stored["api/column"].find((column) => column.name === name);
    if (!found) throw new Error(`The documents have no column '${name}'.`);
    return found;
  }

  known(id) {
    const found = this.byId.get(id);
    if (!found) throw new Error(`No document has the id '${id}'.`);
    return found;
  }

  placed(id) {
    const found = this.known(id);
    if (found.row < 0) throw new Error(`The document '${id}' has no known word, so it cannot be compared with others.`);
    return found;
  }

  document({ id }) {
    const { position, name, label, text, row, columns } = this.known(id);
    return { position, id, title: name, label, text, columns, topics: row < 0 ? [] : this.shares(this.searcher.proportionsOf(row)[0]) };
  }

  /** Proportions in the first model as topics with their names. */
  shares(proportions) { return this.named(this.curated(proportions)); }

  /** Topics and their parts of something, the largest first. */
  named(parts) {
    return [...parts].sort(([i, x], [j, y]) => y - x || i - j).map(([number, proportion]) => ({ number, name: this.topicNames.get(number) ?? "", proportion }));
  }

  /** Proportions of the first model with merged topics in one. */
  curated({ sites, masses }) { return totals(Array.from(sites, (k, i) => [this.model.leader[k], masses[i]])); }

  distances({ id }) {
    const found = this.searcher.distancesFrom(this.placed(id));
    return { distances: this.documents.map(({ row }) => (row < 0 ? null : Math.round(found[row] * 1e5) / 1e5)) };
  }

  // -- selections -------------------------------------------------------------------------------------

  /** Positions of the documents that a selection means, and their proportions of its topic. */
  selected({ where = [], words = "", topic, lasso = [], subject, positions }) {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean), isMeant = holds(where, this.stored["api/corpus"].columns);
    const { x, y } = this.stored["api/map"], only = positions && new Set(positions), own = subject === undefined || subject === null ? null : this.documentsOf(subject);
    const kept = this.documents.filter((document) => (
      isMeant(document) && (!own || own.has(document.position)) && (!only || only.has(document.position)) && (!lasso.length || isInside(x[document.position], y[document.position], lasso)) &&
      wanted.every((word) => document.title.toLowerCase().includes(word) || document.text.toLowerCase().includes(word))
    ));
    if (topic === undefined || topic === null) return { positions: kept.map(({ position }) => position), proportions: null };
    if (!this.topicNames.has(topic)) throw new Error(`There is no topic ${topic} in the first model, or it was merged with another.`);
    const part = kept.map(({ row }) => (row < 0 ? 0 : this.curated(this.searcher.proportionsOf(row)[0]).get(topic) ?? 0));
    const order = ordered(kept.length, (i) => -part[i]).filter((i) => part[i] >= MIN_PROPORTION);
    return { positions: order.map((i) => kept[i].position), proportions: order.map((i) => part[i]) };
  }

  documentsOf(subject) {
    const found = this.stored["api/subjects"].subjects.find(({ number }) => number === subject);
    if (!found) throw new Error(`There is no subject ${subject}.`);
    return new Set(found.positions);
  }

  rows(wanted) {
    const { positions: found, proportions } = this.selected(wanted), { table } = this.parts, left = new Set(found), columns = {};
    const positions = wanted.positions?.filter((position) => left.has(position)) ?? found, free = (name) => (name in columns ? free(`${name}_`) : name);
    for (const [name, values] of Object.entries(table)) if (name !== "text" || wanted.text) columns[name] = positions.map((position) => values[position]);
    for (const [name, values] of [...(proportions ? [["proportion", proportions]] : []), ...Object.entries(wanted.extra ?? {})]) columns[free(name)] = values;
    return { positions, columns };
  }

  select(selection) {
    const { positions, proportions } = this.selected(selection), counts = tally(positions.map((position) => this.documents[position].label).filter((label) => label !== null));
    const everywhere = new Map(this.stored["api/corpus"].labels.map(({ label, documents }) => [label, documents]));
    const labels = [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).map(([label, documents]) => ({ label, documents, of: everywhere.get(label) }));
    return { total: positions.length, positions, proportions, labels, words: this.specialWords(positions), topics: this.moreOf(positions) };
  }

  /** Terms that more of some documents have than of the others, by the ratio of the odds. */
  specialWords(positions) {
    const inside = new Set(positions), n = this.documents.length, found = new Map();
    this.parts.terms.forEach(({ terms }, position) => {
      for (const [text, weight, words] of terms) {
        if (weight < 0) continue; // a number or a unit
        const key = words.join(), own = found.get(key) ?? { text, within: 0, without: 0 };
        found.set(key, own);
        own[inside.has(position) ? "within" : "without"] += 1;
        if (inside.has(position)) own.text = text;
      }
    });
    const least = Math.min(Math.max(3, 0.05 * inside.size), inside.size);
    const scored = [...found.values()].filter(({ within }) => within >= least).map(({ text, within, without }) => [text, Math.sqrt(within) * (
      Math.log((within + 0.5) / (inside.size - within + 0.5)) - Math.log((without + 0.5) / (n - inside.size - without + 0.5)))]);
    return scored.filter(([, score]) => score > 0).sort(([, x], [, y]) => y - x).slice(0, MAX_SPECIAL).map(([text]) => text);
  }

  /** Topics that some documents have more of than the corpus, and how much more. */
  moreOf(positions) {
    if (!positions.length || positions.length === this.documents.length) return [];
    this.meanTopics ??= this.meanOf(this.documents.map(({ position }) => position));
    const more = new Map([...this.meanOf(positions)].map(([k, share]) => [k, share - this.meanTopics.get(k)]));
    return this.named(more).slice(0, 4).filter(({ proportion }) => proportion > 0.005);
  }

  meanOf(positions) {
    const rows = positions.map((position) => this.documents[position].row).filter((row) => row >= 0);
    return totals(rows.flatMap((row) => [...this.curated(this.searcher.proportionsOf(row)[0])].map(([k, mass]) => [k, mass / positions.length])));
  }

  // -- answers that take transport --------------------------------------------------------------------

  search({ text, id, k = 10, by = "both", within, reasons = true }) {
    const kept = within && new Set(this.selected(within).positions), only = kept ? this.documents.map(({ position }) => kept.has(position)) : null;
    if (kept?.size === 0) throw new Error("No document is left by the filter.");
    let query, ranking;
    if (id !== undefined && id !== null) {
      const document = this.placed(id);
      query = { id, document, proportions: this.searcher.proportionsOf(document.row) };
      ranking = this.searcher.nearest(document, k, only);
    } else {
      query = this.searcher.read(text, by);
      ranking = this.searcher.rank(query, k, only);
    }
    const about = query.proportions ? this.shares(query.proportions[0]).slice(0, 5).filter(({ proportion }) => proportion > 0.01) : [];
    const hits = this.searcher.hits(query, ranking, reasons), { length } = this.documents;
    const told = query.id === undefined ? { notes: [...notesOf(query, hits), ...this.model.limits], words: wordsOf(query, hits) } : { notes: [], words: [] };
    return { hits, computed: query.proportions ? this.parts.positions.length : 0, pruned: query.proportions ? 0 : length - hits.length, ...told, topics: about };
  }

  marks({ id, text, like }) {
    const { terms } = this.parts, document = this.known(id);
    if (like !== undefined && like !== null) return findShared(terms[document.position], terms[this.known(like).position]);
    const query = this.searcher.read(text), [meetings] = this.searcher.meetings(query, [document]);
    return findAsked(this.model, document.text, query.matches, meetings);
  }

  compare({ a, b }) {
    const [left, right] = [this.side(a), this.side(b)];
    const positions = [left, right].map(({ documents }) => documents.map(({ position }) => position));
    return comparedSides(this.model, left.documents, right.documents, [left.view, right.view], this.searcher.meaning?.between(...positions) ?? 0);
  }

  /** The documents of a side, and what the page is told of it. */
  side({ id, selection, name = "" }) {
    if ((id === undefined || id === null) === (selection === undefined || selection === null)) throw new Error("A side of a comparison is either an id or a selection.");
    if (!selection) {
      const document = this.placed(id);
      return { documents: [this.searcher.compared(document)], view: { id, title: document.name, documents: 1, label: document.label, of: 1 } };
    }
    const known = this.selected(selection).positions.filter((position) => this.documents[position].row >= 0);
    if (!known.length) throw new Error(`No document with a known word is in ${name || "the selection"}.`);
    const some = evenly(known, MAX_COMPARED), ids = some.slice(0, 3).map((position) => this.documents[position].id).join(", ") + (some.length > 3 ? ", …" : "");
    return { documents: some.map((position) => this.searcher.compared(this.documents[position])), view: { id: some.length > 1 ? ids : this.documents[some[0]].id, title: name, documents: some.length, label: null, of: known.length } };
  }
}

/** The words of a question, with what each was searched by, and the words that it met in many of the hits (hott.explorer.highlight). */
function wordsOf({ matches }, hits) {
  const most = (word) => {
    const own = hits.flatMap(({ meetings }) => meetings.filter((one) => one.word === word));
    return own.length < MIN_HITS * hits.length ? [] : [...tally(own.flatMap(({ met }) => met))].sort(([, n], [, m]) => m - n).slice(0, MAX_MET_BY_WORD).map(([other]) => other);
  };
  return matches.map(({ word, how, words }) => ({ word, how, by: words, met: most(word) }));
}
