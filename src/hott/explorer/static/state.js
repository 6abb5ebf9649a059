// What is shown lives in the address: a view can be shared, and the back button works.

export const VIEWS = { map: "Map", search: "Search", compare: "Compare", topics: "Topics" };

/** The state that the address tells: a view and its parameters. */
export function current() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const parameters = Object.fromEntries(new URLSearchParams(query));
  return { ...parameters, view: path in VIEWS ? path : "map" };
}

/** The address of a state; what is empty is left out. */
export function address({ view, ...parameters }) {
  const filled = Object.entries(parameters).filter(([, value]) => value !== "" && value !== null && value !== undefined);
  const query = new URLSearchParams(filled).toString();
  return `#/${view}${query ? "?" + query : ""}`;
}

/** The address of another view of the same two documents. */
export function link(view, parameters = {}) {
  const { a, b } = current();
  return address({ view, a, b, ...parameters });
}

/** Change the state: a new entry in the history, unless `replace` says to mend the last one. */
export function go(changes, { replace = false } = {}) {
  const hash = address({ ...current(), ...changes });
  if (hash === location.hash) return;
  history[replace ? "replaceState" : "pushState"](null, "", hash);
  dispatchEvent(new Event("hott:state"));
}

/** Call back when the state changes, whoever changed it. */
export function onState(callback) {
  addEventListener("hott:state", callback);
  addEventListener("hashchange", callback);
  addEventListener("popstate", callback);
}

/** Select a document: the first is A, the next B, and every further one takes the place of B. */
export function select(id, more = {}) {
  const { a, b } = current();
  if (id === a || id === b) return go({ focus: id, ...more });
  return go({ [a ? "b" : "a"]: id, focus: id, ...more });
}
