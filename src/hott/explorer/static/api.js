// All data comes through here: from the server, or from the scripts of a static export. Both answer the same paths.

import { exportedAnswer, isExport } from "./exported.js";

const running = new Map(); // what may be stopped, by its path

/** Ask for `path` with parameters in the address, or with a body; `read` takes the answer out of the response. */
async function ask(path, parameters = {}, body = undefined, read = (response) => response.json()) {
  if (isExport()) return exportedAnswer(path, parameters, body);
  const stopper = new AbortController();
  running.set(path, stopper);
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== undefined && value !== "")).toString();
  const options = body === undefined ? { signal: stopper.signal } : { signal: stopper.signal, method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  let response;
  try {
    response = await fetch(query ? `${path}?${query}` : path, options);
  } catch {
    throw new Error(stopper.signal.aborted ? "Stopped. Load the page again to begin anew." : "The server does not answer. Is it still running?");
  }
  if (response.ok) return read(response);
  const { message } = await response.json().catch(() => ({}));
  throw new Error(message || `The server answered with ${response.status}.`);
}

/** Give up what was asked for, which the server then stops, too. */
export const stop = (path) => running.get(path)?.abort();

const MAX_KEPT = 30;
const kept = new Map();
/** The same, but what was asked before is not asked again: going back is instant. */
function askOnce(path, parameters = {}, body = undefined) {
  const key = JSON.stringify([path, parameters, body]);
  if (!kept.has(key)) {
    if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value);
    kept.set(key, ask(path, parameters, body).catch((error) => { kept.delete(key); throw error; }));
  }
  return kept.get(key);
}

export let labelName = "label", hasParquet = false; // what the user calls the column of the labels; what the server can write
export const getCorpus = async () => {
  const found = await ask("api/corpus");
  [labelName, hasParquet] = [found.label, found.parquet && !isExport()];
  return found;
};
export const getProgress = () => ask("api/progress");
export const stopLayout = () => ask("api/stop", {}, {});
export const getTopics = (model = 0, relevance = 0.3) => askOnce("api/topics", { model, relevance });
export const getTopicsOver = (column, by) => askOnce("api/topics/over", { column, by });
export const getColumn = (name) => askOnce("api/column", { name });
export const getDistances = (id) => askOnce("api/distances", { id });
export const getDocument = (id) => askOnce("api/document", { id });
export const getMarks = (wanted) => askOnce("api/marks", {}, wanted);
export const getSubjects = () => askOnce("api/subjects");
export const getDuplicates = (likeness = 0.8) => askOnce("api/duplicates", { likeness });
export const select = (selection) => askOnce("api/select", {}, selection);
export const getRows = (selection) => ask("api/rows", {}, selection);
export const getParquet = (request) => ask("api/table", {}, request, (response) => response.blob());
export const contrast = (a, b) => askOnce("api/contrast", {}, { a, b });
export const search = (request) => askOnce("api/search", {}, request);
export const without = (a, b, term) => askOnce("api/without", {}, { a, b, term });
export const compare = (a, b) => askOnce("api/compare", {}, { a, b });

let map, names;
/** The places of the documents; asked for again while they are preliminary. */
export function getPoints() {
  map ??= ask("api/map").then((found) => {
    if (found.state !== "final") map = undefined;
    return found;
  }, (error) => { map = undefined; throw error; });
  return map;
}
/** The ids and titles of the documents, which the first picture does not wait for. */
export function getNames() {
  names ??= ask("api/names").catch((error) => { names = undefined; throw error; });
  return names;
}
/** Both. */
export async function getMap() {
  const [points, called] = await Promise.all([getPoints(), getNames()]);
  return { ...points, ...called };
}

/** Change topics: all that was said of them before is forgotten. */
export async function editTopics(edit) {
  const found = await ask("api/topics", {}, edit);
  kept.clear();
  map = undefined;
  return found;
}
