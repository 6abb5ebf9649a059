// What is shown lives in the address: every view can be shared, and the back button works. All of it goes along from view to view.
// And which documents it means: all of them, those that a search found, or those that filters leave.

import { getDocument, getPoints, getSubjects, getTopics, labelName, search, select } from "./api.js";
import { count, figure, nameOf, oneLine, perCent } from "./dom.js";

export const VIEWS = { explore: "Explore", subjects: "Subjects", compare: "Compare", advanced: "Advanced" };
const FORMER = { map: "explore", search: "explore", groups: "subjects", topics: "advanced" }; // names of views in older addresses

/** Whether the view has the map: Explore and Subjects are two panels beside it. */
export const isWorkspace = ({ view }) => view === "explore" || view === "subjects";

/** Parameters that say which documents are meant, in the order in which they are told. */
const FILTERS = ["where", "words", "topic", "subject", "lasso", "hits"];
const MAX_ADDRESS_LENGTH = 1500; // characters of a text; longer ones stay in this browser

/** The state that the address tells: a view and its parameters. `where` is a list. */
export function current() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  return { ...unpacked(query), view: [path, FORMER[path]].find((name) => Object.hasOwn(VIEWS, name ?? "")) ?? "explore" };
}

/** Parameters as an address has them; what is empty is left out. */
const queryOf = (parameters) => new URLSearchParams(Object.entries(parameters).flatMap(([name, values]) =>
  [values].flat().filter((one) => one !== "" && one !== null && one !== undefined).map((one) => [name, one]))).toString();

/** The address of a state. */
export function address({ view, ...parameters }) {
  const query = queryOf(parameters);
  return `#/${view}${query && `?${query}`}`;
}

/** The address of the same state with some changes, such as another view. */
export const link = (changes) => address({ ...current(), ...changes });

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
  const paste = Date.now().toString(36);
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

const HITS = 20;
export const OTHERS = "rest"; // all other documents, as the other side of a contrast

/** The filters of a state as the server takes them; null when there are none. */
export function selectionOf({ where = [], words, topic, subject, lasso, hits }) {
  if (!where.length && !words && topic === undefined && subject === undefined && !lasso && !hits) return null;
  const number = (value) => (value === undefined || value === "" ? undefined : Number(value));
  return {
    where, words: words ?? "", topic: number(topic), subject: number(subject),
    lasso: lasso ? lasso.split(";").map((corner) => corner.split(",").map(Number)) : [],
    positions: hits ? hits.split(",").map(Number) : undefined,
  };
}

export const isSearching = ({ text, paste, like }) => Boolean(text || paste || like);

/** The documents that a state means, with a note on each, and what is special about them. */
export async function meant(state) {
  if (isSearching(state)) {
    return { kind: "search", ...(await found(state)) };
  }
  const selection = selectionOf(state);
  if (!selection) {
    const { x } = await getPoints();
    return { kind: "all", total: x.length, positions: x.map((_, i) => i), notes: [] };
  }
  const answer = await select(selection);
  return { kind: "filter", ...answer, summary: answer, notes: answer.proportions?.map(perCent) ?? [] };
}

/** The text that is searched for, less the words that were taken out. */
export function askedText(state) {
  const words = state.without?.split(",") ?? [];
  const escaped = words.map((word) => word.replace(/[^\p{L}\p{N}]/gu, "\\$&"));
  return escaped.reduce((text, word) => text?.replace(new RegExp(`(?<![\\p{L}\\p{N}])${word}(?![\\p{L}\\p{N}])`, "giu"), " "), searchedText(state));
}

/** What a search finds: the answer, and its hits as positions. */
export async function found(state) {
  const { like, by = "both" } = state, text = askedText(state);
  if (!like && text === null) {
    throw new Error("The text of this search was too long for the address: it is known only to the browser that it was pasted in. Paste it again.");
  }
  // Reasons take longer than the search: the search view asks for them when the hits are there.
  const request = { ...(like ? { id: like, k: HITS + 1 } : { text, by, k: HITS }), within: selectionOf(state), reasons: false };
  const answer = await search(request);
  const hits = answer.hits.filter((hit) => hit.id !== like).slice(0, HITS);
  const note = (hit) => (like ? (hit.distance === null ? "" : figure(hit.distance)) : hit.score?.toFixed(2) ?? "");
  return { answer, request, hits, total: hits.length, positions: hits.map((hit) => hit.position), notes: hits.map(note) };
}

/** Each condition in words, with the changes that take it away. */
export async function conditions({ like, where, words, topic, subject, lasso, hits }) {
  const told = [], tell = (key, name, without) => told.push({ key, name, without });
  const short = (long) => (long.length > 60 ? `${long.slice(0, 59)}…` : long);
  const nameIn = (all, number) => all.find((one) => one.number === Number(number))?.name ?? number;
  if (like) tell("search", `like “${short(await getDocument(like).then(nameOf, () => like))}”`, noSearch);
  for (const condition of where) tell(`where:${condition}`, oneLine(readable(condition)), { where: where.filter((other) => other !== condition) });
  if (words) tell("words", `has “${short(oneLine(words))}”`, { words: "" });
  if (topic !== undefined) tell("topic", `topic ${await getTopics().then(({ topics }) => nameIn(topics, topic), () => topic)}, at least 10 %`, { topic: "" });
  if (subject !== undefined) tell("subject", `subject: ${await getSubjects().then(({ subjects }) => nameIn(subjects, subject), () => subject)}`, { subject: "", at: "" });
  if (lasso) tell("lasso", "a region of the map", { lasso: "" });
  if (hits) tell("hits", count(hits.split(",").length, "hit"), { hits: "" });
  return told;
}

function readable(condition) {
  const at = condition.indexOf("=");
  const [column, value] = [condition.slice(0, at), condition.slice(at + 1)];
  if (value === "") return `no ${column}`;
  const [first, last] = value.split("..");
  if (last === undefined) return `${column}: ${value}`;
  if (!last) return `${column} from ${first}`;
  return first ? `${column} ${first} to ${last}` : `${column} up to ${last}`;
}

/** A filter as one parameter of an address, and back: a side of a comparison. */
export function packed(state) {
  return queryOf(Object.fromEntries(FILTERS.map((name) => [name, state[name]])));
}

export function unpacked(query) {
  const parameters = new URLSearchParams(query);
  return { ...Object.fromEntries(parameters), where: parameters.getAll("where") };
}

/** What to call the documents that a filter leaves. */
export async function nameOfSelection(state) {
  return (await conditions(state)).map(({ name }) => [`${labelName}: `, "label: ", "subject: "].reduce((rest, start) => (rest.startsWith(start) ? rest.slice(start.length) : rest), name)).join(", ");
}

/** Changes that leave one condition only. */
export const onlyThis = (changes) => ({ ...noFilter, ...noSearch, ...changes });
