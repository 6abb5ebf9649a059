"""Models and snapshots as parts of a file, and back. A file may be forged: what it holds is checked."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott import _core
from hott.compute.ground import Distributions, site_type
from hott.corpus import FIELDS
from hott.distances.base import Distance
from hott.distances.representation import Part as RepresentedRows
from hott.distances.representation import Representation
from hott.distances.topic import HOFTT, HOTT
from hott.distances.topic_space import TopicSpace
from hott.distances.vector import (
    L1,
    LSI,
    NBOW,
    SIF,
    TFIDF,
    Cosine,
    DocumentVectors,
    LDADistance,
    MeaningVectors,
)
from hott.distances.word import RWMD, WCD, WMD
from hott.embeddings.encoder import DocumentVectors as BytesOfVectors
from hott.embeddings.encoder import Encoder as BundledEncoder
from hott.embeddings.encoder import NamedEncoder
from hott.embeddings.encoder.named import SHORT_NAMES
from hott.index.compact import are_places, load_topics, load_vectors, topics_to_arrays, vectors_to_arrays
from hott.index.documents import Documents
from hott.index.edits import Edit
from hott.index.model import PARAMETERS, Encoder, Model, ModelOrigin
from hott.index.snapshot import Parts, Snapshot
from hott.index.subject_tree import SubjectTree
from hott.lexical import Postings
from hott.storage import StorageError, Stored
from hott.table.columns import Texts
from hott.table.table import Table
from hott.topics import FittedTopics
from hott.vocabulary import Vocabulary

KIND = "hott index"
VERSION = 4
"""Of the parts and their meaning; the layout of the file has a version of its own."""

SHARD = "hott shard"
"""What a file of documents alone says that it is; another has the model."""

MIN_VERSION = 2
"""That is still read. Its topic proportions are not rounded, and stay so."""

_VOCABULARY = ("language", "stop_words", "min_df", "max_words", "stem")
_PARAMETERS = (*PARAMETERS, "bundled_vectors", "word_forms", "encoder")
_SAMPLED = "sampled_distances"  # the name of the array with distances of some pairs
_TERMS = "terms."  # what the names of the arrays with the statistics of terms begin with
_POSTINGS = ("starts", "documents", "counts", "lengths")
_HOTT = (
    "n_topics", "n_words", "threshold", "p", "n_models", "iterations", "strength", "random_state", "on_empty"
)  # fmt: skip
_DISTANCES: dict[str, type[Distance]] = {
    kind.__name__: kind
    for kind in (
        Cosine, DocumentVectors, HOFTT, L1, LDADistance, LSI, MeaningVectors, NBOW, RWMD, SIF, TFIDF, WCD, WMD
    )
}  # fmt: skip
_SCALES = ("scale", "vector_scale", "own_vector_scale")  # deviations of distances
_OF_THE_INDEX = ("word_vectors", "topic_model")  # parameters that are not kept: the index has them


FileParts: TypeAlias = tuple[dict[str, Any], dict[str, Any], dict[str, Any]]
"""Header, arrays and tables of a file."""


def to_parts(
    model: Model, snapshot: Snapshot, edits: Sequence[Edit] = (), reading: Mapping[str, Any] | None = None
) -> FileParts:
    """Return what is in the file of an index: the model, and the documents."""
    learned = _model_to_parts(model, snapshot, edits, reading or {})
    documents = _snapshot_to_parts(model, snapshot)
    return learned[0] | documents[0], learned[1] | documents[1], learned[2] | documents[2]


def shard_to_parts(model: Model, snapshot: Snapshot) -> FileParts:
    """Return what is in a file of documents alone."""
    header, arrays, tables = _snapshot_to_parts(model, snapshot)
    return header | {"kind": SHARD, "version": VERSION}, arrays, tables


def load_index(
    stored: Stored, encoder: Encoder | str | None = None
) -> tuple[Model, Snapshot, tuple[Edit, ...], dict[str, Any]]:
    """Load a model, its documents, the edits of its topics, and how the documents were read."""
    model = load_model(stored, encoder)
    header = stored.header
    with stored.expect():
        try:
            written = (Edit(**{**one, "topics": tuple(one["topics"])}) for one in header.get("edits", []))
            edits = tuple(edit.check(model.n_topics) for edit in written)
        except (ValueError, TypeError, KeyError) as error:
            raise StorageError(f"{stored.path} has changes of topics that cannot be: {error}") from None
        return model, _load_snapshot(stored, model), edits, dict(header.get("reading", {}))


def check_kind(stored: Stored, kind: str) -> None:
    """Raise StorageError unless the file is of this kind, and of a version that is read."""
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
    if header["version"] < MIN_VERSION:
        raise StorageError(
            f"{stored.path} was saved by hott {stored.library}, whose indexes this version does not read. "
            "Make it again from the documents: hott index FOLDER"
        )


# -- models ----------------------------------------------------------------------------------------------


def _model_to_parts(
    model: Model, snapshot: Snapshot, edits: Sequence[Edit], reading: Mapping[str, Any]
) -> FileParts:
    models = model.hott.models_
    topics = [cast(FittedTopics, space.topics) for space in models]
    header: dict[str, Any] = {
        "kind": KIND,
        "version": VERSION,
        "parameters": dict(model.parameters),
        "vocabulary": {name: model.parameters[name] for name in _VOCABULARY},
        "distance": {name: getattr(model.hott, name) for name in _HOTT},
        "models": [{"inference": learned.inference, "seed": learned.seed} for learned in topics],
        "scale": model.topic_deviation,
        "topic_names": [list(names) for names in model.topic_names],
        "reading": dict(reading),
        "edits": [asdict(edit) for edit in edits],
        "others": [_describe_distance(other) for other in model.distances[1:]],
        "factors": list(model.factors),
    }
    if model.has_vectors:
        header["vector_scale"] = snapshot.vector_deviation(model)
    if model.own_vectors is not None:
        header["own_vector_scale"] = model.own_deviation
    arrays: dict[str, Any] = {"word_counts": model.word_counts}
    if model.word_documents is not None:
        arrays["word_documents"] = model.word_documents
    for in_header, in_arrays in (
        vectors_to_arrays(model.vocabulary, bundled=model.reads_unseen),
        topics_to_arrays(topics),
    ):
        header, arrays = header | in_header, arrays | in_arrays
    for number, (learned, space) in enumerate(zip(topics, models)):
        arrays[f"alpha.{number}"] = learned.alpha
        arrays[f"topic_distances.{number}"] = space.distances
        arrays[f"coherence.{number}"] = model.coherence[number]
    for number, other in enumerate(model.distances[1:]):
        kept = _learned_arrays(other)
        arrays |= {f"other.{number}.learned.{name}": value for name, value in kept.items()}
    return header, arrays, {"words": Table({"word": Texts.of(model.vocabulary.words_.tolist())})}


def load_model(
    stored: Stored, encoder: Encoder | str | None = None, origin: ModelOrigin | None = None
) -> Model:
    """Load what was learned, each part checked against the others."""
    check_kind(stored, KIND)
    with stored.expect():
        return _load_model(stored, encoder, origin)


def _load_model(stored: Stored, encoder: Encoder | str | None, origin: ModelOrigin | None) -> Model:
    header = stored.header
    words = _load_words(stored, "words")
    vectors = load_vectors(stored, words)
    vocabulary = Vocabulary.from_words(words, vectors, **header["vocabulary"])
    vocabulary.transform(["x"])  # wrong settings show when a text is read
    models, coherences = [], []
    topics = load_topics(stored, len(words), len(header["models"]))
    for number, (settings, learned) in enumerate(zip(header["models"], topics)):
        n_topics = learned.shape[0]
        alpha = stored.array(f"alpha.{number}", (n_topics,))
        costs = stored.array(f"topic_distances.{number}", (n_topics, n_topics))
        good = np.isfinite(costs).all() and costs.min(initial=0) >= 0
        stored.require(good, f"the part 'topic_distances.{number}' does not hold distances.")
        has_seed = isinstance(settings["seed"], int) and 0 <= settings["seed"] < 2**63
        stored.require(has_seed, f"the model {number} has no seed: {settings['seed']!r:.40}.")
        models.append(TopicSpace(FittedTopics(learned, alpha, **settings), costs))
        coherences.append(stored.array(f"coherence.{number}", (n_topics,)))
    # Files of before say nothing of the encoder, nor of the forms of words: German ones lost their -er.
    written: dict[str, Any] = {"encoder": None, "word_forms": 1, **header["parameters"]}
    if header["version"] == MIN_VERSION:
        written["exact_proportions"] = True
    parameters = {name: written[name] for name in _PARAMETERS}
    parameters["word_forms"] = int(parameters["word_forms"])
    as_said = len(models) == parameters["n_models"]
    stored.require(as_said, f"it has {len(models)} topic models, not as many as it says.")
    has_own = vectors is not None or not parameters["bundled_vectors"]
    stored.require(has_own, "it has no word vectors, though it says that it has those of hott.")
    names = [[str(name) for name in names] for names in header["topic_names"]]
    is_named = [len(one) for one in names] == [space.topics.n_topics for space in models]
    stored.require(is_named, "it has other names of topics than topics.")
    hott = HOTT.from_models(models, word_vectors=vectors, **header["distance"])
    # Beside that over topics; files of before name none.
    described = header.get("others", [])
    others = tuple(_load_distance(stored, one, f"other.{n}", hott) for n, one in enumerate(described))
    factors, n = tuple(map(float, header.get("factors", [1.0]))), len(others) + 1
    good = len(factors) == n and np.isfinite(factors).all() and min(factors) >= 0 < max(factors)
    stored.require(good, f"its {n} distances have the factors {factors}.")
    deviations = {name: float(header[name]) for name in _SCALES if name in header}  # files of before: fewer
    for deviation in deviations.values():
        stored.require(0 < deviation < np.inf, f"the deviation of distances cannot be {deviation}.")
    if isinstance(encoder, str):
        encoder = NamedEncoder(encoder)
    elif encoder is None and parameters["encoder"] in SHORT_NAMES.values() and NamedEncoder.is_installed():
        encoder = NamedEncoder(str(parameters["encoder"]))  # another name, perhaps forged, loads nothing
    model = Model(
        vocabulary=vocabulary,
        distances=(hott, *others),
        factors=factors,
        topic_deviation=deviations["scale"],
        vector_deviation=deviations.get("vector_scale"),
        own_deviation=deviations.get("own_vector_scale", 1.0),
        word_counts=stored.array("word_counts", (len(words),), "i"),
        word_documents=(
            stored.array("word_documents", (len(words),), "i") if "word_documents" in stored.arrays else None
        ),
        coherence=tuple(coherences),
        topic_names=tuple(map(tuple, names)),
        parameters=parameters,
        encoder=encoder,
        origin=origin,
    )
    if model.has_vectors and model.searched_vectors is not model.vectors:
        name, missing = parameters["encoder"], "an encoder of your own: give it to hott.open"
        if name not in (None, "vectors", "function"):
            missing = f'{name!r:.80}, which needs pip install "hott[encoder]"'
            missing += "" if name in SHORT_NAMES.values() else " and its name, given to hott.open"
        ways = "words and topics" if model.own_vectors is None else "words, topics and the encoder of hott"
        warnings.warn(
            f"{stored.path} has vectors of its documents by {missing}. Without it, search goes by {ways}.",
            stacklevel=2,
        )
    model.analyzer.forms("x")  # wrong settings of search by words show when a text is read
    return model


def _describe_distance(other: Distance) -> dict[str, Any]:
    """Return what the header says of a distance beside that over topics."""
    kind = type(other).__name__
    if _DISTANCES.get(kind) is not type(other):
        raise ValueError(
            f"An index with a distance of your own, {kind}, cannot be saved: only those of hott can be."
        )
    parameters = {
        name: value for name, value in other.get_params(deep=False).items() if name not in _OF_THE_INDEX
    }
    return {"kind": kind, "parameters": parameters, "parts": _n_parts(other)}


def _load_distance(stored: Stored, described: dict[str, Any], name: str, hott: HOTT) -> Distance:
    """Load a distance beside that over topics."""
    kind = _DISTANCES[described["kind"]]
    n_words = hott.n_features_in_
    other: Distance
    if kind is HOFTT:
        from hott.index.build import hoftt_of

        other = hoftt_of(hott)
    elif issubclass(kind, DocumentVectors):
        other = kind()
        if isinstance(other, MeaningVectors):
            centre = stored.array(f"{name}.learned.centre_", (BundledEncoder.dimensions,))
            other.centre_ = _check_finite(stored, centre).astype(np.float32, copy=False)
    else:
        own: dict[str, Any] = {"word_vectors": hott.word_vectors, "topic_model": hott.models_[0].topics}
        names = kind().get_params(deep=False)
        other = kind(**described["parameters"], **{key: own[key] for key in own if key in names})
        # Fitted on documents of a word each; then what was learned takes the place of that.
        other.fit_counts(sparse.csr_array(np.eye(2, n_words) + np.eye(2, n_words, 1)))
        for learned, value in _learned_arrays(other).items():
            shape: tuple[int | None, ...] = value.shape
            if learned == "components_":  # as many as were asked for
                shape = (None, n_words)
            setattr(other, learned, _check_finite(stored, stored.array(f"{name}.learned.{learned}", shape)))
    good = described["parts"] == _n_parts(other)
    stored.require(good, f"the part {name!r} has {described['parts']!r:.40} parts.")
    return other


def _n_parts(other: Distance) -> int:
    return len(other.models_) if isinstance(other, HOTT) else 1


def _learned_arrays(other: Distance) -> dict[str, NDArray[np.float64]]:
    """Return the arrays that a distance learned, but for the vectors of words, which the index has."""
    return {
        name: value
        for name, value in vars(other).items()
        if isinstance(value, np.ndarray) and name != "word_vectors_" and name.endswith("_")
    }


# -- snapshots -------------------------------------------------------------------------------------------


def _part_to_arrays(name: str, part: Representation) -> dict[str, Any]:
    """Return documents as a distance sees them: their positions, and their rows for each of its parts."""
    where, rows_name = _array_names(name)
    arrays: dict[str, Any] = {where: part.positions.astype(np.int64)}
    for number, rows in enumerate(part.parts):
        own = f"{rows_name}.{number}"
        if isinstance(rows, Distributions) and rows.is_compact:
            sizes, kept = np.diff(rows.starts), slice(rows.starts[0], rows.starts[-1])
            arrays[f"{own}.sizes"] = sizes.astype(site_type(int(sizes.max(initial=0)) + 1))
            arrays[f"{own}.sites"], arrays[f"{own}.masses"] = rows.sites[kept], rows.masses[kept]
        elif isinstance(rows, Distributions):
            arrays[own] = rows.csr
        else:
            arrays[own] = rows.codes if isinstance(rows, BytesOfVectors) else rows
    return arrays


def _array_names(name: str) -> tuple[str, str]:
    """Return how the arrays of a part are called: that of the positions, and those of the rows."""
    return ("known", "proportions") if name == "topics" else (f"{name}.positions", f"{name}.documents")


def _load_part(stored: Stored, name: str, model: Model, n_documents: int) -> Representation:
    where, rows_name = _array_names(name)
    distance = model.distances[model.distance_names.index(name)]
    positions = stored.array(where, (None,), "i")
    stored.require(are_places(positions, n_documents), f"the part {where!r} does not name documents.")
    rows = [
        _load_rows(stored, f"{rows_name}.{number}", distance, number, len(positions))
        for number in range(_n_parts(distance))
    ]
    return Representation.of(*rows, positions=positions, n_documents=n_documents)


class StoredParts(Parts):
    """Parts in a file, each read and checked when it is first used."""

    def __init__(self, stored: Stored, model: Model, n_documents: int) -> None:
        super().__init__()
        self.stored, self.model, self.n_documents, self.names = stored, model, n_documents, model.part_names

    def load(self, name: str) -> Any:
        stored, n = self.stored, self.n_documents
        with stored.expect():
            if name == "postings":
                return _load_postings(stored, n)
            if name in self.names:
                return _load_part(stored, name, self.model, n)
            if name == "subjects" and name in stored.header:
                leaf, links = (stored.arrays[f"subjects.{own}"] for own in ("leaf", "links"))
                return SubjectTree.from_parts(stored.header["subjects"], leaf, links, n)
            if name == "distances" and _SAMPLED in stored.arrays:  # not of a distance that is not explained
                found = stored.array(_SAMPLED, (None,), "f")
                good = np.isfinite(found).all() and (np.diff(found) >= 0).all()
                stored.require(good, f"the part {_SAMPLED!r} does not hold sorted distances.")
                return found.astype(np.float32)
            counted = {
                own.removeprefix(_TERMS): stored.take(own)  # what is made of it is kept
                for own in stored.arrays
                if own.startswith(_TERMS)
            }
            if name == "terms" and counted:
                from hott.terms import TermStatistics

                terms = TermStatistics.from_arrays(self.model.parameters["language"], counted)
                stored.require(terms.n_documents == n, f"its terms are of {terms.n_documents:,} documents.")
                return terms
            return None  # a file of before

    def checksum(self, name: str) -> str | None:
        return self.stored.checksum(*(("known", "proportions.") if name == "topics" else (f"{name}.",)))


def _snapshot_to_parts(model: Model, snapshot: Snapshot) -> FileParts:
    counted = snapshot.terms(model).to_arrays()
    arrays: dict[str, Any] = {f"{_TERMS}{name}": value for name, value in counted.items()}
    for name in model.distance_names:
        arrays |= _part_to_arrays(name, snapshot.parts[name])
    arrays |= {f"postings.{key}": getattr(snapshot.postings, key) for key in _POSTINGS}
    arrays["later"] = snapshot.added_after_fit
    if (distances := snapshot.distances(model)) is not None:
        arrays[_SAMPLED] = distances
    tables = {
        "all_words": Table({"word": Texts.of(snapshot.postings.words.tolist())}),
        "documents": snapshot.documents.batches(),
    }
    header: dict[str, Any] = {"dropped": list(snapshot.dropped)}
    if (subjects := snapshot.subjects) is not None:
        header["subjects"], more_arrays = subjects.to_parts()
        arrays |= {f"subjects.{name}": value for name, value in more_arrays.items()}
    return header, arrays, tables


def load_shard(stored: Stored, model: Model) -> Snapshot:
    """Load documents from an open file of a shard."""
    check_kind(stored, SHARD)
    with stored.expect():
        return _load_snapshot(stored, model)


def _load_snapshot(stored: Stored, model: Model) -> Snapshot:
    documents = Documents(stored.table("documents", FIELDS, complete=("id", "title", "text")))
    n = len(documents)
    later = stored.array("later", (n,), "b") if "later" in stored.arrays else np.zeros(n, bool)
    return Snapshot(documents, later, tuple(stored.header["dropped"]), StoredParts(stored, model, n))


def _load_words(stored: Stored, name: str) -> list[str]:
    found: list[str] = stored.table(name, ["word"], complete=["word"]).read()["word"].tolist()
    return found


def _load_postings(stored: Stored, n_documents: int) -> Postings:
    words = np.array(_load_words(stored, "all_words"), dtype=object)
    arrays = {name: stored.array(f"postings.{name}", (None,), "iu") for name in _POSTINGS}
    starts, documents, lengths = arrays["starts"], arrays["documents"], arrays["lengths"]
    good = len(starts) == len(words) + 1 and starts[0] == 0 and starts[-1] == len(documents)
    good = good and (np.diff(starts) >= 0).all() and len(documents) == len(arrays["counts"])
    good = good and len(lengths) == n_documents and lengths.min(initial=0) >= 0
    good = good and arrays["counts"].min(initial=1) > 0
    good = good and documents.dtype == np.int32 and arrays["counts"].dtype in (np.uint8, np.uint16, np.int32)
    good = good and starts.dtype == lengths.dtype == np.int64
    good = good and 0 <= documents.min(initial=0) <= documents.max(initial=0) < max(len(lengths), 1)
    stored.require(good, "the part 'postings' does not hold the words of documents.")
    return Postings(words, starts, documents, arrays["counts"], lengths)


def _load_rows(stored: Stored, name: str, other: Distance, number: int, n_rows: int) -> RepresentedRows:
    """Load documents as a distance sees them: of the form that it gives, and safe for compiled code."""
    if isinstance(other, MeaningVectors):
        codes = stored.array(name, (n_rows, len(other.centre_)), "i")
        stored.require(codes.dtype == np.int8, f"the part {name!r} does not hold vectors of documents.")
        return BytesOfVectors(codes, other.centre_)
    if isinstance(other, DocumentVectors):
        return _check_finite(stored, stored.array(name, (n_rows, None)))
    if isinstance(other, HOTT):
        return _load_distributions(stored, name, (n_rows, other.models_[number].topics.n_topics))
    form = other.represent(sparse.csr_array(np.ones((1, other.n_features_in_)))).parts[0]
    if isinstance(form, np.ndarray):
        return _check_finite(stored, stored.array(name, (n_rows, form.shape[1])))
    matrix = stored.matrix(name, (n_rows, form.shape[1]))  # type: ignore[union-attr]
    good = matrix.has_canonical_format and (np.isfinite(matrix.data) & (matrix.data >= 0)).all()
    stored.require(good, f"the part {name!r} does not hold weights of words.")
    return matrix


def _check_finite(stored: Stored, values: NDArray[np.float64]) -> NDArray[np.float64]:
    stored.require(np.isfinite(values).all(), "some numbers in it are NaN or infinite.")
    return values


def _load_distributions(stored: Stored, name: str, shape: tuple[int, int]) -> Distributions:
    """Load topic proportions, as they are.

    They were checked and scaled before they were saved. ``Distributions.of`` would scale them once more, and
    their last bits would change; what is checked here is what compiled code relies on.
    """
    if f"{name}.sizes" in stored.arrays:
        sizes = stored.array(f"{name}.sizes", (shape[0],), "iu")
        starts = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        n = int(starts[-1])
        sites, masses = (stored.array(f"{name}.{what}", (n,), "iu") for what in ("sites", "masses"))
        good = sites.dtype == site_type(shape[1]) and masses.dtype == np.uint16 and sizes.min(initial=1) > 0
        good = good and _core.is_sound((starts, sites, masses), shape[1])
    else:
        matrix = stored.matrix(name, shape)
        starts, sites, masses = matrix.indptr, matrix.indices.astype(np.int32, copy=False), matrix.data
        sums = np.add.reduceat(masses, starts[:-1]) if len(masses) else np.ones(0)
        good = (np.diff(starts) > 0).all() and len(sums) == shape[0] and (abs(sums - 1) < 1e-6).all()
        good = good and matrix.has_canonical_format and masses.min(initial=1) > 0
    stored.require(good, f"the part {name!r} does not hold topic proportions.")
    return Distributions(starts.astype(np.int64, copy=False), sites, masses, shape[1])
