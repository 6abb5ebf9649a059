"""What the report says of everything but k-NN classification: one function a table, to Markdown."""

import json
import math

from reproduction import maps
from reproduction.published import column
from reproduction.relation import TOPICS
from reproduction.report_tables import data_sets_of, markdown, percent, plain
from reproduction.results import Results
from reproduction.tables import Row, number
from reproduction.timing import TIMED


def statistics(results: Results) -> str:
    names = {
        "documents": "documents", "vocabulary": "vocabulary", "iou": "iou",
        "unique_words": "mean_unique_words", "topics_kept": "mean_topics_kept", "classes": "classes",
    }  # fmt: skip
    forms = {"iou": ".3f", "unique_words": ".1f", "topics_kept": ".1f"}
    table = [
        [row["dataset"]]
        + [
            _beside(
                number(row, name),
                column("dataset_statistics", row["dataset"], known),
                forms.get(name, ",.0f"),
            )
            for name, known in names.items()
        ]
        + [percent(number(row, "majority"))]
        for row in results.rows("statistics")
    ]
    head = ["data set", "documents", "words", "overlap", "words a document", "topics a document", "classes"]
    return markdown([*head, "largest class, %"], table) if table else ""


def timing(results: Results) -> str:
    rows = results.rows("timing")
    rate = {(row["dataset"], row["method"], row["solver"]): number(row, "pairs_per_second") for row in rows}
    measured = {(method, solver) for _, method, solver in rate}
    columns = [(m, solver) for m in TIMED for solver in ("hott", "POT") if (m, solver) in measured]
    table = []
    for dataset in data_sets_of(rows):
        line = [dataset]
        for method, solver in columns:
            known = column("pairs_per_second", dataset, method) if solver == "hott" else None
            pairs = rate.get((dataset, method, solver), math.nan)
            line.append(_beside(pairs, known, ",.0f" if pairs >= 100 else ".1f"))
        table.append(line)
    head = ["data set", *(m if solver == "hott" else f"{m}, POT" for m, solver in columns)]
    return markdown(head, table) if table else ""


def costs(results: Results) -> str:
    names = ("learn_seconds", "compare_seconds", "read_seconds", "pairs_seconds")
    table = [
        [row["dataset"], *(plain(number(row, name), ".3g") for name in names), f"{int(row['pairs']):,}"]
        for row in results.rows("costs")
    ]
    head = [
        "data set",
        "learn 70 topics, s",
        "compare topics, s",
        "read documents, s",
        "all pairs, s",
        "pairs",
    ]
    return markdown(head, table) if table else ""


def relation(results: Results) -> str:
    names = ("mantel_hott", "mantel_rwmd", "l2_hott", "l2_rwmd")
    table = []
    for row in results.rows("relation"):
        line = [row["dataset"]]
        for name in names:
            form = ".2f" if name.startswith("mantel") else ".1f"
            known = column("mantel_and_l2_against_wmd", row["dataset"], name)
            line.append(_beside(number(row, name), known, form, _interval(row, name, form)))
        table.append(line + [plain(number(row, f"relative_l2_{name}"), ".2f") for name in ("hott", "rwmd")])
    head = ["data set", "Mantel HOTT", "Mantel RWMD", "difference HOTT", "difference RWMD"]
    return markdown([*head, "relative HOTT", "relative RWMD"], table) if table else ""


def granularity(results: Results) -> str:
    found = {(row["dataset"], row["n_topics"]): row for row in results.rows("granularity")}
    table = []
    for dataset in data_sets_of(list(found.values())):
        own = [found.get((dataset, str(n)), {}) for n in TOPICS]
        shown = [
            plain(number(row, "mantel_hott"), ".2f") + _interval(row, "mantel_hott", ".2f") for row in own
        ]
        table.append([dataset, *shown])
    return markdown(["data set", *(f"{n} topics" for n in TOPICS)], table) if table else ""


def bounds(results: Results) -> str:
    columns = {
        "rwmd_over_wmd": "RWMD / WMD", "rwmd_is_wmd": "equal, %", "rwmd_over_hausdorff": "RWMD / Hausdorff",
        "rwmd_is_hausdorff": "equal, %", "overlap_and_ratio": "rank correlation of overlap and RWMD / WMD",
        "wmd_over_bound": "WMD / bound by topics",
    }  # fmt: skip
    table = [
        [row["dataset"], row["pairs"]]
        + [
            percent(number(row, name)) if "_is_" in name else plain(number(row, name), ".2f")
            for name in columns
        ]
        for row in results.rows("bounds")
    ]
    return markdown(["data set", "pairs", *columns.values()], table) if table else ""


def judgement(results: Results) -> str:
    ranked = sorted(results.rows("judgement"), key=lambda row: -number(row, "pearson"))
    table = [
        [
            row["method"],
            plain(number(row, "pearson"), ".3f") + _interval(row, "pearson", ".2f"),
            plain(number(row, "spearman"), ".3f"),
        ]
        for row in ranked
    ]
    return markdown(["distance", "Pearson", "Spearman"], table) if table else ""


def links(results: Results) -> str:
    table = []
    for row in results.rows("links"):
        line = [row["distance"]]
        for phi in ("phi0", "phi1", "phi2", "phi3", "phi4"):
            known = column("link_prediction_f1", row["distance"], phi)
            line.append(_beside(100 * number(row, phi), known, ".2f", _interval(row, phi, ".2f", 100)))
        table.append(line)
    return markdown(["distance", "phi0", "phi1", "phi2", "phi3", "phi4"], table) if table else ""


def tsne(results: Results) -> str:
    rows = results.rows("maps")
    accuracy = {(row["dataset"], row["method"]): row for row in rows}
    table = []
    for dataset in data_sets_of(rows):
        own = [accuracy.get((dataset, method)) for method in maps.MAPPED]
        shown = next(row for row in own if row)
        sample = f"{int(number(shown, 'documents')):,} of {int(number(shown, 'all_documents')):,}"
        found = [
            "" if row is None else percent(number(row, "accuracy")) + _interval(row, "accuracy", ".1f", 100)
            for row in own
        ]
        table.append([dataset, sample, *found, percent(number(shown, "majority"))])
    return markdown(["data set", "documents", *maps.MAPPED, "largest class"], table) if table else ""


def books(results: Results) -> str:
    row = results.row("interpretability", dataset="gutenberg")
    if row is None:
        return ""
    lines = [
        f"*{row['first']}* and *{row['second']}*: distance {number(row, 'distance'):.3f}, "
        f"{100 * number(row, 'shared'):.0f} % of the mass in common topics.\n"
    ]
    for book, topics in ((row["first"], row["topics_first"]), (row["second"], row["topics_second"])):
        for topic in json.loads(topics):
            lines.append(f"- {book}: {100 * topic['proportion']:.1f} % {', '.join(topic['words'])}")
    if row.get("themes"):
        lines += ["", "By the themes of both books:", ""]
        for theme in json.loads(row["themes"]):
            lines.append(
                f"- {theme['name']}: {100 * theme['first']:.0f} % of the first, "
                f"{100 * theme['second']:.0f} % of the second, {100 * theme['both']:.0f} % in common"
            )
    return "\n".join([*lines, ""])


def _interval(row: Row, name: str, form: str, times: float = 1.0) -> str:
    low, high = number(row, f"{name}_low"), number(row, f"{name}_high")
    return "" if math.isnan(low) else f" [{times * low:{form}}, {times * high:{form}}]"


def _beside(ours: float | None, known: float | None, form: str, between: str = "") -> str:
    """Our number, its interval, and the published one in brackets."""
    return plain(ours, form) + between + ("" if known is None else f" ({known:,})")
