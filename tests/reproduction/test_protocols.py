"""Splits, k-NN errors, Mantel's test and link features, on cases whose answer is known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hott import NBOW, KNNClassifier
from reproduction.evaluation import (
    Paper,
    Split,
    agreement,
    difference,
    knn_errors,
    mantel,
    pair_features,
    predicted_links,
    random_split,
    split_in_order,
    without_copies,
)


@given(n=st.integers(2, 200), share=st.floats(0.1, 0.9), seed=st.integers(0, 5))
def test_a_random_split_uses_every_document_once(n, share, seed):
    split = random_split(n, share, seed)
    assert sorted([*split.train, *split.test]) == list(range(n))
    assert len(split.train) == round(share * n)


def test_a_class_with_one_document_is_never_tested():
    split = split_in_order(["a", "b", "a", "a", "a", "a"], 0.8)
    assert split.test.tolist() == [5]


def test_the_first_share_of_each_class_is_learned_from():
    split = split_in_order(["a", "b", "b", "a", "b", "b", "c"], 0.5)
    assert split.train.tolist() == [0, 1, 2, 6]
    assert split.test.tolist() == [3, 4, 5]


def test_copies_of_training_documents_are_not_tested():
    split = without_copies(Split(np.array([0, 2]), np.array([1, 3, 4])), ["a", "a", "b", "c", "b"])
    assert split.train.tolist() == [0, 2]
    assert split.test.tolist() == [3]


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_errors_are_those_of_the_classifier_for_every_k(seed):
    random = np.random.default_rng(seed)
    counts = random.poisson(1.0, (40, 6)) + np.eye(6, dtype=int)[random.integers(6, size=40)]
    labels = random.integers(3, size=40)
    split = random_split(40, 0.7, seed)
    distance = NBOW().fit(counts)
    found = knn_errors(distance, distance.represent(counts), labels, split, validation=split.train)
    for k in (1, 2, 7, 19):
        model = KNNClassifier(NBOW(), n_neighbors=k).fit(counts[split.train], labels[split.train])
        assert found.test[k - 1] == pytest.approx(1 - model.score(counts[split.test], labels[split.test]))
    # Validation: every training document classified by the other ones.
    wrong = []
    for row in split.train:
        others = split.train[split.train != row]
        model = KNNClassifier(NBOW(), n_neighbors=3).fit(counts[others], labels[others])
        wrong.append(model.predict(counts[[row]])[0] != labels[row])
    assert found.validation[2] == pytest.approx(np.mean(wrong))
    assert found.validation[found.best_k - 1] == found.validation.min()


@pytest.mark.parametrize("chosen", [[], [5], [0, 3, 8, 20]])
def test_chosen_training_documents_are_classified_by_the_others(chosen):
    random = np.random.default_rng(0)
    counts = random.poisson(1.0, (40, 6)) + np.eye(6, dtype=int)[random.integers(6, size=40)]
    labels = random.integers(3, size=40)
    split = random_split(40, 0.7, 0)
    distance = NBOW().fit(counts)
    rows = split.train[chosen]
    found = knn_errors(distance, distance.represent(counts), labels, split, validation=rows).validation
    assert found.shape == (19,)
    if not chosen:
        assert np.isnan(found).all()
        return
    wrong = []
    for row in rows:
        others = split.train[split.train != row]
        model = KNNClassifier(NBOW(), n_neighbors=1).fit(counts[others], labels[others])
        wrong.append(model.predict(counts[[row]])[0] != labels[row])
    assert found[0] == pytest.approx(np.mean(wrong))


def test_predictions_are_those_of_the_classifier():
    random = np.random.default_rng(1)
    counts = random.poisson(1.0, (40, 6)) + 1
    labels = np.array(["b", "a", "c"])[random.integers(3, size=40)]
    split = random_split(40, 0.7, 0)
    distance = NBOW().fit(counts)
    found = knn_errors(distance, distance.represent(counts), labels, split)
    model = KNNClassifier(NBOW(), n_neighbors=7).fit(counts[split.train], labels[split.train])
    assert found.classes[found.predicted[:, 6]].tolist() == model.predict(counts[split.test]).tolist()


def test_a_few_training_documents_are_asked_for_fewer_neighbours():
    counts = np.eye(6, dtype=int) + 1
    distance = NBOW().fit(counts)
    split = Split(np.arange(4), np.array([4, 5]))
    found = knn_errors(distance, distance.represent(counts), np.array(list("aabbab")), split)
    assert found.test.shape == (3,)


def test_thousands_of_documents_are_classified_in_several_parts():
    """As many as the votes of one part hold, and some more; all of them right but those labelled wrong."""
    counts = np.tile(np.array([[5, 1], [1, 5]]), (1300, 1))
    labels = np.tile([0, 1], 1300)
    labels[[700, 2500]] ^= 1
    distance = NBOW().fit(counts)
    split = Split(np.arange(100), np.arange(100, 2600))
    found = knn_errors(distance, distance.represent(counts), labels, split)
    np.testing.assert_allclose(found.test, 2 / 2500)


def test_the_difference_of_two_matrices():
    assert difference([[1, 2], [3, 4]], [[1, 0], [0, 4]]) == pytest.approx(np.sqrt(4 + 9))
    assert difference([[1, 2], [3, 4]], [[1, 2], [3, 4]]) == 0
    assert difference([[0, -1]], [[0, 1]]) == 2


def test_mantel_counts_orders_that_reach_the_correlation_itself():
    """Two groups: every order that keeps them apart gives the very same matrix, and counts as reaching it."""
    group = np.repeat([0, 1], 2)
    D = (group[:, None] != group).astype(float)
    found = mantel(D, D, permutations=200)
    assert found.correlation == 1.0
    assert found.p_value == pytest.approx(1 / 3, abs=0.08)  # 8 of the 24 orders of four documents
    assert mantel(D, D, permutations=200, seed=1).p_value != found.p_value


def test_agreement_needs_square_matrices_of_three_documents():
    for shape in ((2, 2), (3, 4), (9,)):
        with pytest.raises(ValueError, match="square matrix"):
            agreement(np.zeros(shape), np.zeros((3, 3)))
    D = np.array([[0, 1, 2], [1, 0, 4], [2, 4, 0]])
    pearson, spearman = agreement(D, -(D**2))
    assert spearman == 1.0
    assert pearson == pytest.approx(np.corrcoef([1, 2, 4], [1, 4, 16])[0, 1])


def test_mantel_finds_a_relation_and_none():
    random = np.random.default_rng(0)
    points, others = random.normal(size=(2, 30, 2))
    D, E = (np.linalg.norm(x[:, None] - x, axis=2) for x in (points, others))
    related, unrelated = mantel(D, D**2), mantel(D, E)
    upper = np.triu_indices(30, 1)
    assert related.correlation == pytest.approx(np.corrcoef(D[upper], (D**2)[upper])[0, 1])
    assert related.p_value == 0.001
    assert unrelated.p_value > 0.05


def test_matrices_of_other_documents_are_refused():
    with pytest.raises(ValueError, match="same documents"):
        mantel(np.zeros((3, 3)), np.zeros((4, 4)))
    with pytest.raises(ValueError, match="square"):
        agreement(np.zeros((3, 2)), np.zeros((3, 3)))


def test_pair_features_count_what_two_papers_share():
    papers = [
        Paper("On the Entropy of Black Holes", "A. Strominger (Harvard), C. Vafa", 1996),
        Paper("Black holes and strings", "C.Vafa & E. Witten", 1999),
        Paper("Instantons", "E. Witten", 1999),
    ]
    features = pair_features(papers, [[0, 1], [1, 2], [2, 0]])
    assert features.tolist() == [[2, 1, -3, 3], [0, 1, 0, 0], [0, 0, 3, 3]]


def test_separable_links_are_all_found():
    x = np.linspace(-1, 1, 100)
    split = random_split(100, 0.8, 0)
    found = predicted_links(x[:, None], x > 0, split)
    assert (found == (x > 0)[split.test]).mean() > 0.9
