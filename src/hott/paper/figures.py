"""The pictures of the report, drawn from the result tables."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hott._optional import need
from hott.paper import maps
from hott.paper.methods import METHODS
from hott.paper.report_tables import data_sets_of
from hott.paper.summary import Scores, normalised, scores
from hott.paper.tables import Row, number, read_rows
from hott.plots.style import COLORS, GREY

DPI = 110
_OURS = ("HOTT", "HOFTT", "HOTT, 0/1 cost", "HOTT, 4 models", "HOTT, 8 models", "Blend", "Blend, 0/1 cost")


def draw_all(out: Path) -> None:
    """Draw whatever there are results for."""
    knn = read_rows(out / "knn.csv")
    for protocol in ("clean", "paper"):
        rows = [row for row in knn if row["protocol"] == protocol]
        if rows:
            table = scores(rows)
            _save(knn_bars(table, data_sets_of(rows)), out / f"knn-{protocol}.png")
            _save(normalised_bars(table, data_sets_of(rows)), out / f"knn-{protocol}-normalised.png")
    drawings = {"sensitivity": sensitivity_lines, "interpretability": two_books}
    for name, draw in drawings.items():
        rows = read_rows(out / f"{name}.csv")
        if rows:
            _save(draw(rows), out / f"{name}.png")
    rows = read_rows(out / "maps.csv")
    if rows:
        _save(tsne_grid(rows, out), out / "maps.png")


def knn_bars(table: Scores, datasets: Sequence[str]) -> Any:
    """One group of bars a data set; the distances over topics in colour."""
    columns = 2
    figure, axes = _subplots(-(-len(datasets) // columns), columns, width=5.5, height=2.9)
    for axis in axes[len(datasets) :]:
        axis.set_axis_off()
    for axis, dataset in zip(axes, datasets):
        methods = [method for method in METHODS if dataset in table.get(method, {})]
        found = [table[method][dataset] for method in methods]
        axis.bar(
            range(len(methods)),
            [score.mean for score in found],
            yerr=[score.deviation for score in found],
            color=[_color(method) for method in methods],
            error_kw={"lw": 0.8, "ecolor": "#444444"},
        )
        top = max(1.0, *(score.mean + score.deviation for score in found))
        for i, score in enumerate(found):
            y = score.mean + score.deviation + top * 0.01
            axis.text(i, y, f"{score.mean:.1f}", ha="center", va="bottom", fontsize=6)
        axis.set_ylim(0, top * 1.12)
        axis.set_xticks(range(len(methods)), methods, rotation=60, ha="right", fontsize=6.5)
        axis.set_title(dataset, fontsize=10)
        axis.set_ylabel("error, %", fontsize=8)
    return figure


def normalised_bars(table: Scores, datasets: Sequence[str]) -> Any:
    """Mean error divided by that of nBOW, best last; where a method lacks a data set, without gutenberg."""
    some = [dataset for dataset in datasets if dataset != "gutenberg"]
    chosen = {method: normalised(table, method, some) for method in METHODS}
    known = sorted(((v, m) for m, v in chosen.items() if v is not None), reverse=True)
    figure, (axis,) = _subplots(1, 1, width=7, height=0.24 * len(known) + 1)
    axis.barh([m for _, m in known], [v for v, _ in known], color=[_color(m) for _, m in known])
    for i, (value, _) in enumerate(known):
        axis.text(value, i, f" {value:.2f}", va="center", fontsize=8)
    axis.tick_params(labelsize=8)
    axis.set_xlabel(f"error divided by that of nBOW, mean of {len(some)} data sets", fontsize=8)
    axis.margins(x=0.1)
    return figure


def sensitivity_lines(rows: list[Row]) -> Any:
    """Word vectors, number of topics, words kept of a topic."""
    figure, axes = _subplots(1, 3, width=4.2, height=3.2)
    titles = {"embedding": "word vectors, r8", "topics": "topics, classic", "topic words": "topic words, r8"}
    for axis, (study, title) in zip(axes, titles.items()):
        own = [row for row in rows if row["study"] == study]
        if not own:
            axis.set_axis_off()
            continue
        settings = [s for s in dict.fromkeys(row["setting"] for row in own) if s != "all"]
        for i, method in enumerate(dict.fromkeys(row["method"] for row in own)):
            points = {row["setting"]: 100 * number(row, "error") for row in own if row["method"] == method}
            color = COLORS[i % len(COLORS)]
            if study == "embedding":
                bars = [points.get(setting, np.nan) for setting in settings]
                axis.bar(np.arange(len(bars)) + 0.2 * i - 0.3, bars, 0.18, label=method, color=color)
            elif list(points) == ["all"]:
                axis.axhline(points["all"], label=method, color=GREY, ls="--")
            else:
                axis.plot([settings.index(s) for s in points], list(points.values()), "o-", ms=4,
                          label=method, color=color)  # fmt: skip
        axis.set_xticks(range(len(settings)), settings, fontsize=8)
        axis.set_title(title, fontsize=10)
        axis.set_ylabel("error, %", fontsize=8)
        axis.set_ylim(bottom=0)
        axis.legend(fontsize=7, ncols=2, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.09))
    return figure


def tsne_grid(rows: list[Row], out: Path) -> Any:
    """A row of pictures a data set, one a distance, with the accuracy in the plane."""
    shown = [row for row in rows if maps.points_file(out, row["dataset"], row["method"]).exists()]
    datasets = [name for name in maps.DATASETS if name in {row["dataset"] for row in shown}]
    figure, axes = _subplots(len(datasets), len(maps.MAPPED), width=4, height=3.6)
    for axis in axes:
        axis.set_axis_off()
    for row in shown:
        axis = axes[datasets.index(row["dataset"]) * len(maps.MAPPED) + maps.MAPPED.index(row["method"])]
        with maps.points_file(out, row["dataset"], row["method"]).open(encoding="utf-8") as file:
            points = list(csv.DictReader(file))
        labels = np.array([point["label"] for point in points])
        xy = np.array([[float(point["x"]), float(point["y"])] for point in points])
        for i, label in enumerate(np.unique(labels)):
            chosen = labels == label
            axis.scatter(*xy[chosen].T, s=3, color=COLORS[i % len(COLORS)], linewidths=0)
        title = f"{row['dataset']}, {row['method']}: {100 * number(row, 'accuracy'):.1f} %"
        axis.set_title(title, fontsize=10)
        axis.set_aspect("equal", "datalim")
    return figure


def two_books(rows: list[Row]) -> Any:
    """Topics of two books in two columns, and the mass that goes from one to the other."""
    row = rows[0]
    sides = [json.loads(row[name]) for name in ("topics_first", "topics_second")]
    moves = [move for move in json.loads(row["moves"]) if move[2] >= 0.005]  # what does not read as 0 %
    names = dict.fromkeys(topic["name"] for topics in sides for topic in topics)
    colors = dict(zip(names, COLORS))  # a topic has one colour on both sides
    figure, (axis,) = _subplots(1, 1, width=11, height=1.35 * max(map(len, sides)) + 0.8)
    axis.set_axis_off()
    axis.set_xlim(0, 1)
    rows_high = max(map(len, sides))
    axis.set_ylim(-0.1, rows_high + 0.35)
    for side, (topics, title) in enumerate(zip(sides, (row["first"], row["second"]))):
        x, align = (0.33, "right") if side == 0 else (0.67, "left")
        axis.text(x, rows_high + 0.15, title, ha=align, weight="bold", fontsize=12, style="italic")
        for i, topic in enumerate(topics):
            y = rows_high - i - 0.5
            color = colors[topic["name"]]
            axis.text(x, y + 0.12, f"{topic['name']}  {100 * topic['proportion']:.0f} %", ha=align,
                      weight="bold", color=color, fontsize=11)  # fmt: skip
            axis.text(x, y - 0.14, ", ".join(topic["words"]), ha=align, fontsize=8.5)
    for n, (i, j, mass) in enumerate(moves):
        start, end = (0.345, rows_high - i - 0.5), (0.655, rows_high - j - 0.5)
        arrow = {"arrowstyle": "-|>", "lw": 0.5 + 22 * mass, "alpha": 0.45}
        arrow["color"] = colors[sides[0][i]["name"]]
        axis.annotate("", end, start, arrowprops=arrow)
        t = 0.3 + 0.4 * (n % 2)
        spot = (start[0] + t * (end[0] - start[0]), start[1] + t * (end[1] - start[1]))
        box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8, "alpha": 0.85}
        axis.text(*spot, f"{100 * mass:.0f} %", ha="center", va="center", fontsize=9, bbox=box)
    return figure


def _color(method: str) -> str:
    if method == "Blend":
        return COLORS[3]
    return COLORS[0] if method in _OURS else GREY


def _subplots(rows: int, columns: int, width: float, height: float) -> tuple[Any, list[Any]]:
    """A figure without a window, and its axes row by row."""
    figure = need("matplotlib.figure", extra="paper").Figure(
        figsize=(width * columns, height * rows), layout="constrained"
    )
    axes = figure.subplots(rows, columns, squeeze=False)
    for axis in axes.flat:
        axis.spines[["top", "right"]].set_visible(False)
        axis.tick_params(labelsize=8)
    return figure, list(axes.flat)


def _save(figure: Any, path: Path) -> None:
    figure.savefig(path, dpi=DPI, metadata={"Software": None})
