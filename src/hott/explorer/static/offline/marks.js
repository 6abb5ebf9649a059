// Where in a document what was searched for is (hott.explorer.highlight).

import { MAX_SHARED, PASSAGE } from "./constants.js";
import { bestStart } from "./tokens.js";

/** The words of a question, and where a text has them. */
export function findAsked(model, text, matches) {
  const group = new Map(matches.flatMap(({ by }, number) => by.map(([form]) => [form, number])));
  const marks = [...text.matchAll(/[\p{L}\p{N}_]+/gu)].flatMap(({ 0: word, index }) => {
    const number = group.get(model.form(word.toLowerCase()));
    return number === undefined ? [] : [[index, index + word.length, number, 1]];
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
