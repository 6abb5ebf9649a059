// Why a document was found for a text, in one line (hott.index.comparing), and where in it what was searched for is (hott.explorer.highlight).

import { MAX_SHARED, NEAR, PASSAGE } from "./constants.js";
import { bestStart } from "./tokens.js";

/** The words of a query that a text has (hott.lexical.matching): form, words as they are written, match. */
export function wordsIn(model, text, matches) {
  const wanted = new Set(matches.flatMap(({ by }) => by.map(([form]) => form))), written = new Map();
  for (const word of model.tokens(text)) {
    const form = model.form(word);
    if (!wanted.has(form)) continue;
    if (!written.has(form)) written.set(form, new Map());
    written.get(form).set(word, (written.get(form).get(word) ?? 0) + 1);
  }
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

/** A word as a text writes it inside its sentences. */
export function written(word, text) {
  const whole = `${word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\p{L}\\p{N}_])`;
  if (new RegExp(`(?<![\\p{L}\\p{N}_])${whole}`, "u").test(text)) return word;
  return new RegExp(`(?<=[\\p{L}\\p{N}_,;] )${whole}`, "iu").exec(text)?.[0] ?? word;
}

/** The words of a question, and where a text has them. */
export function findAsked(model, text, matches, meetings) {
  const group = new Map(matches.flatMap(({ by }, number) => by.map(([form]) => [form, number]))), near = new Map();
  for (const { word, met } of [...meetings].reverse()) {
    const number = matches.findIndex((match) => match.word === word);
    if (number >= 0) met.forEach((one) => near.set(one, number));
  }
  const marks = [...text.matchAll(/[\p{L}\p{N}_]+/gu)].flatMap(({ 0: word, index }) => {
    const asked = group.get(model.form(word.toLowerCase())), number = asked ?? near.get(word.toLowerCase());
    return number === undefined ? [] : [[index, index + word.length, number, asked === undefined ? NEAR : 1]];
  });
  return told(matches.map(({ word }) => word), marks);
}

/** The terms that a document shares with another, and where it has them; both as they are packed. */
export function findShared(own, other) {
  const keys = new Set(other.terms.filter(([, weight]) => weight >= 0).map(([, , words]) => words.join()));
  const shared = own.terms.filter(([, , words]) => keys.has(words.join())).slice(0, MAX_SHARED);
  const marks = shared.flatMap(([, weight, , ends], number) =>
    Array.from({ length: ends.length / 2 }, (_, i) => [ends[2 * i], ends[2 * i + 1], number, Math.abs(weight)]));
  return told(shared.map(([text]) => text), marks.sort((a, b) => a[0] - b[0] || a[1] - b[1]));
}

function told(words, marks) {
  const passage = marks.length ? bestStart(marks.map(([start, end, , weight]) => [start, end, weight]), PASSAGE) : 0;
  return { words, marks: marks.map((mark) => mark.slice(0, 3)), passage };
}
