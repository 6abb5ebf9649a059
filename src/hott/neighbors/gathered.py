"""The nearest documents of each of very many, most of them: sought among documents near one another.

An exact search looks at all pairs. Here documents gather around some of them, the centres, and each is
compared with those that gather around its own centre and around the next ones. Then each looks among the
neighbours of its neighbours, and of those that it is a neighbour of.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hott.compute.cpu import row_blocks
from hott.distances.base import Distance
from hott.distances.representation import Representation
from hott.neighbors.results import NeighborResult, check_k
from hott.neighbors.searching import search
from hott.utils.progress import part_of
from hott.utils.run import Run

CENTRES = 10  # times the root of the number of documents
NEAREST = 16  # centres by which the place of a document is known
AROUND = 32  # centres around which the documents of one look
MAX_DOCUMENTS = 1_000  # of a centre that look together, and that are looked at: many may be copies
LINKS = 10  # nearest of a document, and as many that it is among the nearest of, whose links are looked at
ROUNDS = 2  # of looking at them


def nearby(
    distance: Distance, documents: Representation, k: int, run: Run = Run(), *, random_state: int = 0
) -> NeighborResult:
    """Find ``k`` documents near each: most of the nearest, and hardly farther ones. Distances are exact."""
    n = len(documents)
    k = check_k(k, n, others=True)
    some = np.random.default_rng(random_state).choice(n, min(n, int(CENTRES * n**0.5)), replace=False)
    centres = documents.take(np.sort(some))
    indices, distances = np.empty((n, k), np.intp), np.empty((n, k))
    with run.reporting("neighbours") as report:
        stages = 3 + ROUNDS
        first = replace(run, progress=part_of(report, 0, stages) or False)
        near = search(distance, documents, centres, min(NEAREST, len(centres)), first)
        groups, computed, done = _Groups.of(near.indices), near.computed, 0

        def collect(members: NDArray[np.intp], run: Run) -> tuple[NDArray[np.intp], NeighborResult]:
            others = groups.around(members, k)
            queries, own = documents.take(members), np.searchsorted(others, members)
            return others, search(distance, queries, documents.take(others), k, run, own=own)

        for members, (others, result) in run.quiet().map_threads(collect, groups.parts()):
            indices[members], distances[members] = others[result.indices], result.distances
            computed, done = computed + result.computed, done + len(members)
            if report is not None:
                report(n + 2 * done, stages * n)
        for number in range(ROUNDS):
            again = replace(run, progress=part_of(report, 3 + number, stages) or False)
            indices, distances, more = _look_further(distance, documents, indices, distances, again)
            computed += more
    return NeighborResult(indices, distances, computed, n * (n - 1) - computed)


def _look_further(
    distance: Distance,
    documents: Representation,
    indices: NDArray[np.intp],
    distances: NDArray[np.float64],
    run: Run,
) -> tuple[NDArray[np.intp], NDArray[np.float64], int]:
    """Find nearer neighbours among those of neighbours; return how many distances that took, too."""
    n, k = indices.shape
    links = np.hstack([indices[:, :LINKS], _turn_around(indices[:, :LINKS])])
    found, values, computed = np.empty_like(indices), np.empty_like(distances), 0

    def look(rows: slice, run: Run) -> tuple[NDArray[np.intp], NDArray[np.float64], int]:
        own = np.arange(n)[rows, None]
        known = np.hstack([own, indices[rows]]) + own * n
        pairs = np.setdiff1d(links[links[rows]].reshape(len(own), -1) + own * n, known)
        queries, others = np.divmod(pairs, n)
        new = distance.pairs(documents, documents, queries, others, run)
        of = np.concatenate([np.repeat(own.ravel(), k), queries])
        who, far = np.append(indices[rows], others), np.append(distances[rows], new)
        order = np.lexsort((who, far, of))
        first = order[np.searchsorted(of[order], own) + np.arange(k)]
        return who[first], far[first], len(pairs)

    with run.reporting("neighbours") as report:
        for rows, (who, far, more) in run.quiet().map_threads(look, row_blocks(n, 1, MAX_DOCUMENTS)):
            found[rows], values[rows], computed = who, far, computed + more
            if report is not None:
                report(rows.stop, n)
    return found, values, computed


def _turn_around(links: NDArray[np.intp]) -> NDArray[np.intp]:
    """List documents that have each among their links, those first where it comes first; else itself."""
    n, width = links.shape
    ends = links.T.ravel()
    order = np.argsort(ends, kind="stable")
    rank = np.arange(len(ends)) - np.searchsorted(ends[order], np.arange(n))[ends[order]]
    few = rank < width
    turned = np.repeat(np.arange(n)[:, None], width, axis=1)
    turned[ends[order][few], rank[few]] = order[few] % n
    return turned


@dataclass(frozen=True, slots=True, eq=False)
class _Groups:
    """Documents by the centre that each is nearest to."""

    near: NDArray[np.intp]  # centres of each document, nearest first
    order: NDArray[np.intp]  # documents, those of a centre one after the other
    starts: NDArray[np.intp]  # where those of each centre begin, and where the last end

    @classmethod
    def of(cls, near: NDArray[np.intp]) -> "_Groups":
        order = np.argsort(near[:, 0], kind="stable")
        return cls(near, order, np.searchsorted(near[order, 0], np.arange(near.max() + 2)))

    def of_centre(self, centre: int) -> NDArray[np.intp]:
        return self.order[self.starts[centre] : self.starts[centre + 1]]

    def parts(self) -> list[NDArray[np.intp]]:
        """Split the documents of each centre into parts whose neighbours are sought together."""
        groups = map(self.of_centre, range(len(self.starts) - 1))
        return [
            group[start : start + MAX_DOCUMENTS]
            for group in groups
            for start in range(0, len(group), MAX_DOCUMENTS)
        ]

    def around(self, members: NDArray[np.intp], k: int) -> NDArray[np.intp]:
        """List possible neighbours of some documents of a centre, ascending: at least ``k`` besides each."""
        home = self.near[members[0], 0]
        centres, times = np.unique(self.near[members], return_counts=True)
        common = centres[np.lexsort((centres, -times))]  # those that most of them are near to
        found = [
            members,
            *(self.of_centre(c)[:MAX_DOCUMENTS] for c in common[common != home][: AROUND - 1].tolist()),
        ]
        some = np.concatenate(found)
        if len(some) <= k + 1:  # far from all else, or among few: any others will do
            some = np.union1d(some, np.arange(min(len(self.near), len(some) + k + 1)))
        return np.sort(some)
