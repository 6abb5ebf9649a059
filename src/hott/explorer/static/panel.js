// The panel beside the map: what a search found, or the documents that are meant, with filters and colours.

import { select } from "./api.js";
import { count, h, problem, swap } from "./dom.js";
import { filterBar } from "./filters.js";
import { summary } from "./groups.js";
import { hitList } from "./hits.js";
import { documentList, entryAt } from "./list.js";
import { selectionOf } from "./state.js";
import { subjectPanel } from "./subjects.js";

export function sidePanel(corpus, viewOf) {
  const filters = filterBar(corpus);
  const hits = hitList(corpus);
  const list = documentList();
  const subjects = subjectPanel(corpus, viewOf);
  const legend = h("div", {}), told = h("div", {}), trouble = h("div", {});
  const about = h("details", { class: "about", open: true }, h("summary", { "data-key": "about" }, "What is special about these"), told);
  const colors = h("details", { class: "classes", open: true }, h("summary", {}, "Colours"), legend);
  const element = h("div", { class: "map-side" }, filters.element, trouble, subjects.element, hits.element, about, colors, list.element);
  let kind;

  return {
    element,
    update() { filters.update(); },
    showLegend(made) { swap(legend, made); },
    busy(isBusy) { if (isBusy) element.setAttribute("aria-busy", "true"); else element.removeAttribute("aria-busy"); },

    /** Show the documents that are meant; `names()` gives the map with ids and titles when they are there. */
    async show(chosen, state, names, isNewest) {
      const isSearch = chosen.kind === "search", areSubjects = state.view === "subjects";
      swap(trouble, chosen.error && problem(chosen.error));
      for (const part of [hits.element, about, colors, list.element]) part.hidden = areSubjects;
      subjects.element.hidden = !areSubjects;
      if (areSubjects) return subjects.show(chosen.kind === "all" ? null : chosen.positions);
      swap(told, chosen.summary && summary(chosen.summary, state));
      about.hidden = !chosen.summary && !isSearch;
      // Hits come first and the rest is folded; without a search what is special about the documents is what there is to say.
      if (kind !== chosen.kind) about.open = colors.open = !isSearch;
      kind = chosen.kind;
      list.element.hidden = isSearch;
      if (isSearch) {
        hits.show(chosen, state);
        const special = select({ positions: chosen.positions }).then((found) => isNewest() && swap(told, summary(found, { hits: chosen.positions.join(",") })));
        return Promise.all([special, hits.readFirst(chosen, state, isNewest), hits.explain(chosen.request, isNewest), hits.fold(chosen, isNewest)]).catch((error) => isNewest() && swap(trouble, problem(error)));
      }
      hits.clear();
      const points = await names();
      if (isNewest()) list.show(count(chosen.total, "document"), chosen.positions.map((i, at) => ({ ...entryAt(points, i), note: chosen.notes[at] ?? "" })), { selection: selectionOf(state) ?? {} });
    },
  };
}
