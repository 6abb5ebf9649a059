"""Results as tables: HTML for a notebook, a pandas frame, columns by name."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from html import escape
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from hott.utils.optional import import_optional
from hott.utils.wording import elide

if TYPE_CHECKING:
    import pandas as pd

MAX_ROWS = 20  # of a table in a notebook
MAX_COLUMNS = 12
MAX_CELL = 200  # characters
MAX_ITEMS = 10  # of a list in a cell
INTERNAL = {"internal": True}
"""Of a field that people need not see in a notebook."""

Item = TypeVar("Item")


class Tabular:
    """What can be shown as a table: ``to_columns`` says what is in it."""

    __slots__ = ()

    def to_columns(self) -> dict[str, Sequence[Any]]:
        """Return lists by the names of the columns: the fields of each item."""
        items = list(self)  # type: ignore[call-overload]
        names = [field.name for field in fields(items[0])] if items else []
        return {name: [getattr(item, name) for item in items] for name in names}

    def to_frame(self) -> "pd.DataFrame":
        """Return a pandas frame, a row each."""
        return import_optional("pandas", extra="pandas").DataFrame(self.to_columns())

    def _repr_html_(self) -> str:
        first = self[0] if isinstance(self, Sequence) and self else None
        told = fields(first) if is_dataclass(first) else ()
        internal = {field.name for field in told if field.metadata.get("internal")}
        return make_table(
            {name: column for name, column in self.to_columns().items() if name not in internal}
        )


class Listing(Tabular, list[Item]):
    """A list of results that a notebook shows as a table."""

    __slots__ = ()


class Items(Tabular, tuple[Item, ...]):
    """The same, as a tuple."""

    __slots__ = ()


class ColumnTable(Tabular, dict[str, Sequence[Any]]):
    """Columns by their names."""

    __slots__ = ()

    def to_columns(self) -> dict[str, Sequence[Any]]:
        """Return the columns."""
        return dict(self)


def make_table(columns: Mapping[str, Sequence[Any]]) -> str:
    """Write columns as a table of HTML: the first ones and rows, long texts shortened, everything escaped."""
    n_rows, n_more = max(map(len, columns.values()), default=0), len(columns) - MAX_COLUMNS
    if not n_rows:
        return "<p>(none)</p>"
    columns = dict(islice(columns.items(), MAX_COLUMNS))
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    rows = "".join(
        "<tr>" + "".join(_make_cell(values[row]) for values in columns.values()) + "</tr>"
        for row in range(min(n_rows, MAX_ROWS))
    )
    left_out = [
        f"{n:,} more {what}" for n, what in ((n_rows - MAX_ROWS, "rows"), (n_more, "columns")) if n > 0
    ]
    more = f"<p>{', '.join(left_out)}: to_frame() has all of them.</p>" if left_out else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{more}"


def make_scatter(points: NDArray[np.floating], names: Sequence[str], colors: Sequence[str | None]) -> str:
    """Draw named points in SVG, each group in a colour of its own; points without a place are left out."""
    kept = np.flatnonzero(np.isfinite(points).all(axis=1))
    low, high = (points[kept].min(axis=0), points[kept].max(axis=0)) if len(kept) else (0.0, 1.0)
    places = 10 + 280 * (points - low) / np.maximum(high - low, 1e-12)
    hues = {color: 360 * number / len({*colors}) for number, color in enumerate(dict.fromkeys(colors))}
    dots = "".join(
        f"<circle cx='{places[row, 0]:.0f}' cy='{places[row, 1]:.0f}' r='3' "
        f"fill='hsl({hues[colors[row]]:.0f},60%,50%)'><title>{escape(names[row])}</title></circle>"
        for row in kept.tolist()
    )
    return f"<svg width='300' height='300' role='img' aria-label='map of the documents'>{dots}</svg>"


def _make_cell(value: Any) -> str:
    if isinstance(value, float):
        return f"<td>{value:.4g}</td>"
    if isinstance(value, tuple | list):
        more = f" and {len(value) - MAX_ITEMS:,} more" if len(value) > MAX_ITEMS else ""
        return _make_cell(", ".join(map(str, value[:MAX_ITEMS])) + more)
    return f"<td style='text-align:left'>{escape(elide('' if value is None else str(value), MAX_CELL))}</td>"
