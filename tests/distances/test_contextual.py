import pickle

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.base import clone

from hott import HOTT, KNNClassifier, TextDistance, transport
from hott.corpus import Document, demo
from hott.distances.contextual import ContextualHOTT
from hott.embeddings.encoder import Encoder
from hott.topics import ContextualTopics
from hott.topics.truncate import truncate_proportions

LABELS = ("astronomy", "cooking", "tennis")


@pytest.fixture(scope="module")
def corpus() -> list[Document]:
    return [document for document in demo.corpus() if document.label in LABELS]


@pytest.fixture(scope="module")
def distance(corpus) -> ContextualHOTT:
    topics = ContextualTopics(n_topics=12, n_models=2)
    return ContextualHOTT(topics).fit([document.text for document in corpus])


def test_it_is_transport_over_topics_averaged_over_models(distance, corpus):
    texts = [document.text for document in corpus[:4]]
    proportions = distance.topic_model_.transform(texts)
    expected = 0
    for number, model in enumerate(distance.topic_model_.models_):
        block = truncate_proportions(proportions[:, number * 12 : (number + 1) * 12], 1 / 13).toarray()
        centers = model.centers.astype(float)
        expected = expected + transport.pairwise(block, cost=cdist(centers, centers)) / 2
    assert distance.pairwise(texts) == pytest.approx(expected, abs=1e-9)


def test_words_as_the_cost_between_topics(distance, corpus):
    """The paper's way, worked out for one pair of topics."""
    texts = [document.text for document in corpus]
    by_words = ContextualHOTT(distance.topic_model, cost="words").fit(texts)
    model = by_words.topic_model_.models_[1]
    a, b = (model.word_rows[topic].astype(float) for topic in (0, 3))
    masses = [m / m.sum() for m in model.word_masses[[0, 3]].astype(float)]
    expected = transport.solve(*masses, cdist(a, b)).value
    assert by_words.topic_distances_[1][0, 3] == pytest.approx(expected, abs=1e-6)
    assert (np.diag(by_words.topic_distances_[1]) == 0).all()


def test_it_classifies_texts_it_has_not_seen(distance, corpus):
    texts, labels = [d.text for d in corpus], [d.label for d in corpus]
    train, test = slice(0, None, 2), slice(1, None, 2)
    model = KNNClassifier(ContextualHOTT(distance.topic_model), n_neighbors=3).fit(
        texts[train], labels[train]
    )
    assert model.score(texts[test], labels[test]) > 0.95


def test_texts_without_known_words_have_no_distance(distance):
    found = distance.pairwise(["the moon", "qqxzzy"], ["a planet"])
    assert np.isnan(found[1, 0])
    assert found[0, 0] >= 0


def test_an_encoder_of_ones_own_and_copies_that_compute_the_same(corpus):
    texts = [document.text for document in corpus[:8]]
    topics = ContextualTopics(n_topics=4, n_models=1, encoder=Encoder.load())
    distance = clone(ContextualHOTT(topics)).fit(texts)
    again = pickle.loads(pickle.dumps(distance))
    assert (again.pairwise(texts) == distance.pairwise(texts)).all()


def test_no_text_has_a_known_word(distance):
    assert np.isnan(distance.pairwise(["qqxzzy", ""], ["a planet"])).all()


def test_bad_settings_are_named(corpus):
    with pytest.raises(ValueError, match="cost"):
        ContextualHOTT(cost="other").fit(["a text"])
    with pytest.raises(ValueError, match="Put a single text in a list"):
        ContextualHOTT().fit("a text")


@pytest.mark.parametrize("wrap", [lambda distance: distance, TextDistance])
def test_hott_names_the_distance_that_reads_texts(wrap):
    distance = wrap(HOTT(topic_model=ContextualTopics(n_topics=2)))
    with pytest.raises(ValueError, match=r"use hott\.ContextualHOTT"):
        distance.fit(["stars and planets", "bread and butter"])
