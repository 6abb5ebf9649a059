// All data comes through here: from the server, or from a thread of an exported page (offline/*.js). Both answer the same paths.
// What takes long is said, with how far it is, and can be stopped.

import { button, h, perCent, SOON } from "./dom.js";

export const isExport = () => Boolean(window.HOTT_ENGINE);

const OF_TEXTS = ["api/search", "api/marks", "api/compare"]; // which take words of the language, and the encoder
let asked = 0, engine, learned;
const waiting = new Map();

/** Start the thread, which is made of a function of this page: a page from a disk may not load another script into one. */
function startEngine() {
  const source = URL.createObjectURL(new Blob([`(${window.HOTT_ENGINE})()`], { type: "text/javascript" }));
  const worker = new Worker(source);
  worker.onmessage = ({ data: { number, found, message } }) => {
    const { resolve, reject } = waiting.get(number);
    waiting.delete(number);
    if (message === undefined) resolve(found);
    else reject(new Error(message));
  };
  worker.onerror = (event) => {
    for (const { reject } of waiting.values()) reject(new Error(event.message || "The computation stopped. Load the page again."));
    waiting.clear();
  };
  worker.postMessage({ number: -1, packed: window.HOTT_DATA });
  waiting.set(-1, { resolve() {}, reject() {} });
  delete window.HOTT_DATA;
  return worker;
}

/** Let the thread learn what comes with the library, which is as large as many an index: when it is first needed. */
async function learn() {
  const parts = {}, bar = h("progress", { max: window.HOTT_LATER.reduce((sum, [, size]) => sum + size, 0), value: 0 });
  const told = h("p", { class: "loading", role: "status" }, "Loading the language: ", bar);
  const showing = setTimeout(() => document.body.append(told), SOON);
  window.HOTT_LOADED = (loaded) => Object.assign(parts, loaded);
  try {
    for (const [file, size] of window.HOTT_LATER) {
      await new Promise((resolve, reject) => {
        const missing = () => reject(new Error(`${file} of this page cannot be loaded. Is the folder whole?`));
        document.head.append(h("script", { src: file, load: resolve, error: missing }));
      });
      bar.value += size;
    }
    if (window.HOTT_LATER.length) await post({ later: parts });
  } finally {
    clearTimeout(showing);
    told.remove();
  }
}

function post(message) {
  return new Promise((resolve, reject) => {
    const number = asked++;
    waiting.set(number, { resolve, reject });
    engine.postMessage({ number, ...message });
  });
}

/** What the server would answer. */
export async function exportedAnswer(path, parameters, body) {
  engine ??= startEngine();
  if (OF_TEXTS.includes(path)) await (learned ??= learn().catch((error) => { learned = undefined; throw error; }));
  return post({ path, parameters, body });
}

if (isExport()) window.hottAnswer = exportedAnswer; // for programs, as the API of the server is

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
/** The same, but what was asked before is not asked again, unless it is preliminary: going back is instant. */
function askOnce(path, parameters = {}, body = undefined) {
  const key = JSON.stringify([path, parameters, body]), forget = () => kept.delete(key);
  const answer = kept.get(key) ?? ask(path, parameters, body).then((found) => { if (found.state === "preliminary") forget(); return found; }, (error) => { forget(); throw error; });
  forget(); // what was asked for last is kept longest
  kept.set(key, answer);
  if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value);
  return answer;
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
/** The places of the documents. */
export const getPoints = () => askOnce("api/map");
/** The ids and titles of the documents, which the first picture does not wait for. */
export const getNames = () => askOnce("api/names");
/** Both. */
export const getMap = async () => Object.assign({}, ...await Promise.all([getPoints(), getNames()]));

/** Change topics: all that was said of them before is forgotten. */
export async function editTopics(edit) {
  const found = await ask("api/topics", {}, edit);
  kept.clear();
  return found;
}

const LOOK = 1000; // milliseconds until it is asked again how far it is

/** A line on the work that the answer of `path` takes; `halt` stops it. */
export function working(text, path, halt = () => stop(path)) {
  const told = h("span", {}, text);
  const element = h("p", { class: "hint working" }, told, !isExport() && button("Stop", halt, { class: "small", name: `Stop: ${text}` }));
  const look = setInterval(async () => {
    if (!element.isConnected || isExport()) return clearInterval(look);
    const { work, done } = await getProgress().catch(() => ({ work: {} })), part = path ? work[`/${path}`] : done;
    if (part) told.textContent = `${text} ${perCent(part)}`;
  }, LOOK);
  return element;
}
