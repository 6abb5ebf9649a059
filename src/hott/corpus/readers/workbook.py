"""Rows out of xlsx. Only cells that are there are looked at: a sheet may claim to have a million rows."""

import posixpath
import re
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any, TypeAlias

from hott.corpus.readers.lines import Budget
from hott.corpus.readers.office import Parts, XmlReader

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
        book = _Book()
        book.read(parts.data("xl/workbook.xml"), "xl/workbook.xml")
        links = _Links()
        if "xl/_rels/workbook.xml.rels" in parts:
            links.read(parts.data("xl/_rels/workbook.xml.rels"), "xl/_rels/workbook.xml.rels")
        strings, styles = _Strings(), _Styles()
        for reader, name in ((strings, "xl/sharedStrings.xml"), (styles, "xl/styles.xml")):
            if name in parts:
                reader.read(parts.data(name), name)
        budget = Budget(len(data))  # a string that is kept once may stand in a million cells
        for sheet in book.sheets:
            name = links.targets.get(sheet, "")
            if name not in parts:
                continue  # a chart
            rows = _Sheet(strings.strings, styles.dates, _DAY_ZERO_1904 if book.since_1904 else _DAY_ZERO)
            is_empty = True
            for _ in rows.read_in_steps(parts.data(name), name):
                for row in rows.take():
                    budget.spend(sum(len(cell) for cell in row[1].values() if isinstance(cell, str)))
                    yield row
                    is_empty = False
            if not is_empty:
                return


class _Book(XmlReader):
    """The sheets of a workbook in their order, by the names of their links."""

    def __init__(self) -> None:
        super().__init__()
        self.sheets: list[str] = []
        self.since_1904 = False

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag == "x:sheet":
            self.sheets.append(attributes.get("r:id", ""))
        elif tag == "x:workbookPr":
            self.since_1904 = attributes.get("date1904") in ("1", "true")


class _Links(XmlReader):
    """Where the sheets of a workbook are."""

    def __init__(self) -> None:
        super().__init__()
        self.targets: dict[str, str] = {}

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag == "rel:Relationship" and attributes.get("Type", "").endswith("/worksheet"):
            name = posixpath.normpath(posixpath.join("/xl", attributes.get("Target", ""))).lstrip("/")
            self.targets[attributes.get("Id", "")] = name


class _Texts(XmlReader):
    """Gathers the text of ``t`` elements, without the pronunciation that stands beside some."""

    def __init__(self) -> None:
        super().__init__()
        self._pieces: list[str] = []
        self._is_text = False

    def skips(self, tag: str) -> bool:
        return tag == "x:rPh"

    def text(self, text: str) -> None:
        if self._is_text:
            self._pieces.append(text)

    def take_text(self) -> str:
        pieces, self._pieces = self._pieces, []
        return "".join(pieces)


class _Strings(_Texts):
    """The strings that cells refer to by number."""

    def __init__(self) -> None:
        super().__init__()
        self.strings: list[str] = []

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._is_text = tag == "x:t"

    def end(self, tag: str) -> None:
        self._is_text = False
        if tag == "x:si":
            self.strings.append(self.take_text())


class _Styles(XmlReader):
    """Which of the styles of cells are dates."""

    def __init__(self) -> None:
        super().__init__()
        self.dates: list[bool] = []
        self._own: dict[str, bool] = {}
        self._is_of_cells = False

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        number = attributes.get("numFmtId", "")
        if tag == "x:numFmt":
            code = _NOT_SPELLED.sub("", attributes.get("formatCode", "")[:1000]).lower()
            self._own[number] = any(letter in code for letter in "dmyhs") and "general" not in code
        elif tag == "x:cellXfs":
            self._is_of_cells = True
        elif tag == "x:xf" and self._is_of_cells:
            known = number.isdecimal() and int(number[:9]) in _DATES
            self.dates.append(self._own.get(number, known))

    def end(self, tag: str) -> None:
        if tag == "x:cellXfs":
            self._is_of_cells = False


class _Sheet(_Texts):
    """The rows of a sheet."""

    def __init__(self, strings: list[str], dates: list[bool], day_zero: datetime) -> None:
        super().__init__()
        self._strings, self._dates, self._day_zero = strings, dates, day_zero
        self._rows: list[Row] = []
        self._cells: dict[int, Any] = {}
        self._number = 0
        self._column = -1
        self._type = self._style = ""

    def take(self) -> list[Row]:
        """Hand over the rows that were read since the last time."""
        rows, self._rows = self._rows, []
        return rows

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._is_text = tag in ("x:v", "x:t")
        if tag == "x:row":
            number = attributes.get("r", "")
            self._number = int(number) if number.isdecimal() and len(number) < 9 else self._number + 1
            self._cells, self._column = {}, -1
        elif tag == "x:c":
            reference = _REFERENCE.fullmatch(attributes.get("r", ""))
            self._column = _column_number(reference[1]) if reference else self._column + 1
            self._type, self._style = attributes.get("t", "n"), attributes.get("s", "")
            self._pieces = []

    def end(self, tag: str) -> None:
        self._is_text = False
        if tag == "x:c":
            value = self._value(self.take_text())
            if value is not None and self._column < MAX_COLUMNS:
                self._cells[self._column] = value
        elif tag == "x:row" and self._cells:
            self._rows.append((self._number, self._cells))
            self._cells = {}

    def _value(self, text: str) -> Any:
        if self._type == "s":
            place = int(text) if text.isdecimal() and len(text) < 10 else len(self._strings)
            return self._strings[place] if place < len(self._strings) else None
        if not text:
            return None
        if self._type == "b":
            return text.strip() in ("1", "true")
        if self._type != "n":
            return text
        try:
            number = int(text) if text.lstrip("-").isdecimal() else float(text)
        except ValueError:
            return text
        style = int(self._style) if self._style.isdecimal() and len(self._style) < 9 else 0
        if style < len(self._dates) and self._dates[style]:
            return self._date(number)
        return number

    def _date(self, days: float) -> Any:
        """Turn days since day zero into a date, or into a time of day if they are less than one."""
        try:
            if self._day_zero == _DAY_ZERO and 1 <= days < _FIRST_OF_MARCH_1900:
                days += 1
            date = self._day_zero + timedelta(milliseconds=round(days * 86_400_000))
        except (OverflowError, ValueError):
            return days  # beyond the year 9999
        return date if days >= 1 else str(date.time())


def _column_number(letters: str) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number - 1
