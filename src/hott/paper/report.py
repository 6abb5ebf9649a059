"""REPORT.md and the pictures, from the result tables alone."""

import json
import math
from collections.abc import Callable
from pathlib import Path

from hott._atomic import replacing
from hott.paper import figures, maps, sensitivity
from hott.paper.knn_report import knn_section
from hott.paper.published import column, published
from hott.paper.report_tables import data_sets_of, markdown, percent, plain
from hott.paper.summary import Score, scores
from hott.paper.tables import Row, number, read_rows
from hott.paper.timing import TIMED

Section = Callable[[list[Row]], str]


def write_report(out: Path) -> Path:
    """Write REPORT.md and the pictures of whatever results there are in a folder; returns its path."""
    out.mkdir(parents=True, exist_ok=True)
    figures.draw_all(out)
    path = out / "REPORT.md"
    with replacing(path) as file:
        file.write(render(out).encode())
    return path


def render(out: Path) -> str:
    """The text of the report."""
    parts = [
        "# Results beside the published ones\n\n"
        "Written by `hott paper report` from the CSV files in this folder. Numbers in brackets were "
        f"published: {published()['source']}\n\n"
        "An asterisk marks a number that was measured on a sample of the test documents; the CSV files say "
        "how many, with all other settings.\n"
    ]
    for name, section in SECTIONS.items():
        rows = read_rows(out / f"{name}.csv")
        if rows:
            parts.append(section(rows))
    return "\n".join(parts)


def _statistics(rows: list[Row]) -> str:
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
        for row in rows
    ]
    head = ["data set", "documents", "words", "overlap", "words a document", "topics a document", "classes"]
    return (
        "## Data sets\n\nOverlap: common words among all words of two documents, mean over pairs. Topics a "
        "document: after truncation at 1/71.\n\n" + markdown(head, table)
    )


def _timing(rows: list[Row]) -> str:
    rate = {(row["dataset"], row["method"], row["solver"]): number(row, "pairs_per_second") for row in rows}
    head, table = ["data set"], []
    for method in TIMED:
        head += [method, f"{method}, POT"] if method != "RWMD" else [method]
    for dataset in data_sets_of(rows):
        line = [dataset]
        for method in TIMED:
            known = column("pairs_per_second", dataset, method)
            for solver, beside in (("hott", known), ("POT", None)):
                if (method, solver) != ("RWMD", "POT"):
                    pairs = rate.get((dataset, method, solver), math.nan)
                    line.append(_beside(pairs, beside, ",.0f" if pairs >= 100 else ".1f"))
        table.append(line)
    return (
        "## Pairs of documents a second\n\nOne core, processor time, all pairs of two random groups of "
        "documents; topics and word vectors are given. POT: `ot.emd2` on the same problems in the same run, "
        "one call a pair. Published: Gurobi from Python on an i7-6700K.\n\n" + markdown(head, table)
    )


def _relation(rows: list[Row]) -> str:
    names = ("mantel_hott", "mantel_rwmd", "l2_hott", "l2_rwmd")
    table = [
        [row["dataset"]]
        + [
            _beside(
                number(row, name),
                column("mantel_and_l2_against_wmd", row["dataset"], name),
                ".2f" if name.startswith("mantel") else ".1f",
            )
            for name in names
        ]
        + [plain(number(row, f"relative_l2_{name}"), ".2f") for name in ("hott", "rwmd")]
        for row in rows
    ]
    head = ["data set", "Mantel HOTT", "Mantel RWMD", "difference HOTT", "difference RWMD"]
    head += ["relative HOTT", "relative RWMD"]
    n = rows[0]["documents"]
    return (
        f"## Relation to WMD\n\nDistance matrices of {n} random documents. Mantel: correlation with exact "
        "WMD. Difference: Frobenius norm of the difference to it, which depends on the length of the word "
        "vectors and the number of documents; relative: divided by the norm of the WMD matrix.\n\n"
        + markdown(head, table)
    )


def _judgement(rows: list[Row]) -> str:
    ranked = sorted(rows, key=lambda row: -number(row, "pearson"))
    table = [
        [row["method"], plain(number(row, "pearson"), ".3f"), plain(number(row, "spearman"), ".3f")]
        for row in ranked
    ]
    n, background = rows[0]["documents"], rows[0]["background"]
    return (
        f"## Agreement with human judgement\n\nCorrelation of nearness with the similarity that people gave "
        f"to each pair of {n} news documents (Lee et al., 2005). Vocabulary, weights and topics from the "
        f"{background} documents of the background corpus. Not in the paper.\n\n"
        + markdown(["distance", "Pearson", "Spearman"], table)
    )


def _sensitivity(rows: list[Row]) -> str:
    parts = ["## Sensitivity\n\nk-NN error in per cent, paper protocol, 7 neighbours.\n"]
    titles = {
        "embedding": "Word vectors on r8: bundled, and word2vec trained on r8 itself",
        "topics": "Number of topics on classic",
        "topic words": "Words kept of each topic on r8 (LDA uses all)",
    }
    for study, title in titles.items():
        own = [row for row in rows if row["study"] == study]
        if not own:
            continue
        settings = list(dict.fromkeys(row["setting"] for row in own))
        methods = list(dict.fromkeys(row["method"] for row in own))
        table = []
        for method in methods:
            found = scores([row for row in own if row["method"] == method], by="setting")
            cells = [found.get(setting, {}).get(own[0]["dataset"]) for setting in settings]
            table.append([method, *map(_error, cells)])
        parts.append(f"### {title}\n\n" + markdown(["", *settings], table))
    if any(row["study"] == "topic words" for row in rows):
        most = max(sensitivity.TOPIC_WORDS)
        parts.append(
            f"The paper also keeps all words; with our vocabulary that is thousands of words in each of "
            f"2,415 problems, and is left out: {most} words is the most.\n"
        )
    return "\n".join(parts)


def _links(rows: list[Row]) -> str:
    table = [
        [row["distance"]]
        + [
            _beside(100 * number(row, phi), column("link_prediction_f1", row["distance"], phi), ".2f")
            for phi in ("phi0", "phi1", "phi2", "phi3", "phi4")
        ]
        for row in rows
    ]
    first = rows[0]
    return (
        f"## Link prediction\n\nF1 score in per cent of a linear SVM on {int(number(first, 'pairs')):,} "
        f"labelled pairs of hep-th papers, of which a random {int(number(first, 'test_pairs')):,} were held "
        "out for the test (the competition's own test labels are not public). phi0: the distance alone; "
        "phi1 adds common title words, phi2 common authors, phi3 the signed and phi4 the absolute difference "
        "of years.\n\n" + markdown(["distance", "phi0", "phi1", "phi2", "phi3", "phi4"], table)
    )


def _maps(rows: list[Row]) -> str:
    accuracy = {(row["dataset"], row["method"]): row for row in rows}
    table = []
    for dataset in data_sets_of(rows):
        own = [accuracy.get((dataset, method)) for method in maps.MAPPED]
        shown = next(row for row in own if row)
        sample = f"{int(number(shown, 'documents')):,} of {int(number(shown, 'all_documents')):,}"
        table.append(
            [dataset, sample, *("" if row is None else percent(number(row, "accuracy")) for row in own)]
        )
    return (
        "## t-SNE\n\nAccuracy in per cent of 7 nearest neighbours in the plane (five-fold "
        "cross-validation).\n\n" + markdown(["data set", "documents", *maps.MAPPED], table)
        + "\n![t-SNE of HOTT and RWMD](maps.png)\n"
    )  # fmt: skip


def _interpretability(rows: list[Row]) -> str:
    row = rows[0]
    lines = [
        f"## Two books\n\n*{row['first']}* and *{row['second']}*: distance {number(row, 'distance'):.3f}, "
        f"{100 * number(row, 'shared'):.0f} % of the mass in common topics.\n"
    ]
    for book, topics in ((row["first"], row["topics_first"]), (row["second"], row["topics_second"])):
        for topic in json.loads(topics):
            lines.append(f"- {book}: {100 * topic['proportion']:.1f} % {', '.join(topic['words'])}")
    return "\n".join([*lines, "", "![topics of two books](interpretability.png)", ""])


def _appendix(rows: list[Row]) -> str:
    parts = [
        "## Appendix: W2 and stemming\n\nPaper protocol, first split, 7 neighbours; error in per cent.\n"
    ]
    for p, stem in (("2", "no"), ("1", "yes"), ("2", "yes")):
        own = [row for row in rows if (row["p"], row["stem"]) == (p, stem)]
        if own:
            found = scores(own)
            datasets = data_sets_of(own)
            table = [
                [method, *(_error(found[method].get(dataset)) for dataset in datasets)] for method in found
            ]
            title = f"W{p}{', stemmed' if stem == 'yes' else ''}"
            parts.append(f"### {title}\n\n" + markdown([title, *datasets], table))
    return "\n".join(parts)


def _error(score: Score | None) -> str:
    return "" if score is None else f"{score.mean:.1f}{'*' * score.sampled}"


def _beside(ours: float | None, known: float | None, form: str) -> str:
    """Our number, and the published one in brackets."""
    return plain(ours, form) + ("" if known is None else f" ({known:,})")


SECTIONS: dict[str, Section] = {
    "knn": knn_section,
    "statistics": _statistics,
    "timing": _timing,
    "relation": _relation,
    "judgement": _judgement,
    "sensitivity": _sensitivity,
    "links": _links,
    "maps": _maps,
    "interpretability": _interpretability,
    "appendix": _appendix,
}
