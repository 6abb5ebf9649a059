"""Tests of differences against numbers computed by hand, by scipy, or printed in the literature."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import f1_score

from reproduction.evaluation import (
    bootstrap,
    correlation_interval,
    f1_interval,
    friedman,
    mcnemar,
    mean_interval,
)


def test_the_interval_of_a_share_is_that_of_the_binomial():
    wrong = np.repeat([1.0, 0.0], [30, 70])
    found = mean_interval([np.column_stack([wrong, np.ones(100)])], draws=20_000)
    low, high = stats.binom.ppf([0.025, 0.975], 100, 0.3) / 100
    assert found.value == pytest.approx(0.3)
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.011)


def test_paired_differences_are_narrower_than_their_parts():
    random = np.random.default_rng(0)
    hard = random.random(500) < 0.3
    better = hard & (random.random(500) < 0.8)  # the same documents wrong, some of them right
    ones = np.ones(500)
    paired = mean_interval([np.column_stack([hard * 1.0 - better, ones])])
    alone = mean_interval([np.column_stack([hard, ones])])
    assert paired.beyond_zero
    assert paired.value == pytest.approx((hard.sum() - better.sum()) / 500)
    assert paired.high - paired.low < alone.high - alone.low


def test_groups_count_alike_whatever_their_size():
    large, small = np.zeros((900, 2)), np.ones((9, 2))
    large[:, 1] = 1
    assert mean_interval([large, small]).value == 0.5


def test_documents_in_several_splits_are_drawn_as_one():
    """A document that was tested five times says no more than five copies of one answer."""
    wrong = np.repeat([1.0, 0.0], [10, 10])
    once = mean_interval([np.column_stack([wrong, np.ones(20)])], draws=5000)
    often = mean_interval([np.column_stack([5 * wrong, np.full(20, 5.0)])], draws=5000)
    assert (often.low, often.high) == pytest.approx((once.low, once.high))


def test_no_difference_has_no_width():
    found = mean_interval([np.column_stack([np.zeros(50), np.ones(50)])])
    assert (found.low, found.high, found.beyond_zero) == (0.0, 0.0, False)


@given(st.integers(0, 40), st.integers(0, 40))
def test_mcnemar_is_the_sign_test_of_the_disagreements(only_first, only_second):
    first = np.repeat([1, 0, 1, 0], [only_first, only_second, 7, 11])
    second = np.repeat([0, 1, 1, 0], [only_first, only_second, 7, 11])
    found = mcnemar(first, second)
    n = only_first + only_second
    # Twice the smaller tail of a fair coin, by hand.
    tail = sum(stats.binom.pmf(i, n, 0.5) for i in range(min(only_first, only_second) + 1))
    assert (found.only_first, found.only_second) == (only_first, only_second)
    assert found.p_value == pytest.approx(min(1.0, 2 * tail))


def test_mcnemar_wants_the_same_documents():
    with pytest.raises(ValueError, match="same documents"):
        mcnemar([1, 0], [1, 0, 1])


def test_friedman_is_demsars_example():
    """Four algorithms on 14 data sets (Demsar, 2006, table 6): ranks 3.143, 2.000, 2.893, 1.964; chi2 9.28;
    critical difference at 95 % 1.25. (Of two that are printed alike, .975, the table ranks one before.)
    """
    accuracies = np.array(
        [
            [0.763, 0.768, 0.771, 0.798], [0.599, 0.591, 0.590, 0.569], [0.954, 0.971, 0.968, 0.967],
            [0.628, 0.661, 0.654, 0.657], [0.882, 0.888, 0.886, 0.898], [0.936, 0.931, 0.916, 0.931],
            [0.661, 0.668, 0.609, 0.685], [0.583, 0.583, 0.563, 0.625], [0.775, 0.838, 0.866, 0.875],
            [1.000, 1.000, 1.000, 1.000], [0.940, 0.962, 0.965, 0.962], [0.619, 0.666, 0.614, 0.669],
            [0.972, 0.981, 0.975, 0.9749], [0.957, 0.978, 0.946, 0.970],
        ]
    )  # fmt: skip
    found = friedman(1 - accuracies)
    assert found.mean == pytest.approx([3.143, 2.000, 2.893, 1.964], abs=1e-3)
    assert found.critical_difference == pytest.approx(1.25, abs=0.005)
    assert found.statistic > 9.28  # printed without the correction for ties
    assert found.statistic == pytest.approx(stats.friedmanchisquare(*accuracies.T).statistic)
    assert found.p_value < 0.05


def test_friedman_refuses_methods_that_lack_a_data_set():
    with pytest.raises(ValueError, match="lack a data set"):
        friedman([[1.0, 2.0, np.nan], [1.0, 2.0, 3.0]])


@pytest.mark.parametrize("shape", [(1, 3), (2, 2)])
def test_friedman_wants_two_data_sets_and_three_methods(shape):
    with pytest.raises(ValueError, match=r"at least 2 x 3; their shape is \(\d, \d\)"):
        friedman(np.arange(np.prod(shape)).reshape(shape))


def test_f1_is_that_of_scikit_learn_inside_its_interval():
    random = np.random.default_rng(1)
    true = random.random(400) < 0.5
    predicted = true ^ (random.random(400) < 0.2)
    found = f1_interval(predicted, true)
    assert found.value == pytest.approx(f1_score(true, predicted))
    assert found.low < found.value < found.high
    assert found.high - found.low < 0.12


def test_correlation_of_unrelated_matrices_has_zero_in_its_interval():
    random = np.random.default_rng(2)
    points, others = random.normal(size=(2, 40, 3))
    D, E = (np.linalg.norm(x[:, None] - x, axis=2) for x in (points, others))
    assert not correlation_interval(D, E, draws=200).beyond_zero
    related = correlation_interval(D, D**2, draws=200)
    upper = np.triu_indices(40, 1)
    assert related.value == pytest.approx(np.corrcoef(D[upper], (D**2)[upper])[0, 1])
    assert 0.8 < related.low < related.value < related.high <= 1


def test_any_statistic_of_sums():
    """Errors divided by those of another method, mean over data sets: the normalised error."""
    own = np.column_stack([np.repeat([1.0, 0.0], [10, 90]), np.repeat([1.0, 0.0], [20, 80])])
    found = bootstrap([own, own], lambda sums: np.mean([s[:, 0] / s[:, 1] for s in sums], axis=0))
    assert found.value == pytest.approx(0.5)
    assert found.low < 0.5 < found.high


def test_a_correlation_needs_three_pairs_of_two_documents():
    """Of three documents, most draws are of two of them, or of one: these say nothing."""
    D = np.array([[0, 1, 2], [1, 0, 4], [2, 4, 0.0]])
    E = np.array([[0, 1, 2], [1, 0, 3], [2, 3, 0.0]])
    found = correlation_interval(D, E, draws=100)
    assert found.value == pytest.approx(np.corrcoef([1, 2, 4], [1, 2, 3])[0, 1])
    assert found.low == pytest.approx(found.value)
    assert found.high == pytest.approx(found.value)
