"""The classifier votes as the paper says, and lives in scikit-learn's tools."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from hott import L1, NBOW, TFIDF, WMD, Blend, KNNClassifier, Neighbors
from hott.evaluation.classify import deciding_votes
from tests.distances.corpora import random_vectors


def topical_documents(n, seed):
    """Two classes, each with words of its own and some in common."""
    random = np.random.default_rng(seed)
    labels = random.integers(2, size=n)
    rates = np.array([[2.0] * 6 + [0.2] * 6 + [1.0] * 4, [0.2] * 6 + [2.0] * 6 + [1.0] * 4])
    return random.poisson(rates[labels]), np.array(["sea", "land"])[labels]


COUNTS, LABELS = topical_documents(60, seed=0)
NEW, NEW_LABELS = topical_documents(40, seed=1)


def vote_again_and_again(labels, weights):
    """The rule as the paper states it, for one document."""
    for count in range(len(labels), 0, -1):
        totals = {}
        for label, weight in zip(labels[:count], weights):
            totals[label] = totals.get(label, 0) + weight
        best = max(totals.values())
        leaders = [label for label, total in totals.items() if total == best]
        if len(leaders) == 1:
            return leaders[0]
    raise AssertionError("one neighbour cannot tie")


@given(
    st.lists(
        st.tuples(*[st.tuples(st.integers(0, 3), st.sampled_from([1, 2, 4]))] * 7), min_size=1, max_size=10
    )
)
def test_ties_drop_the_farthest_and_vote_again(documents):
    labels, weights = np.moveaxis(np.array(documents), 2, 0)
    ballots = np.zeros((*labels.shape, 4))
    np.put_along_axis(ballots, labels[:, :, None], weights[:, :, None], axis=2)
    found = deciding_votes(ballots).argmax(axis=1)
    assert found.tolist() == [vote_again_and_again(*document) for document in zip(labels, weights)]


def test_tie_by_hand():
    """Two neighbours of each class: without the farthest, which is sea, land has two votes to one."""
    documents = [[10, 0], [8, 2], [7, 3], [5, 5]]
    model = KNNClassifier(NBOW(), n_neighbors=4).fit(documents, ["land", "sea", "land", "sea"])
    assert model.predict([[10, 0]]).tolist() == ["land"]
    assert model.predict_proba([[10, 0]]) == pytest.approx(np.array([[2 / 3, 1 / 3]]))
    # Seen from the other end the farthest is land, and sea has two votes to one.
    assert model.predict([[5, 5]]).tolist() == ["sea"]


def test_agrees_with_scikit_learn_where_there_is_no_tie():
    model = KNNClassifier(NBOW(), n_neighbors=5).fit(COUNTS, LABELS)
    shares = NBOW().fit(COUNTS).transform
    theirs = KNeighborsClassifier(5, algorithm="brute").fit(shares(COUNTS).toarray(), LABELS)
    assert model.predict(NEW).tolist() == theirs.predict(shares(NEW).toarray()).tolist()
    assert model.predict_proba(NEW) == pytest.approx(theirs.predict_proba(shares(NEW).toarray()))


def test_votes_by_nearness_agree_with_scikit_learn():
    model = KNNClassifier(NBOW(), n_neighbors=5, weights="distance").fit(COUNTS, LABELS)
    shares = NBOW().fit(COUNTS).transform
    theirs = KNeighborsClassifier(5, algorithm="brute", weights="distance")
    theirs.fit(shares(COUNTS).toarray(), LABELS)
    assert model.predict_proba(NEW) == pytest.approx(theirs.predict_proba(shares(NEW).toarray()), abs=1e-6)


def test_neighbours_at_distance_zero_outvote_the_others():
    model = KNNClassifier(NBOW(), n_neighbors=3, weights="distance")
    model.fit([[1, 1], [1, 2], [1, 2]], ["sea", "land", "land"])
    assert model.predict_proba([[2, 2]]).tolist() == [[0, 1]]  # land, sea


@pytest.mark.parametrize(
    "distance",
    [
        NBOW(),
        TFIDF(),
        L1("tfidf"),
        WMD(random_vectors(16, seed=2)),
        Blend([L1("tfidf"), WMD(random_vectors(16, seed=2))]),
    ],
    ids=str,
)
def test_classifies_with_any_distance(distance):
    assert KNNClassifier(distance).fit(COUNTS, LABELS).score(NEW, NEW_LABELS) > 0.9


def test_cross_validation_and_grid_search():
    assert cross_val_score(KNNClassifier(L1()), COUNTS, LABELS, cv=3).mean() > 0.85
    grid = {"n_neighbors": [1, 5], "distance__weights": ["nbow", "tfidf"], "weights": ["uniform", "distance"]}
    search = GridSearchCV(KNNClassifier(L1()), grid, cv=3).fit(COUNTS, LABELS)
    assert search.best_score_ > 0.85
    assert set(search.best_params_) == set(grid)


def test_documents_without_words_get_the_share_of_each_class():
    counts = np.vstack([NEW[:3], np.zeros((1, 16), int)])
    model = KNNClassifier(NBOW(on_empty="nan")).fit(COUNTS, LABELS)
    share = np.mean(LABELS == "land")
    assert model.predict_proba(counts)[3] == pytest.approx([share, 1 - share])
    assert model.predict(counts)[:3].tolist() == model.predict(NEW[:3]).tolist()
    with pytest.raises(ValueError, match="1 of 4 documents have no word"):
        KNNClassifier(NBOW()).fit(COUNTS, LABELS).predict(counts)


def test_training_documents_without_words_do_not_vote():
    counts = np.vstack([np.zeros((2, 16), int), COUNTS])
    labels = ["noise", "noise", *LABELS]
    model = KNNClassifier(NBOW(on_empty="drop")).fit(counts, labels)
    assert model.predict(NEW).tolist() == KNNClassifier(NBOW()).fit(COUNTS, LABELS).predict(NEW).tolist()


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (KNNClassifier(NBOW(), n_neighbors=0), "n_neighbors must be a positive whole number, not 0"),
        (KNNClassifier(NBOW(), n_neighbors=61), "n_neighbors must not exceed.*it is 61, n_samples = 60"),
        (KNNClassifier(NBOW(), weights="rank"), "weights must be one of 'uniform', 'distance', not 'rank'"),
    ],
    ids=str,
)
def test_bad_parameters_are_named(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(COUNTS, LABELS)


def test_as_many_labels_as_documents():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        KNNClassifier(NBOW()).fit(COUNTS, LABELS[:-1])


def test_a_classifier_finds_what_neighbors_finds():
    model, plain = KNNClassifier(NBOW(), n_neighbors=3).fit(COUNTS, LABELS), Neighbors(NBOW()).fit(COUNTS)
    assert np.array_equal(model.kneighbors(NEW).indices, plain.kneighbors(NEW, 3).indices)
    assert plain.kneighbors(NEW).indices.shape == (len(NEW), 10)
    assert (model.graph(k=2, threads=1) != plain.graph(k=2)).nnz == 0
    near = zip(model.radius_neighbors(NEW, 0.3).indices, plain.radius_neighbors(NEW, 0.3).indices)
    assert all(np.array_equal(a, b) for a, b in near)


def test_neighbors_takes_texts_without_a_distance():
    texts = ["Stars shine.", "A star and the moon.", "Bread and butter.", "Fresh bread."]
    assert Neighbors().fit(texts).kneighbors(["the bread is fresh"], 1).indices.tolist() == [[3]]


def test_of_classes_that_tie_the_farthest_neighbour_is_dropped():
    first, second = [1, 0], [0, 1]
    assert deciding_votes(np.array([[second, first, first, second]])).tolist() == [[2, 1]]
