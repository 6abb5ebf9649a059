"""Splits, k-NN errors, Mantel's test and link features, on cases whose answer is known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hott import NBOW, KNNClassifier
from hott.evaluation import (
    Paper,
    Split,
    agreement,
    knn_errors,
    link_f1,
    mantel,
    pair_features,
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
    found = knn_errors(distance, distance.represent(counts), labels, split, n_validation=28)
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
    assert link_f1(x[:, None], x > 0, split) > 0.9
