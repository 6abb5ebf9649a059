"""Labels of new documents, by their nearest neighbours among labelled ones."""

from dataclasses import dataclass
from typing import Literal, Unpack

import numpy as np

from hott.corpus import Corpus
from hott.distances.registry import Settings, named_distance
from hott.embeddings.vectors import WordVectors
from hott.text.languages import StopWords
from hott.utils.run import RunOptions


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
    train : Corpus
        Labelled documents.
    new : Corpus
        Documents whose label is sought. One without a known word gets the commonest label.
    distance : str
        The name of one, of ``hott.distances.registry``. ``"blend"`` compares English texts by their meaning,
        too, as an index does.
    n_neighbors : int
        Neighbours that vote; fewer where there are fewer documents.
    language, stop_words, stem, word_vectors
        As in :class:`hott.Vocabulary`; by default the language is found out, and vectors are chosen that suit
        the texts.
    n_topics, n_models, random_state
        Of the distances that use topics; by default as many topics as an index would have.
    **options : threads, device, progress

    Examples
    --------
    >>> train = Corpus(["Bread and butter.", "Stars and planets."], labels=["food", "sky"])
    >>> predict(train, Corpus(["Stars beside planets."]), "tfidf", n_neighbors=1)[0].label
    'sky'
    """
    from hott.distances.text import TextDistance
    from hott.distances.vector import ENCODER_WEIGHT, encoder_knows
    from hott.evaluation.classify import KNNClassifier
    from hott.text.languages import detect
    from hott.topics import topics_for
    from hott.vocabulary import Vocabulary

    labels = list(train.labels)
    missing = sum(label is None for label in labels)
    if missing or len(set(labels)) < 2:
        what = f"{missing} of {len(labels)} have none" if missing else "there is only one"
        raise ValueError(f"train must hold documents with labels, two different ones at least: {what}.")
    settings = Settings(None, n_topics or topics_for(len(train)), n_models, random_state)
    vocabulary = Vocabulary(language, stop_words, stem=stem, word_vectors=word_vectors)
    spoken = detect(train.texts).language if language == "auto" else language
    by_meaning = distance == "blend" and encoder_knows(spoken)
    meaning = ENCODER_WEIGHT if by_meaning else 0.0
    measured = TextDistance(named_distance(distance, settings), vocabulary, meaning=meaning)
    model = KNNClassifier(measured, min(n_neighbors, len(train)))
    model.fit(list(train.texts), np.array(labels), **options)
    votes = model.predict_proba(list(new.texts), **options)
    best = votes.argmax(axis=1)
    return [
        Prediction(id, str(model.classes_[label]), float(votes[row, label]))
        for row, (id, label) in enumerate(zip(new.ids, best))
    ]
