"""Columns keep their types, whatever a file, a frame or a batch gives."""

from datetime import UTC, date, datetime
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hott._columns import STRING
from hott._values import BOOL, DATE, NUMBER, TIME, WHOLE, joined, normalised, typed


@pytest.mark.parametrize(
    ("values", "type_", "kept"),
    [
        ([1, None, 3], WHOLE, [1, None, 3]),
        ([1, 2.5, float("nan")], NUMBER, [1.0, 2.5, None]),
        ([True, None], BOOL, [True, None]),
        ([date(2004, 2, 29), None], DATE, [date(2004, 2, 29), None]),
        ([date(2004, 2, 29), datetime(2004, 3, 1)], TIME, [datetime(2004, 2, 29), datetime(2004, 3, 1)]),
        (["2004-02-29", ""], DATE, [date(2004, 2, 29), None]),
        (["2004-02-30"], STRING, ["2004-02-30"]),
        (["2004-05-06T07:08:09+02:00"], TIME, [datetime(2004, 5, 6, 5, 8, 9)]),
        (["2004", "2005"], STRING, ["2004", "2005"]),  # text where the file could have said a number
        ([1, "one"], STRING, ["1", "one"]),
        ([{"a": 1}, ["x"]], STRING, ['{"a": 1}', '["x"]']),
        ([Decimal("1.5"), np.float32(2), np.int8(3)], NUMBER, [1.5, 2.0, 3.0]),
        ([2**70, 1], STRING, [str(2**70), "1"]),
        ([None, None], STRING, [None, None]),
    ],
)  # fmt: skip
def test_values_keep_their_type(values, type_, kept):
    column = typed(values)
    assert column.type == type_
    assert column.to_pylist() == kept


@pytest.mark.parametrize(
    ("values", "type_"),
    [
        (["1", "-2", ""], WHOLE),
        (["1.5", "2", "1e3", ".5"], NUMBER),
        (["007", "12"], STRING),  # names of things, which would lose their zeros
        (["1234567890123456789012"], NUMBER),
        (["1,5"], STRING),
        (["nan"], STRING),
        (["1", "n/a"], STRING),
    ],
)
def test_numbers_written_in_a_text_file_are_numbers(values, type_):
    assert typed(values, written=True).type == type_


@given(
    st.lists(st.none() | st.integers(-(2**63), 2**63 - 1) | st.text(st.characters(codec="utf-8"), min_size=1))
)
def test_nothing_is_lost_when_types_differ(values):
    kept = typed(values).to_pylist()
    assert [None if v is None else str(v) for v in kept] == [None if v is None else str(v) for v in values]


def test_batches_with_other_columns_and_types_are_joined():
    first = pa.table({"id": to_text("a"), "year": typed([2004]), "size": typed([1])})
    second = pa.table(
        {"id": to_text("b"), "year": typed(["unknown"]), "size": typed([1.5]), "by": typed(["me"])}
    )
    table = joined([first, second])
    assert table.to_pylist() == [
        {"id": "a", "year": "2004", "size": 1.0, "by": None},
        {"id": "b", "year": "unknown", "size": 1.5, "by": "me"},
    ]


def to_text(*values):
    return pa.array(values, STRING)


@pytest.mark.parametrize(
    ("column", "type_"),
    [
        (pa.array([1], pa.uint8()), WHOLE),
        (pa.array([2**63], pa.uint64()), STRING),
        (pa.array(["x"]).dictionary_encode(), STRING),
        (pa.array([datetime(2004, 1, 1, tzinfo=UTC)], pa.timestamp("ns", "Europe/Paris")), TIME),
        (pa.array([[1, 2]]), STRING),
        (pa.array([Decimal("1.5")]), NUMBER),
    ],
)
def test_any_arrow_column_is_taken(column, type_):
    assert normalised(pa.chunked_array([column])).type == type_
