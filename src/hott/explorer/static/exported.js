// The answers of a static export: out of scripts beside the page, in the place of a server.

const exportedData = () => window.HOTT_DATA;

export const isExport = () => Boolean(exportedData());

const loadingScripts = new Map();
function loadScript(path) {
  if (!loadingScripts.has(path)) {
    loadingScripts.set(path, new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = path;
      script.onload = resolve;
      script.onerror = () => { loadingScripts.delete(path); reject(new Error(`${path} could not be loaded.`)); };
      document.head.append(script);
    }));
  }
  return loadingScripts.get(path);
}

async function stored(key) {
  if (!Object.hasOwn(exportedData(), key)) await loadScript(`data/${key}.js`);
  return exportedData()[key];
}

async function aboutDocument(id) {
  const position = (await stored("map")).ids.indexOf(id);
  if (position < 0) throw new Error(`No document has the id '${id}'.`);
  return stored(`documents/${position}`);
}

/** What the server would answer, as far as the export holds it. */
export async function exportedAnswer(path, parameters, body) {
  const answer = Object.hasOwn(EXPORTED, path) ? EXPORTED[path] : null;
  if (!answer) throw new Error("An exported page does not hold this. Open the index with: hott explore");
  return answer(parameters, body);
}

const EXPORTED = {
  "api/corpus": () => exportedData().start.corpus,
  "api/map": () => stored("map"),
  "api/regions": () => stored("regions"),
  "api/topics": ({ model }) => stored(`topics-${model}`),
  "api/document": async ({ id }) => (await aboutDocument(id)).document,
  "api/search": (_, request) => (request.id === undefined ? searchTitles(request) : nearestStored(request)),
  "api/select": (_, selection) => selectStored(selection),
  "api/compare": (_, { a, b }) => comparedStored(a.id, b.id),
};

async function nearestStored({ id, k }) {
  const { search: found } = await aboutDocument(id);
  if (!found) throw new Error("This document has no known word, so it has no distance from anything.");
  return { ...found, hits: found.hits.slice(0, k) };
}

/** An export, which has no topic model, looks for words in the titles. */
async function searchTitles({ text, k, where = [] }) {
  const found = await selectStored({ words: text, where });
  const { ids, titles, labels, label } = await stored("map");
  const hits = found.positions.slice(0, k).map((i) => ({ position: i, id: ids[i], title: titles[i], label: labels[label[i]] ?? null }));
  return { hits, byTitle: true, notes: [], topics: [] };
}

async function selectStored({ where = [], words = "", topic, lasso = [] }) {
  const { ids, titles, labels, label: codes, topic: heaviest, x, y } = await stored("map");
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const chosen = where.filter((one) => one.startsWith("label=")).map((one) => one.slice(6));
  const fits = (i) =>
    (!chosen.length || chosen.includes(labels[codes[i]] ?? "")) &&
    (topic === undefined || heaviest[i] === topic) &&
    (!lasso.length || insideShape(x[i], y[i], lasso)) &&
    wanted.every((word) => titles[i].toLowerCase().includes(word) || ids[i].toLowerCase().includes(word));
  const positions = ids.map((_, i) => i).filter(fits);
  const counts = new Map();
  for (const i of positions) if (codes[i] >= 0) counts.set(codes[i], (counts.get(codes[i]) ?? 0) + 1);
  const all = new Map();
  for (const code of codes) all.set(code, (all.get(code) ?? 0) + 1);
  const shares = [...counts].sort(([, n], [, m]) => m - n).map(([code, documents]) => ({ label: labels[code], documents, of: all.get(code) }));
  return { total: positions.length, positions, proportions: null, labels: shares, words: [], topics: [] };
}

function insideShape(x, y, line) {
  let odd = false;
  for (let j = 0, k = line.length - 1; j < line.length; k = j++) {
    const [[x1, y1], [x2, y2]] = [line[j], line[k]];
    if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) odd = !odd;
  }
  return odd;
}

async function comparedStored(a, b) {
  const [first, second] = [await aboutDocument(a), await aboutDocument(b)];
  if (Object.hasOwn(first.comparisons, b)) return first.comparisons[b];
  if (Object.hasOwn(second.comparisons, a)) return mirrored(second.comparisons[a]);
  throw new Error(
    `This page holds the comparisons of each document with its ${exportedData().start.neighbors} nearest. ` +
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
