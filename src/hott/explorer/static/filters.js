// The filters in words, each to be taken away, and a form to add one by any column.

import { getColumn } from "./api.js";
import { button, choice, count, h, oneLine, problem, swap } from "./dom.js";
import { barsOver, histogram, ranged } from "./histogram.js";
import { conditions, current, go, noFilter, noSearch } from "./state.js";

const TEXT = "\0text"; // in the place of a column
const TYPED = 250; // milliseconds after the last letter

export function filterBar(corpus) {
  const chips = h("ul", { class: "chips", "aria-label": "Filters" });
  const form = h("form", { class: "filter-form", hidden: true, submit: (event) => { event.preventDefault(); apply(); } });
  const add = button("Filter…", () => toggle(), { class: "small", "aria-expanded": "false" });
  const element = h("div", { class: "filters" }, h("div", { class: "filter-row" }, add, chips), form);
  let shown = null, read = () => "";

  function toggle(open = form.hidden) {
    form.hidden = !open;
    add.setAttribute("aria-expanded", String(open));
    if (open) { fill(corpus.columns[0]?.name ?? TEXT); form.querySelector("select").focus(); } else { swap(form); add.focus(); }
  }

  function fill(name) {
    const column = corpus.columns.find((one) => one.name === name);
    const pick = choice("Column", [...corpus.columns.map((one) => [one.name, one.name]), [TEXT, "words in the text"]], name, fill);
    swap(form, pick, !column ? wordField() : column.values.length ? valueField(column) : column.type === "text" ? textField(column) : rangeFields(column),
      button("Close", () => toggle(false), { class: "small" }));
  }

  /** Words that the text must have, as letters: they filter while they are typed. */
  function wordField() {
    let timer;
    const field = h("input", { "aria-label": "Words in the text", placeholder: "all of these", maxlength: 200, input: () => { clearTimeout(timer); timer = setTimeout(() => go({ words: field.value.trim() }, { replace: true }), TYPED); } });
    field.value = current().words ?? "";
    read = () => { clearTimeout(timer); toggle(false); go({ words: field.value.trim() }); };
    return field;
  }

  function valueField(column) {
    const options = [["", "choose a value…"], ...column.values.map(({ label, documents }) => [label, `${label} (${count(documents)})`])];
    if (column.missing) options.push(["\0", `none (${count(column.missing)})`]);
    const pick = choice(`Value of ${column.name}`, options, "", () => apply());
    read = () => pick.value && `${column.name}=${pick.value === "\0" ? "" : pick.value}`;
    return pick;
  }

  const adder = () => h("button", { type: "submit", class: "small" }, "Add");

  function textField(column) {
    const value = h("input", { "aria-label": `Value of ${column.name}`, placeholder: "its whole value" });
    read = () => value.value && `${column.name}=${value.value}`;
    return [value, adder()];
  }

  /** From where to where: typed, or dragged over the bars of how many documents there are. */
  function rangeFields(column) {
    const field = (name, end) => h("input", { "aria-label": `${column.name} ${name}`, placeholder: oneLine(end ?? ""), size: 10 });
    const [first, last] = [field("from", column.first), field("to", column.last)], room = h("div", { class: "spread" });
    read = () => (first.value || last.value) && `${column.name}=${first.value.trim()}..${last.value.trim()}`;
    getColumn(column.name).then(({ numbers }) => {
      const bars = barsOver(numbers, column.type === "date");
      swap(room, histogram(column.name, bars, numbers, (from, to) => { first.value = bars.ends(from); last.value = bars.ends(to, true); apply(); }).element);
    }).catch((error) => swap(room, problem(error)));
    return [room, first, "to", last, adder()];
  }

  /** Add the condition that the form says; Enter in any of its fields does. */
  function apply() {
    const condition = read(), { where } = current();
    if (!condition) return;
    toggle(false);
    if (where.includes(condition)) return;
    const [name] = condition.split("=", 1), range = condition.slice(name.length + 1);
    go({ where: range.includes("..") ? ranged(where, name, range) : [...where, condition] }); // another range takes the place of the last
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
