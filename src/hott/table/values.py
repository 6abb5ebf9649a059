"""Values of any type: what each is, and text that is numbers or dates throughout."""

import json
import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import numpy as np

from hott.table.columns import BOOL, DATE, NUMBER, TEXT, TIME, WHOLE, Column, Kind, Texts, Values, as_text

KINDS: dict[Kind, str] = {
    BOOL: "yes or no",
    WHOLE: "number",
    NUMBER: "number",
    DATE: "date",
    TIME: "date",
    TEXT: "text",
}
"""What a column may hold, as people call it."""

_WRITTEN: dict[Kind, str] = {
    # Not 007, which is a name and no number, and no more digits than a number holds.
    WHOLE: r"[+-]?(0|[1-9][0-9]{0,17})",
    NUMBER: r"[+-]?((0|[1-9][0-9]{0,14})([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]{1,2})?",
}
_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME = _DATE + r"[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?(Z|[+-][0-9]{2}:?[0-9]{2})?"


def infer_column(values: Sequence[Any], *, written: bool = False) -> Column[Any]:
    """Values of one column: of one type if they have one, else as text.

    Parameters
    ----------
    values : sequence
        Numbers, dates, truth values, texts; None or NaN where one is missing. Anything else becomes JSON.
    written : bool
        They come from a file that has text only, such as CSV: text that is numbers throughout becomes so.

    Examples
    --------
    >>> infer_column(["2004", "", "2005"], written=True).tolist()
    [2004, None, 2005]
    >>> infer_column(["2004-05-17", None]).kind, infer_column(["007"], written=True).kind
    ('date', 'text')
    """
    plain = [_plain(value) for value in values]
    kinds = {type(value) for value in plain if value is not None}
    if kinds <= {str}:
        return _parse([value or None for value in plain], written)
    if float in kinds and any(isinstance(value, int) and int(float(value)) != value for value in plain):
        kinds.add(str)  # a number beyond 2^53 would become another one
    for wanted, kind in (
        ({bool}, BOOL),
        ({int}, WHOLE),
        ({int, float}, NUMBER),
        ({date}, DATE),
        ({date, datetime}, TIME),
    ):
        if kinds <= wanted:
            try:
                return Values.of([_moment(value) for value in plain] if kind == TIME else plain, kind)
            except OverflowError:  # the last day of the year 9999 in another time zone
                break
    return Texts.of(as_text(value) for value in plain)


def _plain(value: Any) -> Any:
    """A value as one of the types a column may have; None for one that is missing."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int):
        return value if -(2**63) < value < 2**63 else str(value)
    if isinstance(value, float | Decimal):
        return float(value) if value == value else None
    if isinstance(value, datetime):
        if value != value:  # pandas' NaT
            return None
        return datetime.combine(value.date(), value.time(), value.tzinfo)
    if isinstance(value, date):
        return value
    if type(value).__name__ in ("NAType", "NaTType"):
        return None
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except RecursionError:
        raise ValueError("a value is nested too deeply") from None


def _moment(value: date | datetime | None) -> datetime | None:
    if isinstance(value, datetime):
        return value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
    return None if value is None else datetime.combine(value, time())


def _parse(texts: list[str | None], written: bool) -> Column[Any]:
    """Text that is numbers (where nothing but text was written) or ISO dates throughout, as those."""
    present = [text for text in texts if text is not None]

    def all_match(pattern: str) -> bool:
        return bool(present) and all(map(re.compile(pattern).fullmatch, present))

    for kind, pattern in _WRITTEN.items() if written else ():
        if all_match(pattern):
            read = int if kind == WHOLE else float
            return Values.of([None if text is None else read(text) for text in texts], kind)
    try:
        if all_match(_DATE):
            return Values.of([text and date.fromisoformat(text) for text in texts], DATE)
        if all_match(_TIME):
            return Values.of([text and _moment(datetime.fromisoformat(text)) for text in texts], TIME)
    except (ValueError, OverflowError):  # the 30th of February
        pass
    return Texts.of(texts)
