// What is shown lives in the address: every view can be shared, and the back button works.
// All of it goes along from view to view, so that nothing is lost on the way.

export const VIEWS = { explore: "Explore", subjects: "Subjects", compare: "Compare", advanced: "Advanced" };
const FORMER = { map: "explore", search: "explore", groups: "subjects", topics: "advanced" }; // names of views in older addresses

/** Whether the view has the map: Explore and Subjects are two panels beside it. */
export const isWorkspace = ({ view }) => view === "explore" || view === "subjects";

/** Parameters that say which documents are meant, in the order in which they are told. */
export const FILTERS = ["where", "words", "topic", "subject", "lasso", "hits"];
const MAX_ADDRESS_LENGTH = 1500; // characters of a text; longer ones stay in this browser

/** The state that the address tells: a view and its parameters. `where` is a list. */
export function current() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const parameters = new URLSearchParams(query);
  return { ...Object.fromEntries(parameters), where: parameters.getAll("where"), view: [path, FORMER[path]].find((name) => Object.hasOwn(VIEWS, name ?? "")) ?? "explore" };
}

/** The address of a state; what is empty is left out. */
export function address({ view, ...parameters }) {
  const filled = Object.entries(parameters).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).filter((one) => one !== "" && one !== null && one !== undefined).map((one) => [name, String(one)]));
  const query = new URLSearchParams(filled).toString();
  return `#/${view}${query ? "?" + query : ""}`;
}

/** The address of the same state with some changes, such as another view. */
export function link(changes) {
  return address({ ...current(), ...changes });
}

/** Change the state: a new entry in the history, unless `replace` says to mend the last one. */
export function go(changes, { replace = false, quiet = false } = {}) {
  const hash = link(changes);
  if (hash === location.hash) return;
  history[replace ? "replaceState" : "pushState"](null, "", hash);
  if (!quiet) dispatchEvent(new Event("hott:state"));
}

/** Call back when the state changes, whoever changed it. */
export function onState(callback) {
  for (const event of ["hott:state", "hashchange", "popstate"]) addEventListener(event, callback);
}

/** Changes that leave all documents in. */
export const noFilter = Object.fromEntries(FILTERS.map((name) => [name, ""]));
/** Changes that end a search. */
export const noSearch = { text: "", paste: "", like: "", without: "" };

// -- texts that are too long for an address -----------------------------------------------------------

const pastedTexts = new Map(); // where the browser does not allow to keep them

/** Changes that search for a text, whatever its length. */
export function searchFor(text) {
  if (text.length <= MAX_ADDRESS_LENGTH) return { ...noSearch, text };
  let key = 5381;
  for (let i = 0; i < text.length; i++) key = (key * 33 + text.charCodeAt(i)) >>> 0;
  const paste = key.toString(36);
  pastedTexts.set(paste, text);
  try { sessionStorage.setItem(`hott-text-${paste}`, text); } catch { /* not allowed or full: until the page is left */ }
  return { ...noSearch, paste };
}

/** The text that is searched for, "" when there is none, null when it was pasted elsewhere. */
export function searchedText({ text, paste }) {
  if (!paste) return text ?? "";
  if (pastedTexts.has(paste)) return pastedTexts.get(paste);
  try { return sessionStorage.getItem(`hott-text-${paste}`); } catch { return null; }
}

// -- what a click on a document does --------------------------------------------------------------------

/** Whether one side of a comparison is chosen and waits for the other. */
export const isChoosing = ({ a, A, b, B }) => Boolean((a || A) && !(b || B));

/** Open a document; while a comparison waits for its other side, the document is that side. */
export function openDocument(id) {
  const state = current();
  go(isChoosing(state) && id !== state.a ? { view: "compare", b: id, B: "" } : { doc: id });
}
