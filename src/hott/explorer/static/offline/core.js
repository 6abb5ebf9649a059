// The compiled core (csrc/wasm.cpp): transport and fold-in, the same numbers as the library's.

let core;

export async function startCore(bytes) {
  // The C++ library asks for a place to write errors to, and never writes one.
  const nothing = () => 0;
  const wasi = { fd_close: nothing, fd_seek: nothing, fd_write: nothing };
  const { instance } = await WebAssembly.instantiate(bytes, { wasi_snapshot_preview1: wasi });
  core = instance.exports;
  core._initialize();
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
