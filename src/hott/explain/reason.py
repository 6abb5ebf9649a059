"""Why a document was found for a text or for another document, in one line: words of both, and those near."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott.distances.representation import Representation
from hott.distances.topic import HOTT
from hott.embeddings.vectors import unit_rows
from hott.explain.flow import Carriers, sum_at, unit_cost
from hott.explain.plan import least_cost_plan
from hott.text.tokens import same_word
from hott.utils.wording import per_cent

Names: TypeAlias = Sequence[str] | NDArray[np.object_]

FAR = 0.2  # of the topics of a text that a document has, to be related to it
OFTEN = 3  # times that a word of a large corpus is met, to be surely one
LARGE = 100_000  # words of a corpus, from which on those of one typist's slip are many

MAX_IN_REASON = 3  # words in a reason, of either kind
WORTH_SAYING = 0.2  # of what the first word of a document says, to be said of a word that both have
MAX_STANDING = 30  # words that stand for a document


@dataclass(frozen=True, slots=True, eq=False)
class Background:
    """What a corpus knows of its words and topics, to tell words of substance from fillers.

    Parameters
    ----------
    frequencies : ndarray of shape (words,), optional
        How often each word occurs in the corpus.
    concentrations : sequence of ndarrays of shape (topics,), one a model, optional
        Mean proportion of each topic in the documents that have it.

    Examples
    --------
    >>> background = Background(frequencies=np.array([90, 3, 5]))  # the first word is everywhere
    >>> background.concentrations is None
    True
    """

    frequencies: NDArray[np.integer] | None = None
    concentrations: Sequence[NDArray[np.float64]] | None = None

    def weights(self, distance: HOTT, words: NDArray[np.intp]) -> NDArray[np.float64]:
        """Say how much each word says: rare words, of topics that fill their documents, say the most.

        A filler ("used", "began") is a frequent word, or one of topics that have a little of every document.
        """
        weight = np.ones(len(words))
        if self.frequencies is not None:
            total = max(float(np.sum(self.frequencies)), 2.0)
            weight *= (np.log(total / np.maximum(self.frequencies[words], 1)) / np.log(total)) ** 2
        if self.concentrations is not None:
            parts = []
            for space, fill in zip(distance.models_, self.concentrations):
                topics = space.topics.components[:, words].astype(np.float64)
                shares = topics / np.maximum(topics.sum(axis=0), 1e-300)  # p(topic | word)
                parts.append(fill @ shares / max(fill.max(), 1e-12))
            weight *= np.mean(parts, axis=0) ** 2
        return np.maximum(weight, 1e-6)

    def are_rarest(self, words: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Say which words a large corpus has once or twice only, so that they may be misspelt."""
        if self.frequencies is None or self.frequencies.sum() < LARGE:
            return np.zeros(len(words), bool)
        return self.frequencies[words] < OFTEN


def far_apart(distance: HOTT) -> float:
    """Measure how far apart two topics are, by the median of each model."""
    medians = []
    for space in distance.models_:
        apart = space.distances[np.triu_indices(len(space.distances), 1)]
        medians.append(np.median(apart) if len(apart) else 0.0)
    return float(np.mean(medians))


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a document was found for a text, or for another document.

    Attributes
    ----------
    words : tuple of str
        Words of the text that the document has, as the document writes them.
    related : tuple of str
        Other words of the document, of the same topics as the text and near it in meaning.
    alike : float
        How much of the text's topics the document has, or has near ones of: from 0 to 1.
    is_of_document : bool
        Whether the text is another document.

    Examples
    --------
    >>> print(Reason(("puff", "pastry"), ("dough", "butter"), 0.64))
    has puff, pastry; related: dough, butter (64 %)
    >>> print(Reason(("puff", "pastry"), ("dough", "butter"), 0.64, is_of_document=True))
    both have puff, pastry; related: dough, butter (64 %)
    >>> print(Reason())
    nothing in common
    """

    words: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    alike: float = 0.0
    is_of_document: bool = False

    def __str__(self) -> str:
        verb = "both have" if self.is_of_document else "has"
        told = [f"{verb} {', '.join(self.words)}"] if self.words else []
        if self.related:
            told.append(f"related: {', '.join(self.related)} ({per_cent(self.alike)})")
        return "; ".join(told) or "nothing in common"


@dataclass(frozen=True, eq=False)
class SoughtText:
    """A text that was searched for, as many documents are related to it.

    What relates a document to it is what the flow of a comparison brings to the document's words at less cost
    than unrelated topics have. That depends on the topics alone, so no plan between words is needed.

    Parameters
    ----------
    distance : HOTT
        Fitted.
    topics : Representation
        The text.
    words : array of int
        Columns of the counts: its words, or those that stand for them.
    names : sequence of str
        The word of each column.
    background : Background
    far : float
        How far apart unrelated topics are.
    """

    distance: HOTT
    topics: Representation
    words: NDArray[np.intp]
    names: Names
    background: Background
    far: float

    def find_related(
        self, document: Representation, counts: sparse.csr_array, told: Sequence[str] = ()
    ) -> tuple[tuple[str, ...], float]:
        """Words of a document that relate it to the text, and how alike their topics are.

        None of ``told``, which was said already, is among the words, nor a form of it.
        """
        carriers, says, alike = self._speak(document, counts)
        if alike < FAR:
            return (), alike
        return self._name_words(carriers.words, says * self._meant(carriers.words), told), alike

    def find_shared(
        self, document: Representation, counts: sparse.csr_array, is_own: Callable[[str], bool]
    ) -> Reason:
        """What a document shares with the one that was searched for, of which a word ``is_own`` or is not."""
        carriers, says, alike = self._speak(document, counts)
        worth = np.where(says >= WORTH_SAYING * says.max(), says, 0.0)
        common = self._name_words(carriers.words, worth, only=is_own, rarest_last=False)  # both have them
        related: tuple[str, ...] = ()
        if alike >= FAR:
            near = says * self._meant(carriers.words)
            related = self._name_words(carriers.words, near, common, only=lambda word: not is_own(word))
        return Reason(common, related, alike, is_of_document=True)

    def _speak(
        self, document: Representation, counts: sparse.csr_array
    ) -> tuple[Carriers, NDArray[np.float64], float]:
        """The words of a document, what each says of the text's topics, and how much of them it has."""
        carriers = Carriers.of(self.distance, document, counts)
        brought = self._brought(carriers)
        weights = self.background.weights(self.distance, carriers.words)
        return carriers, brought * weights, min(float(brought.sum()), 1.0)

    def _name_words(
        self,
        words: NDArray[np.intp],
        says: NDArray[np.float64],
        told: Sequence[str] = (),
        only: Callable[[str], bool] = lambda word: True,
        rarest_last: bool = True,
    ) -> tuple[str, ...]:
        """The words that say most, one form of each. Rare words do, but the rarest may be misspelt."""
        late = self.background.are_rarest(words) & rarest_last
        order = np.lexsort((-says.round(15), late))
        named: list[str] = []
        for place in order[says[order] > 0].tolist():
            word = str(self.names[words[place]])
            if len(named) == MAX_IN_REASON:
                break
            if only(word) and not any(word == other or same_word(word, other) for other in (*told, *named)):
                named.append(word)
        return tuple(named)

    def _brought(self, carriers: Carriers) -> NDArray[np.float64]:
        """What comes to each word of a document from topics near those that it carries."""
        brought = np.zeros(len(carriers.words))
        for ground, own, masses in zip(self.distance.grounds, self._proportions, carriers.masses):
            topics = masses.sum(axis=1)
            plan = least_cost_plan(own, topics, ground.cost, keep_common=ground.keeps_common)
            costs = ground.cost[plan.sources, plan.targets] * unit_cost(plan, ground.cost, ground.order.p)
            near = plan.masses * (np.maximum(1 - costs / self.far, 0.0) if self.far else 1.0)
            shares = np.divide(sum_at(plan.targets, near, len(topics)), topics, where=topics > 0, out=topics)
            brought += shares @ masses
        return brought / len(carriers.masses)

    def _meant(self, words: NDArray[np.intp]) -> NDArray[np.float64]:
        """How near each word is to what was searched for in meaning; all alike without vectors."""
        if self._vectors is None:
            return np.ones(len(words))
        return np.maximum(_unit_vectors(self.distance, words) @ self._vectors.T, 0.0).max(axis=1)

    @cached_property
    def _vectors(self) -> NDArray[np.float64] | None:
        """The words of the text, those that say more the longer: a question is full of general words."""
        if self.distance.word_vectors is None or not len(self.words):
            return None
        weights = self.background.weights(self.distance, self.words)
        vectors = _unit_vectors(self.distance, self.words) * (weights / weights.max())[:, None]
        return vectors if vectors.any() else None

    @cached_property
    def _proportions(self) -> list[NDArray[np.float64]]:
        return [part.csr.toarray()[0] for part in self.topics.distributions]


def standing_for(
    distance: HOTT, document: Representation, counts: sparse.csr_array, background: Background
) -> NDArray[np.intp]:
    """The words of a document that say most of what it is about, ascending."""
    carriers = Carriers.of(distance, document, counts)
    mass = sum(masses.sum(axis=0) for masses in carriers.masses)
    says = mass * background.weights(distance, carriers.words)
    return np.sort(carriers.words[np.argsort(-says.round(15), kind="stable")[:MAX_STANDING]])


def _unit_vectors(distance: HOTT, words: NDArray[np.intp]) -> NDArray[np.float64]:
    return unit_rows(np.asarray(distance.word_vectors)[words].astype(np.float64))
