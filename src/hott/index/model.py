"""What "more like this" goes by: the distance over topics, alone or with others beside it."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import clone

from hott.distances.base import Distance
from hott.distances.blend import Blend
from hott.distances.registry import Settings, named_distance
from hott.distances.representation import Representation
from hott.distances.topic import HOFTT, HOTT
from hott.distances.vector import L1, DocumentVectors, LDADistance, shares
from hott.neighbors import NeighborResult, check_k, search
from hott.run import Run

Encoder: TypeAlias = Callable[[list[str]], ArrayLike]
"""Texts to vectors, one row each."""

ENCODER_WEIGHT = 2.0
"""Of document vectors in the distance, beside 1 for topics: best in the mean of seven data sets."""


@dataclass(frozen=True)
class InFile:
    """Documents as a distance sees them, in a file."""

    read: Callable[[], Representation]
    checksum: str  # of what would be read


class WhenUsed(Sequence[Representation]):
    """Documents as several distances see them, each read when it is first asked for.

    Search by words and topics needs none but the first, and others are larger.
    """

    def __init__(self, kept: Sequence[InFile]) -> None:
        self.kept = kept
        self._read: dict[int, Representation] = {}

    def __len__(self) -> int:
        return len(self.kept)

    def __getitem__(self, number: Any) -> Any:
        if isinstance(number, slice):
            return tuple(self[i] for i in range(*number.indices(len(self))))
        number = range(len(self))[number]
        if number not in self._read:
            self._read[number] = self.kept[number].read()
        return self._read[number]

    def __reduce__(self) -> Any:
        return tuple, (list(self),)


@dataclass(frozen=True, eq=False)
class Likeness:
    """A sum of distances over the same documents, each times a factor: that over topics, and others.

    Examples
    --------
    >>> from hott import L1
    >>> counts = sparse.csr_array([[3, 1, 0], [2, 2, 0], [0, 1, 3]])
    >>> hott, words = HOTT(n_topics=2).fit(counts), L1().fit(counts)
    >>> likeness = Likeness((hott, words), (hott.represent(counts), words.represent(counts)), (0.0, 1.0))
    >>> likeness.distance.between(likeness.documents)
    array([[0. , 0.5, 1.5],
           [0.5, 0. , 1.5],
           [1.5, 1.5, 0. ]])
    """

    distances: tuple[HOTT, *tuple[Distance, ...]]  # fitted
    parts: Sequence[Representation]  # the documents as each of them sees them
    factors: tuple[float, ...]  # of each; 0: it is left out

    @classmethod
    def of(
        cls,
        distances: tuple[HOTT, *tuple[Distance, ...]],
        parts: Sequence[Representation],
        weights: Sequence[float],
        random_state: int,
        run: Run,
    ) -> "Likeness":
        """Distances brought to one scale: each weight is divided by the deviation over random pairs.

        The first that counts keeps its own scale, so that distances over topics are the same with others
        beside them.
        """
        used = np.flatnonzero(weights)
        known = documents_with_words(parts, weights)
        factors = np.zeros(len(weights))
        for i in used.tolist():
            documents, where = parts[i].select(known), distances[i].where(run.quiet())
            deviation = distances[i].deviation(documents, random_state, where) if len(used) > 1 else 1.0
            factors[i] = weights[i] / deviation
        return cls(distances, tuple(parts), tuple((factors / factors[used[0]]).tolist()))

    @property
    def hott(self) -> HOTT:
        """The distance over topics."""
        return self.distances[0]

    @property
    def has_vectors(self) -> bool:
        """Whether vectors of the documents, from an encoder, are the last part."""
        return isinstance(self.distances[-1], DocumentVectors)

    @property
    def topics(self) -> Representation:
        """The documents by their topics."""
        return self.parts[0]

    @cached_property
    def distance(self) -> Distance:
        """The one distance that all this comes to."""
        used = [(part, factor) for part, factor in zip(self.distances, self.factors) if factor]
        if used[0][1] == 1 and len(used) == 1:
            return used[0][0]
        return Blend.from_fitted([part for part, _ in used], [factor for _, factor in used])

    @cached_property
    def documents(self) -> Representation:
        """The documents as that distance sees them."""
        return self.seen(self.parts)

    def seen(self, parts: Sequence[Representation]) -> Representation:
        """Documents as the one distance sees them; those that a part of it does not know are left out."""
        used = [part for part, factor in zip(parts, self.factors) if factor]
        known = documents_with_words(parts, self.factors)
        taken = [part.take(np.searchsorted(part.positions, known)) for part in used]
        seen = taken if isinstance(self.distance, Blend) else taken[0].parts
        return Representation.of(*seen, positions=known, n_documents=parts[0].n_documents)

    def fingerprint(self) -> str:
        """Another one for other documents or other distances.

        Documents in a file are known by their checksums, and not read for it, so that they have another one
        in memory.
        """
        digest = hashlib.blake2b(repr(self.factors).encode(), digest_size=16)
        for values in self.distance.fingerprint_arrays():
            digest.update(np.ascontiguousarray(values).data)
        for number in np.flatnonzero(self.factors).tolist():
            if isinstance(self.parts, WhenUsed):
                digest.update(self.parts.kept[number].checksum.encode())
            else:
                for values in (self.parts[number].positions, *self.parts[number].arrays()):
                    digest.update(np.ascontiguousarray(values).data)
        return digest.hexdigest()

    def nearest_within(self, only: NDArray[np.bool_], k: int, run: Run) -> NeighborResult:
        """The nearest documents of each, of those that a filter leaves."""
        everyone = self.documents
        known = everyone.positions
        is_in = only[known]
        among = np.flatnonzero(is_in)
        mine = np.searchsorted(among, np.arange(len(known)))
        k = check_k(k, len(among), others=bool(is_in.any()))
        documents = everyone.take(among)
        indices, distances = np.empty((len(known), k), np.intp), np.empty((len(known), k))
        computed = pruned = 0
        for rows, own in ((among, mine[among]), (np.flatnonzero(~is_in), None)):
            if len(rows):
                found = search(self.distance, everyone.take(rows), documents, k, run, own=own)
                indices[rows], distances[rows] = known[among[found.indices]], found.distances
                computed, pruned = computed + found.computed, pruned + found.pruned
        nearest = np.tile(known[among[:k]], (everyone.n_documents, 1))
        nearest[known] = indices
        return NeighborResult(nearest, everyone.scatter(distances), computed, pruned)

    def explained(
        self, topics: tuple[Representation, Representation], counts: Sequence[sparse.csr_array]
    ) -> tuple[HOTT | Blend, tuple[Representation, Representation]]:
        """What explanations explain, and two sides as it sees them, given by their topics and counts.

        That is topics and shares of words, where both are parts of the distance; topics alone otherwise.
        """
        for words, factor in zip(self.distances[1:], self.factors[1:]):
            if isinstance(words, L1) and factor and self.factors[0]:
                blend = Blend.from_fitted([self.hott, words], [self.factors[0], factor])
                left, right = (
                    Representation.of(topic, represented(words, rows[topic.positions], Run()))
                    for topic, rows in zip(topics, counts)
                )
                return blend, (left, right)
        return self.hott, topics


def documents_with_words(parts: Sequence[Representation], factors: Sequence[float]) -> NDArray[np.intp]:
    """Find the positions of the documents that every distance with a factor above 0 has a place for.

    Beside topics, which know new words by their vectors, a document may lack words that were counted. Without
    topics it has no place then, even if an encoder gives it a vector.
    """
    used = [part for part, factor in zip(parts, factors) if factor]
    known = reduce(np.intersect1d, (part.positions for part in used))
    if factors[0]:
        return known
    for part in used:
        [rows, *_] = part.parts
        if isinstance(rows, sparse.csr_array):
            known = np.intersect1d(known, part.positions[np.diff(rows.indptr) > 0])
    return known


def chosen(
    distance: str | Distance, settings: Settings, *, encoded: bool
) -> tuple[tuple[Distance, ...], tuple[float, ...]]:
    """The distances beside that over topics, not fitted, and the weights of all, that of the topics first."""
    if isinstance(distance, str):
        distance = named_distance(distance, settings)
    if not isinstance(distance, Distance):
        raise ValueError(
            'distance must be the name of one, such as "blend" or "hott", or a distance of the library such '
            f"as WMD(); got {distance!r:.60}."
        )
    parts, weights = [distance], [1.0]
    if isinstance(distance, Blend):
        parts = list(distance.distances)
        weights = [1.0] * len(parts) if distance.weights is None else [float(w) for w in distance.weights]
    # A HOTT is that of the index.
    topics = sum(weight for part, weight in zip(parts, weights) if type(part) is HOTT)
    others = [(part, weight) for part, weight in zip(parts, weights) if type(part) is not HOTT]
    if encoded:
        others.append((DocumentVectors(), ENCODER_WEIGHT))
    return tuple(part for part, _ in others), (topics, *(weight for _, weight in others))


def name_of(likeness: Likeness) -> str:
    """The name that ``Index.build`` would choose the same distances by."""
    kinds = [type(part) for part in of_words(likeness.distances[1:])]
    for name, wanted in (("blend", [L1]), ("hott", [])):
        if kinds == wanted and likeness.factors[0]:
            return name
    raise ValueError("distance must be given again: this index was made with a distance of your own.")


def of_words(others: Sequence[Distance]) -> tuple[Distance, ...]:
    """Those that see documents by their word counts."""
    return tuple(other for other in others if not isinstance(other, DocumentVectors))


def fitted(
    others: Sequence[Distance], hott: HOTT, counts: sparse.csr_array, run: Run
) -> tuple[Distance, ...]:
    """Distances over the words, vectors and topics of an index."""
    return tuple(_fitted(other, hott, counts, run.quiet().on_cpu()) for other in others)


def _fitted(other: Distance, hott: HOTT, counts: sparse.csr_array, run: Run) -> Distance:
    if isinstance(other, DocumentVectors):
        return other
    if isinstance(other, HOTT):
        return hoftt_of(hott)
    settings: dict[str, Any] = {"on_empty": "nan"}
    given = other.get_params(deep=False)
    if "word_vectors" in given and given["word_vectors"] is None:
        settings["word_vectors"] = hott.word_vectors
    if isinstance(other, LDADistance):
        settings["topic_model"] = hott.models_[0].topics
    some = np.flatnonzero(np.diff(counts.indptr))
    return clone(other).set_params(**settings).fit(counts[some], **run.options)


def represented(other: Distance, counts: sparse.csr_array, run: Run) -> Representation:
    """Documents as a distance over words sees them.

    A document of none but new words, which topics know by their vectors, has no share of any other word.
    """
    if isinstance(other, L1):
        return Representation.of(shares(counts, other.idf_))
    return other.represent(counts, **other.where(run.quiet()).options)


def hoftt_of(hott: HOTT) -> HOFTT:
    """The same topics with none left out of a document."""
    same = {name: getattr(hott, name) for name in ("word_vectors", "n_words", "p")}
    return HOFTT.from_models(hott.models_, **same, on_empty="nan")


def encoded(texts: Sequence[str], encoder: "Encoder | ArrayLike") -> Representation:
    """Documents by the vectors that an encoder gives, or that were given."""
    vectors = encoder(list(texts)) if callable(encoder) else encoder
    found = DocumentVectors().of(vectors)
    if len(found) != len(texts):
        raise ValueError(
            f"encoder must give one vector for each of {len(texts):,} documents; there are {len(found):,}."
        )
    return found
