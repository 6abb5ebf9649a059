"""A corpus on the disk: texts written aside, then mapped into memory as one."""

import mmap
import tempfile
from collections.abc import Callable, Iterable
from typing import IO

import numpy as np

from hott.corpus import Corpus
from hott.table.columns import Texts
from hott.table.table import Table, concat_tables

_ELSEWHERE = np.empty(0, np.uint8)  # texts that are in the file


def spool(batches: Iterable[Corpus]) -> Corpus:
    """Gather all documents of the batches in one corpus, whose texts take room on the disk and no memory.

    They are written to a file without a name in the folder for temporary files (the variable ``TMPDIR``),
    which is gone with the corpus.
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
        content = _ELSEWHERE
        if file.tell():  # the map outlives the file, whose room is freed with the last text over it
            content = np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)
    here = [_with_texts(table, lambda texts: Texts(content, texts.starts, texts.lengths)) for table in tables]
    return Corpus.from_table(concat_tables(here))


def _with_texts(table: Table, change: Callable[[Texts], Texts]) -> Table:
    columns = table.columns.items()
    changed = {name: change(one) if isinstance(one, Texts) else one for name, one in columns}
    return Table(changed, len(table))


def _write_texts(table: Table, file: IO[bytes]) -> Table:
    """Write the texts of a table to the file; return the table with only their places in memory."""

    def write(column: Texts) -> Texts:
        compact, start = column.compact(), file.tell()
        file.write(compact.content.data)
        return Texts(_ELSEWHERE, compact.starts + start, compact.lengths)

    return _with_texts(table, write)
