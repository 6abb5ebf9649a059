// The answers of a static export: computed in a thread of the browser (offline/*.js) out of data beside the page.

import { h, SOON } from "./dom.js";

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
