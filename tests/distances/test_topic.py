"""HOTT and HOFTT: against their definition evaluated with POT, and by what they promise."""

import os
import subprocess
import sys

import numpy as np
import ot
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.base import clone

from hott import HOFTT, HOTT, WMD, KNNClassifier, Neighbors
from hott.compute import cpu
from hott.compute.ground import Order
from hott.distances import topic_space
from hott.distances.topic_space import TopicSpace, topic_distances
from hott.topics import FittedTopics, GibbsLDA, truncate_proportions, truncate_topics
from reproduction.hdp import HDP
from tests.distances.corpora import random_counts, random_vectors

WORDS = 25
TRAIN, NEW = random_counts(40, WORDS, seed=0, mean=1), random_counts(12, WORDS, seed=1, mean=1)
VECTORS = random_vectors(WORDS, seed=2)
SMALL = {"n_topics": 6, "n_words": 4, "iterations": 10}


def by_definition(hott, X, Y, p, threshold):
    """The paper's definition, topic by topic and pair by pair, by POT's solver."""
    total = np.zeros((X.shape[0], Y.shape[0]))
    word_cost = cdist(VECTORS, VECTORS) ** p
    for space in hott.models_:
        kept = []
        for topic in space.topics.components.astype(float):
            heavy = sorted(range(WORDS), key=lambda word, topic=topic: (-topic[word], word))[: hott.n_words]
            kept.append((heavy, topic[heavy] / topic[heavy].sum()))
        topic_cost = np.array(
            [[ot.emd2(a, b, word_cost[np.ix_(i, j)]) ** (1 / p) for j, b in kept] for i, a in kept]
        )
        np.fill_diagonal(topic_cost, 0)
        R, S = (space.topics.transform(counts) for counts in (X, Y))
        for i, r in enumerate(R):
            for j, s in enumerate(S):
                r, s = (np.where(x >= threshold, x, 0) for x in (r, s))
                value = ot.emd2(r / r.sum(), s / s.sum(), topic_cost**p)
                total[i, j] += max(value, 0) ** (1 / p)
    return total / len(hott.models_)


@pytest.mark.parametrize("n_models", [1, 3])
@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize(("kind", "threshold"), [(HOTT, 1 / 7), (HOFTT, 0)])
class TestByDefinition:
    def test_agrees_with_pot(self, kind, threshold, p, n_models):
        hott = kind(VECTORS, p=p, n_models=n_models, **SMALL).fit(TRAIN)
        expected = by_definition(hott, NEW, TRAIN[:20], p, threshold)
        # Roots of costs that POT knows to 1e-15 are known to 3e-8 where they are nearly zero.
        assert hott.pairwise(NEW, TRAIN[:20]) == pytest.approx(expected, abs=1e-9 if p == 1 else 1e-7)
        assert hott.pairwise(NEW, TRAIN[:20]) ** p == pytest.approx(expected**p, abs=1e-9)

    def test_is_a_metric(self, kind, threshold, p, n_models):
        hott = kind(VECTORS, p=p, n_models=n_models, **SMALL).fit(TRAIN)
        D = hott.pairwise(NEW)
        assert np.array_equal(D, D.T)
        assert (np.diag(D) == 0).all()
        assert (D[:, None, :] <= D[:, :, None] + D[None, :, :] + 1e-9).all()

    def test_every_way_to_ask_gives_the_same_bits(self, kind, threshold, p, n_models):
        hott = kind(VECTORS, p=p, n_models=n_models, **SMALL).fit(TRAIN)
        D = hott.pairwise(NEW, TRAIN[:12])
        R, S = hott.represent(NEW), hott.represent(TRAIN[:12])
        rows, cols = np.divmod(np.arange(144), 12)
        assert np.array_equal(hott.paired(NEW, TRAIN[:12]), np.diag(D))
        assert np.array_equal(hott.pairs(R, S, rows, cols).reshape(12, 12), D)
        assert np.array_equal(hott.between(R, S), D)
        assert np.array_equal(hott.pairwise(NEW, TRAIN[:12], threads=3), D)

    def test_bound_stays_below(self, kind, threshold, p, n_models):
        hott = kind(VECTORS, p=p, n_models=n_models, **SMALL).fit(TRAIN)
        bound = hott.lower_bound(hott.represent(NEW), hott.represent(TRAIN))
        exact = hott.pairwise(NEW, TRAIN)
        assert (bound <= exact).all()
        assert bound.mean() > 0.3 * exact.mean()

    def test_neighbours_found_by_bounds_are_those_of_all_pairs(self, kind, threshold, p, n_models):
        hott = kind(VECTORS, p=p, n_models=n_models, **SMALL).fit(TRAIN)
        found = Neighbors(hott).fit(TRAIN).kneighbors(NEW, k=5)
        assert np.array_equal(found.distances, np.sort(hott.pairwise(NEW, TRAIN), axis=1)[:, :5])


def test_a_document_is_at_distance_zero_from_its_own_text_however_it_comes():
    hott = HOTT(VECTORS, n_models=2, **SMALL).fit(TRAIN)
    assert (hott.paired(TRAIN, TRAIN) == 0).all()
    assert all(hott.pairwise(TRAIN[[i]], TRAIN)[0, i] == 0 for i in range(10))


@given(st.integers(0, 10_000), st.sampled_from([1, 2]))
@settings(max_examples=20, deadline=None)
def test_one_topic_a_word_makes_hoftt_the_word_movers_distance(seed, p):
    X = random_counts(6, 9, seed)
    vectors = random_vectors(9, seed)
    hoftt = HOFTT(vectors, p=p, topic_model=FittedTopics(np.eye(9), alpha=0)).fit(X)
    masses = X.toarray() / X.sum(axis=1)[:, None]
    cost = cdist(vectors, vectors) ** p
    expected = np.array([[ot.emd2(a, b, cost) for a in masses] for b in masses])
    assert hoftt.pairwise(X) ** p == pytest.approx(expected, abs=1e-9)
    assert hoftt.pairwise(X) == pytest.approx(
        WMD(vectors, p=p).fit(X).pairwise(X), abs=1e-9 if p == 1 else 1e-7
    )


class TestTopicDistances:
    def test_blocks_of_topics_change_nothing(self, monkeypatch):
        topics = truncate_topics(np.random.default_rng(0).dirichlet(np.ones(WORDS), size=11), 5)
        whole = topic_distances(topics, VECTORS)
        monkeypatch.setattr(topic_space, "WORDS_AT_ONCE", 30)
        assert topic_distances(topics, VECTORS) == pytest.approx(whole, abs=1e-12)

    @pytest.mark.parametrize("p", [1, 2])
    def test_without_vectors_every_two_words_are_one_apart(self, p):
        topics = truncate_topics(np.random.default_rng(0).dirichlet(np.ones(WORDS), size=6), 8)
        one_apart = np.eye(WORDS) / np.sqrt(2)
        assert topic_distances(topics, None, Order(p)) == pytest.approx(
            topic_distances(topics, one_apart, Order(p)), abs=1e-9
        )


class TestTruncation:
    def test_topics_keep_their_heaviest_words_ties_by_index(self):
        kept = truncate_topics(np.array([[0.2, 0.1, 0.2, 0.4, 0.1]]), 2).toarray()
        assert kept == pytest.approx(np.array([[1 / 3, 0, 0, 2 / 3, 0]]))

    def test_none_keeps_all_words(self):
        topics = np.array([[0.2, 0.1, 0.2, 0.4, 0.1]])
        assert truncate_topics(topics, None).toarray() == pytest.approx(topics)

    def test_topics_with_fewer_words_keep_those(self):
        assert truncate_topics(np.array([[0.0, 1.0, 0.0]]), 2).nnz == 1

    def test_proportions_below_one_in_topics_plus_one_go(self):
        kept = truncate_proportions(np.array([[0.2, 0.25, 0.55]]), 0.25).toarray()  # 3 topics: 1/4 stays
        assert kept == pytest.approx(np.array([[0, 0.3125, 0.6875]]))

    def test_one_topic_always_survives(self):
        assert truncate_proportions(np.full((1, 4), 0.25), 0.9).toarray().tolist() == [[1, 0, 0, 0]]

    @pytest.mark.parametrize(("threshold", "lowest"), [("auto", 1 / 7), (None, 0), (0.3, 0.3)])
    def test_threshold(self, threshold, lowest):
        hott = HOTT(threshold=threshold, **SMALL).fit(TRAIN)
        raw = hott.models_[0].topics.transform(NEW)
        expected = np.where((raw >= lowest) | (raw == raw.max(axis=1, keepdims=True)), raw, 0)
        assert hott.transform(NEW).toarray() == pytest.approx(expected / expected.sum(axis=1, keepdims=True))


class TestSeveralModels:
    def test_distance_is_the_mean(self):
        hott = HOTT(VECTORS, n_models=3, **SMALL).fit(TRAIN)
        parts = [HOTT.from_models([space], **SMALL).pairwise(NEW, TRAIN) for space in hott.models_]
        assert hott.pairwise(NEW, TRAIN) == pytest.approx(np.mean(parts, axis=0), abs=1e-12)

    def test_blocks_of_rows_change_nothing(self, monkeypatch):
        hott = HOTT(VECTORS, n_models=2, **SMALL).fit(TRAIN)
        within, across = hott.pairwise(TRAIN), hott.pairwise(TRAIN, NEW)
        heard = []
        monkeypatch.setattr(cpu.row_blocks, "__defaults__", (100,))
        assert np.array_equal(hott.pairwise(TRAIN, progress=lambda *now: heard.append(now)), within)
        assert np.array_equal(hott.pairwise(TRAIN, NEW), across)
        assert heard[-1][0] == heard[-1][1]
        assert [done for done, _ in heard] == sorted(done for done, _ in heard)

    def test_writes_to_the_array_given(self, tmp_path):
        hott = HOTT(VECTORS, n_models=2, **SMALL).fit(TRAIN)
        out = np.memmap(tmp_path / "distances", np.float64, "w+", shape=(12, 40))
        hott.pairwise(NEW, TRAIN, out=out)
        assert np.array_equal(out, hott.pairwise(NEW, TRAIN))

    def test_shapes_of_what_was_learned(self):
        hott = HOTT(VECTORS, n_models=3, **SMALL).fit(TRAIN)
        assert [topics.shape for topics in hott.topics_] == [(6, WORDS)] * 3
        assert [distances.shape for distances in hott.topic_distances_] == [(6, 6)] * 3
        representation = hott.transform(NEW)
        assert representation.shape == (12, 18)
        assert representation.sum(axis=1) == pytest.approx(3)


class TestDeterminism:
    def test_same_seed_same_numbers(self):
        first, second = (HOTT(VECTORS, n_models=2, random_state=5, **SMALL).fit(TRAIN) for _ in range(2))
        assert np.array_equal(first.pairwise(NEW), second.pairwise(NEW))

    def test_another_seed_other_topics(self):
        first, second = (HOTT(VECTORS, random_state=seed, **SMALL).fit(TRAIN) for seed in (0, 1))
        assert not np.array_equal(first.topics_, second.topics_)

    def test_a_fresh_process_with_other_threads_agrees(self):
        code = (
            "from hott import HOTT; from tests.distances.corpora import random_counts, random_vectors;"
            "hott = HOTT(random_vectors(25, 2), n_topics=6, n_words=4, iterations=10, n_models=2);"
            "counts = random_counts(40, 25, seed=0, mean=1);"
            "print(hott.fit(counts).pairwise(counts, threads=3).tobytes().hex())"
        )
        environment = {"OMP_NUM_THREADS": "3", "PYTHONPATH": os.pathsep.join([os.getcwd(), *sys.path])}
        there = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
        ).stdout
        here = HOTT(VECTORS, n_models=2, **SMALL).fit(TRAIN).pairwise(TRAIN)
        assert there.strip() == here.tobytes().hex()

    def test_put_together_again_from_arrays(self):
        hott = HOTT(VECTORS, n_models=2, **SMALL).fit(TRAIN)
        spaces = [
            TopicSpace(
                FittedTopics(
                    s.topics.components.copy(), s.topics.alpha.copy(), s.topics.inference, s.topics.seed
                ),
                s.distances.copy(),
            )
            for s in hott.models_
        ]
        again = HOTT.from_models(spaces, **SMALL)
        assert np.array_equal(again.pairwise(NEW, TRAIN), hott.pairwise(NEW, TRAIN))
        assert again.n_models == 2


@pytest.mark.parametrize("model", [GibbsLDA(5, 10, inference="gibbs"), HDP(10, initial_topics=4)])
def test_any_topic_model_serves(model):
    hott = HOTT(VECTORS, topic_model=model, n_models=2, n_words=4).fit(TRAIN)
    D = hott.pairwise(NEW, TRAIN)
    assert np.isfinite(D).all()
    assert D.std() > 0
    assert (hott.paired(NEW, NEW) == 0).all()


def test_top_words():
    topics = FittedTopics([[0.5, 0.2, 0.3], [0.1, 0.45, 0.45]])
    hott = HOTT(topic_model=topics).fit([[1, 1, 1]])
    assert hott.top_words(2).tolist() == [[0, 2], [1, 2]]
    assert hott.top_words(2, ["a", "b", "c"]).tolist() == [["a", "c"], ["b", "c"]]
    with pytest.raises(ValueError, match="words must name the 3 columns"):
        hott.top_words(2, ["a"])


class TestEmptyDocuments:
    WITH_EMPTY = sparse.csr_array(
        np.vstack([TRAIN[:3].toarray(), np.zeros((1, WORDS)), TRAIN[3:8].toarray()])
    )

    def test_error_names_them(self):
        with pytest.raises(ValueError, match="rows 3"):
            HOTT(**SMALL).fit(TRAIN).pairwise(self.WITH_EMPTY)
        with pytest.raises(ValueError, match="rows 3"):
            HOTT(**SMALL).fit(self.WITH_EMPTY)

    def test_nan_and_drop(self):
        D = HOTT(on_empty="nan", n_models=2, **SMALL).fit(TRAIN).pairwise(self.WITH_EMPTY)
        assert np.isnan(D[3]).all()
        assert np.isfinite(np.delete(np.delete(D, 3, 0), 3, 1)).all()
        assert HOTT(on_empty="drop", **SMALL).fit(TRAIN).pairwise(self.WITH_EMPTY).shape == (8, 8)

    def test_a_document_of_words_that_the_topics_never_saw_is_empty(self):
        X = TRAIN.toarray()
        X[:, 4] = 0
        hott = HOTT(**SMALL).fit(X)
        stranger = np.eye(WORDS)[[4]]
        with pytest.raises(ValueError, match="no word in the vocabulary: rows 0"):
            hott.transform(stranger)
        hott.fit(TRAIN)  # learned anew, the topics know the word
        assert hott.transform(stranger).sum() == pytest.approx(1)


class TestBadInput:
    def test_settings(self):
        for wrong, message in [
            ({"p": 3}, "p must be one of 1, 2"),
            ({"n_models": 0}, "n_models must be a positive whole number"),
            ({"n_words": 1.5}, "n_words must be"),
            ({"threshold": 1.0}, 'threshold must be "auto", None or a number'),
            ({"threshold": "none"}, "threshold must be"),
            ({"n_topics": 0}, "n_topics must be"),
            ({"on_empty": "skip"}, "on_empty must be"),
        ]:
            with pytest.raises(ValueError, match=message):
                HOTT(**wrong).fit(TRAIN)

    def test_counts(self):
        hott = HOTT(**SMALL).fit(TRAIN)
        for counts in (-TRAIN, TRAIN / 2):
            with pytest.raises(ValueError, match=r"Negative values|whole numbers"):
                hott.pairwise(counts)
            with pytest.raises(ValueError, match=r"Negative values|whole numbers"):
                clone(hott).fit(counts)

    def test_word_vectors(self):
        with pytest.raises(ValueError, match=r"word_vectors must have one row for each of the 25 words"):
            HOTT(VECTORS[:-1], **SMALL).fit(TRAIN)
        broken = VECTORS.copy()
        broken[3, 1] = np.nan
        with pytest.raises(ValueError, match="vector of word 3"):
            HOTT(broken, **SMALL).fit(TRAIN)

    def test_models_over_other_words(self):
        spaces = [TopicSpace(FittedTopics(np.eye(n)), np.zeros((n, n))) for n in (2, 3)]
        with pytest.raises(ValueError, match=r"same words; they have \[2, 3\] words"):
            HOTT.from_models(spaces)

    def test_fewer_documents_than_topics_works_and_warns(self):
        with pytest.warns(UserWarning, match="3 documents cannot tell 6 topics apart"):
            hott = HOTT(VECTORS, **SMALL).fit(TRAIN[:3])
        assert hott.pairwise(TRAIN[:3]).shape == (3, 3)

    def test_one_document(self):
        with pytest.warns(UserWarning, match="1 document cannot"):
            assert HOTT(VECTORS, **SMALL).fit(TRAIN[:1]).pairwise(TRAIN[:1]).tolist() == [[0]]


@pytest.mark.parametrize("kind", [HOTT, HOFTT])
def test_defaults_are_those_of_the_paper(kind):
    """70 topics of 20 words, costs that are not squared; HOTT leaves out topics below 1/71 of a document."""
    told = kind().get_params()
    assert (told["n_topics"], told["n_words"], told["p"]) == (70, 20, 1)
    assert told.get("threshold") == ("auto" if kind is HOTT else None)


def test_words_without_a_vector_take_no_part_in_the_distances_of_topics():
    """Words at 0, 1 and 3 on a line, and one without a place that the second topic has most of."""
    vectors = np.ma.masked_array([[0.0], [1.0], [3.0], [9.0]], [[False], [False], [False], [True]])
    topics = FittedTopics(np.array([[1, 0, 0, 0], [0, 0.2, 0.2, 0.6], [0, 0, 1, 0]]), alpha=0)
    hott = HOTT(vectors, topic_model=topics).fit([[1, 1, 1, 1]])
    assert hott.models_[0].distances == pytest.approx(np.array([[0, 2, 3], [2, 0, 1], [3, 1, 0]]))


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("far", [1e5, 1e8])
def test_one_far_word_vector_does_not_blur_the_others(p, far):
    """Its costs are up to 1e16 times the others'. Documents without the word do not feel it."""
    X = random_counts(12, 9, seed=3, mean=1)
    vectors = random_vectors(9, seed=4)
    model = FittedTopics(np.eye(9), alpha=0)
    near = HOFTT(vectors[:8], p=p, topic_model=FittedTopics(np.eye(8), alpha=0))
    vectors[8] = far
    X[:, [8]] = 0
    X.eliminate_zeros()
    X = X[np.diff(X.indptr) > 0]
    expected = near.fit(X[:, :8]).pairwise(X[:, :8])
    found = HOFTT(vectors, p=p, topic_model=model).fit(X).pairwise(X)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_neighbours_among_documents_of_hundreds_of_topics_are_those_of_all_pairs():
    """The nearest is nearer by 2e-7, and single precision rounds a sum of 324 equal terms up by 2e-6."""
    half, others = 324, 6
    vectors = np.sqrt(0.5) * np.eye(2 * half + others)
    vectors[2 * half :] *= 1 + 2e-7
    counts = np.zeros((2 + others, len(vectors)), dtype=int)
    counts[0, :half] = counts[1, half : 2 * half] = 1
    counts[2:, 2 * half :] = np.eye(others)
    X = sparse.csr_array(counts)
    hoftt = HOFTT(vectors, topic_model=FittedTopics(np.eye(len(vectors)), alpha=0), n_words=1).fit(X)
    assert (hoftt.lower_bound(*(hoftt.represent(X),) * 2) <= hoftt.pairwise(X)).all()
    found = Neighbors(hoftt).fit(X[1:]).kneighbors(X[:1], k=1)
    assert found.indices.tolist() == [[0]]
    assert found.distances == pytest.approx(1, rel=1e-9)


def test_topics_of_other_classes_are_farther_apart_where_the_cost_is_supervised():
    """Without word vectors three topics are equally far apart; labels join the first two."""
    counts = np.kron(np.eye(3), np.ones((8, 4))) * 5
    labels = np.repeat(["a", "a", "b"], 8)
    topics = FittedTopics(np.kron(np.eye(3), np.full((1, 4), 0.25)), alpha=0.1)
    plain = HOTT(topic_model=topics).fit(counts)
    learned = HOTT(topic_model=topics, cost="supervised").fit(counts, labels)
    assert plain.topic_distances_[0, 1] == plain.topic_distances_[0, 2]
    assert learned.topic_distances_[0, 1] < 0.7 * learned.topic_distances_[0, 2]
    # Topics of the same documents' classes stay half as far apart as their words are.
    assert learned.topic_distances_[0, 1] == pytest.approx(plain.topic_distances_[0, 1] / 2)
    assert learned.topic_distances_.mean() == pytest.approx(plain.topic_distances_.mean())
    D = learned.topic_distances_
    assert (D[:, :, None] <= D[:, None] + D.T[None] + 1e-12).all()  # still a metric


def test_a_supervised_cost_needs_classes():
    counts = np.kron(np.eye(2), np.ones((4, 3)))
    distance = HOTT(n_topics=2, iterations=5, cost="supervised")
    for y in (None, np.zeros((8, 2))):
        with pytest.raises(ValueError, match="needs one class for each document"):
            distance.fit(counts, y)
    with pytest.raises(ValueError, match="y must have a class for each of 8 documents, not 3"):
        distance.fit(counts, ["a", "b", "c"])
    with pytest.raises(ValueError, match="cost must be one of"):
        HOTT(n_topics=2, cost="labels").fit(counts, [0] * 8)
    model = KNNClassifier(distance, 1).fit(counts, ["a"] * 4 + ["b"] * 4)
    assert model.predict(counts[[0, 7]]).tolist() == ["a", "b"]


def test_topics_that_share_half_of_their_mass():
    topics = sparse.csr_array([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]])
    assert topic_distances(topics, np.array([[0.0], [3.0], [4.0]])).tolist() == [[0, 1.5], [1.5, 0]]
