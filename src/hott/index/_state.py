"""What an index is made of, as parts of a file, and back."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from hott._columns import Texts
from hott._table import Table
from hott.distances.base import Distance
from hott.distances.representation import Representation
from hott.distances.topic import HOTT
from hott.distances.topic_space import TopicSpace
from hott.index import _kept
from hott.index._build import word_forms
from hott.index._documents import Documents
from hott.index._edits import Edit
from hott.index._likeness import Likeness, WhenUsed
from hott.lexical import Postings
from hott.storage import StorageError, Stored
from hott.topics import FittedTopics
from hott.vocabulary import Vocabulary

if TYPE_CHECKING:
    from hott.index._index import Index

KIND = "hott index"
VERSION = 3
"""Of the parts and their meaning; the layout of the file has a version of its own."""

OLDEST = 2
"""That is still read. Its topic proportions are not rounded, and stay so."""

_VOCABULARY = ("language", "stop_words", "min_df", "max_words", "stem")
_PARAMETERS = (
    "n_topics", "n_models", "iterations", "strength", "embeddings", "language", "stop_words", "min_df",
    "max_words", "stem", "on_empty", "fit_sample", "random_state", "exact_proportions", "bundled_vectors",
)  # fmt: skip
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
    models = index.hott.models_
    topics = [cast(FittedTopics, space.topics) for space in models]
    header: dict[str, Any] = {
        "kind": KIND,
        "version": VERSION,
        "parameters": index.parameters,
        "vocabulary": {name: index.parameters[name] for name in _VOCABULARY},
        "distance": {name: getattr(index.hott, name) for name in _DISTANCE},
        "models": [{"inference": learned.inference, "seed": learned.seed} for learned in topics],
        "dropped": list(index.dropped),
        "scale": index.scale,
        "topic_names": [list(names) for names in index.topic_names],
        "reading": index.reading,
        "edits": [asdict(edit) for edit in index.edits],
    }
    known = index.represented.positions.astype(np.int64)
    arrays: dict[str, Any] = {"word_counts": index.word_counts, "known": known, "later": index.later}
    if index.word_documents is not None:
        arrays["word_documents"] = index.word_documents
    if index.vocabulary.vectors_ is not None:
        arrays["word_vectors"] = index.vocabulary.vectors_
    for number, (learned, space, rows) in enumerate(zip(topics, models, index.represented.distributions)):
        arrays[f"topics.{number}"] = learned.components
        arrays[f"alpha.{number}"] = learned.alpha
        arrays[f"topic_distances.{number}"] = space.distances
        arrays |= _kept.arrays_of(rows, f"proportions.{number}")
        arrays[f"coherence.{number}"] = index.coherence[number]
    for name in _POSTINGS:
        arrays[f"postings.{name}"] = getattr(index.postings, name)
    header["others"] = []
    for number, (other, seen) in enumerate(zip(index.likeness.distances[1:], index.likeness.parts[1:])):
        described, kept = _kept.parts_of(other, seen)
        header["others"].append(described)
        arrays |= {f"other.{number}.{name}": value for name, value in kept.items()}
    header["factors"] = list(index.likeness.factors)
    tables = {
        "words": Table({"word": Texts.of(index.vocabulary.words_.tolist())}),
        "all_words": Table({"word": Texts.of(index.postings.words.tolist())}),
        "documents": index.documents.batches(),
    }
    return header, arrays, tables


def restored(stored: Stored) -> dict[str, Any]:
    """What ``Index`` is called with, from an open file."""
    header = stored.header
    if header.get("kind") != KIND:
        raise StorageError(f"{stored.path} is not an index, though it is a file of hott's: {header!r:.80}.")
    if not isinstance(header.get("version"), int):
        raise StorageError(f"{stored.path} does not say which version of an index it is.")
    if header["version"] > VERSION:
        raise StorageError(
            f"{stored.path} was saved by hott {stored.library}, which keeps more in an index than this "
            "version knows. Upgrade with: pip install --upgrade hott"
        )
    if header["version"] < OLDEST:
        raise StorageError(
            f"{stored.path} was saved by hott {stored.library}, whose indexes this version does not read. "
            "Make it again from the documents: hott index FOLDER"
        )
    with stored.expected():
        return _parts(stored)


def _parts(stored: Stored) -> dict[str, Any]:
    """The parts of an index, each checked against the others: a file may be forged."""
    header = stored.header
    words = _words(stored, "words")
    vectors = stored.array("word_vectors", (len(words), None)) if "word_vectors" in stored.arrays else None
    vocabulary = Vocabulary.from_words(words, vectors, **header["vocabulary"])
    vocabulary.transform(["x"])  # wrong settings show when a text is read
    documents = Documents(stored.table("documents", ["id", "title", "text", "label"]))
    known = _kept.positions(stored, "known", len(documents))
    models, parts, coherences = [], [], []
    for number, settings in enumerate(header["models"]):
        topics = stored.array(f"topics.{number}", (None, len(words)))
        alpha = stored.array(f"alpha.{number}", (len(topics),))
        costs = stored.array(f"topic_distances.{number}", (len(topics), len(topics)))
        if not (np.isfinite(costs).all() and costs.min(initial=0) >= 0):
            raise StorageError(f"{stored.path}: the part 'topic_distances.{number}' does not hold distances.")
        if not (isinstance(settings["seed"], int) and 0 <= settings["seed"] < 2**63):
            raise StorageError(f"{stored.path}: the model {number} has no seed: {settings['seed']!r:.40}.")
        models.append(TopicSpace(FittedTopics(topics, alpha, **settings), costs))
        parts.append(_kept.distributions(stored, f"proportions.{number}", (len(known), len(topics))))
        coherences.append(stored.array(f"coherence.{number}", (len(topics),)))
    parameters = {"exact_proportions": True} if header["version"] == OLDEST else {}
    parameters |= {name: header["parameters"][name] for name in _PARAMETERS if name not in parameters}
    if len(models) != parameters["n_models"]:
        raise StorageError(f"{stored.path} has {len(models)} topic models, not as many as it says.")
    word_forms(parameters).forms("x")  # the same for search by words
    if parameters["bundled_vectors"] and vectors is None:
        raise StorageError(f"{stored.path} has no word vectors, though it says that it has those of hott.")
    names = [[str(name) for name in names] for names in header["topic_names"]]
    if [len(one) for one in names] != [space.topics.n_topics for space in models]:
        raise StorageError(f"{stored.path} has other names of topics than topics.")
    scale = float(header["scale"])
    if not 0 < scale < np.inf:
        raise StorageError(f"{stored.path}: the deviation of distances cannot be {scale}.")
    hott = HOTT.from_models(models, word_vectors=vocabulary.vectors_, **header["distance"])
    by_topics = Representation.of(*parts, positions=known, n_documents=len(documents))
    return {
        "documents": documents,
        "vocabulary": vocabulary,
        "word_counts": stored.array("word_counts", (len(words),), "i"),
        "likeness": _likeness(stored, hott, by_topics),
        "dropped": tuple(header["dropped"]),
        "parameters": parameters,
        "coherence": coherences,
        "topic_names": names,
        "scale": scale,
        "postings": _postings(stored, len(documents)),
        # Files of before say nothing of these.
        "word_documents": (
            stored.array("word_documents", (len(words),), "i") if "word_documents" in stored.arrays else None
        ),
        "later": stored.array("later", (len(documents),), "b") if "later" in stored.arrays else None,
        "reading": dict(header.get("reading", {})),
        "edits": _edits(stored, [space.topics.n_topics for space in models]),
    }


def _edits(stored: Stored, n_topics: list[int]) -> tuple[Edit, ...]:
    """What people changed about the topics."""
    try:
        return tuple(Edit.of(written).check(n_topics) for written in stored.header.get("edits", []))
    except (ValueError, TypeError, KeyError) as error:
        raise StorageError(f"{stored.path} has changes of topics that cannot be: {error}") from None


def _words(stored: Stored, name: str) -> list[str]:
    words = stored.table(name, ["word"]).read()["word"]
    if words.missing.any():
        raise StorageError(f"{stored.path}: the part {name!r} lacks some words.")
    found: list[str] = words.tolist()
    return found


def _likeness(stored: Stored, hott: HOTT, topics: Representation) -> Likeness:
    """What "more like this" goes by: topics alone, where the file names no other distances."""
    others: list[Distance] = []
    parts = [lambda: topics]
    for number, described in enumerate(stored.header.get("others", [])):
        other, read = _kept.restored(stored, described, f"other.{number}", hott, topics.n_documents)
        others.append(other)
        parts.append(read)
    factors = tuple(map(float, stored.header.get("factors", [1.0])))
    if len(factors) != len(parts) or not (np.isfinite(factors).all() and min(factors) >= 0 < max(factors)):
        raise StorageError(f"{stored.path}: its {len(parts)} distances have the factors {factors}.")
    return Likeness((hott, *others), WhenUsed(parts), factors)


def _postings(stored: Stored, n_documents: int) -> Postings:
    """Every word of every document."""
    words = np.array(_words(stored, "all_words"), dtype=object)
    arrays = {name: stored.array(f"postings.{name}", (None,), "iu") for name in _POSTINGS}
    starts, documents, lengths = arrays["starts"], arrays["documents"], arrays["lengths"]
    good = len(starts) == len(words) + 1 and starts[0] == 0 and starts[-1] == len(documents)
    good = good and (np.diff(starts) >= 0).all() and len(documents) == len(arrays["counts"])
    good = good and len(lengths) == n_documents and lengths.min(initial=0) >= 0
    good = good and arrays["counts"].min(initial=1) > 0
    good = good and documents.dtype == np.int32 and arrays["counts"].dtype in (np.uint8, np.uint16, np.int32)
    good = good and starts.dtype == lengths.dtype == np.int64
    if not good or (len(documents) and not 0 <= documents.min() <= documents.max() < len(lengths)):
        raise StorageError(f"{stored.path}: the part 'postings' does not hold the words of documents.")
    return Postings(words, **arrays)
