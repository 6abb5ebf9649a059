"""The topics of an index, for people to look at."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hott.explain.names import distinctive_words, topic_names

if TYPE_CHECKING:
    from hott.index._index import Index


@dataclass(frozen=True, slots=True)
class TopicSummary:
    """A topic: its number in its model, its name, its distinctive words, and its share of the corpus."""

    number: int
    name: str
    words: tuple[str, ...]
    weight: float


def summaries(index: "Index", model: int, n_words: int) -> tuple[TopicSummary, ...]:
    """The topics of one topic model, the heaviest in the corpus first."""
    models = index.distance.models_
    if model not in range(len(models)):
        raise ValueError(f"model must be from 0 to {len(models) - 1}, got {model!r}.")
    topics, rows = models[model].topics, index._rows[model]
    words, common = index.vocabulary.words_.tolist(), index.word_counts
    weights = np.bincount(rows.sites, rows.masses, minlength=topics.n_topics) / len(rows)
    names = topic_names(topics.components, words, frequencies=common)
    distinctive = distinctive_words(topics.components, words, frequencies=common, n=n_words)
    order = np.argsort(-weights, kind="stable").tolist()
    return tuple(TopicSummary(t, names[t], distinctive[t], float(weights[t])) for t in order)
