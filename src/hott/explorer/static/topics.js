// Topics: what the documents are mixtures of, and how far apart they are.

import { getTopics, loadScript } from "./api.js";
import { colorAt } from "./colors.js";
import { figure, h, perCent, printable, problem } from "./dom.js";
import { current, go, link } from "./state.js";

export function topicsView(corpus) {
  let shown = null, asked = 0, topics;
  const element = h("div", { class: "topics-view" });
  const cards = h("div", { class: "cards" });
  const heat = h("div", { class: "heat" });
  const model = h("select", { "aria-label": "Topic model", change: () => go({ model: model.value, topic: "" }) },
    Array.from({ length: corpus.models }, (_, i) => h("option", { value: i }, `${i + 1} of ${corpus.models}`)));

  async function load() {
    const number = Number(current().model ?? 0) || 0;
    if (number === shown) return mark();
    shown = number;
    const ticket = ++asked;
    try {
      const found = await getTopics(number);
      if (ticket !== asked) return;
      topics = found;
      model.value = number;
      cards.replaceChildren(...topics.topics.map(card));
      element.replaceChildren(
        h("div", { class: "tools" }, corpus.models > 1 && h("label", {}, "Topic model ", model),
          h("span", { class: "faint" }, `${topics.topics.length} topics, the heaviest in the corpus first`)),
        cards, h("h2", {}, "How far apart they are"), heat);
      mark(true);
      await drawHeat();
    } catch (error) {
      if (ticket === asked) element.replaceChildren(problem(error));
    }
  }

  function card(topic) {
    const most = Math.max(...topic.words.map(({ weight }) => weight), 1e-12);
    const color = colorAt(topic.number);
    const jump = (number) => link("topics", { model: shown || "", topic: number });
    return h("article", { class: "card topic", "data-topic": topic.number, "--c": color },
      h("h3", {}, h("a", { href: jump(topic.number) }, topic.name), h("span", { class: "note" }, perCent(topic.weight))),
      h("ul", { class: "bars" }, topic.words.map(({ word, weight }) =>
        h("li", {}, h("span", { class: "word" }, printable(word)), h("span", { class: "bar", "--part": weight / most, "--c": color })))),
      h("p", { class: "near quality" }, topic.coherence === null ? "" : `coherence ${topic.coherence.toFixed(2)}`, topic.is_filler ? " · filler" : ""),
      h("p", { class: "near" }, "near: ", topic.nearest.flatMap((near, i) => [
        i ? " · " : "", h("a", { href: jump(near.number), title: `distance ${figure(near.distance)}` }, near.name)])),
      shown === 0 && h("p", { class: "near" }, h("a", { href: link("map", { color: "topic", only: topic.number }) }, "its documents")));
  }

  function mark(scroll = false) {
    const wanted = current().topic;
    for (const item of cards.children) {
      const chosen = item.dataset.topic === wanted;
      if (chosen && (scroll || !item.classList.contains("selected"))) item.scrollIntoView({ block: "center" });
      item.classList.toggle("selected", chosen);
    }
  }

  async function drawHeat() {
    heat.replaceChildren(h("p", { class: "faint" }, "…"));
    await loadScript("static/plotly.js");
    if (!heat.isConnected) return;
    const names = new Map(topics.topics.map((topic) => [topic.number, printable(topic.name)]));
    const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
    const short = (text) => (text.length > 28 ? text.slice(0, 27) + "…" : text);
    const full = topics.order.map((number) => escaped(names.get(number)));
    const ticks = topics.order.map((number) => escaped(short(names.get(number))));
    const n = ticks.length, places = [...full.keys()];
    const apart = topics.distances.flatMap((row, i) => row.filter((_, j) => i !== j));
    const cell = Math.max(13, Math.min(34, 620 / n)), room = 200;
    const style = getComputedStyle(document.documentElement);
    const axis = { tickvals: places, ticktext: ticks, showgrid: false, zeroline: false, ticks: "", fixedrange: true, tickfont: { size: Math.min(13, cell - 2) } };
    heat.replaceChildren();
    const plot = h("div", {});
    heat.append(plot);
    await window.Plotly.newPlot(plot, [{
      type: "heatmap", x: places, y: places, z: topics.distances, zmin: n > 1 ? Math.min(...apart) : 0, zmax: n > 1 ? Math.max(...apart) : 1,
      colorscale: "Cividis", reversescale: true, xgap: 1, ygap: 1,
      customdata: full.map((one) => full.map((other) => [one, other])),
      hovertemplate: "%{customdata[0]}<br>%{customdata[1]}<br><b>%{z:.4g}</b><extra></extra>",
      colorbar: { title: { text: "distance", side: "right" }, thickness: 14, outlinewidth: 0 },
    }], {
      width: room + n * cell + 110, height: room + n * cell + 30, margin: { l: room, r: 110, t: 20, b: room },
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", font: { color: style.getPropertyValue("--text").trim(), family: style.fontFamily },
      xaxis: { ...axis, tickangle: -90, range: [-0.5, n - 0.5] }, yaxis: { ...axis, range: [n - 0.5, -0.5] },
    }, { displayModeBar: false });
    heat.dataset.drawn = n;
  }

  return { element, start() { load(); }, update() { load(); }, close() {} };
}
