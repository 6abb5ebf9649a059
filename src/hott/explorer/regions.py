"""Names for regions of the map: a few for the whole, more and finer ones for who comes nearer."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott.explorer.selection import region_words
from hott.topics.names import same_word

if TYPE_CHECKING:
    from hott.index import Index

_LEVELS = (8, 32, 128)  # regions
_LEAST = 6  # documents in a region, on average
_WORDS = 2
_CANDIDATES = 12
_FITTED = 5_000  # points that the centres are found by: more would move them little


def regions(
    index: "Index", points: NDArray[np.float64], proportions: sparse.csr_array
) -> list[list[tuple[float, float, tuple[str, ...], int]]]:
    """Levels of regions, the coarsest first: x, y, words and number of documents of each.

    Regions are parts of the plane around centres (k-means). They are named by the words that the mixture of
    topics of their documents has more of than the corpus; a finer region does not repeat the words of the
    coarser one that it lies in.

    Parameters
    ----------
    index : Index
    points : array of shape (documents, 2)
        NaN for documents that have no place.
    proportions : csr_array of shape (documents, topics)
        Of the first model.
    """
    from sklearn.cluster import KMeans

    placed = np.flatnonzero(~np.isnan(points[:, 0]))
    places, rows = points[placed], proportions[placed]
    found: list[list[tuple[float, float, tuple[str, ...], int]]] = []
    names: list[list[tuple[str, ...]]] = []
    members: list[NDArray[np.intp]] = []
    for wanted in _LEVELS:
        k = min(wanted, len(placed) // _LEAST)
        if k < 2 or (members and k <= members[-1].max() + 1):
            break
        sample = places[np.linspace(0, len(places) - 1, min(_FITTED, len(places))).astype(int)]
        own = KMeans(k, n_init=1, random_state=0).fit(sample).predict(places)
        sizes = np.bincount(own, minlength=k)
        gathered = sparse.csr_array((np.ones(len(own)), (own, np.arange(len(own)))), shape=(k, len(own)))
        ranked = region_words(index, np.asarray((gathered @ rows).todense()), _CANDIDATES)
        centres = (gathered @ places) / np.maximum(sizes, 1)[:, None]
        told: list[tuple[str, ...]] = [()] * k
        for j in np.argsort(-sizes, kind="stable"):
            if sizes[j]:
                beside = [word for words in told for word in words]  # the larger regions choose first
                told[j] = _name(ranked[j], (*_above(j, own, members, names), *beside))
        found.append(
            [
                (float(centres[j, 0]), float(centres[j, 1]), told[j], int(sizes[j]))
                for j in np.argsort(-sizes, kind="stable")
                if sizes[j] and told[j]
            ]
        )
        names.append(told)
        members.append(own)
    return found


def _above(
    j: int, own: NDArray[np.intp], members: list[NDArray[np.intp]], names: list[list[tuple[str, ...]]]
) -> tuple[str, ...]:
    """The words of the coarser regions that most documents of a region lie in."""
    inside = own == j
    parents = (int(np.bincount(level[inside]).argmax()) for level in members)
    return tuple(word for parent, told in zip(parents, names) for word in told[parent])


def _name(ranked: tuple[str, ...], taken: tuple[str, ...]) -> tuple[str, ...]:
    kept: list[str] = []
    for word in ranked:
        if not any(same_word(word, other) or word == other for other in (*taken, *kept)):
            kept.append(word)
    return tuple(kept[:_WORDS])
