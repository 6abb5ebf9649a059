"""The large parts of a model in few bytes, and back to the same bit: vectors of words, and topics.

Vectors that come with the library are not copied: a file names the table that they are in. Of topics that
were sampled a file has what was drawn for each word, and the words that each word borrows from; the topics
are made of that when they are first used. Other vectors and other topics are stored as they are.
"""

from collections.abc import Iterator, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott.embeddings.bundled import CHECKSUM, DIMENSIONS, NAME, BundledVectors
from hott.storage import StorageError, Stored
from hott.topics import FittedTopics
from hott.topics.counts import TopicCounts
from hott.topics.neighborhood import Neighborhood
from hott.vocabulary import Vocabulary

# -- vectors of words ------------------------------------------------------------------------------------


def vectors_to_arrays(vocabulary: Vocabulary, *, bundled: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what is in the header and in the arrays of a file for the vectors of words."""
    vectors = vocabulary.vectors_
    if vectors is None:
        return {}, {}
    found = BundledVectors.of(vocabulary.words_.tolist(), vectors) if bundled else None
    if found is None:
        return {}, {"word_vectors": vectors}
    table = {"name": NAME, "checksum": CHECKSUM}
    return {"word_vectors": table}, {"own_vectors.words": found.own, "own_vectors.rows": found.vectors}


def load_vectors(stored: Stored, words: Sequence[str]) -> NDArray[np.float32] | BundledVectors | None:
    """Load the vectors of words; a StorageError where they are in a table that this version does not have."""
    if "word_vectors" in stored.arrays:
        return stored.array("word_vectors", (len(words), None))
    table = stored.header.get("word_vectors")
    if table is None:
        return None
    if table != {"name": NAME, "checksum": CHECKSUM}:
        raise StorageError(
            f"{stored.path} was made by hott {stored.library} with word vectors that this version does not "
            f"have: {table['name']!r:.80}, where it has {NAME!r}. Open it with that version, or make it "
            "again from the documents: hott index FOLDER"
        )
    own = stored.array("own_vectors.words", (None,), "i")
    vectors = stored.array("own_vectors.rows", (len(own), DIMENSIONS))
    good = vectors.dtype == np.float32 and np.isfinite(vectors).all() and are_places(own, len(words))
    stored.require(good, "the part 'own_vectors' does not hold vectors of words.")
    return BundledVectors(words, own, vectors)


def are_places(places: NDArray[np.integer], n: int) -> bool:
    """Return whether numbers ascend and lie between 0 and ``n - 1``."""
    return not len(places) or bool(places[0] >= 0 and (np.diff(places) > 0).all() and places[-1] < n)


# -- topics ----------------------------------------------------------------------------------------------


def topics_to_arrays(models: Sequence[FittedTopics]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what is in the header and in the arrays of a file for the topics of all models."""
    sampled = [(number, one.counts) for number, one in enumerate(models) if one.counts is not None]
    arrays: dict[str, Any] = {}
    header: dict[str, Any] = {}
    for number, counts in sampled:
        first = sampled[0][1]
        weights = first.near.weights.astype(np.float16)  # which they are of, if GibbsLDA learned the topics
        if (
            (counts.eta, counts.strength) == (first.eta, first.strength)
            and np.array_equal(counts.near.words, first.near.words)
            and np.array_equal(counts.near.weights, weights.astype(np.float32))
        ):
            header["topic_prior"] = {"eta": float(first.eta), "strength": float(first.strength)}
            arrays |= {"neighbors.words": first.near.words, "neighbors.weights": weights.view(np.uint16)}
            arrays |= {f"topic_counts.{number}": counts.drawn, f"topic_sums.{number}": counts.sums}
    for number, model in enumerate(models):
        if f"topic_counts.{number}" not in arrays:
            arrays[f"topics.{number}"] = model.components
    return header, arrays


def load_topics(stored: Stored, n_words: int, n_models: int) -> Iterator[NDArray[np.float32] | TopicCounts]:
    """Load what the topics of each model are made of; the neighbours of words are read once."""
    prior, near = dict[str, float](), None
    if "topic_prior" in stored.header:
        prior = {name: float(stored.header["topic_prior"][name]) for name in ("eta", "strength")}
        possible = all(0 <= value < 1e9 for value in prior.values())
        stored.require(possible, f"its topics have a prior that cannot be: {prior}.")
        borrowed = stored.array("neighbors.words", (n_words, None), "i")
        weights = stored.array("neighbors.weights", borrowed.shape, "u")
        lent = weights.view(np.float16).astype(np.float32)
        good = borrowed.dtype == np.int32 and weights.dtype == np.uint16
        good = good and 0 <= borrowed.min(initial=0) <= borrowed.max(initial=0) < max(n_words, 1)
        are_weights = np.isfinite(lent).all() and lent.min(initial=0) >= 0
        stored.require(good and are_weights, "the part 'neighbors' does not name neighbours of words.")
        near = Neighborhood(borrowed, lent)
    for number in range(n_models):
        name = f"topic_counts.{number}"
        if name not in stored.arrays:
            yield stored.array(f"topics.{number}", (None, n_words))
            continue
        drawn = stored.arrays[name]
        sums = stored.array(f"topic_sums.{number}", (None,))
        good = sparse.issparse(drawn) and drawn.shape == (n_words, len(sums)) and drawn.has_canonical_format
        good = good and drawn.dtype == np.int32 and drawn.data.min(initial=1) > 0 and drawn.nnz > 0
        are_sums = np.isfinite(sums).all() and (sums > 0).all()
        stored.require(
            near is not None and good and are_sums,
            f"the part {name!r} does not say what was drawn for words.",
        )
        yield TopicCounts(drawn, cast(Neighborhood, near), **prior, sums=sums)
