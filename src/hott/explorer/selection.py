"""Which documents a selection means, and what is special about them."""

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hott.index import analysis, parse_filter
from hott.utils.run import Run

if TYPE_CHECKING:
    from hott.index import Index

MIN_PROPORTION = 0.1  # of a topic, for a document to be among its documents
MAX_SPECIAL = 8


def with_words(index: "Index", words: str) -> NDArray[np.bool_]:
    """Which documents have all these words in their title or text."""
    wanted = words.casefold().split()
    found = np.zeros(len(index), bool)
    with Run.of({}).reporting("documents") as report:
        for row, document in enumerate(index.documents):
            text = f"{document.title}\n{document.text}".casefold()
            found[row] = all(word in text for word in wanted)
            if report is not None:
                report(row, len(found))  # which stops where nobody waits for it any more
    return found


def where_holds(index: "Index", conditions: list[str]) -> NDArray[np.bool_]:
    """Which documents the conditions leave."""
    kept = np.zeros(len(index), bool)
    kept[index.documents.positions(index.matching(parse_filter(index.documents, conditions)))] = True
    return kept


def inside(points: NDArray[np.float64], corners: ArrayLike) -> NDArray[np.bool_]:
    """Which points are inside a closed line: those that a ray crosses it from an odd number of times.

    Examples
    --------
    >>> inside(np.array([[0.5, 0.5], [2.0, 0.5], [np.nan, np.nan]]), [(0, 0), (1, 0), (1, 1), (0, 1)])
    array([ True, False, False])
    """
    corners = np.asarray(corners, float)
    odd = np.zeros(len(points), bool)
    x, y = points.T
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        for (x1, y1), (x2, y2) in zip(corners, np.roll(corners, 1, axis=0)):
            if y1 != y2:
                odd ^= ((y1 > y) != (y2 > y)) & (x < (x2 - x1) * (y - y1) / (y2 - y1) + x1)
    return odd & ~np.isnan(x)


def label_counts(labels: list[str | None], positions: NDArray[np.intp]) -> list[tuple[str, int]]:
    """The labels of some documents, the most frequent first."""
    counts = Counter(labels[i] for i in positions.tolist())
    return sorted(((k, n) for k, n in counts.items() if k is not None), key=lambda item: (-item[1], item[0]))


def special_words(index: "Index", positions: NDArray[np.intp]) -> list[str]:
    """Return words and phrases that more of these documents have than of the others."""
    if not len(positions):
        return []
    [name] = analysis.name_documents(index.snapshot, index.term_statistics, [positions], MAX_SPECIAL)
    return [term.text for term in name.terms]
