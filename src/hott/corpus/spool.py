"""A corpus on the disk: texts written aside, then mapped into memory as one."""

import mmap
import tempfile
from collections.abc import Iterable

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
    texts: list[Texts] = []
    with tempfile.TemporaryFile() as file:
        for batch in batches:
            if not isinstance(batch, Corpus):
                raise ValueError(f"batches must be Corpora, got {batch!r:.60} ({type(batch).__name__}).")
            columns = batch.table.columns.copy()
            try:
                for name, column in columns.items():
                    if isinstance(column, Texts):
                        compact, start = column.compact(), file.tell()
                        file.write(compact.content.data)
                        texts.append(Texts(_ELSEWHERE, compact.starts + start, compact.lengths))
                        columns[name] = texts[-1]
                file.flush()
            except OSError as error:
                raise OSError(
                    error.errno,
                    f"cannot keep the documents in {tempfile.gettempdir()} while they are read: "
                    f"{error.strerror or error}. Set TMPDIR to a folder with more room.",
                ) from error
            tables.append(Table(columns, len(batch)))
        if not tables:
            raise ValueError("corpus is empty: there is no document in it.")
        if file.tell():  # the map outlives the file, whose room is freed with the last text over it
            content = np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)
            for column in texts:
                column.content = content
    return Corpus.from_table(concat_tables(tables))
