// What an export holds of an index, unpacked.

const KINDS = { u1: Uint8Array, u2: Uint16Array, i4: Int32Array, f4: Float32Array, f8: Float64Array };

/** The bytes behind a packed part: base64 of what was deflated. */
export async function unpack(packed) {
  const letters = atob(packed);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
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

export const sumOf = (values) => {
  let total = 0;
  for (const value of values) total += value;
  return total;
};

/** Numbers 0 to n - 1, ordered by a key, and by themselves where it is the same. */
export function ordered(n, key) {
  return Array.from({ length: n }, (_, i) => i).sort((i, j) => key(i) - key(j) || i - j);
}

/** A number without what rounding left in its last digits, to put things in an order. */
export const rounded = (value) => Math.round(value * 1e12) / 1e12;

/** The first of some things with the greatest key. */
export function greatest(things, key) {
  return things.reduce((best, thing) => (best === undefined || key(thing) > key(best) ? thing : best), undefined);
}

export const lastOf = (list) => list[list.length - 1];
