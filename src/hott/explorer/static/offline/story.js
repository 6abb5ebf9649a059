// What a comparison says, in plain sentences (hott.explain.story).

import { FAR, MAX_MENTIONED, MAX_NAMED, MIN_MENTIONED, NEAR, TELLING } from "./constants.js";
import { greatest, lastOf, rounded } from "./store.js";
import { sameWord } from "./tokens.js";

const among = (word, words) => words.some((one) => one.forms.some((other) => word.forms.some((form) => form === other || sameWord(form, other))));

export function commonWords(theme) {
  return [
    ...theme.wordsA.filter((word) => word.inBoth || among(word, theme.wordsB)),
    ...theme.wordsB.filter((word) => word.inBoth && !among(word, theme.wordsA)),
  ];
}

function ownWords(theme) {
  return [
    theme.wordsA.filter((word) => !(word.inBoth || among(word, theme.wordsB))),
    theme.wordsB.filter((word) => !(word.inBoth || among(word, theme.wordsA))),
  ];
}

/** The words that stand for a theme: those of both documents first, then those of either in turn. */
export function leadingWords(theme, n = MAX_NAMED) {
  const rest = ownWords(theme), inTurn = [];
  for (let k = 0; k < n; k++) for (const side of rest) if (side[k]) inTurn.push(side[k].text);
  return [...new Set([...commonWords(theme).map((word) => word.text), ...inTurn])].slice(0, n);
}

export function perCent(part) {
  if (part > 1e-9 && part < 0.005) return "<1 %";
  if (part >= 0.995 && part < 1 - 1e-9) return ">99 %";
  return `${roundedEven(100 * part)} %`;
}

/** To a whole number; halves to the even one, as Python writes them. */
function roundedEven(value) {
  const below = Math.floor(value);
  return value - below === 0.5 ? below + (below % 2) : Math.round(value);
}

const listed = (words, n = MAX_NAMED) => words.map((word) => word.text).slice(0, n).join(", ");

function verdict(c) {
  if (!c.distance) return "The same topics in the same proportions: distance 0.";
  const how = c.closeness > NEAR ? "Near" : c.closeness < FAR ? "Far apart" : "Related";
  if (c.sameWords === null) return `${how}: distance ${c.distance.toFixed(3)}, where unrelated topics are ${c.far.toFixed(2)} apart.`;
  return `${how}: topics ${c.topics.toFixed(3)} apart, where unrelated ones are ${c.far.toFixed(2)}; ${perCent(c.sameWords)} of their words are the same.`;
}

export function saidInSentences(c) {
  const found = [verdict(c), ...c.shared.slice(0, MAX_MENTIONED).map(saidShared)];
  if (!c.shared.length) return [...found, saidNothing(c)];
  for (const [letter, side] of [["A", 0], ["B", 1]]) {
    const themes = (side ? c.onlyB : c.onlyA).filter((theme) => !c.shared.includes(theme)).slice(0, MAX_MENTIONED);
    const told = themes.map((theme) => `${listed(wordsOf(theme, side))} (${perCent(side ? theme.onlyB : theme.onlyA)})`);
    if (told.length) found.push(`Only ${letter} is about ${told.join(" and ")}.`);
  }
  return found;
}

export function saidWhy(c) {
  if (!c.distance && !c.moved.length) {
    const best = greatest(c.themes.some((theme) => !theme.isOther) ? c.themes.filter((theme) => !theme.isOther) : c.themes, (theme) => theme.both);
    return `the same topics: ${best.name}`;
  }
  const same = c.shared.length ? [] : c.themes.filter((theme) => !theme.isOther).flatMap(commonWords).map((word) => word.text);
  const sides = [0, 1].map((side) => heaviestWords(c, side).filter((word) => !same.includes(word)).slice(0, MAX_NAMED));
  const apart = sides.filter((words) => words.length).map((words) => words.join(", ")).join(" / ");
  if (!c.shared.length) {
    if (!same.length) return apart ? `nothing in common: ${apart}` : "nothing in common";
    return `words in common: ${same.slice(0, MAX_NAMED).join(", ")}${apart ? `; apart: ${apart}` : ""}`;
  }
  const common = c.shared.slice(0, MAX_MENTIONED).map((theme) => `${theme.name} (${perCent(theme.both)})`).join("; ");
  return `in common: ${common}${apart && c.moved.length ? `; apart: ${apart}` : ""}`;
}

function saidShared(theme) {
  const common = commonWords(theme), own = ownWords(theme);
  const told = own.flatMap((side, i) => (side.length ? [`${listed(side)} in ${"AB"[i]}`] : [])).join("; ");
  const part = `(${perCent(theme.both)})`;
  return common.length ? `Both are about ${listed(common)} ${part}${told ? `: ${told}` : ""}.` : `Related words ${part}: ${told}.`;
}

function saidNothing(c) {
  const heaviest = [["massA", "wordsA"], ["massB", "wordsB"]].map(([mass, words]) => {
    const having = c.themes.filter((theme) => theme[mass] > 0);
    return greatest(having.length ? having : c.themes, (theme) => rounded(theme[mass] * theme.weight ** 2))[words];
  });
  const told = heaviest.flatMap((words, i) => (words.length ? [`${"AB"[i]} is about ${listed(words, 5)}`] : [])).join("; ");
  return `They have nothing in common that would bring them together: ${told}.${saidClosest(c)}`;
}

function saidClosest(c) {
  const theme = greatest(c.themes, (one) => rounded(c.nearness(one) * one.weight));
  if (theme.both < MIN_MENTIONED || c.nearness(theme) < 0.02) return "";
  return ` They come closest in ${leadingWords(theme, 6).join(", ")} (${perCent(theme.both)}).`;
}

function wordsOf(theme, side) { return [...ownWords(theme)[side], ...commonWords(theme)]; }

/** Words of the theme that one side has most of, and the other has least of. */
function heaviestWords(c, side) {
  const apart = c.themes.filter((theme) => !c.shared.includes(theme));
  const theme = greatest(apart, (one) => rounded((side ? one.onlyB : one.onlyA) * one.weight ** 2)) ?? lastOf(c.themes);
  return wordsOf(theme, side).map((word) => word.text);
}
