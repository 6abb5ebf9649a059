"""What an index is made of, as parts of a file, and back."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from hott.corpus import FIELDS
from hott.distances.base import Distance
from hott.distances.representation import Representation
from hott.distances.topic import HOTT
from hott.distances.topic_space import TopicSpace
from hott.index import _kept
from hott.index.build import word_forms
from hott.index.changes import State
from hott.index.documents import Documents
from hott.index.edits import Edit
from hott.index.model import InFile, Likeness, WhenUsed
from hott.lexical import Postings
from hott.storage import StorageError, Stored
from hott.table.columns import Texts
from hott.table.table import Table
from hott.topics import FittedTopics
from hott.vocabulary import Vocabulary

if TYPE_CHECKING:
    from hott.index.index import Index

KIND = "hott index"
VERSION = 3
"""Of the parts and their meaning; the layout of the file has a version of its own."""

SHARD = "hott shard"
"""What a file of documents alone says that it is; another has what was learned."""

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


Parts: TypeAlias = tuple[dict[str, Any], dict[str, Any], dict[str, Any]]
"""Header, arrays and tables of a file."""


def parts_of(index: "Index") -> Parts:
    """What is in the file of an index: what was learned, and the documents."""
    learned, documents = learned_parts(index), document_parts(index.state)
    return learned[0] | documents[0], learned[1] | documents[1], learned[2] | documents[2]


def shard_parts(state: State) -> Parts:
    """What is in a file of documents alone."""
    header, arrays, tables = document_parts(state)
    return header | {"kind": SHARD, "version": VERSION}, arrays, tables


def learned_parts(index: "Index") -> Parts:
    """Words, topics and distances: what stays when documents come and go."""
    models = index.hott.models_
    topics = [cast(FittedTopics, space.topics) for space in models]
    header: dict[str, Any] = {
        "kind": KIND,
        "version": VERSION,
        "parameters": index.parameters,
        "vocabulary": {name: index.parameters[name] for name in _VOCABULARY},
        "distance": {name: getattr(index.hott, name) for name in _DISTANCE},
        "models": [{"inference": learned.inference, "seed": learned.seed} for learned in topics],
        "scale": index.scale,
        "topic_names": [list(names) for names in index.topic_names],
        "reading": index.reading,
        "edits": [asdict(edit) for edit in index.edits],
        "others": [_kept.described(other) for other in index.likeness.distances[1:]],
        "factors": list(index.likeness.factors),
    }
    if index.likeness.has_vectors:
        header["vector_scale"] = index.vector_scale
    arrays: dict[str, Any] = {"word_counts": index.word_counts}
    if index.word_documents is not None:
        arrays["word_documents"] = index.word_documents
    if index.vocabulary.vectors_ is not None:
        arrays["word_vectors"] = index.vocabulary.vectors_
    for number, (learned, space) in enumerate(zip(topics, models)):
        arrays[f"topics.{number}"] = learned.components
        arrays[f"alpha.{number}"] = learned.alpha
        arrays[f"topic_distances.{number}"] = space.distances
        arrays[f"coherence.{number}"] = index.coherence[number]
    for number, other in enumerate(index.likeness.distances[1:]):
        kept = _kept.learned_arrays(other)
        arrays |= {f"other.{number}.{name}": value for name, value in kept.items()}
    return header, arrays, {"words": Table({"word": Texts.of(index.vocabulary.words_.tolist())})}


def document_parts(state: State) -> Parts:
    """The documents, as people and as distances see them, and their words."""
    topics, *others = state.parts
    arrays: dict[str, Any] = {"known": topics.positions.astype(np.int64), "later": state.later}
    for number, rows in enumerate(topics.distributions):
        arrays |= _kept.arrays_of(rows, f"proportions.{number}")
    for name in _POSTINGS:
        arrays[f"postings.{name}"] = getattr(state.postings, name)
    for number, seen in enumerate(others):
        kept = _kept.document_arrays(seen)
        arrays |= {f"other.{number}.{name}": value for name, value in kept.items()}
    tables = {
        "all_words": Table({"word": Texts.of(state.postings.words.tolist())}),
        "documents": state.documents.batches(),
    }
    return {"dropped": list(state.dropped)}, arrays, tables


def restored(stored: Stored) -> dict[str, Any]:
    """What ``Index`` is called with, from an open file."""
    check_kind(stored, KIND)
    with stored.expected():
        learned = _learned(stored)
        hott, others, factors = learned.pop("distances")
        state = restored_state(stored, hott, others)
    return {
        **learned,
        "documents": state.documents,
        "likeness": Likeness((hott, *others), state.parts, factors),
        "dropped": state.dropped,
        "postings": state.postings,
        "later": state.later,
    }


def check_kind(stored: Stored, kind: str) -> None:
    """The file must be of this kind, and of a version that is read."""
    header = stored.header
    if header.get("kind") != kind:
        what = "a shard" if kind == SHARD else "an index"
        raise StorageError(f"{stored.path} is not {what}, though it is a file of hott's: {header!r:.80}.")
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


def _learned(stored: Stored) -> dict[str, Any]:
    """What was learned, each part checked against the others: a file may be forged."""
    header = stored.header
    words = _words(stored, "words")
    vectors = stored.array("word_vectors", (len(words), None)) if "word_vectors" in stored.arrays else None
    vocabulary = Vocabulary.from_words(words, vectors, **header["vocabulary"])
    vocabulary.transform(["x"])  # wrong settings show when a text is read
    models, coherences = [], []
    for number, settings in enumerate(header["models"]):
        topics = stored.array(f"topics.{number}", (None, len(words)))
        alpha = stored.array(f"alpha.{number}", (len(topics),))
        costs = stored.array(f"topic_distances.{number}", (len(topics), len(topics)))
        if not (np.isfinite(costs).all() and costs.min(initial=0) >= 0):
            raise StorageError(f"{stored.path}: the part 'topic_distances.{number}' does not hold distances.")
        if not (isinstance(settings["seed"], int) and 0 <= settings["seed"] < 2**63):
            raise StorageError(f"{stored.path}: the model {number} has no seed: {settings['seed']!r:.40}.")
        models.append(TopicSpace(FittedTopics(topics, alpha, **settings), costs))
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
    hott = HOTT.from_models(models, word_vectors=vocabulary.vectors_, **header["distance"])
    return {
        "vocabulary": vocabulary,
        "word_counts": stored.array("word_counts", (len(words),), "i"),
        "distances": (hott, *_other_distances(stored, hott)),
        "parameters": parameters,
        "coherence": coherences,
        "topic_names": names,
        "scale": _deviation(stored, header["scale"]),
        # Files of before say nothing of these.
        "word_documents": (
            stored.array("word_documents", (len(words),), "i") if "word_documents" in stored.arrays else None
        ),
        "vector_scale": _deviation(stored, header["vector_scale"]) if "vector_scale" in header else None,
        "reading": dict(header.get("reading", {})),
        "edits": _edits(stored, [space.topics.n_topics for space in models]),
    }


def _deviation(stored: Stored, written: Any) -> float:
    scale = float(written)
    if not 0 < scale < np.inf:
        raise StorageError(f"{stored.path}: the deviation of distances cannot be {scale}.")
    return scale


def _other_distances(stored: Stored, hott: HOTT) -> tuple[tuple[Distance, ...], tuple[float, ...]]:
    """The distances beside that over topics, none where the file names none, and the factors of all."""
    described = stored.header.get("others", [])
    others = tuple(_kept.distance(stored, told, f"other.{n}", hott) for n, told in enumerate(described))
    factors = tuple(map(float, stored.header.get("factors", [1.0])))
    n = len(others) + 1
    if len(factors) != n or not (np.isfinite(factors).all() and min(factors) >= 0 < max(factors)):
        raise StorageError(f"{stored.path}: its {n} distances have the factors {factors}.")
    return others, factors


def restored_state(stored: Stored, hott: HOTT, others: Sequence[Distance]) -> State:
    """The documents of an open file, as distances that were learned see them.

    What grows with the documents is read, and checked, when it is first used.
    """
    with stored.expected():
        documents = Documents(stored.table("documents", FIELDS, complete=("id", "title", "text")))
        n_documents = len(documents)
        kept = [InFile(partial(_topics, stored, hott, n_documents), stored.checksum("known", "proportions."))]
        for n, other in enumerate(others):
            read = _kept.reader(stored, other, f"other.{n}", n_documents)
            kept.append(InFile(read, stored.checksum(f"other.{n}.")))
        later = stored.array("later", (n_documents,), "b") if "later" in stored.arrays else None
        return State(
            documents,
            WhenUsed(kept),
            PostingsWhenUsed(partial(_postings, stored, n_documents)),
            np.zeros(n_documents, bool) if later is None else later,
            tuple(stored.header["dropped"]),
        )


def _topics(stored: Stored, hott: HOTT, n_documents: int) -> Representation:
    """The documents by their topics."""
    with stored.expected():
        known = _kept.positions(stored, "known", n_documents)
        parts = [
            _kept.distributions(stored, f"proportions.{number}", (len(known), space.topics.n_topics))
            for number, space in enumerate(hott.models_)
        ]
        return Representation.of(*parts, positions=known, n_documents=n_documents)


class PostingsWhenUsed(Postings):
    """Every word of every document, read when a search first asks for it."""

    def __init__(self, read: Callable[[], Postings]) -> None:
        object.__setattr__(self, "_read", read)  # the fields of the class are not there until they are read

    def __getattr__(self, name: str) -> Any:
        if name not in Postings.__dataclass_fields__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        vars(self).update(vars(self._read()))
        return vars(self)[name]

    def __reduce__(self) -> Any:
        return Postings, tuple(getattr(self, name) for name in ("words", *_POSTINGS))


def _edits(stored: Stored, n_topics: list[int]) -> tuple[Edit, ...]:
    """What people changed about the topics."""
    try:
        return tuple(Edit.of(written).check(n_topics) for written in stored.header.get("edits", []))
    except (ValueError, TypeError, KeyError) as error:
        raise StorageError(f"{stored.path} has changes of topics that cannot be: {error}") from None


def _words(stored: Stored, name: str) -> list[str]:
    found: list[str] = stored.table(name, ["word"], complete=["word"]).read()["word"].tolist()
    return found


def _postings(stored: Stored, n_documents: int) -> Postings:
    """Every word of every document."""
    with stored.expected():
        return _checked_postings(stored, n_documents)


def _checked_postings(stored: Stored, n_documents: int) -> Postings:
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
    return Postings(words, starts, documents, arrays["counts"], lengths)
