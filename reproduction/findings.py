"""Ways to look the other claims up in the results: theory, speed, maps, links, relation to WMD."""

from collections.abc import Callable, Sequence

import numpy as np

from hott.compute.ground import Order
from hott.distances.topic import HOFTT
from hott.distances.topic_space import TopicSpace
from hott.distances.word import RWMD, WMD
from hott.topics import FittedTopics
from hott.transport import solve
from reproduction.evaluation.significance import bootstrap, mcnemar
from reproduction.finding import Finding, Judgement, Look, judge_all
from reproduction.maps import MAPPED, points_file
from reproduction.predictions import links_file, read_links
from reproduction.relation import GROWING, TOPICS
from reproduction.results import Results
from reproduction.sources import SOURCES
from reproduction.tables import Row, number, read_rows


def faster(
    firsts: Sequence[str], others: Sequence[str], datasets: Sequence[str] = tuple(SOURCES), times: float = 1.0
) -> Look:
    """Look up whether each of the first compares more pairs a second than each of the others."""

    def look(results: Results) -> Finding | None:
        rate = {
            (row["dataset"], row["method"]): number(row, "pairs_per_second")
            for row in results.rows("timing")
            if row["solver"] == "hott"
        }
        sets = [d for d in datasets if all((d, method) in rate for method in (*firsts, *others))]
        if not sets:
            return None
        factors = {(a, b): [rate[d, a] / rate[d, b] for d in sets] for a in firsts for b in others}
        shown = "; ".join(f"{a} {_span(f)} times {b}" for (a, b), f in factors.items())
        holds = all(min(f) > times for f in factors.values())
        return Finding(shown + _alone(sets, datasets), holds, "timing.csv, solver hott", None)

    return look


def statistic(name: str, test: Callable[[dict[str, float]], bool], form: str) -> Look:
    def look(results: Results) -> Finding | None:
        found = {row["dataset"]: number(row, name) for row in results.rows("statistics")}
        if "gutenberg" not in found:  # the data set that these claims are about
            return None
        shown = ", ".join(f"{d} {value:{form}}" for d, value in found.items())
        return Finding(shown, test(found), f"statistics.csv, {name}")

    return look


def all_pairs(name: str, more: str = "", vacuous: float = 0.0) -> Look:
    """Look up whether a bound holds for all pairs of documents, and how close it is."""

    def look(results: Results) -> Finding | None:
        rows = [row for row in results.rows("bounds") if row.get(name)]
        if not rows:
            return None
        least = min(number(row, name) for row in rows)
        pairs = sum(int(row["pairs"]) for row in rows)
        text = f"{100 * least:.4g} % of {pairs:,} pairs of {len(rows)} data sets"
        if more:
            ratios = [number(row, more) for row in rows]
            text += f"; mean ratio {min(ratios):.2f} to {max(ratios):.2f}"
            if max(ratios) < vacuous:
                text += ": true, but so far above that it says nothing about any pair"
        return Finding(text, least == 1.0, f"bounds.csv, {name}")

    return look


def metric(results: Results) -> Finding | None:
    rows = results.rows("bounds")
    if not rows:
        return None
    broken = sum(int(row["triangles_broken"]) for row in rows)
    tried = sum(int(row["triangles"]) for row in rows)
    return Finding(f"{broken} of {tried:,} triangles broken", broken == 0, "bounds.csv, triangles_broken")


def single_word_topics(_: Results) -> Finding:
    random = np.random.default_rng(0)
    counts, vectors = random.poisson(1.0, (12, 15)) + np.eye(12, 15, dtype=int), random.normal(size=(15, 3))
    exact = WMD(vectors).fit(counts).pairwise(counts)
    topics = HOFTT(vectors, topic_model=FittedTopics(np.eye(15), alpha=0)).fit(counts).pairwise(counts)
    gap = float(np.abs(exact - topics).max())
    return Finding(f"largest difference {gap:.1e} on random documents", gap < 1e-9, "computed here")


def metric_on_documents(_: Results) -> Finding:
    """Documents that are mixtures of topics in one way only: at 0 from each other only if they are equal."""
    random = np.random.default_rng(0)
    topics, vectors = random.dirichlet(np.full(15, 0.2), 6), random.normal(size=(15, 3))
    proportions = random.dirichlet(np.full(6, 0.3), 30)
    proportions = np.concatenate([proportions, proportions[:5]])  # five are there twice
    documents = proportions @ topics
    between = TopicSpace.of(FittedTopics(topics, alpha=0), vectors, None, Order(1)).distances
    D = np.array([[solve(p, q, between).value for q in proportions] for p in proportions])
    equal = np.abs(documents[:, None] - documents).max(axis=2) < 1e-9
    way = (D[:, :, None] + D[None, :, :]).min(axis=1)
    holds = bool(((D < 1e-9) == equal).all() and np.allclose(D, D.T) and (way >= D - 1e-9).all())
    unique = np.linalg.matrix_rank(topics) == len(topics)
    text = f"{len(D)} mixtures of {len(topics)} topics in one way only: 0 only between equal documents"
    return Finding(f"{text}, no triangle broken", holds and bool(unique), "computed here")


def granularity(results: Results) -> Finding | None:
    """Look up whether HOTT is nearer to WMD with the most topics than with the fewest, on all data sets."""
    shown, parts = [], []
    for dataset in GROWING:
        rows = [results.row("granularity", dataset=dataset, n_topics=str(n)) for n in TOPICS]
        found = [row for row in rows if row is not None]
        if len(found) < len(TOPICS):
            return None
        parts.append(_grows(found))
        shown.append(f"{dataset} " + ", ".join(f"{number(row, 'mantel_hott'):.2f}" for row in found))
    holds, certain = judge_all(parts)
    numbers = ", ".join(map(str, TOPICS))
    return Finding(
        f"correlation with WMD at {numbers} topics: {'; '.join(shown)}", holds, "granularity.csv", certain
    )


def _grows(rows: Sequence[Row]) -> Judgement:
    """Judge the correlation with WMD of the last row against the first, by their intervals."""
    first, last = rows[0], rows[-1]
    if number(last, "mantel_hott") > number(first, "mantel_hott"):
        return True, number(last, "mantel_hott_low") > number(first, "mantel_hott_high")
    return False, number(last, "mantel_hott_high") < number(first, "mantel_hott_low")


def same_words(_: Results) -> Finding:
    vectors, counts = [[0.0], [1.0]], [[9, 1], [1, 9]]
    relaxed, exact = (kind(vectors).fit(counts).pairwise(counts)[0, 1] for kind in (RWMD, WMD))
    text = f"shares 0.9 and 0.1 against 0.1 and 0.9: RWMD {relaxed:.1f}, WMD {exact:.1f}"
    return Finding(text, relaxed == 0 and exact > 0, "computed here")


def looser(results: Results) -> Finding | None:
    rows = [row for row in results.rows("bounds") if row.get("overlap_and_ratio")]
    if not rows:
        return None
    found = {row["dataset"]: number(row, "overlap_and_ratio") for row in rows}
    shown = ", ".join(f"{d} {value:+.2f}" for d, value in found.items())
    return Finding(
        f"rank correlation of overlap and RWMD / WMD: {shown}", all(v < 0 for v in found.values()),
        "bounds.csv, overlap_and_ratio",
    )  # fmt: skip


def dwarfed(results: Results) -> Finding | None:
    rows = results.rows("costs")
    if not rows:
        return None
    ratios = {
        row["dataset"]: (number(row, "learn_seconds") + number(row, "compare_seconds"))
        / number(row, "pairs_seconds")
        for row in rows
    }
    shown = ", ".join(f"{d} {ratio:.2g}" for d, ratio in ratios.items())
    return Finding(
        f"topics cost so many times all pairs of HOTT: {shown}", max(ratios.values()) < 1, "costs.csv"
    )


def relation(first: str, second: str, form: str) -> Look:
    """The mean of one column is above that of another."""

    def look(results: Results) -> Finding | None:
        rows = results.rows("relation")
        if not rows:
            return None
        a, b = (float(np.mean([number(row, name) for row in rows])) for name in (first, second))
        return Finding(
            f"{first} {a:{form}}, {second} {b:{form}}, mean of {len(rows)} data sets", a > b, "relation.csv"
        )

    return look


def maps_better(datasets: Sequence[str]) -> Look:
    """The map of HOTT tells the classes better than that of RWMD, on all data sets."""

    def look(results: Results) -> Finding | None:
        rows = {(row["dataset"], row["method"]): row for row in results.rows("maps")}
        sets = [d for d in datasets if (d, "HOTT") in rows and (d, "RWMD") in rows]
        if not sets:
            return None
        shown, parts = [], []
        for d in sets:
            a, b = (100 * number(rows[d, m], "accuracy") for m in ("HOTT", "RWMD"))
            shown.append(f"{d} {a:.1f} against {b:.1f}")
            parts.append((a > b, _sure_map(results, d)))
        holds, certain = judge_all(parts)
        return Finding(", ".join(shown) + _alone(sets, datasets), holds, "maps.csv, accuracy", certain)

    return look


def _sure_map(results: Results, dataset: str) -> bool | None:
    """Whether two maps differ by more than chance in the points whose neighbours tell the class."""
    right = []
    for method in MAPPED:
        points = read_rows(points_file(results.out, dataset, method, results.vectors))
        if not points or "correct" not in points[0]:
            return None
        right.append(np.array([point["correct"] == "1" for point in points]))
    return len(right[0]) == len(right[1]) and mcnemar(*right).p_value < 0.05


def twitter_map(results: Results) -> Finding | None:
    rows = [row for row in results.rows("maps") if row["dataset"] == "twitter" and row.get("majority")]
    if not rows:
        return None
    majority = number(rows[0], "majority")
    shown = ", ".join(f"{row['method']} {100 * number(row, 'accuracy'):.1f} %" for row in rows)
    return Finding(
        f"{shown}; the largest class alone: {100 * majority:.1f} %",
        all(number(row, "accuracy") < majority + 0.05 for row in rows), "maps.csv, accuracy and majority",
    )  # fmt: skip


def links_ahead(first: Sequence[str], second: Sequence[str]) -> Look:
    """Every one of the first distances is ahead of every one of the second in every column."""

    def look(results: Results) -> Finding | None:
        rows = {row["distance"]: row for row in results.rows("links")}
        if not {*first, *second} <= rows.keys():
            return None
        margins = {
            (a, b, phi): 100 * (number(rows[a], phi) - number(rows[b], phi))
            for a in first
            for b in second
            for phi in ("phi0", "phi1", "phi2", "phi3", "phi4")
            if rows[b].get(phi)
        }
        (a, b, phi), least = min(margins.items(), key=lambda item: item[1])
        behind = [which for which, margin in margins.items() if margin <= 0]
        holds, certain = judge_all(
            [(not behind, _certain_links(results, *which)) for which in behind or [(a, b, phi)]]
        )
        text = f"least margin {least:+.2f} points of F1 ({a} − {b}, {phi})"
        return Finding(text, holds, "links.csv", certain)

    return look


def _certain_links(results: Results, a: str, b: str, phi: str) -> bool | None:
    kept = read_links(links_file(results.out, results.vectors))
    if f"{a}|{phi}" not in kept or f"{b}|{phi}" not in kept:
        return None
    true, x, y = kept["true"], kept[f"{a}|{phi}"], kept[f"{b}|{phi}"]
    table = np.column_stack([x & true, x, true, y & true, y])

    def apart(sums: list[np.ndarray]) -> np.ndarray:
        s = sums[0]
        return 2 * s[:, 0] / (s[:, 1] + s[:, 2]) - 2 * s[:, 3] / (s[:, 4] + s[:, 2])

    return bootstrap([table], apart).beyond_zero


def books_match(results: Results) -> Finding | None:
    row = results.row("interpretability", dataset="gutenberg")
    if row is None or not row.get("alike"):
        return None
    alike, chance, p = (number(row, name) for name in ("alike", "alike_at_random", "alike_p"))
    return Finding(
        f"of the {100 * (1 - number(row, 'shared')):.0f} % that move, topics matched have a cosine of "
        f"{alike:.2f} by vectors that the plan did not see; {chance:.2f} in random plans with the same "
        f"marginals (p = {p:.2g})",
        alike > chance, "interpretability.csv, alike", p < 0.05 if alike > chance else p > 0.95,
    )  # fmt: skip


def untested(_: Results) -> None:
    return None


def _alone(sets: Sequence[str], datasets: Sequence[str]) -> str:
    """Say which data sets were measured, where it is not all of them."""
    return f" (measured on {', '.join(sets)} alone)" if len(sets) < len(datasets) else ""


def _span(values: Sequence[float]) -> str:
    low, high = (f"{value:,.0f}" if value >= 10 else f"{value:.2g}" for value in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"
