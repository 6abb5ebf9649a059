// Topics as cards: sorted, filtered, renamed, merged, hidden.

import { colorAt, topicColor } from "./colors.js";
import { button, choice, count, figure, h, oneLine, perCent, printable, slider, swap } from "./dom.js";
import { documentLine, entryAt, markOpen } from "./list.js";
import { csvButton } from "./save.js";
import { current, go, link, onlyThis } from "./state.js";

const SORTS = {
  share: ["share of the corpus", (a, b) => a.is_filler - b.is_filler || b.weight - a.weight],
  coherence: ["coherence", (a, b) => (b.coherence ?? -2) - (a.coherence ?? -2)],
  name: ["name", (a, b) => a.name.localeCompare(b.name)],
};

export function topicCards(list, points, { corpus, model, edit, relevance }) {
  const room = h("div", { class: "cards" });
  const tally = h("span", { class: "faint" });
  const filter = h("input", { type: "search", placeholder: "Filter by words", "aria-label": "Only topics with these words", "data-key": "topic-filter", value: current().q ?? "", input: () => go({ q: filter.value }, { replace: true }) });
  const weighed = slider("Relevance of words: special to frequent", relevance, { min: 0, max: 1, step: 0.1 }, (value) => go({ relevance: value === "0.3" ? "" : value }, { replace: true }));
  const sort = choice("Sort topics by", Object.entries(SORTS).map(([key, [name]]) => [key, name]), current().sort ?? "share", (value) => go({ sort: value === "share" ? "" : value }));
  const some = list.topics.some((topic) => topic.is_hidden);
  const hidden = h("input", { type: "checkbox", "data-key": "show-hidden", change: () => go({ hidden: hidden.checked ? "1" : "" }) });
  const rows = () => visible().map((topic) => [topic.number, topic.name, topic.weight, topic.coherence, topic.words.map(({ word }) => word).join(" ")]);
  const element = h("div", { class: "room" },
    h("div", { class: "tools" }, filter, h("label", {}, "sorted by ", sort),
      h("label", { class: "slider" }, h("span", { class: "faint" }, "special words"), weighed, h("span", { class: "faint" }, "frequent words")),
      some && h("label", {}, hidden, " hidden ones too"), h("span", { class: "spring" }), tally, csvButton("topics", ["number", "name", "share", "coherence", "words"], rows)),
    room);

  function visible() {
    const { q = "", sort: order = "share", hidden: all } = current();
    const wanted = q.toLowerCase().split(/\s+/).filter(Boolean);
    const has = (topic, word) => topic.name.toLowerCase().includes(word) || topic.words.some((one) => one.word.includes(word));
    return list.topics.filter((topic) => (all || !topic.is_hidden) && wanted.every((word) => has(topic, word)))
      .sort(SORTS[Object.hasOwn(SORTS, order) ? order : "share"][1]);
  }

  function card(topic) {
    const most = Math.max(...topic.words.map(({ weight }) => weight), 1e-12);
    const color = model === 0 ? topicColor(topic.number) : colorAt(topic.number);
    const jump = (number) => link({ card: number, q: "" });
    return h("article", { class: topic.is_hidden ? "card topic hidden-topic" : "card topic", "data-topic": topic.number, "--c": color },
      h("h2", {}, h("a", { href: jump(topic.number), "data-key": `topic:${topic.number}` }, oneLine(topic.name)), h("span", { class: "note" }, perCent(topic.weight))),
      h("p", { class: "faint small-text quality" }, topic.coherence === null ? "" : `coherence ${topic.coherence.toFixed(2)}`, topic.is_filler ? " · filler" : "",
        topic.members.length > 1 ? ` · ${topic.members.length} topics merged` : "", topic.is_hidden ? " · hidden" : ""),
      h("ul", { class: "bars" }, topic.words.map(({ word, weight }) =>
        h("li", {}, h("span", { class: "word" }, printable(word)), h("span", { class: "bar-room" }, h("span", { class: "bar", "--part": weight / most, "--c": color }))))),
      h("p", { class: "small-text" }, h("span", { class: "faint" }, "near "), topic.nearest.flatMap((near, i) => [
        i ? " · " : "", h("a", { href: jump(near.number), title: `distance ${figure(near.distance)}` }, oneLine(near.name))])),
      h("details", { class: "small-text" }, h("summary", { "data-key": `typical:${topic.number}` }, "Most typical documents"),
        h("ul", { class: "lines" }, topic.typical.map((i) => documentLine(entryAt(points, i))))),
      h("div", { class: "actions" },
        model === 0 && !topic.is_hidden && button("Its documents", () => go({ view: "explore", color: "topic", ...onlyThis({ topic: topic.number }) }), { class: "small", "data-key": `its:${topic.number}` }),
        corpus.editable && editing(topic)));
  }

  function editing(topic) {
    const others = [["", "merge with…"], ...list.topics.filter(({ number, is_hidden }) => number !== topic.number && !is_hidden).map(({ number, name }) => [number, name])];
    return [
      button("Rename", (event) => rename(topic, event.target.closest("article")), { class: "small", name: `Rename ${oneLine(topic.name)}`, "data-key": `rename:${topic.number}` }),
      button(topic.is_hidden ? "Show" : "Hide", () => edit({ kind: topic.is_hidden ? "show" : "hide", topics: [topic.number] }), { class: "small", name: `${topic.is_hidden ? "Show" : "Hide"} ${oneLine(topic.name)}`, "data-key": `hide:${topic.number}` }),
      choice(`Merge ${oneLine(topic.name)} with`, others, "", (value) => value !== "" && edit({ kind: "merge", topics: [topic.number, Number(value)] })),
    ];
  }

  function rename(topic, article) {
    const name = h("input", { "aria-label": "New name", maxlength: 200, value: topic.name });
    const done = () => name.value.trim() && name.value.trim() !== topic.name ? edit({ kind: "rename", topics: [topic.number], name: name.value.trim() }) : draw(true);
    name.addEventListener("keydown", (event) => { if (event.key === "Enter") done(); if (event.key === "Escape") draw(true); });
    swap(article.querySelector("h2"), name, button("Save", done, { class: "small", name: "Save the name" }));
    name.focus();
    name.select();
  }

  let drawnAs = null;
  function draw(force = false) {
    const { q, sort: order, hidden: all, card: wanted } = current();
    hidden.checked = Boolean(all);
    const key = JSON.stringify([q, order, all]);
    if (key !== drawnAs || force) {
      drawnAs = key;
      const topics = visible();
      tally.textContent = topics.length < list.topics.length ? `${count(topics.length)} of ${count(list.topics.length, "topic")}` : count(topics.length, "topic");
      swap(room, topics.map(card));
      markOpen();
    }
    for (const item of room.children) {
      const chosen = item.dataset.topic === wanted;
      if (chosen && !item.classList.contains("selected")) item.scrollIntoView({ block: "center" });
      item.classList.toggle("selected", chosen);
    }
  }
  return { element, update: () => draw() };
}
