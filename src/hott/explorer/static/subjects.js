// Subjects: what the documents are about, from a few large ones to many small ones; and copies of one another.

import { getColumn, getDocument, getDuplicates, getMap, getSubjects, isExport, working } from "./api.js";
import { clusterColor, levelOf, loadClusters } from "./clusters.js";
import { differencesView } from "./diff.js";
import { count, dayOf, h, latest, oneLine, perCent, problem, slider, SOON, swap, tabs } from "./dom.js";
import { groupActions } from "./groups.js";
import { barsOver, histogram, timeColumn } from "./histogram.js";
import { documentLine, documentList, entryAt, markOpen } from "./list.js";
import { csvButton, textButton } from "./save.js";
import { current, go, isSearching, link, selectionOf } from "./state.js";

const IN_GROUP = 6; // documents of a group of copies
const TERMS = 6;
const IN_SUBJECT = 8, LISTED = 100; // documents of a subject before one asks for more, and of which the server is told one by one

/** The list of subjects; `viewOf(positions)` is the part of the map that has some documents. */
export function subjectPanel(corpus, viewOf) {
  let shown = null, drawnFor = null;
  const newest = latest();
  const head = h("div", { class: "view-head" }), room = h("div", { class: "room" });
  const element = h("section", { class: "subjects", "aria-label": "Subjects" }, head, room);

  /** Draw the list; `lit` are the positions that a search or a filter leaves, null where all are meant. */
  async function draw(lit) {
    const state = current(), isNewest = newest(), copies = state.kind === "copies";
    swap(head, tabs("Kinds of groups", [["", "Subjects"], ["copies", "Copies"]], copies ? "copies" : "", (kind) => link({ kind })));
    room.setAttribute("aria-busy", "true");
    const soon = setTimeout(() => isNewest() && shown === null && swap(room, working(`Looking for ${copies ? "copies" : "subjects"}. Among many documents that takes a minute, once.`, copies ? "api/duplicates" : "api/subjects")), SOON);
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
    const when = timeColumn(corpus), dates = other && when ? (await getColumn(when.name)).numbers : null;
    const rows = () => listed.flatMap(({ number, name, positions }) => positions.map((i) => [number, name, points.ids[i], points.titles[i]]));
    return [
      h("div", { class: "tools" }, h("label", { class: "slider" }, "coarse ", slider("Coarse to fine", level, { min: 1, max: found.levels.length }, (value) => go({ level: Number(value) === found.level ? "" : value, subject: "", at: "" })), " fine"),
        h("span", { class: "spring" }), h("span", { class: "faint" }, count(listed.length, "subject")), csvButton("subjects", ["subject", "name", "id", "title"], rows)),
      h("ul", { class: "subject-list" }, listed.map((subject) => subjectLine(subject, subject === other, lit, points, dates, colors.get(subject.number)))),
    ];
  }

  function subjectLine(subject, isOpen, lit, points, dates, color) {
    const { number, name, terms, positions, is_chaff: isChaff } = subject;
    const own = lit && current().subject === undefined ? positions.filter((i) => lit.has(i)).length : null;
    const list = isOpen && documentList(IN_SUBJECT);
    const inIt = lit ? positions.filter((i) => lit.has(i)) : positions;
    list?.show?.(count(inIt.length, isSearching(current()) ? "hit" : "document"), inIt.map((i) => entryAt(points, i)), { file: oneLine(name), selection: inIt.length > LISTED ? selectionOf(current()) : { positions: inIt } });
    const pick = () => go(isOpen ? { subject: "", at: "" } : { view: "subjects", subject: number, doc: "", at: viewOf(positions) });
    return h("li", { class: isChaff ? "chaff" : "", "data-subject": number },
      h("button", { type: "button", class: "line", "aria-pressed": String(isOpen), "data-key": `subject:${number}`, click: pick },
        h("span", { class: "dot", "--c": color }), h("span", { class: "name" }, oneLine(name)), h("span", { class: "note" }, own === null ? count(positions.length) : `${count(own)} of ${count(positions.length)}`)),
      h("p", { class: "faint small-text" }, terms.filter((term) => !name.includes(term)).slice(0, TERMS).map(oneLine).join(", ")),
      isOpen && groupActions({ where: [], subject: String(number) }), isOpen && dates && h("div", { class: "months" }, histogram(timeColumn(corpus).name, barsOver(dates, true), positions.map((i) => dates[i])).element), list && list.element);
  }

  async function copiesOf({ likeness = "0.8" }) {
    const wanted = Math.min(1, Math.max(0.4, Number(likeness) || 0.8));
    const when = timeColumn(corpus);
    const [{ copies }, points, dates] = await Promise.all([getDuplicates(wanted), getMap(), when && getColumn(when.name)]);
    const note = (i) => [points.ids[i], dates?.numbers[i] !== null && dates && dayOf(dates.numbers[i])].filter(Boolean).join(" · ");
    const rows = () => copies.flatMap(({ positions, likeness: alike, are_exact: same }, k) => positions.map((i) => [k + 1, same ? "the same text" : alike.toFixed(3), points.ids[i], points.titles[i]]));
    return [
      h("div", { class: "tools" }, !isExport() && h("label", { class: "slider" }, "Words in common, at least ", slider("Likeness", wanted, { min: 0.4, max: 1, step: 0.05 }, (value) => go({ likeness: value === "0.8" ? "" : value })), perCent(wanted)),
        h("span", { class: "faint" }, copies.length ? `${count(copies.length, "group")} of copies` : "No document is a copy of another."), h("span", { class: "spring" }),
        copies.length > 0 && [csvButton("copies", ["group", "likeness", "id", "title"], rows),
          textButton("copies.txt", () => copies.flatMap(({ positions }) => positions.slice(1).map((i) => points.ids[i])).join("\n"), "Keep the first")]),
      copies.length > 0 && h("p", { class: "faint small-text" }, "“Keep the first” saves the ids of the others: ", h("code", {}, `hott remove ${oneLine(corpus.name) || "index"}.hott --from copies.txt`)),
      copies.map((group) => h("article", { class: "card group" },
        h("h2", {}, group.are_exact ? "The same text" : `${perCent(group.likeness)} of the words in common`, " ", h("span", { class: "note" }, count(group.positions.length))),
        h("ul", { class: "lines" }, group.positions.slice(0, IN_GROUP).map((i) => documentLine(entryAt(points, i), note(i)))),
        group.positions.length > IN_GROUP && h("p", { class: "faint small-text" }, `and ${count(group.positions.length - IN_GROUP)} more, all in the CSV`),
        !group.are_exact && whatDiffers(group.positions.slice(0, IN_GROUP).map((i) => points.ids[i])))),
    ];
  }

  /** The differences of near copies from the first, word by word, once they are asked for. */
  function whatDiffers([first, ...others]) {
    const room = h("div", { class: "room small-text" });
    const fill = () => Promise.all([first, ...others].map(getDocument)).then(([one, ...rest]) => swap(room, rest.map((other) => [
      others.length > 1 && h("p", { class: "faint" }, oneLine(other.id)), differencesView(one.text, other.text)])), (error) => swap(room, problem(error)));
    return h("details", { toggle: (event) => event.target.open && !room.firstChild && fill() }, h("summary", { "data-key": `differs:${first}` }, "What differs, word by word"), room);
  }

  return {
    element,
    show(lit) {
      const { kind, level, subject, likeness, a, A } = current(), key = JSON.stringify([kind, level, subject, likeness, a, A, lit]);
      if (key !== drawnFor) { drawnFor = key; draw(lit); }
    },
  };
}
