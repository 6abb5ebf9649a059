"""A corpus on the disk: batches of documents written aside, then mapped into memory as one."""

import tempfile
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa

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
    with tempfile.TemporaryFile() as file:
        writer = None
        for batch in batches:
            if not isinstance(batch, Corpus):
                raise ValueError(f"batches must be Corpora, got {batch!r:.60} ({type(batch).__name__}).")
            table = batch.to_table()
            try:
                writer = writer or pa.ipc.new_file(file, table.schema)
                writer.write_table(table)
                file.flush()
            except OSError as error:
                raise OSError(
                    error.errno,
                    f"cannot keep the documents in {tempfile.gettempdir()} while they are read: "
                    f"{error.strerror or error}. Set TMPDIR to a folder with more room.",
                ) from error
        if writer is None:
            raise ValueError("corpus is empty: there is no document in it.")
        writer.close()
        file.flush()
        # The map outlives the file: the system frees the room with the last table over it. Where files cannot
        # be opened again by their number, they are read.
        again = Path(f"/dev/fd/{file.fileno()}")
        mapped = pa.memory_map(str(again)) if again.exists() else file
        return Corpus.from_table(pa.ipc.open_file(mapped).read_all())
