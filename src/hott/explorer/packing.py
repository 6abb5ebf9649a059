"""What an exported page needs of an index to compute its answers, packed: small, the same bytes each time."""

import base64
import json
import zlib
from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from hott import embeddings
from hott.distances.vector import L1
from hott.explorer.answers import LIKENESS, Answers
from hott.explorer.highlight import utf16_places
from hott.explorer.selection import format_value
from hott.index.comparing import sample_distances
from hott.lexical import Language
from hott.lexical.matching import SPELLED
from hott.terms import find_terms
from hott.text.languages import stemmer
from hott.text.tokens import tokenize
from hott.topics.fitted import BURN_IN, FIXED_POINT_STEPS, SWEEPS, FittedTopics
from hott.utils.progress import Report
from hott.utils.run import Run

if TYPE_CHECKING:
    from hott.index import Index

OUTSIDE = 10_000
"""Frequent words outside the vocabulary whose vectors are packed, so that queries may use them."""

TOPICS_AT_MOST = 2_700_000
VECTORS_AT_MOST = 2_400_000
"""Bytes for the topics and for the vectors of all words. They are kept as exactly as that allows."""

# As they are; in so many steps; in a few steps for a part of the words, the frequent ones. The others are
# read by the words near them in meaning, as words are that no document has. Rare words are what a search is
# about, so that few steps for all of them come before many for some.
_STEPS = (0, 4095, 255, 60, 20, 10, 6)
_PLANS = (
    *((levels, 1.0) for levels in _STEPS),
    *((_STEPS[-1], tenths / 10) for tenths in range(9, 0, -1)),
)
POWER = 0.7  # of the probabilities that the steps are equal in: small ones need smaller steps
_TERMS = 60  # of a document, the most special, and
_SPANS = 12  # places of each
_EVERY = 10  # of the distances of random pairs is packed
_ONE_IN = 16  # words by which the size of a plan is judged


class Part(NamedTuple):
    """A piece of data: what its bytes are, and the bytes, deflated."""

    kind: str  # u1, u2, i4, f4, f8, json or bytes
    deflated: bytes

    @classmethod
    def of(cls, value: Any) -> "Part":
        """Pack an array, bytes, or anything that JSON can hold."""
        if isinstance(value, np.ndarray):
            kind = value.dtype.str[1:].replace("i2", "i4")
            return cls(kind, zlib.compress(np.ascontiguousarray(value).astype(f"<{kind}").tobytes(), 6))
        if isinstance(value, bytes):
            return cls("bytes", zlib.compress(value, 9))
        text = json.dumps(value, default=_plain, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return cls("json", zlib.compress(text.encode(errors="replace"), 9))

    @property
    def script(self) -> list[str]:
        """The kind and the bytes, as text that a script can hold."""
        return [self.kind, base64.b85encode(self.deflated).decode()]


def pack(answers: Answers, report: Report | None = None) -> dict[str, Part]:
    """Pack all parts of an index by name; static/offline/*.js read them."""
    index = answers.index
    forms = index.model.analyzer
    tokens = sorted(
        {token for text in _searchable_words(index) for token in tokenize(text)} - forms.stop_words
    )
    outside = _outside(index) if index.model.reads_unseen else []
    parts: dict[str, Any] = {
        "answers": _fixed_answers(answers),
        "titles": list(index.documents.titles),
        "texts": [document.text for document in _all(index)],
        "columns": [_columns(document.columns) for document in _all(index)],
        "words": index.vocabulary.words_.tolist(),
        "word_counts": index.model.word_counts.astype(np.int32),
        "tokens": [*tokens, *outside],
        "forms": [_ending(token, forms.form(token)) for token in (*tokens, *outside)],
        "extra": outside,
        "right": _right_words(index, {*tokens, *outside}) if index.model.reads_unseen else [],
        "positions": index.snapshot.topics.positions.astype(np.int32),
        "sample": _sample(index),
        **_terms(index),
    }
    if index.model.reads_unseen:
        chances = Language.at_large(forms).chances
        common = [chances.get(forms.form(token), 0.0) for token in (*tokens, *outside)]
        parts["chances"] = np.array(common, float)
    if index.vocabulary.stem:
        language = index.vocabulary.stem
        stem = stemmer(index.vocabulary.language_ if language is True else language)
        parts["stems"] = [_ending(token, stem(token)) for token in (*tokens, *outside)]
    if index.model.word_documents is not None:
        parts["word_documents"] = np.asarray(index.model.word_documents).astype(np.int32)
    settings = _settings(index) | {"stop_words": sorted(forms.stop_words)}
    for more in (_words_distance(index), _vectors(index, outside), _topics(index), _proportions(index)):
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


def _searchable_words(index: "Index") -> list[str]:
    """Return the title and text of each document, which search by words reads."""
    return [f"{document.title}\n{document.text}" for document in _all(index)]


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


def _columns(values: Any) -> dict[str, str]:
    return {name: format_value(value) for name, value in values.items() if value is not None}


def _fixed_answers(answers: Answers) -> dict[str, Any]:
    """Collect the answers that are small and always the same."""
    columns = [info.name for info in answers.corpus.columns if info.type != "text"]
    return {
        "api/corpus": answers.corpus,
        "api/map": answers.map(),
        "api/names": answers.names(),
        "api/subjects": answers.subjects(),
        "api/duplicates": answers.duplicates(LIKENESS),
        "api/topics": [answers.topics(model) for model in range(answers.corpus.models)],
        "api/column": [answers.column(name) for name in columns],
    }


def _ending(word: str, form: str) -> str:
    """Encode a form by how many letters to cut off the word and what to put there; "" for the word itself.

    Examples
    --------
    >>> _ending("penalty", "penalti"), _ending("kick", "kick")
    ('1i', '')
    """
    if word == form:
        return ""
    # JavaScript counts letters beyond the basic plane twice.
    wide, short = (text.encode("utf-16-le") for text in (word, form))
    same = next(
        (i for i in range(0, min(len(wide), len(short)), 2) if wide[i : i + 2] != short[i : i + 2]), None
    )
    same = min(len(wide), len(short)) if same is None else same
    return f"{(len(wide) - same) // 2}{short[same:].decode('utf-16-le')}"


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
    sampled = any(model["gibbs"] for model in models)
    return {
        "models": models,
        "p": hott.p,
        "steps": SWEEPS if sampled else FIXED_POINT_STEPS,
        "burn_in": BURN_IN,
        "scale": index.model.topic_deviation,
        "farthest": max(float(space.distances.max()) for space in hott.models_),
        "total_words": int(index.model.word_counts.sum()),
        "leader": index.curation().leader.tolist(),
        "reads_unseen": index.model.reads_unseen,
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


# -- word vectors ----------------------------------------------------------------------------------------


def _outside(index: "Index") -> list[str]:
    """Return the most frequent bundled words that are neither in the vocabulary nor stop words."""
    stopped, words = index.model.analyzer.stop_words, index.vocabulary.vocabulary_
    found = (word for word in embeddings.default() if word not in words and word not in stopped)
    return [word for _, word in zip(range(OUTSIDE), found)]


def _right_words(index: "Index", known: set[str]) -> list[str]:
    """Return the other words that search takes for what they are, and not for misspelt."""
    return sorted({*islice(embeddings.default(), SPELLED)} - known - index.model.analyzer.stop_words)


def _vectors(index: "Index", outside: Sequence[str]) -> dict[str, Any]:
    """Pack the vectors of the vocabulary and of words outside it; bundled ones by their codes."""
    vectors, words = index.vocabulary.vectors_, index.vocabulary.words_.tolist()
    if vectors is None or index.hott.word_vectors is None:
        return {"settings": {"dimensions": 0}}
    bundled = embeddings.default() if index.model.reads_unseen else None
    rows, codes = np.full(len(words), -1), None
    if bundled is not None and bundled.packed is not None:
        rows, codes = bundled.rows(words), bundled.packed
        known = np.flatnonzero(rows >= 0)
        differ = (codes[rows[known]] != vectors[known]).any(axis=1)  # stems have the means of vectors
        rows[known[differ]] = -1
    same = np.flatnonzero(rows >= 0)
    same = same[np.argsort(rows[same], kind="stable")]  # a stage covers the first so many
    others = np.flatnonzero(rows < 0)
    place = np.zeros(len(words), np.int32)
    place[same], place[others] = np.arange(len(same)), -1 - np.arange(len(others))
    found: dict[str, Any] = {"vector_place": place}
    groups, room = [rows[same]], VECTORS_AT_MOST
    if bundled is not None and codes is not None:
        groups.append(bundled.rows(outside))
    stages: list[dict[str, Any]] = []
    for number, stage in enumerate(codes.stages if codes is not None else ()):
        covered = [group[group < len(stage.codes)] for group in groups]
        room -= stage.codes.shape[1] * sum(map(len, covered)) + 2 * stage.centres.size
        if number and room < 0:
            break  # coarser vectors
        stages.append({"parts": stage.codes.shape[1], "covered": [len(part) for part in covered]})
        found[f"centres_{number}"] = stage.centres.astype(np.float32).ravel()
        for group, part in enumerate(covered):
            found[f"codes_{number}_{group}"] = stage.codes[part].ravel()
    rest = np.asarray(vectors[others], np.float32)
    exact = rest.nbytes <= max(room, 0)
    scale = np.ones(len(rest)) if exact else np.maximum(np.abs(rest).max(axis=1, initial=0), 1e-30) / 127
    found["other_scales"] = scale.astype(float)
    found["other_vectors"] = rest.ravel()
    if not exact:
        found["other_vectors"] = (np.rint(rest / scale[:, None]) + 128).astype(np.uint8).ravel()
    found["settings"] = {"dimensions": vectors.shape[1], "stages": stages, "vector_zero": 0 if exact else 128}
    return found


# -- topics ----------------------------------------------------------------------------------------------


def _topics(index: "Index") -> dict[str, Any]:
    """Pack how probable each word is under each topic, as exactly as there is room for."""
    frequent = np.argsort(-index.model.word_counts, kind="stable")
    has_vectors = index.vocabulary.vectors_ is not None and index.hott.word_vectors is not None
    for levels, share in _PLANS if has_vectors else _PLANS[: len(_STEPS)]:
        words = np.sort(frequent[: max(1, int(share * len(frequent)))])
        some = words[::_ONE_IN]
        sizes = [
            len(Part.of(value).deflated)
            for space in index.hott.models_
            for value in _encode_topics(space.topics.components[:, some], 0, levels).values()
        ]
        if sum(sizes) * len(words) / len(some) <= TOPICS_AT_MOST:
            break
    found: dict[str, Any] = {"stored_words": words.astype(np.int32), "settings": {"levels": levels}}
    for number, space in enumerate(index.hott.models_):
        found |= _encode_topics(space.topics.components[:, words], number, levels)
    return found


def _encode_topics(components: NDArray[np.float32], number: int, levels: int) -> dict[str, Any]:
    """Encode the probabilities of each word under the topics, as they are or in steps of their greatest."""
    if not levels:
        return {f"topics_{number}": components.T.astype(np.float32).ravel()}
    top = np.maximum(components.max(axis=0), 1e-30).astype(float)
    part = components / top
    codes = np.rint(levels * part**POWER)
    low = codes == 0
    least = (part * low).sum(axis=1) / np.maximum(low.sum(axis=1), 1)
    return {
        f"topics_{number}": codes.T.astype(np.uint8 if levels < 256 else np.uint16).ravel(),
        f"tops_{number}": np.clip(np.rint(-8 * np.log2(top)), 0, 255).astype(np.uint8),
        f"least_{number}": least.astype(np.float32),
    }


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump()
    raise TypeError(f"cannot write {type(value).__name__}")
