// What an export holds of an index, unpacked.

const KINDS = { i1: Int8Array, u1: Uint8Array, u2: Uint16Array, i4: Int32Array, f4: Float32Array, f8: Float64Array };

/** The bytes behind a packed part: what was deflated, in base 64. */
export async function unpack(packed) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer());
}

/** All parts by name: arrays of numbers, values of JSON, or bytes. */
export async function unpackAll(parts) {
  const found = {};
  for (const [name, [kind, packed]] of Object.entries(parts)) {
    const bytes = await unpack(packed);
    found[name] = kind === "json" ? JSON.parse(new TextDecoder().decode(bytes)) : kind === "bytes" ? bytes : new KINDS[kind](bytes.buffer);
  }
  return found;
}

/** Rows of different lengths, one after the other. */
export function startsOf(lengths) {
  const starts = new Int32Array(lengths.length + 1);
  for (let i = 0; i < lengths.length; i++) starts[i + 1] = starts[i] + lengths[i];
  return starts;
}

// -- small things that several parts need

/** The sum of the numbers of each key, of pairs of both. */
export function totals(pairs) {
  const found = new Map();
  for (const [key, n] of pairs) found.set(key, (found.get(key) ?? 0) + n);
  return found;
}

/** How often each of some things is among them. */
export const tally = (things) => totals(things.map((one) => [one, 1]));

/** Things none of whose keys are `before`, or of one before them. */
export function eachOnce(things, keysOf, before = []) {
  const had = new Set(before);
  return things.filter((one) => {
    const keys = keysOf(one), isNew = !keys.some((key) => had.has(key));
    if (isNew) keys.forEach((key) => had.add(key));
    return isNew;
  });
}

/** Whether a list comes before another of the same length, by the first in which they differ. */
export function isBefore(a, b) {
  const i = a.findIndex((value, i) => value !== b[i]);
  return i >= 0 && a[i] < b[i];
}

/** Starts and ends, which are packed one after the other. */
export const pairsOf = (ends) => Array.from({ length: ends.length / 2 }, (_, i) => [ends[2 * i], ends[2 * i + 1]]);

export const sumOf = (values) => values.reduce((total, value) => total + value, 0);

/** What is kept of a key, made where it is not there yet. */
export function remembered(map, key, make) {
  if (!map.has(key)) map.set(key, make(key));
  return map.get(key);
}

export const lengthOf = (row) => Math.sqrt(sumOf(row.map((x) => x * x)));

/** Numbers 0 to n - 1, ordered by a key, and by themselves where it is the same. */
export function ordered(n, key) {
  return Array.from({ length: n }, (_, i) => i).sort((i, j) => key(i) - key(j) || i - j);
}

/** A number without what rounding left in its last digits, to put things in an order. */
export const rounded = (value) => Math.round(value * 1e12) / 1e12;

export function perCent(part) {
  if (part > 1e-9 && part < 0.005) return "<1 %";
  if (part >= 0.995 && part < 1 - 1e-9) return ">99 %";
  return `${roundedEven(100 * part)} %`;
}

/** To a whole number; halves to the even one, as Python writes them. */
export function roundedEven(value) {
  const below = Math.floor(value);
  return value - below === 0.5 ? below + (below % 2) : Math.round(value);
}
