"""Columns keep their types, whatever a file, a frame or a batch gives."""

import pickle
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hott.table.columns import BOOL, DATE, NUMBER, TEXT, TIME, WHOLE, Texts, infer_column
from hott.table.table import Table, concat_tables, from_arrow, to_arrow

CIRCLE: list[object] = []
CIRCLE.append(CIRCLE)
LAST = datetime(9999, 12, 31, 23, 59, 59, tzinfo=timezone(timedelta(hours=-5)))


@pytest.mark.parametrize(
    ("values", "kind", "kept"),
    [
        ([1, None, 3], WHOLE, [1, None, 3]),
        ([1, 2.5, float("nan")], NUMBER, [1.0, 2.5, None]),
        ([True, None], BOOL, [True, None]),
        ([date(2004, 2, 29), None], DATE, [date(2004, 2, 29), None]),
        ([date(2004, 2, 29), datetime(2004, 3, 1)], TIME, [datetime(2004, 2, 29), datetime(2004, 3, 1)]),
        (["2004-02-29", ""], DATE, [date(2004, 2, 29), None]),
        (["2004-02-30"], TEXT, ["2004-02-30"]),
        (["2004-05-06T07:08:09+02:00"], TIME, [datetime(2004, 5, 6, 5, 8, 9)]),
        (["2004", "2005"], TEXT, ["2004", "2005"]),  # text where the file could have said a number
        ([1, "one"], TEXT, ["1", "one"]),
        ([{"a": 1}, ["x"]], TEXT, ['{"a": 1}', '["x"]']),
        ([Decimal("1.5"), np.float32(2), np.int8(3)], NUMBER, [1.5, 2.0, 3.0]),
        ([2**63 - 1, -(2**62)], WHOLE, [2**63 - 1, -(2**62)]),
        ([2**63], TEXT, [str(2**63)]),
        ([2**70, 1], TEXT, [str(2**70), "1"]),
        ([2**53 + 1, 0.5], TEXT, [str(2**53 + 1), "0.5"]),
        ([2**53, 0.5], NUMBER, [2.0**53, 0.5]),
        ([LAST], TEXT, ["9999-12-31T23:59:59-05:00"]),  # later than any moment in UTC
        ([None, None], TEXT, [None, None]),
        ([Decimal("sNaN"), Decimal("1.5")], NUMBER, [None, 1.5]),  # which may not even be compared
        ([{(1, 2): 3}, CIRCLE], TEXT, ["{(1, 2): 3}", "[[...]]"]),
        ([np.datetime64("2004-02-29T01:02:03", "ns")], TIME, [datetime(2004, 2, 29, 1, 2, 3)]),
        ([np.datetime64("2004-02-29"), np.datetime64("NaT", "ns")], DATE, [date(2004, 2, 29), None]),
        ([np.datetime64("12004-01-01")], TEXT, ["12004-01-01"]),
    ],
)  # fmt: skip
def test_values_keep_their_type(values, kind, kept):
    column = infer_column(values)
    assert column.kind == kind
    assert column.tolist() == kept


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "-2", ""], WHOLE),
        (["1.5", "2", "1e3", ".5"], NUMBER),
        (["007", "12"], TEXT),  # names of things, which would lose their zeros
        (["1234567890123456789012"], TEXT),  # more digits than a number holds
        (["9007199254740993", "0.5"], TEXT),  # would become another number beside a fraction
        (["1e400"], TEXT),
        (["1,5", "1.234,50", "7"], NUMBER),
        (["1,234", "2,345"], TEXT),  # thousands, or a comma for the point
        (["17.5.2004", "01.02.2003", ""], DATE),
        (["31.2.2004"], TEXT),
        (["nan"], TEXT),
        (["1", "n/a"], TEXT),
    ],
)
def test_numbers_written_in_a_text_file_are_numbers(values, kind):
    assert infer_column(values, written=True).kind == kind


def test_numbers_and_dates_of_other_countries_have_their_values():
    assert infer_column(["1.234,50", "-0,5", "7"], written=True).tolist() == [1234.5, -0.5, 7.0]
    assert infer_column(["17.5.2004", ""], written=True).tolist() == [date(2004, 5, 17), None]


@given(
    st.lists(st.none() | st.integers(-(2**63), 2**63 - 1) | st.text(st.characters(codec="utf-8"), min_size=1))
)
def test_nothing_is_lost_when_types_differ(values):
    kept = infer_column(values).tolist()
    assert [None if v is None else str(v) for v in kept] == [None if v is None else str(v) for v in values]


def test_batches_with_other_columns_and_types_are_joined():
    first = Table({"id": Texts.of("a"), "year": infer_column([2004]), "size": infer_column([1])})
    second = Table(
        {
            "id": Texts.of("b"),
            "year": infer_column(["unknown"]),
            "size": infer_column([1.5]),
            "by": infer_column(["me"]),
        }
    )
    table = concat_tables([first, second])
    assert table.records() == [
        {"id": "a", "year": "2004", "size": 1.0, "by": None},
        {"id": "b", "year": "unknown", "size": 1.5, "by": "me"},
    ]


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (pa.array([1], pa.uint8()), WHOLE),
        (pa.array([None], pa.uint8()), WHOLE),
        (pa.array([2**63], pa.uint64()), TEXT),
        (pa.array(["2004-05-06"]), TEXT),
        (pa.array(["x"]).dictionary_encode(), TEXT),
        (pa.array([datetime(2004, 1, 1, tzinfo=UTC)], pa.timestamp("ns", "Europe/Paris")), TIME),
        (pa.array([[1, 2]]), TEXT),
        (pa.array([Decimal("1.5")]), NUMBER),
    ],
)
def test_any_arrow_column_is_taken(column, kind):
    assert from_arrow(pa.table({"x": column}))["x"].kind == kind


def test_rows_and_kinds_of_a_table():
    table = Table.of({"id": ["a", "b"], "year": [2004, None]})
    assert table.take([1]).records() == [{"id": "b", "year": None}]
    assert table.schema == {"id": "text", "year": "whole"}


def test_a_table_comes_back_from_arrow():
    days = [date(2004, 2, 29), None]
    table = Table(
        {
            "text": Texts.of(["naïve 文", None]),
            "number": infer_column([1.5, None]),
            "whole": infer_column([2**62, None]),
            "bool": infer_column([True, None]),
            "date": infer_column(days),
            "time": infer_column([datetime(2004, 2, 29, 1, 2, 3, 4), None]),
        }
    )
    assert from_arrow(to_arrow(table)) == table


lists_of_texts = st.lists(st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=5))


@given(lists_of_texts, st.data())
def test_texts_are_taken_joined_and_found_as_those_of_a_list(values, data):
    texts = Texts.of(values)
    rows = data.draw(st.lists(st.integers(0, len(values) - 1)) if values else st.just([]))
    taken = [values[row] for row in rows]
    assert texts.take(rows).tolist() == taken
    assert texts.take(rows).compact().tolist() == taken
    assert pickle.loads(pickle.dumps(texts.take(rows))).tolist() == taken
    assert (
        Texts.concatenate([texts.take(rows), texts, texts.part(0, 2)]).tolist() == taken + values + values[:2]
    )
    for value in {*values, "x"} - {None}:
        assert texts.rows_of(value).tolist() == [row for row, own in enumerate(values) if own == value]


def test_texts_that_are_taken_share_the_bytes_of_the_others():
    """A corpus on the disk stays there when a few of its documents are left out."""
    texts = Texts.of(["word " * 100] * 100)
    assert texts.take(np.arange(1, 100)).content is texts.content
    assert len(texts.take([3]).content) == 500


def test_memory_of_texts():
    assert Texts.of(["ab", "c", None]).nbytes == 3 + 2 * 3 * 8
    assert Texts.alike("abc", 1000).nbytes == 3
    assert Texts.of([]).compact().tolist() == []
    assert Texts.of(["ab", "c", "d"]).part(1, 3).compact().content.tobytes() == b"cd"
    assert Texts.of(["ab", "", "c"]).part(0, 2).compact().content.tobytes() == b"ab"
