"""The report of the k-NN experiment: two protocols, two publications, and who leads."""

from collections.abc import Callable

from hott.paper.methods import METHODS
from hott.paper.published import column, reevaluated
from hott.paper.report_tables import data_sets_of, markdown, plain
from hott.paper.summary import Score, Scores, leaders, normalised, scores
from hott.paper.tables import Row

_WITHOUT_BOOKS = "gutenberg"


def knn_section(rows: list[Row]) -> str:
    """Everything about k-NN classification."""
    parts = ["## k-NN classification\n\nTest error in per cent.\n"]
    clean = [row for row in rows if row["protocol"] == "clean"]
    paper = [row for row in rows if row["protocol"] == "paper"]
    if clean:
        parts.append(_clean(clean))
    if paper:
        parts.append(_paper(paper))
    return "\n".join(parts)


def _clean(rows: list[Row]) -> str:
    table, datasets = scores(rows), data_sets_of(rows)
    lines = _lines(table, datasets, lambda method, dataset: str(table[method][dataset]))
    head = ["method", *datasets, *_means(datasets)]
    blend = _standing(table, "Blend")
    known = [
        [method] + [_pair(table[method].get(d), reevaluated(method, d)) for d in datasets if d != "gutenberg"]
        for method in METHODS
        if method in table and any(reevaluated(method, d) is not None for d in datasets)
    ]
    return (
        "### Clean protocol\n\nVocabulary, topics and weights from training documents only; test documents "
        "equal to a training document left out; number of neighbours (1 to 19) chosen on training documents. "
        "± is the standard deviation over the splits, or the standard error where there is one split. "
        "normalised: error divided by that of nBOW, mean over data sets.\n\n"
        + markdown(head, lines)
        + f"\n{blend}\n\n![error of each method](knn-clean.png)\n\n"
        + "![normalised](knn-clean-normalised.png)\n\n"
        + _at_7(rows, datasets)
        + "Beside the re-evaluation of 2022 (in brackets; its data sets and splits are not quite ours):\n\n"
        + markdown(["method", *(d for d in datasets if d != "gutenberg")], known)
    )


def _at_7(rows: list[Row], datasets: list[str]) -> str:
    """The same with a number of neighbours that nobody chose."""
    table = scores(rows, "error_k7")
    lines = _lines(table, datasets, lambda method, dataset: str(table[method][dataset]))
    return (
        "The same with 7 neighbours for all:\n\n"
        + markdown(["method, k = 7", *datasets, *_means(datasets)], lines)
        + f"\n{_standing(table, 'Blend')}\n\n"
    )


def _paper(rows: list[Row]) -> str:
    table, datasets = scores(rows), data_sets_of(rows)

    def cell(method: str, dataset: str) -> str:
        return _pair(table[method][dataset], column("knn_error_w1_no_stemming", dataset, method))

    return (
        "### Paper protocol\n\nAs published: vocabulary, topics and weights from all documents, 7 "
        "neighbours. In brackets the published error.\n\n"
        + markdown(["method", *datasets, *_means(datasets)], _lines(table, datasets, cell))
        + "\n![error of each method](knn-paper.png)\n\n![normalised](knn-paper-normalised.png)\n"
    )


def _means(datasets: list[str]) -> list[str]:
    both = [f"normalised, {len(datasets)} sets"]
    return both + ([f"without {_WITHOUT_BOOKS}"] if _WITHOUT_BOOKS in datasets else [])


def _lines(table: Scores, datasets: list[str], cell: Callable[[str, str], str]) -> list[list[str]]:
    some = [dataset for dataset in datasets if dataset != _WITHOUT_BOOKS]
    means = [datasets, some] if len(some) < len(datasets) else [datasets]
    return [
        [method]
        + [cell(method, dataset) if dataset in table[method] else "" for dataset in datasets]
        + [plain(normalised(table, method, chosen), ".3f") for chosen in means]
        for method in METHODS
        if method in table
    ]


def _pair(ours: Score | None, known: float | None) -> str:
    text = "" if ours is None else f"{ours.mean:.1f}{'*' * ours.sampled}"
    return text + ("" if known is None else f" ({known:g})")


def _standing(table: Scores, method: str) -> str:
    if method not in table:
        return ""
    first, tied = leaders(table, method)
    lost = [d for d in table[method] if d not in first and d not in tied]
    said = [f"{method} is first on {len(first)} of {len(table[method])} data sets"]
    said[0] += f" ({', '.join(first)})" if first else ""
    if tied:
        said.append(f"within one deviation of the first on {len(tied)} more ({', '.join(tied)})")
    if lost:
        said.append(f"behind on {', '.join(lost)}")
    return ", ".join(said) + "."
