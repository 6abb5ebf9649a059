"""From documents to what an index is made of: a vocabulary, a fitted distance, topic proportions."""

import itertools
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from hott import embeddings as vectors
from hott._spool import spooled
from hott.checks import check_choice, check_count
from hott.corpus import Corpus, read
from hott.distances.base import OnEmpty
from hott.distances.representation import Representation
from hott.distances.topic import HOTT
from hott.embeddings.bundled import NAME
from hott.embeddings.choice import Embeddings
from hott.languages import check_language, stop_words_of
from hott.lexical import WordForms
from hott.readers import is_frame, is_series
from hott.run import Run
from hott.tokens import tokenize
from hott.topics import topics_for
from hott.vocabulary import Vocabulary

BATCH = 2_000  # documents that are counted together
_LONGEST_HEADING = 100  # characters of a first line that stands for a title


def min_df_for(n_documents: int) -> int:
    """In how many documents a word must occur. A word of one document alone ties no documents together.

    Examples
    --------
    >>> [min_df_for(n) for n in (10, 200, 100_000)]
    [1, 2, 3]
    """
    return 1 if n_documents < 50 else 2 if n_documents < 1_000 else 3


def check_corpus(corpus: Any) -> Corpus:
    """A corpus of at least one document. Texts, dicts and frames become one; batches stay on the disk."""
    if isinstance(corpus, str | os.PathLike):
        raise ValueError(f"corpus must be a Corpus, got {str(corpus)!r:.60}. Read it first: hott.read(path).")
    if isinstance(corpus, Iterator):
        first = list(itertools.islice(corpus, 1))
        corpus = itertools.chain(first, corpus)
        if first and isinstance(first[0], Corpus):
            corpus = spooled(corpus)
    if is_frame(corpus) or is_series(corpus):
        corpus = read(corpus)
    if not isinstance(corpus, Corpus):
        given = list(corpus)
        corpus = read(given) if given and isinstance(given[0], Mapping) else Corpus(given)
    if not len(corpus):
        raise ValueError("corpus is empty: there is no document in it.")
    return corpus


def check_parameters(*, n_documents: int, **parameters: Any) -> dict[str, Any]:
    """The parameters of ``Index.build`` as the index remembers them: in plain values, "auto" decided."""
    check_choice(parameters["on_empty"], "on_empty", ("error", "drop", "nan"))
    n_fitted = n_documents
    if parameters["fit_sample"] is not None:
        n_fitted = min(n_documents, check_count(parameters["fit_sample"], "fit_sample"))
    if parameters["n_topics"] == "auto":
        parameters["n_topics"] = topics_for(n_fitted)
    for name in ("n_topics", "n_models", "iterations"):
        check_count(parameters[name], name)
    if not isinstance(parameters["random_state"], int | np.integer) or parameters["random_state"] < 0:
        raise ValueError(f"random_state must be a whole number, not {parameters['random_state']!r}.")
    if parameters["min_df"] == "auto":
        parameters["min_df"] = min_df_for(n_fitted)
    check_language(parameters["language"], also=("auto",))
    if parameters["strength"] != "auto" and not parameters["strength"] >= 0:
        raise ValueError(f'strength must be "auto" or a number from 0 on, not {parameters["strength"]!r}.')
    if not isinstance(parameters["stop_words"], str | None):
        parameters["stop_words"] = sorted(parameters["stop_words"])
    embeddings = parameters["embeddings"]
    if isinstance(embeddings, vectors.WordVectors):
        parameters["embeddings"] = repr(embeddings)
    elif isinstance(embeddings, os.PathLike):
        parameters["embeddings"] = os.fspath(embeddings)
    return {
        name: value.item() if isinstance(value, np.generic) else value for name, value in parameters.items()
    }


def sampled(corpus: Corpus, size: int | None, random_state: int) -> Corpus:
    """A random sample of the documents in their order; the corpus itself when it has no more."""
    if size is None or len(corpus) <= size:
        return corpus
    return corpus[np.sort(np.random.default_rng(random_state).choice(len(corpus), size, replace=False))]


def fit_vocabulary(
    corpus: Corpus, embeddings: Embeddings, parameters: dict[str, Any], run: Run
) -> tuple[Vocabulary, sparse.csr_array]:
    """Choose the words that count, and count them. ``parameters`` learn the language where it was "auto"."""
    named = {name: parameters[name] for name in ("language", "stop_words")}
    choice = vectors.choose(embeddings, corpus, **named, seed=parameters["random_state"])
    parameters["language"] = choice.language
    bundled = embeddings is None and not choice.learned and choice.vectors is not None
    parameters["bundled_vectors"] = NAME if bundled else None
    detected = choice.detected
    for note in (choice.note, detected.note if detected and detected.next_share > 0 else ""):
        if note:
            warnings.warn(note[0].upper() + note[1:], stacklevel=3)  # the caller of Index.build
    chosen = {name: parameters[name] for name in ("language", "stop_words", "min_df", "max_words", "stem")}
    vocabulary = Vocabulary(**chosen, word_vectors=choice.vectors, keep_rare=True)
    with run.reporting("words") as report:
        counts = vocabulary.fit_transform(_reported(corpus.texts, report))
    # The vectors of its words are in vectors_. An index that was opened knows no others, nor should this one.
    vocabulary.word_vectors = None
    return vocabulary, sparse.csr_array(counts)


def reads_unseen(parameters: dict[str, Any]) -> bool:
    """Whether words that no document had can be read by their neighbours.

    Their vectors are the bundled ones, which must be those that the index was made with.
    """
    return bool(parameters["bundled_vectors"] == NAME)


def fit_distance(
    counts: sparse.csr_array,
    vocabulary: Vocabulary,
    parameters: dict[str, Any],
    run: Run,
) -> HOTT:
    """Learn the topics and the distances between them."""
    word_vectors: Any = vocabulary.vectors_
    if vocabulary.has_vector_ is not None and not vocabulary.has_vector_.all():
        nothing = np.broadcast_to(~vocabulary.has_vector_[:, None], word_vectors.shape)
        word_vectors = np.ma.masked_array(word_vectors, nothing)
    distance = HOTT(
        word_vectors=word_vectors,
        n_topics=parameters["n_topics"],
        n_models=parameters["n_models"],
        iterations=parameters["iterations"],
        strength=parameters["strength"],
        random_state=parameters["random_state"],
        on_empty="nan",
    )
    some = np.flatnonzero(np.diff(counts.indptr))
    return distance.fit(counts[some], **run.options)


def check_known(
    corpus: Corpus, counts: sparse.csr_array | None, vocabulary: Vocabulary, parameters: dict[str, Any]
) -> None:
    """Name documents without a known word before topics are learned, where they are an error."""
    if parameters["on_empty"] != "error":
        return
    if counts is None:
        spans = range(0, len(corpus), BATCH)
        counts = sparse.csr_array(
            sparse.vstack([vocabulary.transform(corpus.texts[start : start + BATCH]) for start in spans])
        )
    empty = np.flatnonzero(np.diff(counts.indptr) == 0)
    if parameters["bundled_vectors"] and len(empty):  # words outside the vocabulary are read by their vectors
        known = vectors.default()
        stopped = stop_words_of(vocabulary.stop_words, parameters["language"])
        empty = np.array([
            row for row in empty
            if not any(word in known and word not in stopped for word in tokenize(corpus.texts[int(row)]))
        ], np.intp)  # fmt: skip
    if len(empty):
        there = np.setdiff1d(np.arange(len(corpus)), empty)
        nothing = Representation.of(np.empty((len(there), 0)), positions=there, n_documents=len(corpus))
        apply_policy(corpus, [nothing], "error")


def searchable(corpus: Corpus) -> Iterator[str]:
    """What search by words reads of each document: its text, and its title, whose words count twice.

    A heading at the begin of the text stands for a title where there is none: it is there once already.
    """
    for title, text in zip(corpus.titles, corpus.texts):
        yield f"{title}\n{title}\n{text}" if title else f"{_heading(text)}\n{text}"


def _heading(text: str) -> str:
    """A short first line with more below it, or nothing.

    Examples
    --------
    >>> _heading("\\nMars\\n\\nThe fourth planet."), _heading("Only one line.")
    ('Mars', '')
    """
    first, _, rest = text.lstrip().partition("\n")
    return first.strip() if len(first) <= _LONGEST_HEADING and rest.strip() else ""


def word_forms(parameters: dict[str, Any]) -> WordForms:
    """How search by words cuts texts into words."""
    language = parameters["language"]
    return WordForms(stop_words_of(parameters["stop_words"], language), language)


def apply_policy(
    corpus: Corpus, parts: Sequence[Representation], on_empty: OnEmpty
) -> tuple[Corpus, Sequence[Representation], tuple[str, ...]]:
    """What to do with documents of which no word is known.

    ``parts`` are the documents as each distance sees them, that over topics first. Returns the documents to
    take in, as texts and in the same parts, and the ids of those left out.
    """
    known = parts[0].positions
    if len(known) == len(corpus):
        return corpus, parts, ()
    without = np.setdiff1d(np.arange(len(corpus)), known)
    ids = tuple(corpus.ids[int(row)] for row in without)
    if on_empty == "error":
        shown = ", ".join(map(repr, ids[:10])) + (f" and {len(ids) - 10:,} more" if len(ids) > 10 else "")
        raise ValueError(
            f"{len(ids):,} of {len(corpus):,} documents have no word in the vocabulary: {shown}. Remove "
            'them, or choose on_empty="drop" (leave them out) or on_empty="nan" (keep them, with '
            "distances of NaN)."
        )
    if on_empty == "drop":
        return corpus[known], [part.select(known) for part in parts], ids
    return corpus, parts, ()


def _reported(texts: Sequence[str], report: Any) -> Iterator[str]:
    """The texts, with a report now and then of how many have gone by."""
    for done, text in enumerate(texts):
        if report is not None and done % 1_000 == 0:
            report(done, len(texts))
        yield text
