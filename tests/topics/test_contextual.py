import numpy as np
import pytest

from hott.corpus import Document, demo
from hott.topics import ContextualTopics
from hott.topics.contextual import _Sample


@pytest.fixture(scope="module")
def corpus() -> list[Document]:
    return [document for document in demo.corpus() if document.label in ("astronomy", "cooking", "tennis")]


@pytest.fixture(scope="module")
def model(corpus) -> ContextualTopics:
    return ContextualTopics(n_topics=12, n_models=2).fit([document.text for document in corpus])


def test_topics_tell_subjects_apart(model, corpus):
    proportions = model.transform([document.text for document in corpus])
    labels = np.array([document.label for document in corpus])
    overlap = np.minimum(proportions[:, None], proportions).sum(axis=2)
    same = labels[:, None] == labels
    np.fill_diagonal(overlap, np.nan)
    assert np.nanmean(overlap[same]) > 1.4 * np.nanmean(overlap[~same])


def test_each_model_has_a_block_of_proportions(model, corpus):
    proportions = model.transform([corpus[0].text, "qqxzzy 12", "the sun"])
    assert proportions.shape == (3, 24)
    for block in (proportions[:, :12], proportions[:, 12:]):
        assert block.sum(axis=1) == pytest.approx([1, 0, 1])
    assert (model.models_[0].centers != model.models_[1].centers).any()


def test_proportions_are_the_weight_of_the_words_in_each_cluster(model, corpus):
    text = corpus[3].text
    rows = model._encoder.words_in_context(text).rows
    lengths = np.linalg.norm(rows, axis=1)
    points = rows / lengths[:, None] - model.centre_
    points /= np.linalg.norm(points, axis=1)[:, None]
    # By distance to the centres as k-means left them, which is how it decides.
    clusters = model.models_[0]
    centers = clusters.centers * np.sqrt(2 * clusters.offsets)[:, None]
    topic = ((points[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
    expected = np.bincount(topic, lengths, 12) / lengths.sum()
    assert model.transform([text])[0, :12] == pytest.approx(expected, abs=1e-6)


def test_the_same_seed_gives_the_same_topics_on_any_number_of_threads(corpus):
    texts = [document.text for document in corpus[:15]]
    first, second = (ContextualTopics(n_topics=5, n_models=1).fit(texts, threads=n) for n in (1, 3))
    assert (first.models_[0].centers == second.models_[0].centers).all()
    assert (first.transform(texts, threads=1) == second.transform(texts, threads=3)).all()
    other = ContextualTopics(n_topics=5, n_models=1, random_state=1).fit(texts)
    assert (other.models_[0].centers != first.models_[0].centers).any()


def test_typical_words_have_masses_and_directions(model):
    clusters = model.models_[0]
    assert clusters.word_masses.sum(axis=1) == pytest.approx(1)
    assert (np.diff(clusters.word_masses, axis=1) <= 1e-7).all()
    words = {model._encoder.words[number] for number in clusters.word_numbers.ravel()}
    assert {"ball", "oil", "planet"} <= words


def test_a_sample_is_a_fair_one_however_it_passes():
    """Of ten words that pass in two lots, each is among the three that are kept in 3 of 10 cases."""
    kept = np.zeros(10)
    for seed in range(1000):
        sample = _Sample(3, np.random.default_rng(seed))
        for lot in (np.arange(6, dtype=np.int32), np.arange(6, 10, dtype=np.int32)):
            sample.add(lot, np.repeat(lot[:, None], 256, axis=1).astype(np.float32))
        assert (sample.rows[:, 0] == sample.numbers).all()
        kept[sample.numbers] += 1
    assert kept.sum() == 3000
    assert (abs(kept - 300) < 60).all()  # four standard deviations


def test_too_little_text_is_told():
    with pytest.raises(ValueError, match="The texts have 2 words that the encoder knows, too few for 150"):
        ContextualTopics().fit(["two words"])
    with pytest.raises(ValueError, match="n_topics"):
        ContextualTopics(n_topics=0).fit(["two words"])
