"""What an exported page needs of an index to compute its answers, packed: small, the same bytes each time."""

import base64
import zlib
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hott import embeddings
from hott.distances.vector import L1, MeaningVectors
from hott.embeddings.bundled import BundledVectors
from hott.embeddings.encoder.model import BUNDLED
from hott.embeddings.encoder.packed import PackedEncoder
from hott.explorer import schemas
from hott.explorer.answers import LIKENESS, Answers
from hott.explorer.highlight import utf16_places
from hott.index.comparing import sample_distances
from hott.lexical import Language
from hott.lexical.compounds import LINKS
from hott.terms import find_terms
from hott.text.languages import stemmer
from hott.text.tokens import tokenize
from hott.topics.fitted import BURN_IN, FIXED_POINT_STEPS, SWEEPS, FittedTopics
from hott.utils.progress import Report
from hott.utils.run import Run

if TYPE_CHECKING:
    from hott.index import Index

VECTORS_AT_MOST = 2_400_000
"""Bytes for vectors that do not come with the library; longer ones are rounded to one byte a number."""

_TERMS = 60  # of a document, the most special, and
_SPANS = 12  # places of each
_EVERY = 10  # of the distances of random pairs is packed
_COLUMNS = 64  # of the table of the encoder that are packed together, so that it comes in pieces


class Part(NamedTuple):
    """A piece of data: what its bytes are, and the bytes, deflated."""

    kind: str  # i1, u1, u2, i4, f4, f8, json or bytes
    deflated: bytes

    @classmethod
    def of(cls, value: Any) -> "Part":
        """Pack an array, bytes, or anything that JSON can hold."""
        if isinstance(value, np.ndarray):
            kind = value.dtype.str[1:].replace("i2", "i4")
            return cls(kind, zlib.compress(np.ascontiguousarray(value).astype(f"<{kind}").tobytes(), 6))
        if isinstance(value, bytes):
            return cls("bytes", zlib.compress(value, 9))
        return cls("json", zlib.compress(schemas.to_json(value), 9))

    @property
    def script(self) -> list[str]:
        """The kind and the bytes, as text that a script can hold."""
        return [self.kind, base64.b64encode(self.deflated).decode()]


def pack(answers: Answers, report: Report | None = None, *, has_meaning: bool = False) -> dict[str, Part]:
    """Pack all parts of an index by name; static/offline/*.js read them.

    The page says what it cannot find as the server does; ``has_meaning`` tells that this one has vectors.
    """
    index = answers.index
    forms, postings = index.model.analyzer, index.snapshot.postings
    searched = (f"{document.title}\n{document.text}" for document in _all(index))
    tokens = sorted({token for text in searched for token in tokenize(text)} - forms.stop_words)
    parts: dict[str, Any] = {
        "answers": _fixed_answers(answers),
        "table": answers.rows(schemas.RowsRequest.model_validate({"text": True}))["columns"],
        "words": index.vocabulary.words_.tolist(),
        "tokens": tokens,
        "forms": [forms.form(token) for token in tokens],
        "forms_had": postings.words.tolist(),
        "spellings": index.searcher.parser.matcher.find_spellings(postings.words.tolist()),
        "had_by": np.diff(postings.starts).astype(np.int32),
        "having": postings.documents,
        "times": postings.counts,
        "lengths": postings.lengths.astype(np.int32),
        "positions": index.snapshot.topics.positions.astype(np.int32),
        "sample": _sample(index),
        **_terms(index),
    }
    if index.model.reads_unseen:
        chances = Language.at_large(forms).chances
        parts["common"], parts["chances"] = [*chances], np.array([*chances.values()])
    if index.vocabulary.stem:
        language = index.vocabulary.stem
        stem = stemmer(index.vocabulary.language_ if language is True else language)
        parts["stems"] = [stem(token) for token in tokens]
    limits = _limits(index, has_meaning and not index.model.has_vectors)
    settings = _settings(index) | {"stop_words": sorted(forms.stop_words), "limits": limits}
    for pack_more in (_words_distance, _vectors, _meaning, _topics, _proportions):
        more = pack_more(index)
        settings |= more.pop("settings", {})
        parts |= more
    found: dict[str, Part] = {}
    for name, value in {**parts, "settings": settings}.items():
        found[name] = Part.of(value)
        if report:
            report(len(found), len(parts) + 1)
    return found


# -- documents -------------------------------------------------------------------------------------------


def _all(index: "Index") -> Any:
    return index.documents[np.arange(len(index))]


def _sample(index: "Index") -> NDArray[np.floating]:
    """Return some distances of random pairs in ascending order."""
    found = sample_distances(index.searcher, Run())
    return np.empty(0) if found is None else found[::_EVERY]


def _terms(index: "Index") -> dict[str, Any]:
    """Pack the terms of each document as it writes them, the numbers of their words, and its sentences."""
    statistics = index.term_statistics
    numbers: dict[int, int] = {}
    packed_terms: list[dict[str, Any]] = []
    for document in _all(index):
        found = find_terms(document.text, statistics, document.title)
        place = utf16_places(document.text)
        packed_terms.append(
            {
                "terms": [
                    [
                        term.text,
                        round(-term.weight if term.is_minor else term.weight, 2),
                        [numbers.setdefault(word, len(numbers)) for word in term.words],
                        [place[end] for span in term.spans[:_SPANS] for end in span],
                    ]
                    for term in found.terms[:_TERMS]
                ],
                "names": [term.text for term in found.terms[_TERMS:] if term.text != term.text.lower()],
                "title": sorted(found.mentions),
                "sentences": [
                    place[end]
                    for span, is_prose in zip(found.sentences, found.is_prose)
                    if is_prose
                    for end in span
                ],
            }
        )
    for one in packed_terms:  # of the words beside a document's terms, those that others tell
        one["title"] = [numbers[word] for word in one["title"] if word in numbers]
    own = [numbers.get(statistics.key(word), -1) for word in index.vocabulary.words_.tolist()]
    return {"terms": packed_terms, "word_terms": np.array(own, np.int32)}


def _fixed_answers(answers: Answers) -> dict[str, Any]:
    """Collect the answers that are small and always the same."""
    columns = [info["name"] for info in answers.corpus()["columns"] if info["type"] != "text"]
    return {
        "api/corpus": answers.corpus(),
        "api/map": answers.map(),
        "api/names": answers.names(),
        "api/subjects": answers.subjects(),
        "api/duplicates": answers.duplicates(LIKENESS),
        "api/topics": [answers.topics(model) for model in range(answers.corpus()["models"])],
        "api/column": [answers.column(name) for name in columns],
    }


# -- distances -------------------------------------------------------------------------------------------


def _settings(index: "Index") -> dict[str, Any]:
    hott = index.hott
    models = []
    for space in hott.models_:
        topics = space.topics
        if not isinstance(topics, FittedTopics):
            raise ValueError(
                "This index has topics of a foreign model, which an exported page cannot read texts by."
            )
        models.append(
            {
                "topics": topics.n_topics,
                "alpha": topics.alpha.astype(float).tolist(),
                "gibbs": topics.inference == "gibbs",
                "seed": topics.seed,
                "threshold": 1 / (topics.n_topics + 1) if hott.threshold == "auto" else hott.threshold or 0.0,
            }
        )
        if topics.counts is not None:
            models[-1] |= {"eta": topics.counts.eta, "strength": topics.counts.strength}
    sampled = any(model["gibbs"] for model in models)
    return {
        "models": models,
        "p": hott.p,
        "steps": SWEEPS if sampled else FIXED_POINT_STEPS,
        "burn_in": BURN_IN,
        "scale": index.model.topic_deviation,
        "farthest": max(float(space.distances.max()) for space in hott.models_),
        "leader": index.curation().leader.tolist(),
        "reads_unseen": index.model.reads_unseen,
        "stem": index.model.analyzer.language,
        "rounds": all(part.is_compact for part in index.snapshot.topics.distributions),
    }


def _words_distance(index: "Index") -> dict[str, Any]:
    """Pack what unlike words add to distances; any other distance beside topics is left out."""
    model = index.model
    for distance, factor in zip(model.distances[1:], model.factors[1:]):
        if isinstance(distance, L1) and factor and model.factors[0]:
            factors = {"topics_factor": model.factors[0], "words_factor": factor}
            return {
                "settings": factors,
                "idf": np.broadcast_to(distance.idf_, len(index.model.word_counts)).astype(float),
            }
    return {"settings": {"topics_factor": 1.0, "words_factor": 0.0}}


def _proportions(index: "Index") -> dict[str, Any]:
    """Pack the exact topic proportions of the documents and distances between topics."""
    found: dict[str, Any] = {}
    for number, (part, space) in enumerate(zip(index.snapshot.topics.distributions, index.hott.models_)):
        rows = part.csr
        found[f"lengths_{number}"] = np.diff(rows.indptr).astype(np.uint16)
        found[f"sites_{number}"] = rows.indices.astype(np.uint16)
        found[f"masses_{number}"] = rows.data.astype(float)
        found[f"distances_{number}"] = space.distances.astype(float).ravel()
    return found


# -- meaning ---------------------------------------------------------------------------------------------


def _vectors(index: "Index") -> dict[str, Any]:
    """Pack the vectors of words that do not come with the library; of others the page has the words."""
    vectors, words = index.vocabulary.packed_vectors_, index.vocabulary.words_.tolist()
    if vectors is None or index.hott.word_vectors is None:
        return {"settings": {"dimensions": 0}}
    own: NDArray[np.integer] = np.arange(len(words))
    rest = np.asarray(vectors, np.float32)
    if index.model.reads_unseen and (found := BundledVectors.of(words, vectors)) is not None:
        own, rest = found.own, found.vectors
    exact = rest.nbytes <= VECTORS_AT_MOST
    scale = np.ones(len(rest)) if exact else np.maximum(np.abs(rest).max(axis=1, initial=0), 1e-30) / 127
    kept = rest if exact else (np.rint(rest / scale[:, None]) + 128).astype(np.uint8)
    return {
        "settings": {"dimensions": vectors.shape[1], "vector_zero": 0 if exact else 128},
        "own_words": own.astype(np.int32),
        "own_scales": scale.astype(float),
        "own_vectors": kept.ravel(),
    }


def _meaning(index: "Index") -> dict[str, Any]:
    """Pack the vectors of the documents that the encoder made."""
    model = index.model
    if not isinstance(model.distances[-1], MeaningVectors):
        return {"settings": {"meaning_factor": 0.0}}
    deviation = model.vector_deviation or index.snapshot.vector_deviation(model)
    vectors: Any = index.snapshot.parts[model.distance_names[-1]].parts[0]
    return {
        "settings": {"meaning_factor": model.factors[-1], "meaning_deviation": deviation},
        "meaning": vectors.codes.ravel(),
        "meaning_scales": vectors.scales,
        "centre": vectors.centre,
    }


def _limits(index: "Index", without_meaning: bool) -> list[str]:
    """Say where the page cannot find what the server finds."""
    forms, told = index.model.analyzer, list[str]()
    if without_meaning:
        told.append("This page searches by words and topics alone: hott explore searches by meaning, too")
    if forms.language in LINKS:
        told.append("This page takes no words apart: hott explore finds parts of compounds")
    if forms.others:
        told.append("This page reads every text as one language: hott explore tells its languages apart")
    return told


def pack_language(has_words: bool, has_meaning: bool) -> dict[str, dict[str, Part]]:
    """Pack what comes with the library, file by file: words with their vectors, and the encoder.

    It is the same for all indexes, and loaded when something is searched for first.
    """
    found: dict[str, dict[str, Part]] = {}
    if has_words:
        language = embeddings.default()
        found["language"] = {"language": Part.of(list(language))}
        for number, stage in enumerate(language.packed.stages if language.packed is not None else ()):
            found[f"vectors-{number}"] = {
                f"codes_{number}": Part.of(stage.codes.ravel()),
                f"parts_{number}": Part.of(stage.codes.shape[1]),
                f"centres_{number}": Part.of(stage.centres.astype(np.float32).ravel()),
            }
    return found | (_pack_encoder() if has_meaning else {})


def _pack_encoder() -> dict[str, dict[str, Part]]:
    """Pack the encoder as csrc/wasm.cpp reads it."""
    encoder = PackedEncoder.load(BUNDLED)
    numbers: list[Any] = [encoder.table_scale, encoder.word_weight, encoder.left, encoder.right, encoder.gate]
    layers = [array for layer in encoder.layers for part in layer for array in part]
    numbers += [[encoder.gate_bias], *(array for array in layers if array.dtype != np.int8)]
    weights = [array.ravel() for array in layers if array.dtype == np.int8]
    found = {
        "encoder": {
            "encoder_words": Part.of(list(encoder.words)),
            "encoder_numbers": Part.of(np.concatenate(numbers).astype(np.float32)),
            "encoder_weights": Part.of(np.concatenate(weights)),
        }
    }
    for number, first in enumerate(range(0, encoder.table.shape[1], _COLUMNS)):
        columns = np.ascontiguousarray(encoder.table[:, first : first + _COLUMNS].T).tobytes()
        # As in the file: Huffman codes alone are smaller than with a search for repetitions.
        deflate = zlib.compressobj(9, zlib.DEFLATED, 15, 9, zlib.Z_HUFFMAN_ONLY)
        part = Part("i1", deflate.compress(columns) + deflate.flush())
        found[f"encoder-{number}"] = {f"encoder_table_{number}": part}
    return found


# -- topics ----------------------------------------------------------------------------------------------


def _topics(index: "Index") -> dict[str, Any]:
    """Pack how probable each word is under each topic, or what was drawn, of which the page makes that."""
    found: dict[str, Any] = {}
    first = index.hott.models_[0].topics.counts
    for number, space in enumerate(index.hott.models_):
        topics = space.topics
        if topics.counts is None:
            found[f"topics_{number}"] = topics.components.T.astype(np.float32).ravel()
            continue
        drawn = topics.counts.drawn
        found[f"drawn_lengths_{number}"] = np.diff(drawn.indptr).astype(np.uint16)
        found[f"drawn_topics_{number}"] = drawn.indices.astype(np.uint16)
        found[f"drawn_{number}"] = drawn.data.astype(np.int32)
        found[f"sums_{number}"] = topics.counts.sums
        near = topics.counts.near
        if number == 0 or first is None or near is not first.near:  # else those of the first are its own
            found[f"lenders_{number}"] = near.words.ravel()
            found[f"lent_{number}"] = near.weights.ravel()
    return found
