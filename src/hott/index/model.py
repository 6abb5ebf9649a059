"""Model: what was learned from documents, and stays while documents come and go."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, reduce
from typing import Any, Protocol, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from hott import embeddings
from hott.corpus import Corpus
from hott.distances.base import Distance
from hott.distances.blend import Blend
from hott.distances.representation import Representation
from hott.distances.topic import HOTT
from hott.distances.topic_space import TopicSpace
from hott.distances.vector import L1, DocumentVectors, MeaningVectors, shares
from hott.embeddings.bundled import NAME
from hott.embeddings.encoder import NamedEncoder
from hott.embeddings.encoder.named import encode_in_batches
from hott.embeddings.nearest import quantize
from hott.lexical import WordForms
from hott.text.languages import stop_words_of
from hott.text.tokens import tokenize
from hott.topics import FittedTopics, borrow, nearest_weights
from hott.utils.run import Run
from hott.vocabulary import Vocabulary

PARAMETERS = (
    "n_topics", "n_models", "iterations", "strength", "embeddings", "language", "stop_words", "min_df",
    "max_words", "stem", "on_empty", "fit_sample", "random_state", "exact_proportions",
)  # fmt: skip
"""What ``Index.build`` takes and an index is learned anew by."""

Encoder: TypeAlias = Callable[[list[str]], ArrayLike]
"""Texts to vectors, one row each."""


class ModelOrigin(Protocol):
    """A place that a model can be opened from again, by any process."""

    def open(self, encoder: Encoder | None) -> "Model": ...


@dataclass(frozen=True, eq=False)
class Model:
    """Words, topics and distances that were learned. They never change, and are saved once."""

    vocabulary: Vocabulary
    distances: tuple[HOTT, *tuple[Distance, ...]]  # fitted; that over topics first, document vectors last
    factors: tuple[float, ...]  # of each distance in `distance`; 0: it is left out
    topic_deviation: float  # of the distance over topics, over random pairs of documents
    vector_deviation: float | None  # of that of document vectors; None: without them, and in old files
    own_deviation: float  # of that of the bundled encoder beside document vectors of another; else 1
    word_counts: NDArray[np.int64]  # occurrences in the documents that were learned from
    word_documents: NDArray[np.int64] | None  # how many of those have each word; None in old files
    coherence: tuple[NDArray[np.float64], ...]  # of each topic, model by model
    topic_names: tuple[tuple[str, ...], ...]
    parameters: Mapping[str, Any]  # of Index.build, "auto" decided
    encoder: Encoder | None = None  # the user's; never saved
    origin: ModelOrigin | None = None  # travels in place of the model

    def __reduce__(self) -> Any:
        if self.origin is not None:
            return _reopen, (self.origin, self.encoder)
        return Model, tuple(getattr(self, field.name) for field in fields(self))

    @cached_property
    def hott(self) -> HOTT:
        """The distance over topics, which search by topics uses and explanations explain."""
        return self.distances[0]

    @property
    def n_topics(self) -> list[int]:
        """The number of topics of each topic model."""
        return [space.topics.n_topics for space in self.hott.models_]

    @cached_property
    def has_vectors(self) -> bool:
        """Whether vectors of the documents, from an encoder, are the last part."""
        return isinstance(self.distances[-1], DocumentVectors)

    @cached_property
    def vectors(self) -> DocumentVectors:
        """The distance of the vectors of documents; ask :attr:`has_vectors` first."""
        return cast(DocumentVectors, self.distances[-1])

    @cached_property
    def searched_vectors(self) -> DocumentVectors | None:
        """The distance of the vectors that queries are compared with.

        Those of the bundled encoder where the encoder of the documents is not here; None without any.
        """
        if not self.has_vectors:
            return None
        if isinstance(self.vectors, MeaningVectors) or self.encoder is not None:
            return self.vectors
        return self.own_vectors

    @property
    def own_vectors(self) -> MeaningVectors | None:
        """The distance of vectors of the bundled encoder that are beside those of another."""
        own = self.distances[-2] if len(self.distances) > 2 else None
        return own if isinstance(own, MeaningVectors) else None

    @cached_property
    def searches_by_meaning(self) -> bool:
        """Whether a query can have a vector."""
        return self.searched_vectors is not None

    @property
    def meaning(self) -> str:
        """What search by meaning goes by, or why there is none."""
        if not self.has_vectors:
            return "none: the index has no vectors of its documents"
        if isinstance(self.vectors, MeaningVectors):
            return "the encoder that comes with hott"
        if self.encoder is None:
            found = "none" if self.own_vectors is None else "the encoder that comes with hott"
            return f"{found}: open the index with the encoder it was built with"
        return (
            f"the encoder {self.encoder.name}" if isinstance(self.encoder, NamedEncoder) else "your encoder"
        )

    @property
    def word_distances(self) -> tuple[Distance, ...]:
        """The distances beside that over topics that see documents by their word counts."""
        return tuple(one for one in self.distances[1:] if not isinstance(one, DocumentVectors))

    @cached_property
    def distance_names(self) -> tuple[str, ...]:
        """Name the representation of each distance: "topics", "other.0", ..."""
        return "topics", *(f"other.{number}" for number in range(len(self.distances) - 1))

    @property
    def part_names(self) -> tuple[str, ...]:
        """Name all parts of a snapshot of documents with this model (:mod:`hott.index.snapshot`)."""
        return *self.distance_names, "postings"

    @cached_property
    def distance(self) -> Distance:
        """The one distance that neighbours, map and "more like this" go by."""
        used = [(part, factor) for part, factor in zip(self.distances, self.factors) if factor]
        if used[0][1] == 1 and len(used) == 1:
            return used[0][0]
        return Blend.from_fitted([part for part, _ in used], [factor for _, factor in used])

    def without_vectors(self) -> "Model":
        """Return the same model without the vectors of documents, for where no encoder can run."""
        if not self.has_vectors:
            return self
        factors = self.factors[: 1 + len(self.word_distances)]
        factors = factors if any(factors) else (1.0, *factors[1:])
        distances: tuple[HOTT, *tuple[Distance, ...]] = (self.hott, *self.word_distances)
        return replace(
            self,
            distances=distances,
            factors=factors,
            vector_deviation=None,
            own_deviation=1.0,
            encoder=None,
            origin=None,
        )

    def combine(self, parts: Sequence[Representation]) -> Representation:
        """Join what each distance sees into what :attr:`distance` sees; documents must be known to all."""
        used = [part for part, factor in zip(parts, self.factors) if factor]
        known = find_known(parts, self.factors)
        taken = [part.take(np.searchsorted(part.positions, known)) for part in used]
        seen = taken if isinstance(self.distance, Blend) else taken[0].parts
        return Representation.of(*seen, positions=known, n_documents=parts[0].n_documents)

    @cached_property
    def analyzer(self) -> WordForms:
        """What cuts texts into words for BM25."""
        given = self.parameters
        return WordForms.of(given["stop_words"], given["language"], given["word_forms"] > 1)

    @cached_property
    def term_vectors(self) -> embeddings.WordVectors | None:
        """What says which terms are near in meaning: the bundled vectors, or those learned; None without."""
        if self.reads_unseen:
            return embeddings.default()
        vectors = self.vocabulary.vectors_
        if vectors is None or self.vocabulary.stem:
            return None
        return embeddings.WordVectors(self.vocabulary.words_.tolist(), vectors)

    @cached_property
    def reads_unseen(self) -> bool:
        """Whether words that no document had can be read by their neighbours.

        Their vectors are the bundled ones, which must be those that the model was learned with.
        """
        return bool(self.parameters["bundled_vectors"] == NAME)

    # -- texts as distances see them ---------------------------------------------------------------------

    def represent(self, tokens: Sequence[list[str]], run: Run) -> tuple[Representation, ...]:
        """Represent texts, cut into words, by their topics and as each of the word distances sees them."""
        counts = sparse.csr_array(self.vocabulary.count_tokens(tokens))
        return self.represent_topics(tokens, run, counts), *self._represent_words(counts, run)

    def represent_topics(
        self, tokens: Sequence[list[str]], run: Run, counts: sparse.csr_array | None = None
    ) -> Representation:
        """Represent texts, cut into words, by their topics alone."""
        if counts is None:
            counts = sparse.csr_array(self.vocabulary.count_tokens(tokens))
        if not self.reads_unseen:
            return self._round(self.hott.represent_counts(counts, run))
        counts, distance = self._add_unseen(tokens, counts, run)
        if distance is not self.hott:
            run = replace(run.quiet(), client=None)
        return self._round(distance.represent_counts(counts, run))

    def represent_counts(self, counts: sparse.csr_array, run: Run) -> tuple[Representation, ...]:
        """Represent documents as :meth:`represent` does, from counts of known words."""
        return self._round(self.hott.represent_counts(counts, run)), *self._represent_words(counts, run)

    def encode(self, corpus: Corpus, run: Run) -> Representation:
        """Make vectors of documents by the encoder; an error says where there is none."""
        if isinstance(self.vectors, MeaningVectors):
            return self.vectors.encode(titled_texts(corpus), run)
        if self.encoder is None:
            raise ValueError(
                "This index has vectors of its documents, and no encoder to make more of them: install that "
                "which it was built with, or give it to hott.open."
            )
        return encode(corpus.texts, self.encoder, run)

    def encode_all(self, corpus: Corpus, run: Run) -> tuple[Representation, ...]:
        """Make all vectors of documents: those of the bundled encoder first where those of another count."""
        if not self.has_vectors:
            return ()
        own = () if self.own_vectors is None else (self.own_vectors.encode(titled_texts(corpus), run),)
        return *own, self.encode(corpus, run)

    def _round(self, documents: Representation) -> Representation:
        """Round proportions once, as search, comparisons, explanations and the file all have them."""
        if self.parameters["exact_proportions"]:
            return documents
        return replace(documents, parts=tuple(part.compact() for part in documents.distributions))

    def _represent_words(self, counts: sparse.csr_array, run: Run) -> Iterator[Representation]:
        return (represent_words(distance, counts, run) for distance in self.word_distances)

    def _add_unseen(
        self, tokens: Sequence[list[str]], counts: sparse.csr_array, run: Run
    ) -> tuple[sparse.csr_array, HOTT]:
        """Count words outside the vocabulary beside those in it, over topics that are extended by them."""
        known, stopped = self.vocabulary.vocabulary_, self._stop_words
        outside = [[word for word in text if word not in known and word not in stopped] for text in tokens]
        if not any(outside):
            return counts, self.hott
        vectors = embeddings.default()
        outside = [[word for word in text if word in vectors] for text in outside]
        if not any(outside) or self.quantized_vectors is None:
            return counts, self.hott
        words = sorted({word for text in outside for word in text})
        near = nearest_weights(self.quantized_vectors, vectors.matrix(words), run.n_threads)
        topics = [space.topics for space in self.hott.models_ if isinstance(space.topics, FittedTopics)]
        columns = None
        if all(one.inference == "fixed-point" for one in topics):
            columns = np.unique(counts.indices).astype(np.intp)
            counts = sparse.csr_array(counts[:, columns])
        models = [
            TopicSpace(one.with_words(borrow(one.components, *near), columns), space.distances)
            for one, space in zip(topics, self.hott.models_)
        ]
        settings = self.hott.get_params(deep=False) | {"word_vectors": None}
        new = sparse.csr_array(Vocabulary.from_words(words).count_tokens(outside))
        more = sparse.csr_array(sparse.hstack([counts, new], format="csr"))
        return more, HOTT.from_models(models, **settings)

    @cached_property
    def quantized_vectors(self) -> NDArray[np.int16] | None:
        """Vectors of the vocabulary as new words are compared with them: once for all queries."""
        vectors = self.vocabulary.vectors_
        return None if vectors is None else quantize(vectors)

    @cached_property
    def _stop_words(self) -> frozenset[str]:
        return stop_words_of(self.vocabulary.stop_words, self.vocabulary.language_)

    def check_same(self, other: "Model") -> None:
        """Raise ValueError unless both learned the same words and topics, to the last digit."""
        ours, theirs = self.hott.models_, other.hott.models_
        same = np.array_equal(self.vocabulary.words_, other.vocabulary.words_)
        same = same and len(ours) == len(theirs) and self.factors == other.factors
        same = same and all(
            np.array_equal(a.topics.components, b.topics.components)
            and np.array_equal(a.distances, b.distances)
            for a, b in zip(ours, theirs)
        )
        if not same:
            raise ValueError(
                "the two indexes have other topics, so their documents cannot be compared. Make one of them "
                "with the topics of the other: index.with_documents(corpus), or hott index FOLDER --like "
                "OTHER.hott."
            )


def _reopen(origin: ModelOrigin, encoder: Encoder | None) -> Model:
    return origin.open(encoder)


def find_known(parts: Sequence[Representation], factors: Sequence[float]) -> NDArray[np.intp]:
    """Find the positions of the documents that every distance with a factor above 0 has a place for.

    Beside topics, which know new words by their vectors, a document may lack words that were counted. Without
    topics it has no place then, even if an encoder gives it a vector.
    """
    used = [part for part, factor in zip(parts, factors) if factor]
    known = reduce(np.intersect1d, (part.positions for part in used))
    if factors[0]:
        return known
    for part in used:
        [rows, *_] = part.parts
        if isinstance(rows, sparse.csr_array):
            known = np.intersect1d(known, part.positions[np.diff(rows.indptr) > 0])
    return known


def represent_words(distance: Distance, counts: sparse.csr_array, run: Run) -> Representation:
    """Represent documents as a distance over words sees them; one of new words alone has no share of any."""
    if isinstance(distance, L1):
        return Representation.of(shares(counts, distance.idf_))
    return distance.represent_counts(counts, distance.where(run.quiet()))


def titled_texts(corpus: Corpus) -> Iterator[str]:
    """Give what the bundled encoder reads of each document: its title, if it has one, and its text."""
    for title, text in zip(corpus.titles, corpus.texts):
        yield f"{title}\n{text}" if title else text


def encode(texts: Sequence[str], encoder: Encoder | ArrayLike, run: Run = Run()) -> Representation:
    """Represent documents by the vectors that an encoder gives, or that were given."""
    vectors = encode_in_batches(encoder, texts, run) if callable(encoder) else encoder
    found = DocumentVectors().of(vectors)
    if len(found) != len(texts):
        raise ValueError(
            f"encoder must give one vector for each of {len(texts):,} documents; there are {len(found):,}."
        )
    return found


def represent_one(model: Model, text: str, what: str) -> Representation:
    """Represent one text, which must have a known word, by its topics; ``what`` names it in the error."""
    found = model.represent_topics([tokenize(text)], Run())
    if not len(found):
        shown = repr(text[:60]) + ("..." if len(text) > 60 else "")
        raise ValueError(
            f"{what} has no known word: {shown} shares none with the {len(model.vocabulary.words_):,} "
            "words of the index. Use words that occur in its documents."
        )
    return found
