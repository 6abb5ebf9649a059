"""A corpus on the disk: batches of documents written aside, then mapped into memory as one."""

import tempfile
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import IO

import pyarrow as pa

from hott._values import joined
from hott.corpus import Corpus


def spooled(batches: Iterable[Corpus]) -> Corpus:
    """All documents of the batches as one corpus, which takes room on the disk and hardly any memory.

    They are written to a file without a name in the folder for temporary files (the variable ``TMPDIR``),
    which is gone with the corpus.

    Examples
    --------
    >>> spooled([Corpus(["a cat"], ids=["x"]), Corpus(["a dog"], ids=["y"])])
    Corpus of 2 documents: 'x', 'y'
    """
    with ExitStack() as stack:
        spools: list[_Spool] = []
        for batch in batches:
            if not isinstance(batch, Corpus):
                raise ValueError(f"batches must be Corpora, got {batch!r:.60} ({type(batch).__name__}).")
            table = batch.to_table()
            try:
                if not spools or spools[-1].schema != table.schema:
                    spools.append(_Spool(stack.enter_context(tempfile.TemporaryFile()), table.schema))
                spools[-1].write(table)
            except OSError as error:
                raise OSError(
                    error.errno,
                    f"cannot keep the documents in {tempfile.gettempdir()} while they are read: "
                    f"{error.strerror or error}. Set TMPDIR to a folder with more room.",
                ) from error
        if not spools:
            raise ValueError("corpus is empty: there is no document in it.")
        return Corpus.from_table(joined([spool.mapped() for spool in spools]))


class _Spool:
    """Batches with the same columns, in one file."""

    def __init__(self, file: IO[bytes], schema: pa.Schema) -> None:
        self.schema, self._file = schema, file
        self._writer = pa.ipc.new_file(file, schema)

    def write(self, table: pa.Table) -> None:
        self._writer.write_table(table)
        self._file.flush()

    def mapped(self) -> pa.Table:
        """All of them. The map outlives the file: the system frees the room with the last table over it."""
        self._writer.close()
        self._file.flush()
        again = Path(f"/dev/fd/{self._file.fileno()}")
        # Where files cannot be opened again by their number, they are read.
        return pa.ipc.open_file(pa.memory_map(str(again)) if again.exists() else self._file).read_all()
