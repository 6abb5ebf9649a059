"""The pictures of the report, drawn from the results."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import numpy as np

from hott.distances.topic import HOFTT
from hott.distances.word import RWMD, WMD
from hott.plots.style import COLORS
from hott.topics import FittedTopics
from hott.utils.optional import import_optional
from reproduction import maps
from reproduction.evaluation.significance import Interval
from reproduction.methods import METHODS
from reproduction.published import column, published, published_normalised
from reproduction.results import Results
from reproduction.setting import Vectors, departures, variant_suffix
from reproduction.sources import SOURCES
from reproduction.summary import Scores, scores
from reproduction.tables import Row, number

DPI = 110
_BLUES = ("#0072B2", "#3389C0", "#66A1CE", "#99BADC", "#014F7C", "#2C6E99", "#5C8DB0", "#8CADC7", "#9FC9E3",
          "#56B4E9", "#7CC4EE", "#A1D5F3")  # fmt: skip
_REDS = ("#D55E00", "#E08A47", "#B54A00", "#EBB58C", "#7A3200")


def color_of(method: str) -> str:
    """The colour of a method, the same in every picture: blues over topics, reds for blends."""
    families = {"HOTT": _BLUES, "Blend": _REDS}
    for family, shades in families.items():
        own = [name for name in METHODS if name.startswith(family)]
        if method in own:
            return shades[own.index(method) % len(shades)]
    others = [name for name in METHODS if not name.startswith(tuple(families))]
    rest = [shade for shade in COLORS if shade not in (*_BLUES, *_REDS)]
    return rest[others.index(method) % len(rest)]


def draw_all(out: Path) -> None:
    """Draw whatever there are results for."""
    for vectors in get_args(Vectors):
        _draw(Results(out, vectors), out)


def _draw(results: Results, out: Path) -> None:
    suffix = variant_suffix(results.vectors)
    for protocol in ("clean", "paper"):
        table = results.scores(protocol)
        if table:
            known = _published if protocol == "paper" else None
            _save(knn_panels(table, known), out / f"knn-{protocol}{suffix}.png")
            _save(normalised_bars(results, protocol), out / f"knn-{protocol}-normalised{suffix}.png")
    for label in dict.fromkeys(row["setting"] for row in results.rows("appendix")):
        said = departures(label)
        name = f"appendix-w{said.get('p', '1')}{'-stemmed' * ('stem' in said)}"
        _save(knn_panels(results.scores("paper", label)), out / f"{name}{suffix}.png")
        _save(normalised_bars(results, "paper", label), out / f"{name}-normalised{suffix}.png")
    if results.rows("sensitivity"):
        _save(sensitivity_lines(results), out / f"sensitivity{suffix}.png")
    books = results.row("interpretability", dataset="gutenberg")
    if books:
        _save(two_books(books), out / f"interpretability{suffix}.png")
        if books.get("themes"):
            _save(themes_of_two_books(books), out / f"themes{suffix}.png")
    if results.rows("maps"):
        _save(tsne_grid(results), out / f"maps{suffix}.png")
    if results.rows("bounds"):
        _save(rwmd_fails(results.rows("bounds")), out / f"rwmd-fails{suffix}.png")


def _published(method: str, dataset: str) -> float | None:
    return column("knn_error_w1_no_stemming", dataset, method)


def knn_panels(table: Scores, known: Callable[[str, str], float | None] | None = None) -> Any:
    """A panel a data set, a bar a method; hatched where a sample was tested, diamonds where published."""
    datasets = [d for d in SOURCES if any(d in found for found in table.values())]
    methods = [method for method in METHODS if method in table]
    columns = min(4, len(datasets))
    rows = -(-len(datasets) // columns)
    height = 0.19 * len(methods) + 0.9
    figure, axes = _subplots(rows, columns, width=3.4, height=height, share_methods=True)
    for axis in axes[len(datasets) :]:
        axis.set_axis_off()
    places = {method: place for place, method in enumerate(reversed(methods))}
    for axis, dataset in zip(axes, datasets):
        for method, place in places.items():
            score = table[method].get(dataset)
            if score is None:
                continue
            axis.barh(
                place, score.mean, 0.78, xerr=score.deviation, color=color_of(method),
                hatch="////" if score.sampled else None, edgecolor="white", linewidth=0.3,
                error_kw={"lw": 0.8, "ecolor": "#333333"},
            )  # fmt: skip
            there = known(method, dataset) if known else None
            if there is not None:
                axis.plot(there, place, marker="D", ms=3.5, color="black", ls="")
            end = max(score.mean + score.deviation, there or 0)
            axis.text(end, place, f"  {score.mean:.1f}", va="center", fontsize=6.5)
        axis.set_yticks(list(places.values()), list(places), fontsize=8)
        axis.set_ylim(-0.7, len(methods) - 0.3)
        axis.set_title(dataset, fontsize=11)
        axis.margins(x=0.16)
        axis.set_xlim(left=0)
    notes = "error in per cent, 7 neighbours; line: deviation; hatched: a sample of the tests"
    figure.supxlabel(notes + ("; diamond: published" if known else ""), fontsize=9)
    return figure


def normalised_bars(results: Results, protocol: str, setting: str = "standard") -> Any:
    """Mean error divided by that of nBOW, best first, with intervals and published values."""
    table = results.scores(protocol, setting)
    some = [d for d in SOURCES if d != "gutenberg" and d in table.get("nBOW", {})]
    found: dict[str, Interval] = {}
    for method in METHODS:
        value = results.normalised(method, some, protocol, setting) if some else None
        if value is not None:
            found[method] = value
    order = sorted(found, key=lambda method: -found[method].value)
    figure, (axis,) = _subplots(1, 1, width=7.5, height=0.24 * len(order) + 1)
    printed = published()["knn_error_w1_no_stemming"]["methods"]
    for place, method in enumerate(order):
        own = found[method]
        axis.barh(place, own.value, color=color_of(method))
        end = own.value
        if np.isfinite(own.low):
            axis.plot([own.low, own.high], [place, place], color="#333333", lw=1)
            end = own.high
        axis.text(end, place, f" {own.value:.3f}", va="center", fontsize=8)
        if protocol == "paper" and setting == "standard" and method in printed:
            axis.plot(published_normalised(method, some), place, marker="D", ms=4, color="black", ls="")
    axis.set_yticks(range(len(order)), order, fontsize=8)
    said = f"error divided by that of nBOW, mean of {len(some)} data sets; line: 95 % interval"
    axis.set_xlabel(said + ("; diamond: published" if protocol == "paper" else ""), fontsize=8)
    axis.margins(x=0.12)
    return figure


def sensitivity_lines(results: Results) -> Any:
    """Word vectors, number of topics, words kept of a topic, threshold of the proportions."""
    panels = (
        ("vectors", "r8", "word vectors, r8", results.vectors),
        ("topics", "classic", "topics, classic", "70"),
        ("topic_words", "r8", "words of a topic, r8", "20"),
        ("threshold", "r8", "threshold × (topics + 1), r8", "1.0"),
    )  # fmt: skip
    figure, axes = _subplots(1, len(panels), width=3.6, height=3.4)
    shown: dict[str, Any] = {}
    for axis, (field, dataset, title, standard) in zip(axes, panels):
        own = _by_value(results, field, dataset, standard)
        if not own:
            axis.set_axis_off()
            continue
        values = sorted({value for points in own.values() for value in points}, key=_order)
        for method, points in own.items():
            x = [values.index(value) for value in values if value in points]
            means = [points[values[i]].mean for i in x]
            errors = [points[values[i]].deviation for i in x]
            # Vectors have no order: points without a line.
            style = {"ls": "" if field == "vectors" else "-", "marker": "o", "ms": 4, "capsize": 2, "lw": 1.2}
            shift = 0.06 * (list(own).index(method) - len(own) / 2)
            line = axis.errorbar(np.array(x) + shift, means, errors, color=color_of(method), **style)
            shown.setdefault(method, line)
        axis.set_xticks(range(len(values)), values, fontsize=8)
        axis.set_title(title, fontsize=10)
        axis.set_ylabel("error, %", fontsize=8)
        axis.set_ylim(bottom=0)
    figure.legend(list(shown.values()), list(shown), loc="outside lower center", ncols=len(shown), fontsize=9)
    return figure


def _by_value(results: Results, field: str, dataset: str, standard: str) -> dict[str, dict[str, Any]]:
    """Scores by method and by the value of one field of the setting, paper protocol."""
    found: dict[str, dict[str, list[Row]]] = {}
    for row in [*results.rows("sensitivity"), *results.rows("knn")]:
        changed = departures(row["setting"])
        if (row["dataset"], row["protocol"]) != (dataset, "paper") or (changed and list(changed) != [field]):
            continue
        if changed or row["method"] in found:
            value = changed.get(field, standard)
            found.setdefault(row["method"], {}).setdefault(value, []).append(row)
    return {
        method: {value: scores(rows, "error_k7")[method][dataset] for value, rows in values.items()}
        for method, values in found.items()
    }


def _order(value: str) -> tuple[int, float, str]:
    try:
        return (0, float(value), "")
    except ValueError:
        return (-1 if value in ("none", "bundled", "glove") else 1, 0.0, value)


def tsne_grid(results: Results) -> Any:
    """Draw a row of pictures a data set, one a distance, with the accuracy in the plane and the classes."""
    files = {
        (row["dataset"], row["method"]): maps.points_file(
            results.out, row["dataset"], row["method"], results.vectors
        )
        for row in results.rows("maps")
    }
    shown = [row for row in results.rows("maps") if files[row["dataset"], row["method"]].exists()]
    datasets = [name for name in maps.DATASETS if name in {row["dataset"] for row in shown}]
    figure, axes = _subplots(len(datasets), len(maps.MAPPED), width=5, height=3.8)
    for axis in axes:
        axis.set_axis_off()
    for row in shown:
        axis = axes[datasets.index(row["dataset"]) * len(maps.MAPPED) + maps.MAPPED.index(row["method"])]
        with files[row["dataset"], row["method"]].open(encoding="utf-8") as file:
            points = list(csv.DictReader(file))
        labels = np.array([point["label"] for point in points])
        xy = np.array([[float(point["x"]), float(point["y"])] for point in points])
        for i, label in enumerate(np.unique(labels)):
            chosen = labels == label
            axis.scatter(*xy[chosen].T, s=4, color=COLORS[i % len(COLORS)], linewidths=0, label=label)
        title = f"{row['dataset']}, {row['method']}: {100 * number(row, 'accuracy'):.1f} %"
        if row.get("majority"):
            title += f" (largest class {100 * number(row, 'majority'):.1f} %)"
        axis.set_title(title, fontsize=10)
        axis.set_aspect("equal", "datalim")
        if row["method"] == maps.MAPPED[-1]:
            axis.legend(
                loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=7, markerscale=2.5, frameon=False
            )
    return figure


def rwmd_fails(rows: list[Row]) -> Any:
    """Where RWMD collapses: two documents of the same words, and real documents by their overlap."""
    figure, (words, bars, real) = _subplots(1, 3, width=3.8, height=3.2)
    places = np.arange(10.0)
    counts = np.array([[12, 12, 12, 12, 12, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 12, 12, 12, 12, 12]])
    for i, (name, shade) in enumerate((("first document", COLORS[2]), ("second document", COLORS[6]))):
        words.bar(places + 0.4 * i - 0.2, counts[i] / counts[i].sum(), 0.4, color=shade, label=name)
    words.set_title("the same words on a line, other shares", fontsize=10)
    words.legend(fontsize=7, frameon=False, loc="upper center")
    words.margins(y=0.25)
    topics = np.repeat(np.eye(2), 5, axis=1) / 5
    vectors = places[:, None]
    distances = {
        "RWMD": RWMD(vectors), "WMD": WMD(vectors),
        "HOTT": HOFTT(vectors, n_words=None, topic_model=FittedTopics(topics, alpha=0.01)),
    }  # fmt: skip
    found = {name: d.fit(counts).pairwise(counts)[0, 1] for name, d in distances.items()}
    bars.bar(list(found), list(found.values()), color=[color_of(name) for name in found])
    for i, value in enumerate(found.values()):
        bars.text(i, value, f"{value:.2f}", ha="center", va="bottom", fontsize=8)
    bars.set_title("their distance (HOTT: two topics)", fontsize=10)
    for row in rows:
        x, y = number(row, "overlap"), number(row, "rwmd_over_wmd")
        real.plot(x, y, "o", color=COLORS[0], ms=5)
        real.annotate(row["dataset"], (x, y), fontsize=7, xytext=(4, 3), textcoords="offset points")
    real.set_title("RWMD / WMD of real documents", fontsize=10)
    real.set_xlabel("overlap of words", fontsize=8)
    real.set_ylim(0, 1.05)
    real.margins(x=0.25)
    return figure


def two_books(row: Row) -> Any:
    """Topics of two books in two columns, and the mass that goes from one to the other."""
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


def themes_of_two_books(row: Row) -> Any:
    """The themes of two books: how much each book has of them, and how much they share."""
    themes = [theme for theme in json.loads(row["themes"]) if theme["first"] + theme["second"] > 0]
    figure, (axis,) = _subplots(1, 1, width=11, height=0.62 * len(themes) + 1.2)
    for place, theme in enumerate(reversed(themes)):
        for side, name in ((-1, "first"), (1, "second")):
            mass, both = theme[name], min(theme["both"], theme[name])
            axis.barh(place, side * mass, 0.62, color=COLORS[0] if side < 0 else COLORS[1], alpha=0.45)
            axis.barh(place, side * both, 0.62, color=COLORS[2])
            align = "right" if side < 0 else "left"
            said = f"{100 * mass:.0f} %  {', '.join(theme[f'words_{name}'][:5])}"
            axis.text(side * (mass + 0.01), place, said, ha=align, va="center", fontsize=8)
        axis.text(0, place + 0.37, theme["name"], ha="center", va="bottom", fontsize=8, weight="bold")
    widest = max(max(theme["first"], theme["second"]) for theme in themes)
    axis.set_xlim(-widest - 0.55, widest + 0.55)
    axis.set_ylim(-0.6, len(themes) - 0.1)
    axis.set_yticks([])
    axis.set_xticks([])
    axis.spines[["left", "bottom"]].set_visible(False)
    shared = sum(min(theme["both"], theme["first"]) for theme in themes)
    axis.set_title(f"{row['first']}   |   {row['second']}", fontsize=12, style="italic")
    axis.set_xlabel(f"green: in both ({100 * shared:.0f} % of the mass stays in its theme)", fontsize=9)
    return figure


def _subplots(
    rows: int, columns: int, width: float, height: float, share_methods: bool = False
) -> tuple[Any, list[Any]]:
    """A figure without a window, and its axes row by row."""
    figure = import_optional("matplotlib.figure", extra="paper").Figure(
        figsize=(width * columns, height * rows), layout="constrained"
    )
    axes = figure.subplots(rows, columns, squeeze=False, sharey=share_methods)
    for axis in axes.flat:
        axis.spines[["top", "right"]].set_visible(False)
        axis.tick_params(labelsize=8)
    return figure, list(axes.flat)


def _save(figure: Any, path: Path) -> None:
    figure.savefig(path, dpi=DPI, metadata={"Software": None})
