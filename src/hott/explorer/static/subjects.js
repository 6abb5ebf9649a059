// Subjects: what the documents are about, from a few large ones to many small ones; and copies of one another.

import { getColumn, getDuplicates, getMap, getSubjects } from "./api.js";
import { clusterColor, levelOf, loadClusters } from "./clusters.js";
import { button, count, h, latest, oneLine, perCent, problem, SOON, svg, swap, tabs } from "./dom.js";
import { isExport } from "./exported.js";
import { documentLine, documentList, entryAt, markOpen } from "./list.js";
import { csvButton } from "./save.js";
import { current, go, link } from "./state.js";
import { groupActions } from "./summary.js";

const IN_GROUP = 6; // documents of a group of copies
const TERMS = 6;
const IN_SUBJECT = 8; // documents of a subject before one asks for more
const MAX_MONTHS = 120; // bars of a subject over time; years beyond that

/** The list of subjects; `viewOf(positions)` is the part of the map that has some documents. */
export function subjectPanel(corpus, viewOf) {
  let shown = null, drawnFor = null;
  const newest = latest();
  const head = h("div", { class: "view-head" }), room = h("div", { class: "room" });
  const element = h("section", { class: "subjects", "aria-label": "Subjects" }, head, room);

  const setting = (name, value, properties, change) => {
    const field = h("input", { type: "range", "aria-label": name, "data-key": `setting:${name}`, ...properties, change: () => change(field.value) });
    field.value = value;
    return field;
  };

  /** Draw the list; `lit` are the positions that a search or a filter leaves, null where all are meant. */
  async function draw(lit) {
    const state = current(), isNewest = newest(), copies = state.kind === "copies";
    swap(head, tabs("Kinds of groups", [["", "Subjects"], ["copies", "Copies"]], copies ? "copies" : "", (kind) => link({ kind })));
    room.setAttribute("aria-busy", "true");
    const soon = setTimeout(() => isNewest() && shown === null && swap(room, h("p", { class: "hint" }, `Looking for ${copies ? "copies" : "subjects"}. Among many documents that takes a minute, once.`)), SOON);
    try {
      const made = await (copies ? copiesOf(state) : subjectsOf(state, lit && new Set(lit)));
      if (isNewest()) { swap(room, made); shown = copies; }
    } catch (error) {
      if (isNewest()) swap(room, problem(error));
    }
    clearTimeout(soon);
    room.removeAttribute("aria-busy");
    markOpen();
  }

  async function subjectsOf(state, lit) {
    const [found, points] = await Promise.all([getSubjects(), getMap()]);
    const { nodes } = await loadClusters(points), colors = new Map(nodes.map((node) => [node.number, clusterColor(node)]));
    const level = levelOf(state, found), chosen = Number(state.subject ?? NaN);
    const listed = found.levels[level - 1].map((number) => found.subjects.find((one) => one.number === number));
    const other = found.subjects.find((one) => one.number === chosen);
    if (other && !listed.includes(other)) listed.unshift(other); // of another level: a name on the map that was clicked
    const dates = other && await monthsOf(corpus);
    const rows = () => listed.flatMap(({ number, name, positions }) => positions.map((i) => [number, name, points.ids[i], points.titles[i]]));
    return [
      h("div", { class: "tools" }, h("label", { class: "slider" }, "coarse ", setting("Coarse to fine", level, { min: 1, max: found.levels.length, step: 1 }, (value) => go({ level: Number(value) === found.level ? "" : value, subject: "", at: "" })), " fine"),
        h("span", { class: "spring" }), h("span", { class: "faint" }, count(listed.length, "subject")), csvButton("subjects", ["subject", "name", "id", "title"], rows)),
      h("ul", { class: "subject-list" }, listed.map((subject) => subjectLine(subject, subject === other, lit, points, dates, colors.get(subject.number)))),
    ];
  }

  function subjectLine(subject, isOpen, lit, points, dates, color) {
    const { number, name, terms, positions, is_chaff: isChaff } = subject;
    const own = lit && current().subject === undefined ? positions.filter((i) => lit.has(i)).length : null;
    const list = isOpen && documentList("h2", IN_SUBJECT);
    const inIt = lit ? positions.filter((i) => lit.has(i)) : positions;
    list?.show?.(count(inIt.length, "document"), inIt.map((i) => entryAt(points, i)), { file: oneLine(name), selection: { subject: number } });
    const pick = () => go(isOpen ? { subject: "", at: "" } : { view: "subjects", subject: number, doc: "", at: viewOf(positions) });
    return h("li", { class: isChaff ? "chaff" : "", "data-subject": number },
      h("button", { type: "button", class: "line", "aria-pressed": String(isOpen), "data-key": `subject:${number}`, click: pick },
        h("span", { class: "dot", "--c": color }), h("span", { class: "name" }, oneLine(name)), h("span", { class: "note" }, own === null ? count(positions.length) : `${count(own)} of ${count(positions.length)}`)),
      h("p", { class: "faint small-text" }, terms.filter((term) => !name.includes(term)).slice(0, TERMS).map(oneLine).join(", ")),
      isOpen && groupActions({ where: [], subject: String(number) }), isOpen && dates && monthBars(positions, dates), list && list.element);
  }

  async function copiesOf({ likeness = "0.8" }) {
    const wanted = Math.min(1, Math.max(0.4, Number(likeness) || 0.8));
    const [{ copies }, points] = await Promise.all([getDuplicates(wanted), getMap()]);
    const rows = () => copies.flatMap(({ positions, likeness: alike, are_exact: same }, k) => positions.map((i) => [k + 1, same ? "the same text" : alike.toFixed(3), points.ids[i], points.titles[i]]));
    return [
      h("div", { class: "tools" }, !isExport() && h("label", { class: "slider" }, "Words in common, at least ", setting("Likeness", wanted, { min: 0.4, max: 1, step: 0.05 }, (value) => go({ likeness: value === "0.8" ? "" : value })), perCent(wanted)),
        h("span", { class: "faint" }, copies.length ? `${count(copies.length, "group")} of copies` : "No document is a copy of another."), h("span", { class: "spring" }),
        copies.length > 0 && [csvButton("copies", ["group", "likeness", "id", "title"], rows),
          csvButton("ids to remove", ["id"], () => copies.flatMap(({ positions }) => positions.slice(1).map((i) => [points.ids[i]])), "Keep the first")]),
      copies.map((group) => h("article", { class: "card group" },
        h("h2", {}, group.are_exact ? "The same text" : `${perCent(group.likeness)} of the words in common`, " ", h("span", { class: "note" }, count(group.positions.length))),
        h("ul", { class: "lines" }, group.positions.slice(0, IN_GROUP).map((i) => documentLine(entryAt(points, i), points.ids[i]))),
        group.positions.length > IN_GROUP && h("p", { class: "faint small-text" }, `and ${count(group.positions.length - IN_GROUP)} more, all in the CSV`),
        !group.are_exact && h("div", { class: "actions" }, button("Compare the first two", () => go({ view: "compare", a: points.ids[group.positions[0]], b: points.ids[group.positions[1]], A: "", B: "" }), { class: "small" })))),
    ];
  }

  return {
    element,
    show(lit) {
      const { kind, level, subject, likeness, a, A } = current(), key = JSON.stringify([kind, level, subject, likeness, a, A, lit]);
      if (key !== drawnFor) { drawnFor = key; draw(lit); }
    },
  };
}

/** The month of each document, of the first column of dates; null where there is none. */
async function monthsOf(corpus) {
  const column = corpus.columns.find(({ type }) => type === "date");
  if (!column) return null;
  const { numbers } = await getColumn(column.name);
  const months = numbers.map((days) => { const day = days === null ? null : new Date(days * 86_400_000); return day && 12 * day.getUTCFullYear() + day.getUTCMonth(); });
  const [first, last] = months.reduce(([least, most], month) => (month === null ? [least, most] : [Math.min(least, month), Math.max(most, month)]), [Infinity, -Infinity]);
  const size = last - first < MAX_MONTHS ? 1 : 12; // months, or years
  return { name: column.name, size, first: Math.floor(first / size), last: Math.floor(last / size), of: months.map((month) => (month === null ? null : Math.floor(month / size))) };
}

/** How many documents of a subject there are in each month, or year. */
function monthBars(positions, { name, size, first, last, of }) {
  const counts = new Array(last - first + 1).fill(0);
  for (const i of positions) if (of[i] !== null) counts[of[i] - first] += 1;
  const most = Math.max(...counts, 1), wide = 100 / counts.length;
  const called = (slot) => (size === 12 ? String(slot) : `${Math.floor(slot / 12)}-${String((slot % 12) + 1).padStart(2, "0")}`);
  return h("div", { class: "months" }, svg("svg", { viewBox: "0 0 100 24", preserveAspectRatio: "none", role: "img", "aria-label": `Documents by ${name}` },
    counts.map((n, i) => svg("rect", { x: i * wide, width: 0.85 * wide, y: 24 - (23 * n) / most, height: (23 * n) / most + (n ? 1 : 0) }, svg("title", {}, `${called(first + i)}: ${count(n, "document")}`)))),
  h("p", { class: "scale-ends note" }, h("span", {}, called(first)), h("span", {}, called(last))));
}
