"""How good a distance is on labelled documents, by cross-validated k-NN, and labels for new ones."""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, Unpack

import numpy as np

from hott.corpus import Corpus
from hott.distances.blend import Blend
from hott.distances.registry import OVER_TOPICS, REGISTRY, Settings, named_distance
from hott.distances.representation import Representation
from hott.distances.text import TextDistance
from hott.distances.vector import ENCODER_WEIGHT, MeaningVectors, encoder_knows
from hott.embeddings.vectors import WordVectors
from hott.text.languages import StopWords, detect
from hott.topics import topics_for
from hott.utils.run import Run, RunOptions, config_context
from hott.utils.warn import warn
from hott.utils.wording import name_some, pluralize
from hott.vocabulary import Vocabulary

__all__ = ["CrossValidation", "Prediction", "cross_validate", "predict"]


@dataclass(frozen=True, slots=True)
class CrossValidation:
    """The error of one distance: the share of documents whose neighbours vote for a wrong label.

    Attributes
    ----------
    distance : str
    error, deviation : float
        Mean and standard deviation over the folds.
    folds : tuple of float
        The error of each.
    seconds : float
        Of all folds. Topics that several distances share are learned once, for the first of them.

    Examples
    --------
    >>> CrossValidation("tfidf", 0.1, 0.02, (0.08, 0.12), 1.5).to_dict()["error"]
    0.1
    """

    distance: str
    error: float
    deviation: float
    folds: tuple[float, ...]
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, as JSON can hold them."""
        return asdict(self)


def cross_validate(
    corpus: Corpus,
    distances: str | Sequence[str] = ("hott", "tfidf"),
    *,
    n_neighbors: int = 7,
    folds: int = 5,
    n_topics: int | None = None,
    n_models: int = 8,
    language: str = "auto",
    stop_words: StopWords = "auto",
    stem: bool | str = False,
    word_vectors: WordVectors | Literal["auto"] = "auto",
    random_state: int = 0,
    **options: Unpack[RunOptions],
) -> list[CrossValidation]:
    """Classify each part of a corpus by its neighbours in the other parts.

    What a distance learns (topics, weights) it learns from the training parts alone; the vocabulary and the
    centre of the vectors, which know no labels, are those of the whole corpus.

    Parameters
    ----------
    corpus : Corpus
        Labelled documents.
    distances : names of ``hott.distances.registry``; ``"all"`` for every one. ``"blend"`` compares English
        texts by their meaning, too, as an index does
    n_neighbors : neighbours that vote
    folds : parts, each with about the same share of every label
    n_topics, n_models : of the distances that use topics; by default as many topics as an index would have
    language, stop_words, stem, word_vectors : as in :class:`hott.Vocabulary`; by default the language is
        found out, and vectors are chosen that suit the texts
    random_state : the seed of folds and topics
    **options : threads, device, progress

    Examples
    --------
    >>> from hott.corpus import demo
    >>> [words], [stems] = (cross_validate(demo.corpus(), ["tfidf"], stem=stem) for stem in (False, True))
    >>> stems.error < words.error < 0.3
    True
    """
    from sklearn.model_selection import StratifiedKFold

    from hott.evaluation.classify import KNNClassifier

    labels = _check_labels(corpus, folds)
    distances = [distances] if isinstance(distances, str) else list(distances)
    names = list(REGISTRY) if distances == ["all"] else distances
    for name in names:
        named_distance(name)  # a name that there is not is an error before any work
    vocabulary = Vocabulary(language, stop_words, stem=stem, word_vectors=word_vectors)
    counts = vocabulary.fit_transform(corpus.texts)
    known = np.flatnonzero(counts.sum(axis=1))
    counts, labels = counts[known], labels[known]
    vectors, encoded = MeaningVectors(), None
    if encoder_knows(vocabulary.language_) and "blend" in names:
        encoded = vectors.fit_encode(corpus.texts[row] for row in known.tolist())
    parts = StratifiedKFold(folds, shuffle=True, random_state=random_state)
    topics = n_topics or topics_for(len(known))
    settings = Settings(vocabulary.vectors_, topics, n_models, random_state)
    errors = np.empty((len(names), folds))
    seconds = np.zeros(len(names))
    run = Run.of(options)
    with run.reporting("cross-validation") as report, config_context(**run.quiet().options):
        for fold, (train, test) in enumerate(parts.split(counts, labels)):
            learned = None
            for number, name in enumerate(names):
                started = time.monotonic()
                if learned is None and name in OVER_TOPICS:
                    learned = settings.hott(n_models).set_params(on_empty="nan").fit(counts[train])
                # A text none of whose words are in the training parts gets the commonest label.
                distance = named_distance(name, replace(settings, learned=learned)).set_params(on_empty="nan")
                if distance is not learned:
                    distance.fit(counts[train])  # here: the classifier fits a copy, which forgets the topics
                seen: list[Any] = [counts[rows] for rows in (train, test)]
                if name == "blend" and encoded is not None:
                    both = [encoded.take(rows) for rows in (train, test)]
                    seen = [Representation.of(distance.represent(own), more) for own, more in zip(seen, both)]
                    weight = ENCODER_WEIGHT / vectors.deviation(both[0])
                    distance = Blend.from_fitted([distance, vectors], [1, weight])
                classifier = KNNClassifier(distance, n_neighbors=n_neighbors).fit(seen[0], labels[train])
                errors[number, fold] = 1 - classifier.score(seen[1], labels[test])
                seconds[number] += time.monotonic() - started
                if report is not None:
                    report(fold * len(names) + number + 1, errors.size)
    return [
        CrossValidation(name, float(each.mean()), float(each.std()), tuple(each.tolist()), float(taken))
        for name, each, taken in zip(names, errors, seconds)
    ]


def _check_labels(corpus: Corpus, folds: int) -> np.ndarray:
    labels = np.array([label or "" for label in corpus.labels], dtype=object)
    missing = int((labels == "").sum())
    if missing:
        raise ValueError(
            f"{missing} of {len(labels)} documents have no label. Put texts in a sub-folder for each label, "
            "or name the column of the labels."
        )
    rare = [label for label, count in Counter(labels).items() if count < folds]
    if len(set(labels)) < 2 or rare:
        what = f"{rare[0]!r} has fewer" if rare else "there is only one label"
        raise ValueError(
            f"Cross-validation in {folds} parts needs two labels with at least {folds} documents each; "
            f"{what}. Choose fewer folds, or leave out rare labels."
        )
    return labels.astype(str)


@dataclass(frozen=True, slots=True)
class Prediction:
    """The label of a document, and the share of the votes that it got.

    Attributes
    ----------
    id, label : str
    share : float

    Examples
    --------
    >>> Prediction("note-1", "sky", 0.75).label
    'sky'
    """

    id: str
    label: str
    share: float


def predict(
    train: Corpus,
    new: Corpus,
    distance: str = "hott",
    *,
    n_neighbors: int = 7,
    n_topics: int | None = None,
    n_models: int = 8,
    language: str = "auto",
    stop_words: StopWords = "auto",
    stem: bool | str = False,
    word_vectors: WordVectors | Literal["auto"] = "auto",
    random_state: int = 0,
    **options: Unpack[RunOptions],
) -> list[Prediction]:
    """Classify new documents by their nearest neighbours among labelled ones.

    Words, vectors and topics are learned from the labelled documents.

    Parameters
    ----------
    train, new : Corpus
        Labelled documents, and those whose label is sought; one without a known word gets the commonest.
    n_neighbors : int
        Neighbours that vote; fewer where there are fewer documents.
    distance, n_topics, n_models, language, stop_words, stem, word_vectors, random_state, **options
        As in :func:`cross_validate`, of one distance.

    Examples
    --------
    >>> train = Corpus(["Bread and butter.", "Stars and planets."], labels=["food", "sky"])
    >>> predict(train, Corpus(["Stars beside planets."]), "tfidf", n_neighbors=1)[0].label
    'sky'
    """
    from hott.evaluation.classify import KNNClassifier

    labels = list(train.labels)
    missing = sum(label is None for label in labels)
    if missing or len(set(labels)) < 2:
        what = f"{missing} of {len(labels)} have none" if missing else "there is only one"
        raise ValueError(f"train must hold documents with labels, two different ones at least: {what}.")
    settings = Settings(None, n_topics or topics_for(len(train)), n_models, random_state)
    vocabulary = Vocabulary(language, stop_words, stem=stem, word_vectors=word_vectors)
    spoken = detect(train.texts).language if language == "auto" else language
    meaning = ENCODER_WEIGHT if distance == "blend" and encoder_knows(spoken) else 0.0
    measured = TextDistance(named_distance(distance, settings), vocabulary, meaning=meaning)
    model = KNNClassifier(measured, min(n_neighbors, len(train)))
    model.fit(list(train.texts), np.array(labels), **options)
    R = model.distance_.represent(list(new.texts), **options)
    if len(R) < len(new):
        unknown = np.setdiff1d(np.arange(len(new)), R.positions).tolist()
        many, named = pluralize(len(unknown), "document"), name_some([new.ids[row] for row in unknown])
        warn(f"the commonest label goes to {many} without a known word: {named}.")
    votes = model.predict_proba(R, **options)
    best = votes.argmax(axis=1)
    return [
        Prediction(id, str(model.classes_[label]), float(votes[row, label]))
        for row, (id, label) in enumerate(zip(new.ids, best))
    ]
