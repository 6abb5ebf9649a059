// Where two texts differ, word by word.

import { h, oneLine } from "./dom.js";

const MOST = 4_000_000; // pairs of words between the first difference and the last: more are not compared
const AROUND = 8; // words that are shown before and after a difference

/** Pieces of two texts in order: [kind, words], where kind is "same", "del" (only in the first) or "ins". */
export function differences(one, other) {
  const [a, b] = [one, other].map((text) => oneLine(text).split(" ")), pieces = [];
  const add = (kind, words) => { if (words.length) pieces.push([kind, words]); };
  let start = 0, end = 0;
  while (start < Math.min(a.length, b.length) && a[start] === b[start]) start += 1;
  while (end < Math.min(a.length, b.length) - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const [first, second] = [a, b].map((words) => words.slice(start, words.length - end));
  add("same", a.slice(0, start));
  if (first.length * second.length > MOST) { add("del", first); add("ins", second); }
  else for (const [kind, word] of aligned(first, second)) {
    const last = pieces[pieces.length - 1];
    if (last?.[0] === kind) last[1].push(word); else pieces.push([kind, [word]]);
  }
  add("same", a.slice(a.length - end));
  return pieces;
}

/** The words of two lists with as many as possible in common: a longest common subsequence. */
function aligned(a, b) {
  const wide = b.length + 1, common = new Uint16Array((a.length + 1) * wide), found = [];
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      common[i * wide + j] = a[i] === b[j] ? common[(i + 1) * wide + j + 1] + 1 : Math.max(common[(i + 1) * wide + j], common[i * wide + j + 1]);
  let i = 0, j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) { found.push(["same", a[i++]]); j += 1; }
    else if (j === b.length || (i < a.length && common[(i + 1) * wide + j] >= common[i * wide + j + 1])) found.push(["del", a[i++]]);
    else found.push(["ins", b[j++]]);
  }
  return found;
}

/** The differences with a few words around each. */
export function differencesView(one, other) {
  const pieces = differences(one, other);
  return h("p", { class: "differences" }, pieces.map(([kind, words], k) => {
    if (kind !== "same") return [h(kind, {}, words.join(" ")), " "];
    const before = k === 0 ? 0 : AROUND, after = k === pieces.length - 1 ? 0 : AROUND;
    if (words.length <= before + after + 1) return [words.join(" "), " "];
    return [words.slice(0, before).join(" "), " … ", words.slice(words.length - after).join(" "), " "];
  }));
}
