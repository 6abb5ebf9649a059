"""Build: learn a model from documents, and make a snapshot of them."""

import itertools
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from hott import embeddings as vectors
from hott.corpus import Corpus
from hott.distances.base import Distance, check_distance
from hott.distances.blend import Blend
from hott.distances.registry import Settings, named_distance
from hott.distances.representation import Representation
from hott.distances.topic import HOFTT, HOTT
from hott.distances.vector import (
    ENCODER_WEIGHT,
    L1,
    DocumentVectors,
    LDADistance,
    MeaningVectors,
    encoder_knows,
)
from hott.embeddings.bundled import NAME
from hott.embeddings.choice import Embeddings
from hott.embeddings.encoder import NamedEncoder
from hott.index.model import Encoder, Model, encode, find_known, titled_texts
from hott.index.reading import BATCH, index_corpus, refuse_empty, represent_corpus
from hott.index.snapshot import Snapshot
from hott.index.topics import name_topics
from hott.text.languages import check_language, stop_words_of
from hott.text.tokens import tokenize
from hott.topics import coherence, topics_for
from hott.utils.checks import check_choice, check_count
from hott.utils.run import Run
from hott.utils.warn import warn
from hott.vocabulary import Vocabulary

CorpusLike: TypeAlias = Corpus | Iterable[str] | Iterable[Corpus]
"""A corpus, texts, or batches of documents."""

DocumentEncoder: TypeAlias = Encoder | ArrayLike | str | Literal[False] | None
"""What makes vectors of documents: "auto", the bundled encoder; another by its name, a function, vectors as
they are, or nothing."""


def min_df_for(n_documents: int) -> int:
    """Return in how many documents a word must occur; one of a single document ties no documents together."""
    return 1 if n_documents < 50 else 2 if n_documents < 1_000 else 3


def check_corpus(corpus: Any) -> Corpus:
    """Return a corpus of at least one document; texts, dicts and frames become one, batches stay on disk."""
    from hott.corpus import read
    from hott.corpus.readers import is_frame, is_series
    from hott.corpus.spool import spool

    if isinstance(corpus, str | os.PathLike):
        raise ValueError(f"corpus must be a Corpus, got {str(corpus)!r:.60}. Read it first: hott.read(path).")
    if isinstance(corpus, Iterator):
        first = list(itertools.islice(corpus, 1))
        corpus = itertools.chain(first, corpus)
        if first and isinstance(first[0], Corpus):
            corpus = spool(corpus)
    if is_frame(corpus) or is_series(corpus):
        corpus = read(corpus)
    if not isinstance(corpus, Corpus):
        given = list(corpus)
        corpus = read(given) if given and isinstance(given[0], Mapping) else Corpus(given)
    if not len(corpus):
        raise ValueError("corpus is empty: there is no document in it.")
    return corpus


def check_choices(
    language: str, on_empty: str, distance: str | Distance, encoder: DocumentEncoder
) -> DocumentEncoder:
    """Check what is chosen by its name, before any document is read; return the encoder, loaded."""
    check_language(language, also=("auto",))
    check_choice(on_empty, "on_empty", ("error", "drop", "nan"))
    if isinstance(distance, str):
        named_distance(distance)
    if isinstance(encoder, str) and encoder != "auto":
        encoder = NamedEncoder(encoder)
        encoder.load()
    return encoder


def check_parameters(*, n_documents: int, **parameters: Any) -> dict[str, Any]:
    """Check the parameters of ``Index.build``; return them in plain values, with automatic counts decided."""
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


def sample_rows(n_documents: int, size: int | None, random_state: int) -> NDArray[np.intp] | None:
    """Draw documents to learn from, in their order; None where all of them are."""
    if size is None or n_documents <= size:
        return None
    return np.sort(np.random.default_rng(random_state).choice(n_documents, size, replace=False))


def fit_vocabulary(
    corpus: Corpus, embeddings: Embeddings, parameters: dict[str, Any], run: Run
) -> tuple[Vocabulary, sparse.csr_array]:
    """Choose the words that count, and count them. ``parameters`` learn the language where it was "auto"."""
    named = {name: parameters[name] for name in ("language", "stop_words")}
    choice = vectors.choose(embeddings, corpus, **named, seed=parameters["random_state"])
    parameters["language"] = choice.language
    bundled = embeddings is None and not choice.learned and choice.vectors is not None
    parameters |= {"bundled_vectors": NAME if bundled else None, "word_forms": 2}
    parameters["stem"] = parameters["stem"] or choice.stemmed
    detected = None if choice.stemmed else choice.detected
    for note in (choice.note, detected.note if detected and detected.next_share > 0 else ""):
        if note:
            warn(note)
    chosen = {name: parameters[name] for name in ("language", "stop_words", "min_df", "max_words", "stem")}
    vocabulary = Vocabulary(**chosen, word_vectors=choice.vectors, keep_rare=True)
    counts = vocabulary.fit_transform(run.follow("words", corpus.texts, len(corpus), every=1_000))
    # The vectors of its words are in vectors_. An index that was opened knows no others, nor should this one.
    vocabulary.word_vectors = None
    return vocabulary, sparse.csr_array(counts)


def fit_distance(
    counts: sparse.csr_array, vocabulary: Vocabulary, parameters: dict[str, Any], run: Run
) -> HOTT:
    """Learn the topics and the distances between them."""
    word_vectors: Any = vocabulary.vectors_
    if vocabulary.has_vector_ is not None and not vocabulary.has_vector_.all():
        nothing = np.broadcast_to(~vocabulary.has_vector_[:, None], word_vectors.shape)
        word_vectors = np.ma.masked_array(word_vectors, nothing)
    names = ("n_topics", "n_models", "iterations", "strength", "random_state")
    given = {name: parameters[name] for name in names}
    distance = HOTT(word_vectors=word_vectors, **given, on_empty="nan")
    some = np.flatnonzero(np.diff(counts.indptr))
    return distance.fit(counts[some], **run.options)


def check_known(corpus: Corpus, vocabulary: Vocabulary, parameters: dict[str, Any]) -> None:
    """Name documents without a known word before topics are learned, where they are an error."""
    if parameters["on_empty"] != "error":
        return
    # Words outside the vocabulary are read by their vectors.
    known = vectors.default() if parameters["bundled_vectors"] else ()
    stopped = stop_words_of(vocabulary.stop_words, parameters["language"])
    empty = []
    for start in range(0, len(corpus), BATCH):
        texts = corpus.texts[start : start + BATCH]
        for row in np.flatnonzero(np.diff(vocabulary.transform(texts).indptr) == 0).tolist():
            if not any(word in known and word not in stopped for word in tokenize(texts[row])):
                empty.append(start + row)
    if empty:
        refuse_empty(corpus, np.array(empty, np.intp))


def choose_distances(
    distance: str | Distance, settings: Settings, encoder: DocumentEncoder, language: str
) -> tuple[tuple[Distance, ...], tuple[float, ...]]:
    """Choose the distances beside that over topics, not fitted, and the weights of all, of topics first.

    The bundled encoder is a part of the default distance alone. With another that was asked for, it serves
    search; an encoder that was given is a part of any. The bundled one is there then, too, with a weight of
    0: where the other is not at hand, it answers.
    """
    bundled = isinstance(encoder, str)
    weight = 0.0 if bundled and distance != "blend" else ENCODER_WEIGHT
    if isinstance(distance, str):
        distance = named_distance(distance, settings)
    parts, weights = [check_distance(distance)], [1.0]
    if isinstance(distance, Blend):
        parts = list(distance.distances)
        weights = [1.0] * len(parts) if distance.weights is None else [float(w) for w in distance.weights]
    # A HOTT is that of the index.
    topics = sum(weight for part, weight in zip(parts, weights) if type(part) is HOTT)
    others = [(part, weight) for part, weight in zip(parts, weights) if type(part) is not HOTT]
    if encoder is not None and not bundled and encoder_knows(language):
        others.append((MeaningVectors(), 0.0))
    if encoder is not None:
        others.append((MeaningVectors() if bundled else DocumentVectors(), weight))
    return tuple(part for part, _ in others), (topics, *(weight for _, weight in others))


def name_distance(model: Model) -> str:
    """Return the name that ``Index.build`` would choose the same distances by."""
    kinds = [type(part) for part in model.word_distances]
    for name, wanted in (("blend", [L1]), ("hott", [])):
        if kinds == wanted and model.factors[0]:
            return name
    raise ValueError("distance must be given again: this index was made with a distance of your own.")


def fit_other(other: Distance, hott: HOTT, counts: sparse.csr_array, run: Run) -> Distance:
    """Fit a distance over the words, vectors and topics of an index."""
    if isinstance(other, DocumentVectors):
        return other
    if isinstance(other, HOTT):
        return hoftt_of(hott)
    from sklearn.base import clone

    settings: dict[str, Any] = {"on_empty": "nan"}
    given = other.get_params(deep=False)
    if "word_vectors" in given and given["word_vectors"] is None:
        settings["word_vectors"] = hott.word_vectors
    if isinstance(other, LDADistance):
        settings["topic_model"] = hott.models_[0].topics
    some = np.flatnonzero(np.diff(counts.indptr))
    return clone(other).set_params(**settings).fit(counts[some], **run.options)


def hoftt_of(hott: HOTT) -> HOFTT:
    """Return the distance over the same topics with none left out of a document."""
    same = {name: getattr(hott, name) for name in ("word_vectors", "n_words", "p")}
    return HOFTT.from_models(hott.models_, **same, on_empty="nan")


def scale_factors(
    distances: Sequence[Distance],
    parts: Sequence[Representation],
    weights: Sequence[float],
    seed: int,
    run: Run,
) -> tuple[float, ...]:
    """Bring distances to one scale: each weight is divided by the deviation over random pairs.

    The first that counts keeps its own scale, so that distances over topics are the same with others beside
    them.
    """
    used = np.flatnonzero(weights)
    known = find_known(parts, weights)
    factors = np.zeros(len(weights))
    for i in used.tolist():
        documents, where = parts[i].select(known), distances[i].where(run.quiet())
        deviation = distances[i].deviation(documents, seed, where) if len(used) > 1 else 1.0
        factors[i] = weights[i] / deviation
    return tuple((factors / factors[used[0]]).tolist())


def build(
    corpus: Corpus,
    parameters: dict[str, Any],
    *,
    embeddings: Embeddings,
    distance: str | Distance,
    encoder: DocumentEncoder,
    run: Run,
) -> tuple[Model, Snapshot]:
    """Learn words, topics and distances from documents, or a sample of them, and read all of them by these.

    Everything in the model comes from the documents that it is learned from, ``fit_sample`` of them at most:
    so it is the same one, however many documents there are beside them, and wherever they are put.
    """
    seed = parameters["random_state"]
    settings = Settings(n_topics=parameters["n_topics"], random_state=seed)
    rows = sample_rows(len(corpus), parameters["fit_sample"], seed)
    sample = corpus if rows is None else corpus[rows]
    vocabulary, counts = fit_vocabulary(sample, embeddings, parameters, run)
    if encoder is False or (isinstance(encoder, str) and not encoder_knows(parameters["language"])):
        encoder = None
    parameters["encoder"] = encoder
    if encoder is not None and not isinstance(encoder, str):
        kind = "function" if callable(encoder) else "vectors"
        parameters["encoder"] = encoder.name if isinstance(encoder, NamedEncoder) else kind
    others, weights = choose_distances(distance, settings, encoder, parameters["language"])
    on_cluster = run.client is not None
    check_known(corpus, vocabulary, parameters)
    hott = fit_distance(counts, vocabulary, parameters, run)
    model = Model(
        vocabulary=vocabulary,
        distances=(hott, *(fit_other(other, hott, counts, run.quiet().on_cpu()) for other in others)),
        factors=weights,
        topic_deviation=1.0,
        vector_deviation=None,
        own_deviation=1.0,
        word_counts=np.asarray(counts.sum(axis=0), np.int64).ravel(),
        word_documents=np.bincount(counts.indices, minlength=counts.shape[1]),
        coherence=tuple(coherence(space.topics.components, counts) for space in hott.models_),
        topic_names=(),
        parameters=parameters,
        encoder=encoder if callable(encoder) else None,
    )
    if rows is None and on_cluster:
        parts = represent_corpus(model, corpus, run)
    else:
        parts = model.represent_counts(counts, run)
    given: Any = None if encoder is None or isinstance(encoder, str) or callable(encoder) else encoder
    own = next((one for one in model.distances if isinstance(one, MeaningVectors)), None)
    if own is not None:
        parts = (*parts, own.fit_encode(titled_texts(sample), run))
    if encoder is not None and not isinstance(encoder, str):
        of_sample = given if rows is None or given is None else np.asarray(given)[rows]
        parts = (*parts, encode(sample.texts, model.encoder or of_sample, run))
    model = replace(
        model,
        topic_names=name_topics(model, corpus if on_cluster and rows is None else sample, parts[0]),
        factors=scale_factors(model.distances, parts, weights, seed, run),
        topic_deviation=hott.deviation(parts[0], seed, run),
        vector_deviation=model.distances[-1].deviation(parts[-1]) if encoder is not None else None,
        own_deviation=1.0 if model.own_vectors is None else model.own_vectors.deviation(parts[-2]),
    )
    known: Sequence[Representation] | None = parts if rows is None else None
    if known is None and given is not None:
        more = () if own is None else (own.encode(titled_texts(corpus), run),)
        known = (*represent_corpus(model, corpus, run), *more, encode(corpus.texts, given))
    return model, index_corpus(model, corpus, run, added_after_fit=False, parts=known)
