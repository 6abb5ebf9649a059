"""A corpus on the disk: texts written aside, then mapped into memory as one."""

import mmap
import tempfile
from collections.abc import Iterable
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from hott.corpus import Corpus
from hott.table.columns import Column, Texts
from hott.table.table import Table, concat_tables


def spool(batches: Iterable[Corpus]) -> Corpus:
    """Gather all documents of the batches in one corpus, whose texts take room on the disk and no memory.

    They are written to a file without a name in the folder for temporary files (the variable ``TMPDIR``),
    which is gone with the corpus.

    Examples
    --------
    >>> spool([Corpus(["a cat"], ids=["x"]), Corpus(["a dog"], ids=["y"])])
    Corpus of 2 documents: 'x', 'y'
    """
    tables: list[Table] = []
    with tempfile.TemporaryFile() as file:
        for batch in batches:
            if not isinstance(batch, Corpus):
                raise ValueError(f"batches must be Corpora, got {batch!r:.60} ({type(batch).__name__}).")
            try:
                tables.append(_write_texts(batch.table, file))
                file.flush()
            except OSError as error:
                raise OSError(
                    error.errno,
                    f"cannot keep the documents in {tempfile.gettempdir()} while they are read: "
                    f"{error.strerror or error}. Set TMPDIR to a folder with more room.",
                ) from error
        if not tables:
            raise ValueError("corpus is empty: there is no document in it.")
        content = _map_file(file)
    return Corpus.from_table(concat_tables([_of_file(table, content) for table in tables]))


_ELSEWHERE = np.empty(0, np.uint8)  # texts that are in the file


def _write_texts(table: Table, file: IO[bytes]) -> Table:
    """Write the texts of a table to the file; return the table with only their places in memory."""
    columns: dict[str, Column[Any]] = {}
    for name, column in table.columns.items():
        if isinstance(column, Texts):
            compact, start = column.compact(), file.tell()
            file.write(compact.content.data)
            column = Texts(_ELSEWHERE, compact.starts + start, compact.lengths)
        columns[name] = column
    return Table(columns, len(table))


def _map_file(file: IO[bytes]) -> NDArray[np.uint8]:
    """Map a file into memory. The map outlives the file, whose room is freed with the last text over it."""
    if not file.tell():
        return _ELSEWHERE
    return np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)


def _of_file(table: Table, content: NDArray[np.uint8]) -> Table:
    columns = {
        name: Texts(content, column.starts, column.lengths) if isinstance(column, Texts) else column
        for name, column in table.columns.items()
    }
    return Table(columns, len(table))
