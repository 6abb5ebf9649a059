// All data comes through here: from the server, or from the scripts of a static export.

const exported = () => window.HOTT_DATA;

export const isExport = () => Boolean(exported());

async function ask(path, options = {}) {
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Error("The server does not answer. Is it still running?");
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(answer.message || `The server answered with ${response.status}.`);
  return answer;
}

const query = (parameters) =>
  new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== undefined && value !== "")).toString();

/** Load a script of this site once. */
const loading = new Map();
export function loadScript(path) {
  if (!loading.has(path)) {
    loading.set(path, new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = path;
      script.onload = resolve;
      script.onerror = () => { loading.delete(path); reject(new Error(`${path} could not be loaded.`)); };
      document.head.append(script);
    }));
  }
  return loading.get(path);
}

async function stored(key) {
  if (!(key in exported())) await loadScript(`data/${key}.js`);
  return exported()[key];
}

async function about(id) {
  const position = (await getMap()).ids.indexOf(id);
  if (position < 0) throw new Error(`No document has the id '${id}'.`);
  return stored(`documents/${position}`);
}

export async function getCorpus() {
  return isExport() ? exported().start.corpus : ask("api/corpus");
}

export async function getTopics(model = 0) {
  return isExport() ? stored(`topics-${model}`) : ask(`api/topics?${query({ model })}`);
}

let map;
/** The map; asked for again while it is preliminary. */
export async function getMap() {
  if (map?.state !== "final") map = await (isExport() ? stored("map") : ask("api/map"));
  return map;
}

export async function getDocument(id) {
  return isExport() ? (await about(id)).document : ask(`api/documents/${encodeURIComponent(id)}`);
}

export async function listDocuments(filter) {
  return isExport() ? listed(filter) : ask(`api/documents?${query(filter)}`);
}

export async function searchById(id, k = 11) {
  if (!isExport()) return ask(`api/search?${query({ id, k })}`);
  const { search } = await about(id);
  if (!search) throw new Error("This document has no known word, so it has no distance from anything.");
  return search;
}

/** The documents nearest to a text; an export, which has no topic model, looks for its words in the titles. */
export async function searchByText(text, by = "both", k = 20) {
  if (!isExport()) {
    const headers = { "content-type": "application/json" };
    return ask("api/search", { method: "POST", headers, body: JSON.stringify({ text, by, k }) });
  }
  const page = await listed({ words: text, limit: k });
  return { hits: page.documents, byTitle: true };
}

export async function getComparison(a, b) {
  if (!isExport()) return ask(`api/compare?${query({ a, b })}`);
  const there = (await about(a)).comparisons[b];
  if (there) return there;
  const back = (await about(b)).comparisons[a];
  if (back) return mirrored(back);
  throw new Error(
    `This page holds the comparisons of each document with its ${exported().start.neighbors} nearest. ` +
    "Compare any two with: hott explore.",
  );
}

/** The comparison of b with a, out of that of a with b. Its sentences speak of A and B, so they are left out. */
function mirrored(comparison) {
  const back = (move) => ({ ...move, source: move.target, target: move.source, source_theme: move.target_theme, target_theme: move.source_theme });
  const turned = (theme) => ({
    ...theme, mass_a: theme.mass_b, mass_b: theme.mass_a, words_a: theme.words_b, words_b: theme.words_a,
    sentences_a: theme.sentences_b, sentences_b: theme.sentences_a,
  });
  return {
    ...comparison, a: comparison.b, b: comparison.a, only_a: comparison.only_b, only_b: comparison.only_a,
    themes: comparison.themes.map(turned), moves: comparison.moves.map(back), flow: comparison.flow.map(back), why: "", sentences: [],
  };
}

async function listed({ offset = 0, limit = 50, label, topic, words = "" }) {
  const { ids, titles, labels, label: codes, topic: heaviest } = await getMap();
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (i) =>
    (label === undefined || label === "" || labels[codes[i]] === label) &&
    (topic === undefined || topic === "" || heaviest[i] === Number(topic)) &&
    wanted.every((word) => titles[i].toLowerCase().includes(word) || ids[i].toLowerCase().includes(word));
  const found = ids.map((_, i) => i).filter(fits);
  const documents = found.slice(offset, offset + limit).map((i) => ({
    id: ids[i], title: titles[i], label: labels[codes[i]] ?? null, proportion: null,
  }));
  return { total: found.length, offset, documents };
}
