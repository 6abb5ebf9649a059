"""What "more like this" goes by: any distance of the library, saved and opened, added to and explained."""

from dataclasses import replace

import numpy as np
import pytest

import hott
from hott import HOTT, L1, WMD, Blend, Corpus, Index, Vocabulary
from hott.distances.registry import REGISTRY
from tests.storage.files import rewrite_header

SPACE = ["planet", "star", "moon", "orbit", "comet", "galaxy", "telescope", "asteroid", "eclipse", "nebula"]
SPORT = ["goal", "match", "player", "team", "coach", "stadium", "referee", "league", "ball", "penalty"]
FOOD = ["bread", "cheese", "soup", "butter", "flour", "oven", "recipe", "sauce", "pastry", "onion"]


def text(words, seed):
    return " ".join(np.random.default_rng(seed).choice(words, 12))


def corpus(seeds=range(6)):
    themes = {"space": SPACE, "sport": SPORT, "food": FOOD}
    texts = [text(words, seed) for seed in seeds for words in themes.values()]
    labels = list(themes) * len(seeds)
    return Corpus(texts, ids=[f"{label}-{n}" for n, label in enumerate(labels)], labels=labels)


CORPUS = corpus()
SMALL = {"n_topics": 3, "n_models": 2, "iterations": 20}


@pytest.fixture(scope="module")
def blended():
    return Index.build(CORPUS, **SMALL)


def test_topics_half_of_tfidf_shares_and_twice_meaning_by_default(blended):
    topics = blended.hott.between(blended.snapshot.topics)
    counts = blended.vocabulary.transform(CORPUS.texts)
    words = L1("tfidf").fit(counts)
    scales = blended.hott.deviation(blended.snapshot.topics), words.deviation(words.represent(counts))
    expected = topics + 0.5 * scales[0] / scales[1] * words.pairwise(counts)
    rows = blended.snapshot.parts["other.1"].parts[0].rows.astype(float)
    meaning = np.linalg.norm(rows[:, None] - rows, axis=2)
    factor = 2 * scales[0] / blended.snapshot.vector_deviation(blended.model)
    np.testing.assert_allclose(blended.distances(), expected + factor * meaning, atol=1e-5)
    np.testing.assert_allclose(blended.without_meaning().distances(), expected, atol=1e-12)
    without = Index.build(CORPUS, encoder=None, **SMALL)
    np.testing.assert_allclose(without.distances(), expected, atol=1e-12)


def test_all_verbs_go_by_the_same_distance(blended):
    D = blended.distances()
    nearest = blended.neighbors(3)
    np.testing.assert_allclose(nearest.distances, np.take_along_axis(D, nearest.indices, 1), atol=1e-12)
    hits = blended.search(id="space-3", k=4)
    row = CORPUS.ids.index("space-3")
    assert [hit.distance for hit in hits] == pytest.approx(sorted(D[row])[:4], abs=1e-12)
    assert blended.compare("space-3", hits[1].id).distance == pytest.approx(hits[1].distance, abs=1e-12)


def test_one_distance_alone_times_a_factor(tmp_path):
    """As a forged file may have it: whatever was saved, the other factor is 1."""
    index = Index.build(CORPUS, encoder=None, **SMALL)
    index.save(tmp_path / "x.hott")
    rewrite_header(tmp_path / "x.hott", lambda file: file["header"].update(factors=[0.0, 0.5]))
    found, counts = hott.open(tmp_path / "x.hott"), index.vocabulary.transform(CORPUS.texts)
    expected = 0.5 * L1("tfidf").fit(counts).pairwise(counts)
    np.testing.assert_allclose(found.distances(), expected, atol=1e-12)
    assert found.search(id="space-3", k=2)[1].distance == pytest.approx(np.sort(expected[3])[1], abs=1e-12)


def test_a_comparison_says_what_unlike_words_add():
    index = Index.build(CORPUS, **SMALL)
    factor, counts = index.model.factors[1], index.vocabulary.transform(CORPUS.texts)
    apart = L1("tfidf").fit(counts).pairwise(counts)
    for other in (0, 3):
        c = index.compare("space-0", f"space-{other}")
        assert c.words == pytest.approx(factor * apart[CORPUS.ids.index("space-0"), CORPUS.ids.index(c.b.id)])


def test_hott_alone_by_choice():
    index = Index.build(CORPUS, distance="hott", **SMALL)
    assert index.distance is index.hott
    np.testing.assert_array_equal(index.distances(), index.hott.between(index.snapshot.topics))
    comparison = index.compare("space-0", "food-2")
    assert comparison.words == 0
    assert comparison.distance == comparison.topics


@pytest.mark.parametrize("name", REGISTRY)
def test_every_distance_finds_its_own_kind_and_survives_saving(name, tmp_path):
    index = Index.build(CORPUS, distance=name, **SMALL)
    nearest = index.neighbors(3).indices
    labels = np.array(CORPUS.labels)
    assert (labels[nearest] == labels[:, None]).mean() > 0.8
    index.save(tmp_path / "index.hott")
    opened = hott.open(tmp_path / "index.hott", verify=True)
    np.testing.assert_array_equal(opened.distances(), index.distances())
    more = Corpus([text(SPORT, 99)], ids=["new"])
    for one in (index, opened):
        one.add(more)
    np.testing.assert_allclose(opened.distances(), index.distances(), atol=1e-12)
    assert [hit.id.split("-")[0] for hit in opened.search(id="new", k=3)[1:]] == ["sport", "sport"]


def test_a_distance_takes_words_and_vectors_of_the_index():
    index = Index.build(CORPUS, distance=WMD(), **SMALL)
    counts = index.vocabulary.transform(CORPUS.texts)
    expected = WMD(index.vocabulary.vectors_).fit(counts).pairwise(counts)
    np.testing.assert_allclose(index.distances(), expected, atol=1e-12)


def test_a_blend_of_ones_own():
    index = Index.build(CORPUS, distance=Blend([HOTT(), WMD()], [1, 3]), **SMALL)
    counts = index.vocabulary.transform(CORPUS.texts)
    wmd = WMD(index.vocabulary.vectors_).fit(counts)
    factor = 3 * index.hott.deviation(index.snapshot.topics) / wmd.deviation(wmd.represent(counts))
    expected = index.hott.between(index.snapshot.topics) + factor * wmd.pairwise(counts)
    np.testing.assert_allclose(index.distances(), expected, atol=1e-10)
    assert index.compare("space-0", "sport-1").words == 0  # words and topics can be explained, this cannot


def test_what_is_no_distance_is_named():
    with pytest.raises(ValueError, match="There is no distance 'nearest'"):
        Index.build(CORPUS, distance="nearest", **SMALL)
    with pytest.raises(ValueError, match="distance must be one of the library"):
        Index.build(CORPUS, distance=Vocabulary(), **SMALL)


def test_a_distance_of_ones_own_works_and_cannot_be_saved(tmp_path):
    class Mine(L1):
        pass

    index = Index.build(CORPUS, distance=Mine(), **SMALL)
    assert index.distances().max() == pytest.approx(2)
    with pytest.raises(ValueError, match="a distance of your own, Mine, cannot be saved"):
        index.save(tmp_path / "mine.hott")


# -- vectors of an encoder -------------------------------------------------------------------------------


def encoder(texts):
    """Length and first letter: nothing that words or topics know."""
    return np.array([[len(text), 100.0 * ord(text[0])] for text in texts])


def test_vectors_of_an_encoder_are_a_part_of_the_distance(tmp_path):
    plain = Index.build(CORPUS, encoder=None, **SMALL)
    index = Index.build(CORPUS, encoder=encoder, **SMALL)
    rows = encoder(CORPUS.texts)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    apart = np.linalg.norm(rows[:, None] - rows, axis=2)
    added = index.distances() - plain.distances()
    np.testing.assert_allclose(added, index.model.factors[-1] * apart, atol=1e-7)
    given = Index.build(CORPUS, encoder=encoder(CORPUS.texts), **SMALL)
    np.testing.assert_array_equal(given.distances(), index.distances())
    index.save(tmp_path / "index.hott")
    opened = hott.open(tmp_path / "index.hott", encoder=encoder)
    model = replace(opened.model, vector_deviation=None)  # as in a file from before it was kept
    assert opened.snapshot.vector_deviation(model) == opened.snapshot.vector_deviation(opened.model) > 0
    np.testing.assert_array_equal(opened.distances(), index.distances())
    assert opened.search("goal")[0].id == index.search("goal")[0].id


def test_vectors_of_an_encoder_are_a_part_of_search():
    """Two documents of the same words: only the encoder tells them apart."""
    texts = ["star planet orbit moon", "moon orbit planet star", *CORPUS.texts]
    index = Index.build(
        Corpus(texts), encoder=lambda texts: [[t.startswith("m"), 1.0] for t in texts], **SMALL
    )
    assert index.search("moon orbit star", k=1)[0].id == index.documents.ids[1]
    hits = index.search("moon orbit star", k=len(texts))
    assert [hit.score for hit in hits] == pytest.approx(
        [hit.words + hit.topics + hit.meaning for hit in hits]
    )
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_a_text_without_known_words_is_searched_by_the_encoder(tmp_path):
    def is_of_m(texts):
        return [[t.startswith("m"), 1.0] for t in texts]

    texts = ["moon and planet", "planet and moon", "oven bread", "bread oven"]
    index = Index.build(Corpus(texts, ids=list("abcd")), encoder=is_of_m, **SMALL)
    hits = index.search("mqqxz", k=2)
    assert hits[0].id == "a"
    assert hits[0].score > hits[1].score
    assert np.isnan(hits[0].distance)
    assert hits.notes == ("“mqqxz” is in no document",)
    assert index.reasons(hits) == ["about planet, moon"] * 2
    only = np.array([False, True, True, False])
    assert [hit.id for hit in index.search("mqqxz", where=only)] == ["b", "c"]
    shards = hott.Shards.of(index, tmp_path / "a.hotts", shards=2)
    assert [hit.score for hit in shards.search("mqqxz", k=2)] == [hit.score for hit in hits]
    for refused in ({"by": "words"}, {"by": "topics"}):
        with pytest.raises(hott.index.EmptyQuery, match="Words that many documents have: bread, moon"):
            index.search("mqqxz", **refused)
    with pytest.raises(hott.index.EmptyQuery):
        index.search("?!")


def test_without_the_encoder_new_documents_are_refused_and_search_goes_on():
    index = Index.build(CORPUS, encoder=encoder(CORPUS.texts), **SMALL)
    assert index.search("goal")[0].label == "sport"
    with pytest.raises(ValueError, match="no encoder to make more of them"):
        index.add(Corpus(["goal match"], ids=["new"]))
    assert len(index) == len(CORPUS)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (np.ones((3, 2)), "one vector for each of 18 documents; there are 3"),
        (np.full((18, 2), np.nan), "finite"),
        (np.ones(18), "one row a document"),
    ],
)
def test_vectors_that_cannot_be_are_named(bad, message):
    with pytest.raises(ValueError, match=message):
        Index.build(CORPUS, encoder=bad, **SMALL)
