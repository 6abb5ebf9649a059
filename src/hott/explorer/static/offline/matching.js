// From the words of a question to words of the documents: the same, spelled like it, or near in meaning (hott.lexical.matching), where
// they are in a document (hott.explorer.highlight).

import { LONG, MAX_ASKED, MAX_LOOKED_UP, MAX_SHARED, NEAR, NEAR_IN_MEANING, PASSAGE, SHORT, SOUNDS, SPELLED, SUBSTITUTES } from "./constants.js";
import { Spellings } from "./core.js";
import { isBefore, pairsOf, remembered, tally } from "./store.js";
import { bestStart } from "./tokens.js";

export const WORD = /[\p{L}\p{N}_]+/gu, LETTERS = /[\p{L}\p{Nl}\p{No}]+/gu, QUOTED = /(?<![\p{L}\p{N}_])["“„«]([^"“”„«»]+)["“”»]/gu;

/** What stands in quotation marks, in a text of a length that people type (hott.index.query.find_phrases). */
export function phrasesOf(text) {
  if ((text.match(WORD) ?? []).length > MAX_ASKED) return [];
  return [...text.matchAll(QUOTED)].map(([, phrase]) => phrase.split(/\s+/u).filter(Boolean).join(" ")).filter((phrase) => phrase.match(WORD));
}

/** The numbers in a text of a length that people type (hott.index.query.find_numbers). */
export function numbersOf(text) {
  const found = text.match(WORD) ?? [];
  return found.length > MAX_ASKED ? [] : found.filter((word) => /^\p{Nd}+$/u.test(word));
}

/** A text, cut into words, as topics read it: what a misspelt word is meant to be, and no word that is like none and unknown to the encoder. */
export function replaceMisspelt(tokens, matches, known) {
  const isReplaced = ({ word, how, meant }) => meant || (how === "in no document" && !known?.has(word));
  const instead = new Map(matches.filter(isReplaced).map(({ word, meant }) => [word, meant ? [meant] : []]));
  return tokens.flatMap((token) => instead.get(token) ?? [token]);
}

/** A text as the encoder reads it: misspelt words as what they are meant to be. */
export function corrected(text, matches) {
  const meant = new Map(matches.filter((match) => match.meant).map((match) => [match.word, match.meant]));
  return meant.size ? text.replace(WORD, (word) => meant.get(word.toLowerCase()) ?? word) : text;
}

/** Which word of a query each word is that the encoder reads in it, where it is another: what is meant, or letters alone. */
export function namesOf(matches) {
  const names = new Map(matches.map(({ word }) => [word, word]));
  for (const { word, meant } of matches) for (const letters of (meant || word).match(LETTERS) ?? []) remembered(names, letters, () => word);
  return names;
}

/** What there is to say of words and phrases that are in no document. */
export function notesOf({ matches, phrases }, hits) {
  const missing = phrases.length && !hits.length ? [`No document has ${phrases.map((phrase) => `“${phrase}”`).join(" and ")}, word for word`] : [];
  return [...matches.filter(({ how }) => how !== "same").map(noteOf), ...missing];
}

function noteOf({ typed, how, words, meant }) {
  const said = `“${typed}”${meant && how !== "spelled like" ? ` (read as “${meant}”)` : ""} is in no document`;
  if (how === "in no document") return said;
  const isName = typed[0] !== typed[0].toLowerCase() && how !== "near in meaning"; // or a noun of German
  const listed = words.map((one) => (isName ? one[0].toUpperCase() + one.slice(1) : one)).join(", ");
  return `${said}: searched by ${listed}, ${how}${how === "spelled like" ? " it" : ""}`;
}

export class Matcher {
  /** `postings` has the documents of every form. */
  constructor(model, postings) {
    Object.assign(this, { model, postings });
  }

  spellingOf(form) { return this.postings.get(form).spelling; }

  often(form) { return this.postings.get(form)?.documents.length ?? 0; }

  /** What the words of a question are searched by; only the first unknown ones are looked up. */
  matchAll(words, text) {
    let lookedUp = 0;
    const typed = new Map((text.match(WORD) ?? []).map((word) => [word.toLowerCase(), word]));
    return words.map((word) => {
      const own = this.model.form(word), isThere = this.postings.has(own);
      const match = isThere ? { how: "same", by: [[own, 1]] } : lookedUp++ < MAX_LOOKED_UP && this.like(word, own);
      return { word, typed: typed.get(word) ?? word, words: [], ...(match || { how: "in no document", by: [] }) };
    });
  }

  /** What stands for a word that is in no document. */
  like(word, own) {
    const isRight = this.model.rank.get(word) < SPELLED, alike = isRight ? null : this.correctSpelling(word, own);
    return alike ?? this.byMeaning(word);
  }

  /** A match by the words near in meaning to a word, or nothing. */
  byMeaning(word) {
    const by = this.nearInMeaning(word);
    return by.length ? { how: "near in meaning", by, words: by.map(([form]) => this.spellingOf(form)) } : null;
  }

  /** The word that takes the fewest edits: of the documents, or else an ordinary one of the language. */
  correctSpelling(word, own) {
    const { model } = this, found = [], isUnknown = Boolean(model.language) && !model.rank.has(word);
    this.spellings ??= [model.words.map((other) => [other, model.form(other)]).filter(([, form]) => this.postings.has(form)), [...this.postings.keys()].sort().map((form) => [form, form])]
      .map((pairs) => [pairs, new Spellings(pairs.map(([other]) => other))]);
    this.spellings.forEach(([pairs, spellings], i) => {
      const typed = i ? own : word;
      for (const [place, n] of edited(typed, spellings, isUnknown)) {
        const [other, form] = pairs[place];
        if (!this.isAnotherWord(typed, other)) found.push([n, false, other[0] !== typed[0], -this.often(form), form, other]);
      }
    });
    if (isUnknown && !found.some(([n]) => n <= 1)) {
      this.ordinary ??= new Spellings(model.language.slice(0, SPELLED));
      for (const [place, n] of edited(word, this.ordinary, isUnknown)) {
        const other = model.language[place], form = model.form(other), often = this.often(form);
        if (often || n === 1) found.push([n, !often, other[0] !== word[0], often ? -often : place, form, other]);
      }
    }
    if (!found.length) return null;
    const [n, isAbsent, , , form, other] = found.reduce((best, one) => (isBefore(one, best) ? one : best));
    if (isAbsent) return { ...(this.byMeaning(other) ?? { how: "in no document", by: [] }), meant: other };
    const written = other === form ? this.spellingOf(form) : other;
    return { how: "spelled like", by: [[form, 1 - n / [...word].length]], words: [written], meant: written };
  }

  /** Whether a word is another one rather than misspelt, in a language whose words are not known: Wetter, Wetten; Hase, Hose. */
  isAnotherWord(typed, other) {
    if (!this.model.stem || this.model.language) return false;
    const isShort = typed.length === other.length && typed.length < SHORT && [...typed].sort().join() !== [...other].sort().join();
    return isShort || typed.slice(0, -1) === other.slice(0, -1);
  }

  nearInMeaning(word) {
    if (this.model.meaning) return []; // it reads words in their company
    const { model } = this, found = new Map(), column = model.column.get(word) ?? word;
    for (const [other, cosine] of model.hasVectors && model.rank.has(word) ? model.nearest(column, 4 * SUBSTITUTES) : []) {
      const form = model.form(model.words[other]);
      if (cosine >= NEAR_IN_MEANING && this.postings.has(form) && found.size < SUBSTITUTES && !found.has(form)) found.set(form, cosine);
    }
    return [...found];
  }
}

/** Words that few edits make of a word, with their number; letters of one sound are one edit. */
function edited(typed, spellings, isUnknown) {
  const size = [...typed].length, atMost = (size >= 4) + (size >= LONG);
  if (!atMost) return [];
  const found = new Map(spellings.near(typed, atMost));
  for (const other of isUnknown ? respelled(typed) : []) {
    for (const [place, n] of spellings.near(other, atMost - 1)) found.set(place, Math.min(n + 1, found.get(place) ?? n + 1));
  }
  return found;
}

/** A word with letters written in another way that sounds alike, at one place or wherever they are. */
function respelled(word) {
  const others = new Set();
  for (const [one, other] of SOUNDS.flatMap(([a, b]) => [[a, b], [b, a]])) {
    for (let at = word.indexOf(one); at >= 0; at = word.indexOf(one, at + 1)) others.add(word.slice(0, at) + other + word.slice(at + one.length));
    others.add(word.replaceAll(one, other));
  }
  others.delete(word);
  return others;
}

/** The words of a query that a text has (hott.lexical.matching): form, words as they are written, match. */
export function wordsIn(model, text, matches) {
  const wanted = new Set(matches.flatMap(({ by }) => by.map(([form]) => form))), written = new Map();
  for (const [word, n] of tally(model.tokens(text))) if (wanted.has(model.form(word))) remembered(written, model.form(word), () => []).push([word, n]);
  return matches.flatMap((match) => match.by.filter(([form]) => written.has(form)).map(([form]) => {
    const own = [...written.get(form)].sort(([a, m], [b, n]) => (a !== match.word) - (b !== match.word) || n - m || (a < b ? -1 : 1));
    return [form, own.map(([word]) => word), match];
  }));
}

/** A word of a document, and which word of the query it stands for where that is another. */
export function saidWord(word, match) {
  const how = { "spelled like": "for", "near in meaning": "near" }[match.how];
  return how ? `${word} ${how} “${match.typed}”` : word;
}

/** A word of the query as it is read: what is meant by a misspelt one, with the capital of a name. */
export function readAs({ typed, meant }) {
  if (!meant) return typed;
  return typed[0] === typed[0].toLowerCase() ? meant : meant[0].toUpperCase() + meant.slice(1);
}

/** A word as a text writes it inside its sentences, or as some names of it do. */
export function written(word, text, names) {
  const whole = `${word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\p{L}\\p{N}_])`;
  if (new RegExp(`(?<![\\p{L}\\p{N}_])${whole}`, "u").test(text)) return word;
  const inside = new RegExp(`(?<=[\\p{L}\\p{N}_,;] )${whole}`, "iu").exec(text);
  return inside?.[0] ?? names.flatMap((name) => name.match(WORD) ?? []).find((one) => one.toLowerCase() === word) ?? word;
}

/** The words of a question, and where a text has them. */
export function findAsked(model, text, matches, meetings) {
  const group = new Map(matches.flatMap(({ by }, number) => by.map(([form]) => [form, number]))), near = new Map();
  for (const { word, met } of [...meetings].reverse()) {
    const number = matches.findIndex((match) => match.word === word);
    if (number >= 0) met.forEach((one) => near.set(one, number));
  }
  const marks = [...text.matchAll(WORD)].flatMap(({ 0: word, index }) => {
    const asked = group.get(model.form(word.toLowerCase())), number = asked ?? near.get(word.toLowerCase());
    return number === undefined ? [] : [[index, index + word.length, number, asked === undefined ? NEAR : 1]];
  });
  return told(matches.map(({ word }) => word), marks);
}

/** The terms that a document shares with another, and where it has them; both as they are packed. */
export function findShared(own, other) {
  const keys = new Set(other.terms.filter(([, weight]) => weight >= 0).map(([, , words]) => words.join()));
  const shared = own.terms.filter(([, , words]) => keys.has(words.join())).slice(0, MAX_SHARED);
  const marks = shared.flatMap(([, weight, , ends], number) => pairsOf(ends).map((span) => [...span, number, Math.abs(weight)]));
  return told(shared.map(([text]) => text), marks.sort((a, b) => a[0] - b[0] || a[1] - b[1]));
}

function told(words, marks) {
  const passage = marks.length ? bestStart(marks.map(([start, end, , weight]) => [start, end, weight]), PASSAGE) : 0;
  return { words, marks: marks.map((mark) => mark.slice(0, 3)), passage };
}
