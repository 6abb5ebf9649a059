// The answers of a static export: computed in a thread of the browser (offline/*.js) out of data beside the page.

export const isExport = () => Boolean(window.HOTT_ENGINE);

let asked = 0, engine;
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

/** What the server would answer. */
export function exportedAnswer(path, parameters, body) {
  engine ??= startEngine();
  return new Promise((resolve, reject) => {
    const number = asked++;
    waiting.set(number, { resolve, reject });
    engine.postMessage({ number, path, parameters, body });
  });
}

if (isExport()) window.hottAnswer = exportedAnswer; // for programs, as the API of the server is
