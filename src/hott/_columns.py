"""Columns: Arrow arrays that read like lists, and the checks of what goes into them."""

from collections.abc import Iterable, Iterator, Sequence
from operator import index
from typing import Any, Generic, TypeVar, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import ArrayLike, NDArray

Value = TypeVar("Value")

# 64-bit offsets: a corpus may hold more than 2 GB of text.
STRING = pa.large_string()


class Column(Sequence[Value], Generic[Value]):
    """One field of every document, in order: reads like a list, takes the memory of an Arrow array."""

    def __init__(self, array: pa.ChunkedArray) -> None:
        self._array = array

    def __len__(self) -> int:
        return len(self._array)

    @overload
    def __getitem__(self, item: int) -> Value: ...
    @overload
    def __getitem__(self, item: slice) -> list[Value]: ...
    def __getitem__(self, item: int | slice) -> Value | list[Value]:
        if isinstance(item, slice):
            start, stop, step = item.indices(len(self))
            if step == 1:
                return self._array.slice(start, max(0, stop - start)).to_pylist()
            return [self[row] for row in range(start, stop, step)]
        return self._array[row_number(item, len(self))].as_py()

    def __iter__(self) -> Iterator[Value]:
        for start in range(0, len(self), 1024):
            yield from self._array.slice(start, 1024).to_pylist()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other))

    __hash__ = None  # type: ignore[assignment]  # equal to lists, which have no hash

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(list(self), dtype=object if dtype is None else dtype)

    def __repr__(self) -> str:
        shown = ", ".join(repr(value) for value in self[:3])
        return f"[{shown}{', ...' if len(self) > 3 else ''}] ({len(self):,} values)"


def strings(name: str, values: Iterable[Any], *, numbers: bool = False, missing: bool = False) -> pa.Array:
    """Turn what the user gave into Arrow strings, or say which value is not one."""
    if isinstance(values, str | bytes):
        raise ValueError(
            f"{name} must be a sequence of strings, got one string. Put it in a list: [{name[:-1]}]."
        )
    values = list(values.to_pylist() if isinstance(values, pa.Array | pa.ChunkedArray) else values)
    for position, value in enumerate(values):
        if isinstance(value, str):
            continue
        if numbers and isinstance(value, int | np.integer):
            values[position] = str(value)
        elif missing and (value is None or value != value):  # pandas writes a missing label as nan
            values[position] = None
        else:
            raise ValueError(
                f"{name} must be strings: {name}[{position}] is {value!r} ({type(value).__name__})."
            )
    return to_arrow(values)


def to_arrow(values: list[str | None]) -> pa.Array:
    try:
        return pa.array(values, STRING)
    except UnicodeEncodeError:  # half a surrogate pair, as a careless "\\ud83d" in JSON gives
        return pa.array([value and value.encode("utf-8", "replace").decode() for value in values], STRING)


def check_unique(ids: pa.ChunkedArray) -> None:
    if pc.count_distinct(ids).as_py() == len(ids):
        return
    counts = pc.value_counts(ids).to_pylist()
    repeated = [repr(entry["values"]) for entry in counts if entry["counts"] > 1]
    shown = ", ".join(repeated[:5]) + (", ..." if len(repeated) > 5 else "")
    raise ValueError(
        f"ids must be unique: {len(repeated):,} of them occur more than once ({shown}). "
        "Give each document its own id, or give none and the documents are numbered (id=False when reading)."
    )


def row_number(item: Any, n: int) -> int:
    row = index(item)
    if not -n <= row < n:
        raise IndexError(f"position {row} is out of range for {n} documents")
    return row % n


def row_numbers(item: ArrayLike, n: int) -> NDArray[np.intp]:
    rows = np.asarray(item)
    if rows.dtype == bool:
        if rows.shape != (n,):
            raise IndexError(f"a boolean mask must have one value a document: {rows.shape} for {n} documents")
        return np.flatnonzero(rows)
    if rows.size and not np.issubdtype(rows.dtype, np.integer):
        raise TypeError(f"documents are selected by positions or a boolean mask, got {rows.dtype}")
    return np.array([row_number(row, n) for row in rows], dtype=np.intp)
