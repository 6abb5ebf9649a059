// The compiled core (csrc/wasm.cpp): transport, fold-in, encoder and spellings, the same numbers as the library's.

import { startsOf } from "./store.js";

let core;

export async function startCore(bytes) {
  // The C++ library asks for a place to write errors to, and never writes one.
  const nothing = () => 0;
  const wasi = { fd_close: nothing, fd_seek: nothing, fd_write: nothing };
  const { instance } = await WebAssembly.instantiate(bytes, { wasi_snapshot_preview1: wasi });
  core = instance.exports;
  core._initialize();
}

/** Copy arrays of a kind into the core's memory, one after the other, to stay there: where they are, and how many numbers. */
export function kept(arrays) {
  const length = arrays.reduce((sum, array) => sum + array.length, 0), place = core.allocate(length * arrays[0].BYTES_PER_ELEMENT + 8);
  let at = place;
  for (const array of arrays) {
    new array.constructor(core.memory.buffer, at, array.length).set(array);
    at += array.byteLength;
  }
  return { place, length, isOfBytes: arrays[0].BYTES_PER_ELEMENT === 1, release: () => core.release(place) };
}

/** Call `use` with the addresses of copies of some arrays in the core's memory, and a reader of what it wrote there. */
function withCopies(arrays, use) {
  const places = arrays.map((array) => core.allocate(array.byteLength + 8));
  arrays.forEach((array, i) => new array.constructor(core.memory.buffer, places[i], array.length).set(array));
  const read = (i, length = arrays[i].length) => new arrays[i].constructor(core.memory.buffer, places[i], length).slice();
  try {
    return use(places, read);
  } finally {
    places.forEach((place) => core.release(place));
  }
}

/** The cheapest way to move the masses `a` onto `b`: rows, columns and masses of what moves. */
export function solveTransport(a, b, cost) {
  const most = a.length + b.length;
  const arrays = [a, b, cost, new Int32Array(most), new Int32Array(most), new Float64Array(most)];
  return withCopies(arrays, (places, read) => {
    const count = core.solve(a.length, b.length, ...places);
    return { rows: read(3, count), columns: read(4, count), masses: read(5, count) };
  });
}

/** The least cost from one distribution to each of several; `rows` have starts, sites and masses. */
export function leastCosts({ sites, cost, isMetric }, one, rows) {
  const count = rows.starts.length - 1;
  const arrays = [cost, one.sites, one.masses, rows.starts, rows.sites, rows.masses, new Float64Array(count)];
  return withCopies(arrays, ([c, s, m, starts, others, masses, out], read) => {
    core.distances(sites, c, isMetric, one.sites.length, s, m, count, starts, others, masses, out);
    return read(6);
  });
}

const FOLD_IN_LANES = 8;

/** Topic proportions of a document: `rows` hold the probability of each of its words under every topic. */
export function foldIn(rows, counts, { alpha, nTopics, gibbs, steps, burnIn, seed }) {
  const stride = Math.ceil(nTopics / FOLD_IN_LANES) * FOLD_IN_LANES;
  const table = new Float32Array(rows.length * stride);
  rows.forEach((row, i) => table.set(row, i * stride));
  const priors = new Float32Array(stride);
  priors.set(alpha);
  const arrays = [Float64Array.from(counts), Int32Array.from(rows.keys()), table, priors, new Float64Array(nTopics)];
  return withCopies(arrays, ([n, word, words, prior, out], read) => {
    core.fold_in(rows.length, n, word, words, prior, nTopics, stride, gibbs, steps, burnIn, Math.floor(seed / 2 ** 32), seed % 2 ** 32, out);
    return read(4);
  });
}

/** How probable each topic is for each word, of what was drawn for it and for the words that it borrows from. */
export function topicShares({ topics, eta, strength }, drawn, lenders, lent) {
  const words = drawn.starts.length - 1;
  const arrays = [drawn.starts, Int32Array.from(drawn.sites), Float64Array.from(drawn.masses), lenders, lent, new Float32Array(words * topics)];
  return withCopies(arrays, (places, read) => {
    core.topic_shares(words, topics, lent.length / words, eta, strength, ...places);
    return read(5);
  });
}

/** Products of rows of whole numbers that are kept with another row. */
export function products(rows, row) {
  const multiply = rows.isOfBytes ? core.multiply_bytes : core.multiply_shorts, count = rows.length / row.length;
  return withCopies([Int16Array.from(row), new Int32Array(count)], ([one, out], read) => {
    multiply(rows.place, count, row.length, one, out);
    return read(1);
  });
}

/** A function that encodes words, by their numbers: each in its context, or their sum. */
export function startEncoder({ words, size, table, numbers, weights }) {
  const [columns, scales, matrices] = [kept(table), kept([numbers]), kept([weights])];
  const encoder = core.make_encoder(words, columns.place, scales.place, matrices.place);
  for (const given of [columns, scales, matrices]) given.release();
  return (found, isSum = false) => withCopies([Int32Array.from(found), new Float32Array((isSum ? 1 : found.length) * size)], ([places, out], read) => {
    (isSum ? core.encode_text : core.encode_words)(encoder, places, found.length, out);
    return read(1);
  });
}

/** Words by their letters, to be found by spellings like theirs. */
export class Spellings {
  constructor(words) {
    const letters = words.map(lettersOf);
    this.count = words.length;
    this.letters = kept([new Uint32Array(0), ...letters]);
    this.starts = kept([startsOf(letters.map(({ length }) => length))]);
  }

  /** The place of each word within so many edits of one, with the number of edits. */
  near(word, atMost) {
    const own = lettersOf(word), found = [];
    withCopies([own, new Uint8Array(this.count)], ([typed, out], read) => {
      core.near_spellings(typed, own.length, this.letters.place, this.starts.place, 0, this.count, atMost, out);
      read(1).forEach((n, i) => { if (n <= atMost) found.push([i, n]); });
    });
    return found;
  }
}

const lettersOf = (word) => Uint32Array.from(word, (letter) => letter.codePointAt(0));
