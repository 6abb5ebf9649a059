// Where in a document what was searched for is (hott.explorer.highlight).

import { MAX_SHARED, NEAR, PASSAGE } from "./constants.js";
import { bestStart } from "./tokens.js";

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
