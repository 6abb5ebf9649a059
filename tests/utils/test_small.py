"""Small helpers that every room uses."""

import numpy as np
import pytest

from hott.evaluation import CrossValidation
from hott.utils.arrays import fingerprint, in_memory, normalize
from hott.utils.checks import check_counts
from hott.utils.optional import import_optional
from hott.utils.progress import defer_sigint, part_of, reporting
from hott.utils.tabular import Listing


def test_a_part_of_the_work_reports_as_a_part_of_all():
    told = []
    part_of(lambda done, total: told.append((done, total)), 1, 3)(5, 10)
    with reporting(lambda done, total: told.append((done, total)), "work") as report:
        report(1, 2)
    assert told == [(15, 30), (1, 2)]
    assert part_of(None, 1, 3) is None
    with defer_sigint() as let_in:
        let_in()  # nobody has pressed Ctrl-C


def test_rows_are_scaled_and_rows_of_zeros_stay():
    np.testing.assert_array_equal(normalize(np.array([[3.0, 4.0], [0.0, 0.0]])), [[0.6, 0.8], [0, 0]])
    assert in_memory([[1.0, 2.0]]) == [[1.0, 2.0]]
    assert fingerprint("topics", np.arange(3)) != fingerprint("topics", np.arange(4))
    assert check_counts([[2, 0, 1]]).indices.tolist() == [0, 2]


def test_a_listing_is_a_table():
    results = Listing([CrossValidation("tfidf", 0.25, 0.05, (0.2, 0.3), 1.0)])
    assert results.to_columns()["error"] == [0.25]
    assert "<td>0.25</td>" in results._repr_html_()


def test_a_missing_package_is_named_with_the_extra_that_brings_it():
    assert import_optional("json", extra="plots").dumps([1]) == "[1]"
    with pytest.raises(ImportError, match=r'pip install "hott\[plots\]"'):
        import_optional("no_such_package", extra="plots")
