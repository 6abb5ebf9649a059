"""Why a document was found for a text, in one line: the words of it that it has, and those near them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott.distances.representation import Representation
from hott.distances.topic import HOTT
from hott.embeddings.vectors import unit_rows
from hott.explain.flow import Carriers, summed, unit_cost
from hott.explain.plan import least_cost_plan
from hott.explain.story import FAR
from hott.explain.themes import Background, Names
from hott.topics.names import same_word
from hott.wording import per_cent

_NAMED = 3  # related words in a reason


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a document was found for a text.

    Attributes
    ----------
    words : tuple of str
        Words of the text that the document has, as the document writes them.
    related : tuple of str
        Other words of the document, of the same topics as the text and near it in meaning.
    alike : float
        How much of the text's topics the document has, or has near ones of: from 0 to 1.

    Examples
    --------
    >>> print(Reason(("puff", "pastry"), ("dough", "butter"), 0.64))
    has puff, pastry; related: dough, butter (64 %)
    >>> print(Reason())
    nothing in common
    """

    words: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    alike: float = 0.0

    def __str__(self) -> str:
        told = [f"has {', '.join(self.words)}"] if self.words else []
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

    def related(
        self, document: Representation, counts: sparse.csr_array, told: Sequence[str] = ()
    ) -> tuple[tuple[str, ...], float]:
        """Words of a document that relate it to the text, and how alike their topics are.

        None of ``told``, which was said already, is among the words, nor a form of it.
        """
        carriers = Carriers.of(self.distance, document, counts)
        brought = self._brought(carriers)
        alike = min(float(brought.sum()), 1.0)
        if alike < FAR:
            return (), alike
        says = brought * self.background.weights(self.distance, carriers.words) * self._meant(carriers.words)
        # Rare words say most, but the rarest may be misspelt: they come last.
        order = np.lexsort((-says.round(15), self.background.are_rarest(carriers.words)))
        named: list[str] = []
        for place in order[says[order] > 0].tolist():
            word = str(self.names[carriers.words[place]])
            if len(named) < _NAMED and not any(word == w or same_word(word, w) for w in (*told, *named)):
                named.append(word)
        return tuple(named), alike

    def _brought(self, carriers: Carriers) -> NDArray[np.float64]:
        """What comes to each word of a document from topics near those that it carries."""
        brought = np.zeros(len(carriers.words))
        for ground, own, masses in zip(self.distance.grounds, self._proportions, carriers.masses):
            topics = masses.sum(axis=1)
            plan = least_cost_plan(own, topics, ground.cost, keep_common=ground.keeps_common)
            costs = ground.cost[plan.sources, plan.targets] * unit_cost(plan, ground.cost, ground.order.p)
            near = plan.masses * (np.maximum(1 - costs / self.far, 0.0) if self.far else 1.0)
            shares = np.divide(summed(plan.targets, near, len(topics)), topics, where=topics > 0, out=topics)
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


def _unit_vectors(distance: HOTT, words: NDArray[np.intp]) -> NDArray[np.float64]:
    return unit_rows(np.asarray(distance.word_vectors)[words].astype(np.float64))
