// Why two documents, or two groups of them, are as far apart as they are (hott.explain.compare, evidence, comparison).

import { IN_BOTH_GROUPS, MAX_READ, MAX_SHOWN, MIN_SHOWN, TELLING, TELLING_WHEN_FAR, WORTH_SHOWING } from "./constants.js";
import { carriersOf, costsOfWords, flowBetween } from "./flow.js";
import { lastOf, ordered, rounded, sumOf } from "./store.js";
import { leadingWords, saidInSentences, saidWhy } from "./story.js";
import { groupedWords, ofWeight, summedAt } from "./themes.js";
import { sameWord, sentencesOf } from "./tokens.js";

const SENTENCES = 2, STEPS = 200;

/** The whole comparison of two sides; each is a list of documents with counts, proportions, id and text. */
export function compareSidesOf(model, a, b) {
  const flow = flowBetween(model, carriersOf(model, a), carriersOf(model, b));
  const shares = [a, b].map((side) => (model.words_factor ? meanShares(model, side) : new Map()));
  const topics = sumOf(flow.costs), costs = model.words_factor
    ? costsOfWords(flow, ...shares, model.words_factor).map((cost, i) => model.topics_factor * flow.costs[i] + cost)
    : flow.costs;
  const sameWords = model.words_factor ? sumOf([...shares[0]].map(([word, share]) => Math.min(share, shares[1].get(word) ?? 0))) : null;
  const common = Math.max(a.length, b.length) > 1 ? IN_BOTH_GROUPS : 0;
  const told = (groups) => new Told(model, { a, b, flow, costs, topics, sameWords, common, groups });
  const groups = groupedWords(model, flow);
  const comparison = told(groups);
  return comparison.shared.length ? comparison : told(ofWeight(groups, TELLING_WHEN_FAR));
}

/** Weights of words that sum to 1: the mean over some documents. */
export function meanShares(model, documents) {
  const means = new Map();
  for (const { counts } of documents) {
    for (const [word, share] of sharesOf(model, counts)) means.set(word, (means.get(word) ?? 0) + share / documents.length);
  }
  return means;
}

export function sharesOf(model, counts) {
  const weights = [...counts].map(([word, n]) => [word, n * model.parts.idf[word]]);
  const whole = sumOf(weights.map(([, weight]) => weight));
  return new Map(weights.map(([word, weight]) => [word, whole ? weight / whole : 0]));
}

class Told {
  constructor(model, found) {
    Object.assign(this, found);
    this.model = model;
    this.far = model.far;
    this.distance = sumOf(this.costs);
    this.makeThemes();
    const telling = this.themes.filter((theme) => theme.weight >= TELLING);
    const sortedBy = (themes, key) => ordered(themes.length, (i) => -rounded(key(themes[i]))).map((i) => themes[i]);
    this.shared = sortedBy(telling.filter((theme) => this.nearness(theme) >= Math.max(0.02, 0.3 * theme.both)), (theme) => this.nearness(theme) * theme.weight);
    const alone = (only) => sortedBy(telling.filter((theme) => only(theme) >= Math.max(0.05, 2 * theme.both)), (theme) => only(theme) * theme.weight);
    this.onlyA = alone((theme) => theme.onlyA);
    this.onlyB = alone((theme) => theme.onlyB);
    this.moved = this.moves.filter(({ source, target }) => source !== target);
  }

  nearness(theme) { return this.far ? Math.max(theme.both - theme.apart / this.far, 0) : theme.both; }
  get closeness() { return this.far ? Math.min(Math.max(1 - this.topics / this.far, 0), 1) : 1; }
  get why() { return saidWhy(this); }

  makeThemes() {
    const { flow, groups, costs: whole, far, common, model } = this, n = groups.says.length + 1;
    const themes = groups.themes.map((theme) => (theme < 0 ? n - 1 : theme));
    const [sources, targets] = [flow.sources, flow.targets].map((ends) => ends.map((word) => groups.place.get(word)));
    const pair = sources.map((source, i) => themes[source] * n + themes[targets[i]]);
    const [masses, costs, apart] = [flow.masses, whole, flow.costs].map((values) => summedAt(pair, values, n * n));
    const near = flow.masses.map((mass, i) => mass + Math.max(mass * far - flow.costs[i], 0) / (far || 1));
    const mass = [sources, targets].map((ends) => summedAt(ends, flow.masses, themes.length));
    const inBoth = themes.map((_, i) => {
      const [least, most] = [Math.min(mass[0][i], mass[1][i]), Math.max(mass[0][i], mass[1][i])];
      return least > 0 && least >= common * most;
    });
    const says = [sources, targets].map((ends) => summedAt(ends, near, themes.length).map((s, i) => s * groups.weights[i] * (1 + inBoth[i])));
    const numbers = Array.from({ length: n }, (_, k) => k);
    const made = numbers.map((k) => {
      const own = themes.flatMap((theme, i) => (theme === k ? [i] : []));
      const massA = sumOf(numbers.map((j) => masses[k * n + j])), massB = sumOf(numbers.map((i) => masses[i * n + k])), both = masses[k * n + k];
      const theme = {
        number: k, massA, massB, both, cost: costs[k * n + k], apart: apart[k * n + k], weight: k < n - 1 ? groups.says[k] : 0, isOther: k === n - 1,
        onlyA: Math.max(massA - both, 0), onlyB: Math.max(massB - both, 0),
        wordsA: shownWords(own, mass[0], says[0], inBoth, groups, model.words), wordsB: shownWords(own, mass[1], says[1], inBoth, groups, model.words),
      };
      theme.name = theme.isOther ? "other words" : leadingWords(theme).join(", ");
      return theme;
    });
    const moves = pair.length ? [...new Set(pair)].sort((i, j) => i - j).filter((p) => masses[p]).map((p) => ({
      source: Math.floor(p / n), target: p % n, mass: masses[p], cost: costs[p],
    })) : [];
    const stays = ({ source, target }) => source === target;
    this.moves = moves.sort((x, y) => stays(y) - stays(x) || rounded(stays(y) ? y.mass : y.cost) - rounded(stays(x) ? x.mass : x.cost) || x.source - y.source);
    this.themes = made.filter((theme) => theme.massA + theme.massB > 0);
  }

  /** As the API answers it. `names` are the titles of both sides. */
  view(sides) {
    const texts = [this.a, this.b].map((side, i) => markedTexts(this.model, side, this.groups, i ? this.flow.targets : this.flow.sources, this.flow.masses));
    const word = ({ text, mass, forms, inBoth }) => ({ word: text, mass, forms, in_both: inBoth });
    return {
      distance: this.distance, topics: this.topics, far: this.far, both: sumOf(this.themes.filter((theme) => !theme.isOther).map((theme) => theme.both)),
      why: this.why, sentences: saidInSentences(this),
      a: { ...sides[0], marks: this.a.length === 1 ? placedMarks(texts[0][0]) : [] },
      b: { ...sides[1], marks: this.b.length === 1 ? placedMarks(texts[1][0]) : [] },
      themes: this.themes.map((theme) => ({
        number: theme.number, name: theme.name, is_other: theme.isOther, weight: theme.weight, mass_a: theme.massA, mass_b: theme.massB,
        both: theme.both, cost: theme.cost, words_a: theme.wordsA.map(word), words_b: theme.wordsB.map(word),
        sentences_a: themeSentences(texts[0], theme.number), sentences_b: themeSentences(texts[1], theme.number),
      })),
      shared: this.shared.map((theme) => theme.number), only_a: this.onlyA.map((theme) => theme.number), only_b: this.onlyB.map((theme) => theme.number),
      moves: this.moves, flow: this.steps(),
    };
  }

  steps() {
    const { flow, groups, model, costs } = this, other = groups.says.length;
    const theme = (word) => { const own = groups.themes[groups.place.get(word)]; return own < 0 ? other : own; };
    const steps = flow.masses.map((mass, i) => ({
      source: model.words[flow.sources[i]], target: model.words[flow.targets[i]], mass, cost: costs[i],
      source_theme: theme(flow.sources[i]), target_theme: theme(flow.targets[i]),
    }));
    const before = (x, y) => (x < y ? -1 : x > y ? 1 : 0);
    return steps.sort((x, y) => rounded(y.mass) - rounded(x.mass) || before(x.source, y.source) || before(x.target, y.target)).slice(0, STEPS);
  }
}

/** The words of a theme that say most in one side, forms of one word merged. */
function shownWords(all, mass, says, inBoth, groups, names) {
  const own = all.filter((i) => mass[i] > 0), name = (i) => names[groups.words[i]];
  const ranked = ordered(own.length, (i) => -rounded(says[own[i]])).map((i) => own[i]);
  const forms = [];
  for (const i of ranked) {
    const same = forms.find((form) => sameWord(name(i), name(form[0])));
    if (same) same.push(i);
    else if (forms.length < MIN_SHOWN || (forms.length < MAX_SHOWN && says[i] >= WORTH_SHOWING * says[ranked[0]])) forms.push([i]);
  }
  return forms.map((places) => {
    const sorted = ordered(places.length, (i) => -rounded(mass[places[i]])).map((i) => places[i]);
    return { text: name(sorted[0]), mass: sumOf(sorted.map((i) => mass[i])), forms: sorted.map(name), inBoth: sorted.some((i) => inBoth[i]) };
  });
}

// -- where themes show in the texts

const CHUNK = /[\p{L}\p{N}](?:[\p{L}\p{N}]|[^\x00-\x7f\s\p{L}\p{N}_])*/gu;

/** The texts of a side with the words that carry a theme: [start, end, theme, strength]. */
function markedTexts(model, side, groups, ends, masses) {
  const mass = summedAt(ends.map((word) => groups.place.get(word)), masses, groups.words.length);
  const heaviest = new Map();
  groups.themes.forEach((theme, i) => heaviest.set(theme, Math.max(mass[i], heaviest.get(theme) ?? 0)));
  const carried = new Map();
  const carriedBy = (chunk) => {
    if (!carried.has(chunk)) {
      const found = [...model.counts(chunk).keys()].map((word) => groups.place.get(word)).filter((i) => i !== undefined && mass[i] > 0 && groups.themes[i] >= 0);
      const best = lastOf(found.sort((i, j) => mass[i] - mass[j] || groups.themes[i] - groups.themes[j]));
      carried.set(chunk, best === undefined ? null : [groups.themes[best], mass[best] / heaviest.get(groups.themes[best])]);
    }
    return carried.get(chunk);
  };
  return side.slice(0, MAX_READ).map(({ id, text }) => {
    const marks = [];
    for (const match of text.matchAll(CHUNK)) {
      const found = carriedBy(match[0]);
      if (found) marks.push([match.index, match.index + match[0].length, ...found]);
    }
    return { id, text, marks };
  });
}

const placedMarks = ({ marks }) => marks.map(([start, end, theme, strength]) => [start, end, theme, Math.round(strength * 1000) / 1000]);

/** The sentences that carry most of a theme, the heaviest first. */
function themeSentences(texts, theme) {
  const found = texts.flatMap(({ id, text, marks }) => {
    const own = marks.filter((mark) => mark[2] === theme);
    return own.length ? sentencesOf(text).flatMap(([start, end]) => {
      const inside = own.filter(([at]) => at >= start && at < end);
      return inside.length ? [{ document: id, text: text.slice(start, end), start, mass: sumOf(inside.map((mark) => mark[3])), inside }] : [];
    }) : [];
  });
  return ordered(found.length, (i) => -rounded(found[i].mass)).slice(0, SENTENCES).map((i) => {
    const { document, text, start, inside } = found[i];
    return { document, text, start, marks: inside.map(([from, to, , strength]) => ({ start: from - start, end: to - start, strength })) };
  });
}

