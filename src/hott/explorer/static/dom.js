// Building the page: every text becomes a text node, so nothing in a document can become markup.

const UNPRINTABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** A text without characters that hide, or that turn the direction of what follows. */
export const printable = (text) => String(text).replace(UNPRINTABLE, "");

/** A text on one line. */
export const oneLine = (text) => printable(text).replace(/\s+/g, " ").trim();

/** What to call a document. */
export const nameOf = ({ title, id }) => oneLine(title) || oneLine(id) || "(no title)";

/** An element: `h("p", {class: "faint"}, "text", child)`. Properties that are functions listen to events. */
export const h = (tag, properties = {}, ...children) => furnished(document.createElement(tag), properties, children);

/** An element of a drawing. */
export const svg = (tag, properties = {}, ...children) => furnished(document.createElementNS("http://www.w3.org/2000/svg", tag), properties, children);

function furnished(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else if (name.startsWith("--")) element.style.setProperty(name, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...present(children));
  return element;
}

const present = (children) => children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false && child !== "");

/** Put other children into an element. The keyboard focus stays on what has the same `data-key`. */
export function swap(container, ...children) {
  const focused = document.activeElement;
  const key = container.contains(focused) ? focused.closest("[data-key]")?.dataset.key : undefined;
  container.replaceChildren(...present(children));
  if (key === undefined) return;
  const same = container.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (same && !same.disabled) return same.focus({ preventScroll: true });
  container.setAttribute("tabindex", "-1"); // what had it is gone: the place where it was is next best
  container.focus({ preventScroll: true });
}

/** A button; its text or `name` is what it is called. */
export function button(text, click, { name, ...properties } = {}) {
  return h("button", { type: "button", "aria-label": name, title: name, "data-key": `button:${name ?? text}`, click, ...properties }, text);
}

/** A choice: `options` are pairs of a value and its name. Whoever goes through them by arrow keys chooses by Enter. */
export function choice(name, options, value, change) {
  let isWalking = false;
  const choose = (event) => { isWalking = false; event.preventDefault(); change(element.value); };
  const element = h("select", {
    "aria-label": name, "data-key": `choice:${name}`, pointerdown: () => { isWalking = false; }, change: (event) => isWalking || choose(event), blur: (event) => isWalking && choose(event),
    keydown: (event) => { if (event.key === "Enter" && isWalking) choose(event); else isWalking ||= event.key.startsWith("Arrow"); },
  }, options.map(([key, shown]) => h("option", { value: key }, oneLine(shown))));
  element.value = value;
  return element;
}

/** A setting between a least and a largest value. */
export function slider(name, value, ends, change) {
  const element = h("input", { type: "range", "aria-label": name, "data-key": `setting:${name}`, ...ends, change: () => change(element.value) });
  element.value = value;
  return element;
}

/** Views within a view, as a row of links. */
export function tabs(name, options, chosen, linkTo) {
  return h("nav", { class: "tabs", "aria-label": name }, options.map(([key, shown]) =>
    h("a", { href: linkTo(key), "data-key": `tab:${key}`, "aria-current": key === chosen ? "true" : null }, shown)));
}

/** A part of 1 as a percentage; what is little but not nothing stays visible. */
export function perCent(part) {
  if (part > 1e-9 && part < 0.005) return "<1 %";
  if (part >= 0.995 && part < 1 - 1e-9) return ">99 %";
  return `${Math.round(100 * part)} %`;
}

/** The least and the largest of some numbers; those that are missing are null or NaN. */
export function rangeOf(values) {
  let [least, most] = [Infinity, -Infinity];
  for (const value of values) if (value !== null && !Number.isNaN(value)) [least, most] = [Math.min(least, value), Math.max(most, value)];
  return [least, most];
}

export const DAY = 86_400_000; // milliseconds
/** The date of a day, by its number since 1970. */
export const dayOf = (days) => new Date(days * DAY).toISOString().slice(0, 10);

/** A distance or cost with four digits. */
export const figure = (value) => (value === 0 ? "0" : value.toPrecision(4));

/** A whole number with its thousands apart. */
export function count(n, noun) {
  const shown = n.toLocaleString("en");
  return noun ? `${shown} ${noun}${n === 1 ? "" : "s"}` : shown;
}

/** Whether the page is shown on something like a phone. */
export const isNarrow = () => matchMedia("(max-width: 820px)").matches;

/** Say something to readers of the screen. */
export const announce = (message) => { document.getElementById("status").textContent = message; };

/** Milliseconds after which it is said what takes so long. */
export const SOON = 400;

/** A message in the place of a view that failed. */
export const problem = (error) => h("p", { class: "problem", role: "alert" }, error.message || String(error));

/** Which answer is the newest: those that come late are not shown. */
export function latest() {
  let last = 0;
  return () => { const own = ++last; return () => own === last; };
}
