"""Checks at the door: what they let in, in which form, and what they say of the rest."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from hott.utils import checks
from hott.utils.checks import (
    check_choice,
    check_count,
    check_counts,
    check_numbers,
    check_output,
    check_same_mass,
    check_word_vectors,
    obeys_triangle_inequality,
)


def broken(indices, indptr=(0, 2), shape=(1, 3)):
    """A CSR matrix put together behind SciPy's back."""
    rows = sparse.csr_array(shape)
    rows.data = np.ones(len(indices))
    rows.indices, rows.indptr = np.array(indices, np.int32), np.array(indptr, np.int32)
    return rows


def test_shares_in_single_precision_are_to_be_made_in_double():
    shares = np.full(49, 1 / 49, np.float32)  # as normalize() leaves them, 1e-7 beside 1
    with pytest.raises(ValueError, match=r"in double precision: .*normalize\(X\.astype\(float\)"):
        check_same_mass(float(shares.astype(float).sum()), 1.0)


def test_metric_is_yes_no_or_auto():
    for metric in (True, np.False_, "auto"):
        obeys_triangle_inequality(np.zeros((2, 2)), metric)
    with pytest.raises(ValueError, match=r"metric must be one of .* not 'yes'"):
        obeys_triangle_inequality(np.zeros((2, 2)), "yes")


@given(
    arrays(np.int64, st.tuples(st.integers(1, 5), st.integers(1, 6)), elements=st.integers(0, 3)), st.data()
)
def test_counts_come_in_one_form_however_they_are_stored(dense, data):
    """Entries in any order, split in two, zeros among them: what comes out is that of the dense array."""
    rows, cols = np.divmod(np.arange(dense.size), dense.shape[1])
    order = data.draw(st.permutations(range(2 * dense.size)))
    part = np.array(data.draw(st.lists(st.integers(0, 3), min_size=dense.size, max_size=dense.size)))
    part = np.minimum(part, dense.ravel())
    values = np.concatenate([part, dense.ravel() - part])[order]
    rows, cols = np.tile(rows, 2)[order], np.tile(cols, 2)[order]
    by_row = np.argsort(rows, kind="stable")
    starts = np.arange(dense.shape[0] + 1) * 2 * dense.shape[1]
    kind = data.draw(st.sampled_from([np.int64, np.float64]))
    messy = sparse.csr_array((values[by_row].astype(kind), cols[by_row], starts), shape=dense.shape)
    before = messy.data.copy(), messy.indices.copy()
    found, expected = check_counts(messy), check_counts(dense)
    for name in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found.toarray(), dense)
    np.testing.assert_array_equal(messy.data, before[0])  # the caller's matrix is left as it was
    np.testing.assert_array_equal(messy.indices, before[1])


@pytest.mark.parametrize(
    ("counts", "whole", "message"),
    [
        (
            [[1, 0], [0, -2]],
            False,
            "Negative values in data: X must hold finite numbers .* row 1 has -2 in column 1",
        ),
        ([[1, np.nan]], False, r"row 0 has nan in column 1 \(1 such entries\)"),
        ([[np.inf, np.inf]], False, r"row 0 has inf in column 0 \(2 such entries\)"),
        ([[1, 0.5]], True, r"must hold whole numbers .*row 0 has 0\.5 in column 1.*numpy\.rint"),
        (broken([0, 3]), False, "X is a broken CSR matrix"),
        (broken([0, -1]), False, "X is a broken CSR matrix"),
        (broken([0, 1], indptr=(0, 3, 2), shape=(2, 3)), False, "X is a broken CSR matrix"),
    ],
)
def test_wrong_counts_are_named(counts, whole, message):
    with pytest.raises(ValueError, match=message):
        check_counts(counts, whole=whole)


def test_fractions_are_counts_unless_whole_ones_are_needed():
    assert check_counts([[0.5, 2]]).data.tolist() == [0.5, 2]
    assert check_counts([[1.0, 2]], whole=True).data.tolist() == [1, 2]


@pytest.mark.parametrize("wrong", [0, -3, 1.0, True, "2", None])
def test_what_is_no_count_is_named(wrong):
    with pytest.raises(ValueError, match="k must be a positive whole number, not"):
        check_count(wrong, "k")
    assert check_count(np.int32(4), "k") == 4


def test_choices_are_listed():
    check_choice(2, "p", (1, 2))
    with pytest.raises(ValueError, match="p must be one of 1, 2, not 3"):
        check_choice(3, "p", (1, 2))


def test_word_vectors():
    made = check_word_vectors(None, 3)
    assert np.linalg.norm(made[0] - made[2]) == pytest.approx(1)
    with pytest.raises(ValueError, match="must be given for 5000 words"):
        check_word_vectors(None, 5000)
    with pytest.raises(ValueError, match=r"one row for each of the 3 words .*shape \(2, 2\)"):
        check_word_vectors(np.eye(2), 3)
    with pytest.raises(ValueError, match="the vector of word 1 is not"):
        check_word_vectors([[0.0], [np.nan]], 2)


@given(arrays(np.float64, st.integers(2, 6).map(lambda n: (n, 2)), elements=st.integers(-9, 9)))
def test_distances_in_the_plane_obey_the_triangle_inequality_and_one_detour_breaks_it(points):
    cost = np.linalg.norm(points[:, None] - points, axis=2)
    assert obeys_triangle_inequality(cost, "auto")
    assert not obeys_triangle_inequality(cost, False)
    cost[0, -1] += 2 * cost.max() + 1
    assert obeys_triangle_inequality(cost, "auto") == (len(cost) == 2)
    cost[0, 0] = 1
    assert not obeys_triangle_inequality(cost, "auto")


def test_results_go_into_the_array_that_was_given():
    out = np.zeros((2, 3))
    assert check_output(out, (2, 3)) is out
    new = check_output(None, (2, 3))
    assert new.shape == (2, 3)
    assert new.dtype == np.float64
    read_only = np.zeros((2, 3))
    read_only.flags.writeable = False
    for wrong, told in [
        (np.zeros((3, 2)), r"float64 array of shape \(2, 3\); it is float64 \(3, 2\)"),
        (np.zeros((2, 3), np.float32), r"it is float32 \(2, 3\)"),
        (np.zeros((3, 2)).T, "C-contiguous"),
        (read_only, "writable"),
    ]:
        with pytest.raises(ValueError, match=told):
            check_output(wrong, (2, 3))


def test_a_matrix_that_does_not_fit_is_refused_before_it_is_made(monkeypatch):
    monkeypatch.setattr(checks, "available_memory", lambda: 8 * 6)
    assert check_output(None, (2, 3)).shape == (2, 3)
    monkeypatch.setattr(checks, "available_memory", lambda: 2**30 - 1)
    with pytest.raises(ValueError, match=r"need 1\.0 GiB of memory and 1\.0 GiB are free"):
        check_output(None, (2**14, 2**13))
    monkeypatch.setattr(checks, "available_memory", lambda: None)  # where the system does not tell
    assert check_output(None, (2, 3)).shape == (2, 3)


def test_free_memory_is_counted_in_bytes():
    free = checks.available_memory()
    assert free is None or (free % 1024 == 0 and 2**20 < free < 2**50)


def test_row_numbers_lie_between_0_and_the_number_of_rows():
    assert check_numbers([0, 4], "rows", 5).tolist() == [0, 4]
    assert check_numbers([], "rows", 0).dtype == np.int64
    for wrong, told in [
        ([-1], "it spans -1 to -1"),
        ([5], "between 0 and 4"),
        ([0.5], "row numbers"),
        ([[1]], "vector"),
    ]:
        with pytest.raises(ValueError, match=told):
            check_numbers(wrong, "rows", 5)
