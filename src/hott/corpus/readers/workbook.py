"""Rows out of xlsx. Only cells that are there are looked at: a sheet may claim to have a million rows."""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeAlias

from hott.corpus.readers.lines import Budget
from hott.corpus.readers.office import Event, Parts

Row: TypeAlias = tuple[int, dict[int, Any]]
"""The number of a row, from 1, and its cells by the number of their column, from 0."""

MAX_COLUMNS = 16_384  # of Excel
_REFERENCE = re.compile(r"([A-Z]{1,3})[0-9]{1,7}")
# Formats of dates that Excel numbers, and what formats that a file defines itself are known by.
_DATES = frozenset([*range(14, 23), *range(27, 37), 45, 46, 47, *range(50, 59)])
_NOT_SPELLED = re.compile(r'"[^"]*"|\\.|\[[^\[\]]*\]|_.|\*.')
_DAY_ZERO, _DAY_ZERO_1904 = datetime(1899, 12, 30), datetime(1904, 1, 1)
_FIRST_OF_MARCH_1900 = 60  # Excel takes 1900 for a leap year


def read_workbook(data: bytes) -> Iterator[Row]:
    """Give the rows that are not empty, of the first sheet that has some."""
    with Parts(data) as parts:
        sheets: list[str] = []  # names of their links
        day_zero = _DAY_ZERO
        for tag, value in parts.xml("xl/workbook.xml"):
            if tag == "x:sheet" and value is not None:
                sheets.append(value.get("r:id", ""))
            elif tag == "x:workbookPr" and value is not None:
                day_zero = _DAY_ZERO_1904 if value.get("date1904") in ("1", "true") else _DAY_ZERO
        places: dict[str, str] = {}
        for tag, value in _xml_if_there(parts, "xl/_rels/workbook.xml.rels"):
            if tag == "rel:Relationship" and (value or {}).get("Type", "").endswith("/worksheet"):
                name = posixpath.normpath(posixpath.join("/xl", value.get("Target", ""))).lstrip("/")
                places[value.get("Id", "")] = name
        read_cell = _Cells(_read_strings(parts), _read_dates(parts), day_zero)
        budget = Budget(len(data))  # a string that is kept once may stand in a million cells
        for name in (places.get(sheet, "") for sheet in sheets):
            is_empty = True
            for row in _read_rows(_xml_if_there(parts, name), read_cell):  # a chart is no sheet
                budget.spend(sum(len(cell) for cell in row[1].values() if isinstance(cell, str)))
                yield row
                is_empty = False
            if not is_empty:
                return


def _xml_if_there(parts: Parts, name: str) -> Iterator[Event]:
    """Give the content of a file that may be missing, without the pronunciation beside some texts."""
    return parts.xml(name, lambda tag: tag == "x:rPh") if name in parts else iter(())


def _read_strings(parts: Parts) -> list[str]:
    """Read the strings that cells refer to by number."""
    strings: list[str] = []
    pieces: list[str] = []
    is_text = False
    for tag, value in _xml_if_there(parts, "xl/sharedStrings.xml"):
        if not tag:
            pieces += [value] * is_text
            continue
        is_text = tag == "x:t" and value is not None
        if tag == "x:si" and value is None:
            strings.append("".join(pieces))
            pieces = []
    return strings


def _read_dates(parts: Parts) -> list[bool]:
    """Tell which of the styles of cells are dates."""
    dates: list[bool] = []
    own: dict[str, bool] = {}
    is_of_cells = False
    for tag, value in _xml_if_there(parts, "xl/styles.xml"):
        if tag == "x:cellXfs":
            is_of_cells = value is not None
        elif tag == "x:numFmt" and value is not None:
            code = _NOT_SPELLED.sub("", value.get("formatCode", "")[:1000]).lower()
            is_date = any(letter in code for letter in "dmyhs") and "general" not in code
            own[value.get("numFmtId", "")] = is_date
        elif tag == "x:xf" and value is not None and is_of_cells:
            number = value.get("numFmtId", "")
            known = number.isdecimal() and int(number[:9]) in _DATES
            dates.append(own.get(number, known))
    return dates


def _read_rows(events: Iterator[Event], read_cell: "_Cells") -> Iterator[Row]:
    """Give the rows of a sheet that have a cell with a value."""
    cells: dict[int, Any] = {}
    pieces: list[str] = []
    cell: dict[str, str] = {}
    number, column, is_text = 0, -1, False
    for tag, value in events:
        if not tag:
            pieces += [value] * is_text
            continue
        is_text = tag in ("x:v", "x:t") and value is not None
        if tag == "x:row" and value is not None:
            given = value.get("r", "")
            number = int(given) if given.isdecimal() and len(given) < 9 else number + 1
            cells, column = {}, -1
        elif tag == "x:row" and cells:
            yield number, cells
            cells = {}
        elif tag == "x:c" and value is not None:
            reference = _REFERENCE.fullmatch(value.get("r", ""))
            column = _column_number(reference[1]) if reference else column + 1
            cell, pieces = value, []
        elif tag == "x:c":
            found = read_cell.value("".join(pieces), cell.get("t", "n"), cell.get("s", ""))
            pieces = []
            if found is not None and column < MAX_COLUMNS:
                cells[column] = found


@dataclass(frozen=True, slots=True)
class _Cells:
    """What cells of a workbook are read by."""

    strings: list[str]
    dates: list[bool]  # of each style
    day_zero: datetime

    def value(self, text: str, type: str, style: str) -> Any:
        if type == "s":
            place = int(text) if text.isdecimal() and len(text) < 10 else len(self.strings)
            return self.strings[place] if place < len(self.strings) else None
        if not text:
            return None
        if type == "b":
            return text.strip() in ("1", "true")
        if type != "n":
            return text
        try:
            number = int(text) if text.lstrip("-").isdecimal() else float(text)
        except ValueError:
            return text
        place = int(style) if style.isdecimal() and len(style) < 9 else 0
        return self._date(number) if place < len(self.dates) and self.dates[place] else number

    def _date(self, days: float) -> Any:
        """Turn days since day zero into a date, or into a time of day if they are less than one."""
        try:
            if self.day_zero == _DAY_ZERO and 1 <= days < _FIRST_OF_MARCH_1900:
                days += 1
            date = self.day_zero + timedelta(milliseconds=round(days * 86_400_000))
        except (OverflowError, ValueError):
            return days  # beyond the year 9999
        return date if days >= 1 else str(date.time())


def _column_number(letters: str) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number - 1
