"""The flow between the words of two documents whose costs add up to their distance."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott.compute.ground import Distributions
from hott.distances.representation import Representation
from hott.distances.topic import HOTT
from hott.explain.plan import least_cost_plan

MIN_SHARE = 0.002  # of a topic: words that carry less of it are left out, and the others scaled up
MAX_WORDS = 1000  # a side, of a group of documents: the heaviest


@dataclass(frozen=True, slots=True, eq=False)
class Carriers:
    """How the words of one side, a document or a group of documents, carry its topics.

    ``masses[m][k, j]`` is the mass that word ``words[j]`` carries of topic k of model m. The masses of a
    topic sum to its proportion, those of a model to 1.
    """

    words: NDArray[np.intp]  # columns of the counts, ascending
    occurrences: NDArray[np.float64]  # of each word, in all documents of the side
    masses: tuple[NDArray[np.float64], ...]

    @classmethod
    def of(cls, distance: HOTT, documents: Representation, counts: sparse.csr_array) -> "Carriers":
        """Share out the words of documents among their topics; of several documents, take the mean.

        Topic k has a word by ``proportion(k) * p(word | k)``, divided by the sum of that over the topics of
        the document. Were none of its words to carry a topic, all of them would, by how often they occur.
        """
        occurrences = sum_at(counts.indices, counts.data, counts.shape[1])
        words = np.flatnonzero(occurrences)
        if len(documents) > 1 and len(words) > MAX_WORDS:
            words = np.sort(words[np.argsort(-occurrences[words], kind="stable")[:MAX_WORDS]])
        rows = sparse.csr_array(counts[:, words])
        masses = tuple(
            _carry(space.topics.components, words, part, rows)
            for space, part in zip(distance.models_, documents.distributions)
        )
        return cls(words, occurrences[words], masses)

    @property
    def key(self) -> tuple[bytes, ...]:
        """Something to put two sides in an order that does not depend on which was named first."""
        return self.words.tobytes(), self.occurrences.tobytes(), *(m.tobytes() for m in self.masses)


@dataclass(frozen=True, slots=True, eq=False)
class Flow:
    """Mass between words of the first side and words of the second, and its part of the distance.

    Entry by entry: ``masses`` sum to 1 and ``costs`` to the distance, the mean over all topic models.
    """

    sources: NDArray[np.intp]  # columns of the counts
    targets: NDArray[np.intp]
    masses: NDArray[np.float64]
    costs: NDArray[np.float64]

    @property
    def distance(self) -> float:
        return float(self.costs.sum())

    @property
    def reversed(self) -> "Flow":
        """The flow from the second side to the first."""
        return Flow(self.targets, self.sources, self.masses, self.costs)


def flow_between(distance: HOTT, a: Carriers, b: Carriers) -> Flow:
    """Compose two plans: of topics, and, for each two topics, of the words that carry them.

    Mass that goes from topic i to topic j goes from the words of ``a`` that carry i to those of ``b`` that
    carry j, the least way by the distance of words; each unit of it costs what topic i is from topic j.
    """
    if a.key > b.key:  # plans are not unique: take the same one in both directions
        return flow_between(distance, b, a).reversed
    words = np.union1d(a.words, b.words)
    n, word_costs = len(words), _word_costs(distance, words)
    steps = []
    for ground, *sides in zip(distance.grounds, a.masses, b.masses):
        P, Q = (np.zeros((len(own), n)) for own in sides)
        P[:, np.searchsorted(words, a.words)], Q[:, np.searchsorted(words, b.words)] = sides
        cost = ground.cost
        topics = least_cost_plan(P.sum(axis=1), Q.sum(axis=1), cost, keep_common=ground.keeps_common)
        # Costs sum to the distance, which for p = 2 is a root.
        total = float(topics.masses @ cost[topics.sources, topics.targets])
        unit = total ** (1 / ground.order.p - 1) if total else 0.0
        for i, j, mass in zip(*topics):
            carriers = P[i] / P[i].sum(), Q[j] / Q[j].sum()
            plan = least_cost_plan(*carriers, word_costs, keep_common=distance.p == 1)
            share = plan.masses * (mass / len(a.masses))
            steps.append((plan.sources * n + plan.targets, share, share * (cost[i, j] * unit)))
    numbers, masses, costs = (np.concatenate(column) for column in zip(*steps))
    pairs, entry = np.unique(numbers, return_inverse=True)  # one entry for each pair of words
    sums = (sum_at(entry, values, len(pairs)) for values in (masses, costs))
    return Flow(words[pairs // n], words[pairs % n], *sums)


def costs_of_words(
    flow: Flow, a: NDArray[np.float64], b: NDArray[np.float64], factor: float
) -> NDArray[np.float64]:
    """Compute what unlike word shares add to each entry of a flow, in all ``factor`` times their L1 distance.

    A word that one side has more of than the other adds that much, wherever it goes or comes from. What words
    add that carry no topic is shared out over all entries.
    """
    costs = np.zeros(len(flow.masses))
    for ends, more in ((flow.sources, np.maximum(a - b, 0)), (flow.targets, np.maximum(b - a, 0))):
        carried = sum_at(ends, flow.masses, len(more))
        costs += flow.masses * (more / np.where(carried > 0, carried, 1))[ends]
    costs += flow.masses * max(float(np.abs(a - b).sum() - costs.sum()), 0.0) / flow.masses.sum()
    return factor * costs


def sum_at(places: NDArray[np.intp], values: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """Sum the values at each of ``n`` places."""
    return np.bincount(places, values, n).astype(np.float64, copy=False)


def _carry(
    components: NDArray[np.floating],
    words: NDArray[np.intp],
    proportions: Distributions,
    counts: sparse.csr_array,
) -> NDArray[np.float64]:
    """Compute the mass of each word in each topic (topics x words), as the mean over documents."""
    n_topics = len(components)
    starts, sites, masses = proportions.arrays
    present = np.unique(sites[starts[0] : starts[-1]])  # a document has few of the topics
    components = components[np.ix_(present, words)]
    total, means = np.zeros(components.shape), np.zeros(len(present))
    for row in range(len(proportions)):
        span = slice(*starts[row : row + 2])
        topics, parts = np.searchsorted(present, sites[span]), masses[span]
        means[topics] += parts
        span = slice(*counts.indptr[row : row + 2])
        own, occurrences = counts.indices[span], counts.data[span]
        joint = parts[:, None] * components[np.ix_(topics, own)]
        likely = joint.sum(axis=0)
        joint *= np.divide(occurrences, likely, out=np.zeros(len(own)), where=likely > 0)
        total[np.ix_(topics, own)] += _scale(joint, parts)
    means /= len(proportions)
    nobody = (means > 0) & (total.sum(axis=1) == 0)
    total[nobody] = sum_at(counts.indices, counts.data, counts.shape[1])
    # Of a topic that very many words share, none carries much: those that carry most of it stay.
    least = np.minimum(MIN_SHARE * total.sum(axis=1), total.max(axis=1, initial=0.0))
    total[total < least[:, None]] = 0.0
    carried = np.zeros((n_topics, len(words)))
    carried[present] = _scale(total, means)
    return carried


def _scale(rows: NDArray[np.float64], sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scale rows to these sums; a row of zeros stays as it is."""
    present = rows.sum(axis=1)
    return rows * np.divide(sums, present, out=np.zeros(len(rows)), where=present > 0)[:, None]


def _word_costs(distance: HOTT, words: NDArray[np.intp]) -> NDArray[np.float64]:
    """Compute the cost between each two words; without word vectors, all are equally far apart."""
    if distance.word_vectors is None:
        return 1.0 - np.eye(len(words))
    vectors = np.asarray(distance.word_vectors)[words].astype(np.float64)
    squares = (vectors**2).sum(axis=1)
    squared = np.maximum(squares[:, None] + squares - 2 * vectors @ vectors.T, 0.0)
    np.fill_diagonal(squared, 0.0)
    return distance.grounds[0].order.costs(np.sqrt(squared))
