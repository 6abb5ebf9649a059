"""What the report says of k-NN classification: tables of two protocols, differences, ranks, settings."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from reproduction.evaluation.significance import Interval, friedman
from reproduction.methods import METHODS
from reproduction.published import column, published, published_normalised, reevaluated
from reproduction.report_tables import data_sets_of, markdown
from reproduction.results import Cells, Results
from reproduction.setting import STANDARD, departures
from reproduction.sources import SOURCES
from reproduction.summary import Score, Scores
from reproduction.tables import number

TEXTS = tuple(name for name in SOURCES if name != "gutenberg")

# Differences that are worth a sentence: the product against the best rivals, and what each part of it adds.
COMPARED = (
    ("Blend", "TF-IDF L1/L1"), ("Blend", "WMD-TF-IDF"), ("Blend", "WMD"), ("Blend", "RWMD"),
    ("Blend", "Blend, 0/1 cost"), ("Blend", "Blend, plain LDA"), ("Blend", "HOTT, informed, 8 models"),
    ("HOTT, informed, 8 models", "HOTT, informed, 4 models"),
    ("HOTT, informed, 8 models", "HOTT, informed"),
    ("HOTT, informed, 8 models", "HOTT, 8 models"), ("HOTT, informed", "HOTT"), ("HOTT, 8 models", "HOTT"),
    ("HOTT", "HOTT, 0/1 cost"), ("HOTT, informed", "HOTT, informed, 0/1 cost"),
    ("HOTT, informed, 8 models", "HOTT, informed, 8 models, 0/1 cost"),
    ("HOTT", "TF-IDF L1/L1"), ("HOTT", "RWMD"), ("HOTT", "HOFTT"), ("Blend + vectors", "Blend"),
    ("Blend + vectors", "Vectors"), ("Blend + vectors", "TF-IDF L1/L1"), ("HOTT, contextual", "Vectors"),
    ("HOTT, contextual", "HOTT, informed, 8 models"), ("Blend + WMD-TF-IDF", "Blend"),
    ("Blend + vectors", "MiniLM"), ("Blend + vectors", "mpnet"), ("Blend + vectors", "Linear SVM"),
    ("Blend + MiniLM", "MiniLM"), ("Blend + mpnet", "mpnet"),
)  # fmt: skip
HUBS, FEW = "hubs=yes", "train=200"
AMONG = {
    STANDARD: COMPARED,
    HUBS: (("Blend + vectors", "Blend"), ("Blend + vectors", "MiniLM"), ("Blend + vectors", "mpnet")),
    FEW: (("Blend + vectors", "Blend"), ("Blend + vectors", "TF-IDF L1/L1"), ("Blend + vectors", "MiniLM")),
}


def clean(results: Results) -> str:
    """Errors with seven neighbours, fixed beforehand."""
    return _errors(results, "clean", "error_k7")


def clean_chosen(results: Results) -> str:
    """Errors with the number of neighbours that training documents chose."""
    return _errors(results, "clean", "error")


def _errors(results: Results, protocol: str, column_: str, setting: str = STANDARD) -> str:
    table = results.scores(protocol, setting, column_)
    means = (
        (lambda method, sets: results.normalised(method, sets, protocol))
        if (column_, setting) == ("error_k7", STANDARD)
        else None
    )
    return _table(table, lambda method, dataset: str(table[method][dataset]), means)


def paper(results: Results) -> str:
    """Errors beside the published ones."""
    table = results.scores("paper")

    def cell(method: str, dataset: str) -> str:
        return pair(table[method][dataset], column("knn_error_w1_no_stemming", dataset, method))

    return _table(
        table, cell, lambda method, sets: results.normalised(method, sets, "paper"), published_too=True
    )


def against_2022(results: Results) -> str:
    """Beside the re-evaluation of 2022."""
    table = results.scores("clean")
    sets = [d for d in TEXTS if any(d in scores for scores in table.values())]
    rows = [
        [method] + [pair(table[method].get(d), reevaluated(method, d)) for d in sets]
        for method in METHODS
        if method in table and any(reevaluated(method, d) is not None for d in sets)
    ]
    return markdown(["method", *sets], rows) if rows else ""


def differences(results: Results) -> str:
    """Differences that a sentence may mention, with intervals and McNemar's test."""
    rows = []
    for setting, first, second in ((label, *pair) for label, pairs in AMONG.items() for pair in pairs):
        ours, other = (Cells(name, "clean", setting) for name in (first, second))
        found = results.difference(ours, other, TEXTS)
        if found is None:
            continue
        p = "" if found.p_value is None else f"{found.p_value:.2g}" if found.p_value >= 1e-4 else "< 0.0001"
        where = f", {setting}" * (setting != STANDARD)
        rows.append([f"{first} − {second}{where}", str(found), p, ", ".join(found.datasets)])
    return (
        markdown(["difference in points", "mean [95 %]", "McNemar p", "data sets"], rows, words=True)
        if rows
        else ""
    )


def means(results: Results) -> str:
    """Mean errors over the text sets: with seven neighbours, with hubs corrected, from few documents."""
    tables = [results.scores("clean", *asked) for asked in
              ((STANDARD, "error_k7"), (HUBS, "error"), (FEW, "error_k7"))]  # fmt: skip
    rows = [
        [method, *(_mean_error(table.get(method, {})) for table in tables)]
        for method in METHODS
        if any(method in table for table in tables[1:]) or METHODS[method].encoder or METHODS[method].linear
    ]
    rows = [row for row in rows if any(row[1:])]
    head = ["method", "7 neighbours", "hubs corrected, 15 neighbours", "from 200 documents"]
    return markdown(head, rows) if rows else ""


def under(setting: str, column_: str) -> Callable[[Results], str]:
    """Errors under one setting of the clean protocol."""
    return lambda results: _errors(results, "clean", column_, setting)


def _mean_error(scores: Mapping[str, Score]) -> str:
    return f"{np.mean([scores[d].mean for d in TEXTS]):.1f}" if all(d in scores for d in TEXTS) else ""


def ranks(results: Results) -> str:
    """Mean ranks over the text sets, with Friedman's and Nemenyi's tests."""
    table = results.scores("clean")
    sets = [d for d in TEXTS if d in table.get("nBOW", {})]
    methods = [m for m in METHODS if all(d in table.get(m, {}) for d in sets)]
    if len(sets) < 2 or len(methods) < 3:
        return ""
    found = friedman([[table[m][d].mean for m in methods] for d in sets])
    order = np.argsort(found.mean, kind="stable")
    best = found.mean[order[0]]
    rows = [
        [
            methods[i],
            f"{found.mean[i]:.2f}",
            "" if found.mean[i] - best < found.critical_difference else "yes",
        ]
        for i in order
    ]
    return (
        f"Friedman over {len(sets)} data sets and {len(methods)} methods: chi² = {found.statistic:.1f}, "
        f"p = {found.p_value:.2g}. Two mean ranks that differ by less than {found.critical_difference:.2f} "
        "(Nemenyi, 95 %) are not told apart.\n\n"
        + markdown(["method", "mean rank", "different from the first"], rows)
    )


def settings(experiment: str) -> Callable[[Results], str]:
    """All settings of an experiment, one table each data set and field, beside the standard one."""

    def body(results: Results) -> str:
        rows = results.rows(experiment)
        parts = []
        groups: dict[tuple[str, str, str], None] = {}
        for row in rows:
            fields = " and ".join(departures(row["setting"]))
            groups[row["protocol"], row["dataset"], fields] = None
        for protocol, dataset, fields in groups:
            parts.append(_one_setting(results, experiment, protocol, dataset, fields))
        return "\n".join(parts)

    return body


def _one_setting(results: Results, experiment: str, protocol: str, dataset: str, fields: str) -> str:
    own = [
        row
        for row in results.rows(experiment)
        if (row["protocol"], row["dataset"], " and ".join(departures(row["setting"])))
        == (protocol, dataset, fields)
    ]
    labels = sorted({row["setting"] for row in own}, key=_natural)
    methods = [m for m in METHODS if any(row["method"] == m for row in own)]
    table = []
    for method in methods:
        line = [method]
        for label in (STANDARD, *labels):
            score = results.score(Cells(method, protocol, label), dataset)
            line.append("" if score is None else pair(score, None))
        table.append(line)
    head = [f"{dataset}, {protocol}", STANDARD, *(label.replace("_", " ") for label in labels)]
    return markdown(head, table)


def departures_of_hott(results: Results) -> str:
    """Tabulate what each departure from our setting is worth, paired by run and document."""
    rows, nearest = [], []
    labels: dict[tuple[str, str], None] = {}
    for row in results.rows("preparation"):
        if (row["method"], row["protocol"]) == ("HOTT", "paper"):
            labels[row["dataset"], row["setting"]] = None
    for dataset in data_sets_of([{"dataset": name} for name, _ in labels]):
        standard = results.score(Cells("HOTT"), dataset)
        known = column("knn_error_w1_no_stemming", dataset, "HOTT")
        if standard is None or known is None:
            continue
        errors = {"our setting": standard.mean}
        rows.append(
            [dataset, "our setting", f"{standard.mean:.1f} ({known:g})", str(len(standard.errors)), ""]
        )
        for label in (label for name, label in labels if name == dataset):
            score = results.score(Cells("HOTT", setting=label), dataset)
            apart = results.difference(Cells("HOTT", setting=label), Cells("HOTT"), (dataset,))
            if score is not None:
                said = label.replace("_", " ")
                errors[said] = score.mean
                rows.append([dataset, said, f"{score.mean:.1f}", str(len(score.errors)), str(apart or "")])
        best = min(errors, key=lambda said: abs(errors[said] - known))
        nearest.append(f"{dataset} {errors[best]:.1f} ({known:g}) with {best}")
    if not rows:
        return ""
    head = ["data set", "departure", "error of HOTT, %", "runs", "difference"]
    return markdown(head, rows, words=True) + f"\nNearest to the published: {'; '.join(nearest)}.\n"


def appendix(results: Results) -> str:
    """The three variants of the appendix, each with its normalised errors."""
    parts = []
    for label in dict.fromkeys(row["setting"] for row in results.rows("appendix")):
        table = results.scores("paper", label)
        body = _table(
            table, lambda m, d, table=table: pair(table[m][d], None),  # type: ignore[misc]
            lambda m, sets, label=label: results.normalised(m, sets, "paper", label),  # type: ignore[misc]
        )  # fmt: skip
        parts.append(f"**{_title(label)}**\n\n{body}")
    return "\n".join(parts)


def _title(label: str) -> str:
    said = departures(label)
    return f"W{said.get('p', '1')}" + (", stemmed" if said.get("stem") else "")


def _table(
    table: Scores,
    cell: Callable[[str, str], str],
    means: Callable[[str, Sequence[str]], Interval | None] | None,
    published_too: bool = False,
) -> str:
    """Methods x data sets, and the normalised errors."""
    datasets = [d for d in SOURCES if any(d in scores for scores in table.values())]
    some = [d for d in datasets if d != "gutenberg"]
    groups = [datasets] + ([some] if 0 < len(some) < len(datasets) else [])
    head = ["method", *datasets]
    if means is not None:
        head += [f"normalised, {len(group)} sets" for group in groups]
    rows = []
    for method in METHODS:
        if method not in table:
            continue
        line = [method, *(cell(method, d) if d in table[method] else "" for d in datasets)]
        if means is not None:
            for group in groups:
                known = published_too and method in published()["knn_error_w1_no_stemming"]["methods"]
                star = "*" * any(table[method][d].sampled for d in group if d in table[method])
                printed = published_normalised(method, group) if known else None
                line.append(_mean(means(method, group), star, printed))
        rows.append(line)
    return markdown(head, rows) if rows else ""


def _mean(found: Interval | None, star: str, known: float | None) -> str:
    text = ""
    if found is not None:
        text = f"{found.value:.3f}{star}"
        if np.isfinite(found.low):
            text += f" [{found.low:.3f}, {found.high:.3f}]"
    return text + ("" if known is None else f" ({known:.3f})")


def pair(ours: Score | None, known: float | None) -> str:
    """Our error, starred where it is of a sample, and the published one in brackets."""
    text = "" if ours is None else f"{ours.mean:.1f}{'*' * ours.sampled}"
    return text + ("" if known is None else f" ({known:g})")


def targets(results: Results) -> str:
    """What we set out to reach, and where we are."""
    table = results.scores("clean")
    rows = []
    hott = results.under("glove").scores("paper").get("HOTT", {})
    known = {d: column("knn_error_w1_no_stemming", d, "HOTT") for d in hott if d != "ohsumed"}
    if known:
        near = [d for d, value in known.items() if value is not None and hott[d].mean <= value + 1]
        rows.append(
            [
                "HOTT, paper protocol, GloVe, at most one point above the paper",
                f"{len(near)} of {len(known)}: {', '.join(near)}",
                "6 of 7",
            ]
        )
    books = {
        f"{row['method']}, {row['setting']}": 100 * number(row, "error_k7")
        for name in ("knn", "preparation")
        for row in results.rows(name)
        if row["dataset"] == "gutenberg" and row["method"].startswith("HOTT")
    }
    if books:
        best = min(books, key=books.__getitem__)
        rows.append(["gutenberg, best HOTT", f"{books[best]:.1f} ({best})", "19"])
    blend = {
        m: float(np.mean([scores[d].mean for d in TEXTS]))
        for m, scores in table.items()
        if all(d in scores for d in TEXTS) and not (METHODS[m].encoder or METHODS[m].linear)
    }
    if "Blend" in blend:
        best = min(blend, key=blend.__getitem__)
        rows.append(
            [
                "Blend, mean error of seven text sets",
                f"{blend['Blend']:.2f}; lowest: {best} {blend[best]:.2f}",
                "lowest",
            ]
        )
    return markdown(["target, 7 neighbours", "now", "goal"], rows) if rows else ""


def _natural(label: str) -> list[tuple[int, float, str]]:
    """Settings in the order of their numbers."""
    order = []
    for value in departures(label).values():
        try:
            order.append((0, float(value), ""))
        except ValueError:
            order.append((1, 0.0, value))
    return order
