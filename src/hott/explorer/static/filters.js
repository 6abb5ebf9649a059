// The filters in words, each to be taken away, and a form to add one by any column.

import { button, choice, count, h, oneLine, swap } from "./dom.js";
import { conditions, isSearching, selectionOf } from "./selection.js";
import { current, go, noFilter, noSearch } from "./state.js";

export function filterBar(corpus) {
  const chips = h("ul", { class: "chips", "aria-label": "Filters" });
  const form = h("form", { class: "filter-form", hidden: true, submit: (event) => { event.preventDefault(); apply(); } });
  const add = button("Filter…", () => toggle(), { class: "small", "aria-expanded": "false" });
  const element = h("div", { class: "filters" }, h("div", { class: "filter-row" }, chips, corpus.columns.length ? add : ""), form);
  let shown = null, read = () => "";

  function toggle(open = form.hidden) {
    form.hidden = !open;
    add.setAttribute("aria-expanded", String(open));
    if (open) { fill(corpus.columns[0].name); form.querySelector("select").focus(); } else add.focus();
  }

  function fill(name) {
    const column = corpus.columns.find((one) => one.name === name);
    const pick = choice("Column", corpus.columns.map((one) => [one.name, one.name]), name, fill);
    swap(form, pick, ...(column.values.length ? valueFields(column) : rangeFields(column)),
      button("Close", () => toggle(false), { class: "small" }));
  }

  function valueFields(column) {
    const options = [["", "choose a value…"], ...column.values.map(({ label, documents }) => [label, `${label} (${count(documents)})`])];
    if (column.missing) options.push(["\0", `none (${count(column.missing)})`]);
    const pick = choice(`Value of ${column.name}`, options, "", () => apply());
    read = () => pick.value && `${column.name}=${pick.value === "\0" ? "" : pick.value}`;
    return [pick];
  }

  function rangeFields(column) {
    const add = h("button", { type: "submit", class: "small" }, "Add");
    if (column.type === "text") {
      const value = h("input", { "aria-label": `Value of ${column.name}`, placeholder: "its whole value" });
      read = () => value.value && `${column.name}=${value.value}`;
      return [value, add];
    }
    const field = (name, end) => h("input", { "aria-label": `${column.name} ${name}`, placeholder: oneLine(end ?? ""), size: 10 });
    const [first, last] = [field("from", column.first), field("to", column.last)];
    read = () => (first.value || last.value) && `${column.name}=${first.value.trim()}..${last.value.trim()}`;
    return [first, "to", last, add];
  }

  /** Add the condition that the form says; Enter in any of its fields does. */
  function apply() {
    const condition = read(), { where } = current();
    if (!condition) return;
    toggle(false);
    if (!where.includes(condition)) go({ where: [...where, condition] });
  }

  return {
    element,
    async update() {
      const state = current();
      const key = JSON.stringify([state.where, state.words, state.topic, state.subject, state.lasso, state.hits, state.text, state.paste, state.like]);
      if (key === shown) return;
      shown = key;
      const told = await conditions(state);
      if (key !== shown) return;
      swap(chips, told.map(({ key: own, name, without }) =>
        h("li", {}, h("span", {}, name), button("×", () => go(without), { class: "remove", name: `Remove: ${name}`, "data-key": own }))),
      told.length > 1 && h("li", { class: "plain" }, button("Clear all", () => go({ ...noFilter, ...noSearch }), { class: "small" })));
      chips.hidden = !told.length;
    },
  };
}

/** Whether anything but all documents is meant. */
export const isNarrowed = (state) => isSearching(state) || selectionOf(state) !== null;
