"""What an index is made of, as parts of a file, and back."""

from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow as pa

from hott._columns import to_arrow
from hott.distances.representation import Representation
from hott.distances.topic import HOTT
from hott.distances.topic_space import TopicSpace
from hott.ground import Distributions
from hott.index._documents import Documents
from hott.lexical import Postings
from hott.storage import StorageError, Stored
from hott.topics import FittedTopics
from hott.vocabulary import Vocabulary

if TYPE_CHECKING:
    from hott.index._index import Index

KIND = "hott index"
VERSION = 2
"""Of the parts and their meaning; the layout of the file has a version of its own."""

_VOCABULARY = ("language", "stop_words", "min_df", "max_words", "stem")
_POSTINGS = ("starts", "documents", "counts", "lengths")
_DISTANCE = (
    "n_topics",
    "n_words",
    "threshold",
    "p",
    "n_models",
    "iterations",
    "strength",
    "random_state",
    "on_empty",
)


def parts_of(index: "Index") -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Header, arrays and tables of the file."""
    models = index.distance.models_
    topics = [cast(FittedTopics, space.topics) for space in models]
    header = {
        "kind": KIND,
        "version": VERSION,
        "parameters": index.parameters,
        "vocabulary": {name: index.parameters[name] for name in _VOCABULARY},
        "distance": {name: getattr(index.distance, name) for name in _DISTANCE},
        "models": [{"inference": learned.inference, "seed": learned.seed} for learned in topics],
        "dropped": list(index.dropped),
        "scale": index.scale,
        "topic_names": [list(names) for names in index.topic_names],
    }
    known = index.represented.positions.astype(np.int64)
    arrays: dict[str, Any] = {"word_counts": index.word_counts, "known": known}
    if index.vocabulary.vectors_ is not None:
        arrays["word_vectors"] = index.vocabulary.vectors_
    for number, (learned, space, rows) in enumerate(zip(topics, models, index.represented.distributions)):
        arrays[f"topics.{number}"] = learned.components
        arrays[f"alpha.{number}"] = learned.alpha
        arrays[f"topic_distances.{number}"] = space.distances
        arrays[f"proportions.{number}"] = rows.csr
        arrays[f"coherence.{number}"] = index.coherence[number]
    for name in _POSTINGS:
        arrays[f"postings.{name}"] = getattr(index.postings, name)
    tables = {
        "words": pa.table({"word": to_arrow(index.vocabulary.words_.tolist())}),
        "all_words": pa.table({"word": to_arrow(index.postings.words.tolist())}),
        "documents": index.documents.batches(),
    }
    return header, arrays, tables


def restored(stored: Stored) -> dict[str, Any]:
    """What ``Index`` is called with, from an open file."""
    header, arrays = stored.header, stored.arrays
    if header.get("kind") != KIND:
        raise StorageError(f"{stored.path} is not an index, though it is a file of hott's: {header!r:.80}.")
    if header["version"] > VERSION:
        raise StorageError(
            f"{stored.path} was saved by hott {stored.library}, which keeps more in an index than this "
            "version knows. Upgrade with: pip install --upgrade hott"
        )
    if header["version"] < VERSION:
        raise StorageError(
            f"{stored.path} was saved by hott {stored.library}, whose indexes this version does not read. "
            "Make it again from the documents: hott index FOLDER"
        )
    vocabulary = Vocabulary.from_words(
        stored.tables["words"].read()["word"].to_pylist(),
        arrays.get("word_vectors"),
        **header["vocabulary"],
    )
    models = [
        TopicSpace(
            FittedTopics(arrays[f"topics.{number}"], arrays[f"alpha.{number}"], **settings),
            arrays[f"topic_distances.{number}"],
        )
        for number, settings in enumerate(header["models"])
    ]
    documents = Documents(stored.tables["documents"])
    parts = (_distributions(stored, f"proportions.{number}") for number in range(len(models)))
    return {
        "documents": documents,
        "vocabulary": vocabulary,
        "word_counts": arrays["word_counts"],
        "distance": HOTT.from_models(models, word_vectors=vocabulary.vectors_, **header["distance"]),
        "represented": Representation.of(*parts, positions=arrays["known"], n_documents=len(documents)),
        "dropped": tuple(header["dropped"]),
        "parameters": header["parameters"],
        "coherence": [arrays[f"coherence.{number}"] for number in range(len(models))],
        "topic_names": header["topic_names"],
        "scale": header["scale"],
        "postings": _postings(stored),
    }


def _postings(stored: Stored) -> Postings:
    """Every word of every document. What compiled code or indexing would follow out of bounds is checked."""
    words = np.array(stored.tables["all_words"].read()["word"].to_pylist(), dtype=object)
    arrays = {name: stored.arrays[f"postings.{name}"] for name in _POSTINGS}
    starts, documents, lengths = arrays["starts"], arrays["documents"], arrays["lengths"]
    good = len(starts) == len(words) + 1 and starts[0] == 0 and starts[-1] == len(documents)
    good = good and (np.diff(starts) >= 0).all() and len(documents) == len(arrays["counts"])
    if not good or (len(documents) and not 0 <= documents.min() <= documents.max() < len(lengths)):
        raise StorageError(f"{stored.path}: the part 'postings' does not hold the words of documents.")
    return Postings(words, **arrays)


def _distributions(stored: Stored, name: str) -> Distributions:
    """Topic proportions, mapped as they are.

    They were checked and scaled before they were saved. ``Distributions.of`` would scale them once more, and
    their last bits would change; what is checked here is what compiled code relies on.
    """
    matrix = stored.arrays[name]
    masses = matrix.data
    if not matrix.has_canonical_format or not (masses.min(initial=1) > 0 and masses.max(initial=1) < 1.001):
        raise StorageError(f"{stored.path}: the part {name!r} does not hold topic proportions.")
    starts, sites = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32, copy=False)
    return Distributions(starts, sites, masses, matrix.shape[1])
