// From the words of a question to words of the documents: the same, spelled like it, or near in meaning (hott.lexical.matching).

import { LONG, MAX_LOOKED_UP, NEAR_IN_MEANING, SUBSTITUTES } from "./constants.js";
import { tokenize } from "./tokens.js";

export const WORD = /[\p{L}\p{N}_]+/gu, QUOTED = /(?<![\p{L}\p{N}_])["“„«]([^"“”„«»]+)["“”»]/gu;

/** What stands in quotation marks (hott.index.query.find_phrases). */
export function phrasesOf(text) {
  return [...text.matchAll(QUOTED)].map(([, phrase]) => phrase.split(/\s+/u).filter(Boolean).join(" ")).filter((phrase) => phrase.match(WORD));
}

/** A text as topics read it: what a misspelt word is spelled like in its place, and no word that none is like. */
export function meantBy(text, matches) {
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

function noteOf({ word, typed = word, how, by, words = by.map(([form]) => form), isUnread }) {
  if (isUnread) return `“${typed}” is in no document, and this page has no vector of it: hott explore may find it by words near in meaning`;
  if (how === "in no document") return `“${typed}” is in no document, and no word like it`;
  const [first] = typed, isName = first !== first.toLowerCase() && how !== "near in meaning"; // or a noun of German
  const listed = words.map((one) => (isName ? one[0].toUpperCase() + one.slice(1) : one)).join(", ");
  return `“${typed}” is in no document: searched by ${listed}, ${how}${how === "spelled like" ? " it" : ""}`;
}

export class Matcher {
  /** `postings` has the documents of every form. */
  constructor(model, postings) {
    Object.assign(this, { model, postings });
  }

  /** What the words of a question are searched by; only the first unknown ones are looked up. */
  matchAll(text) {
    let lookedUp = 0;
    const matches = [...new Set(this.model.tokens(text))].map((word) => {
      const own = this.model.form(word);
      if (this.postings.has(own)) return { word, how: "same", by: [[own, 1]] };
      return lookedUp++ < MAX_LOOKED_UP ? this.like(word, own) : { word, how: "in no document", by: [] };
    });
    const typed = new Map((text.match(WORD) ?? []).map((word) => [word.toLowerCase(), word]));
    return matches.map((match) => ({ ...match, typed: typed.get(match.word) ?? match.word }));
  }

  /** What stands for a word that is in no document. */
  like(word, own) {
    const alike = this.model.extra.has(word) || this.model.right.has(word) ? null : this.spelledLike(word, own);
    if (alike) return alike;
    const by = this.nearInMeaning(word);
    if (!by.length) return { word, how: "in no document", by, isUnread: this.model.right.has(word) };
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
