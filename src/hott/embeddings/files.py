"""Word vector files: GloVe text, word2vec text and binary, fastText ``.vec``, plain or gzipped."""

import io
import os
import warnings
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hott.embeddings.vectors import WordVectors

_FASTTEXT_MODEL = b"\xba\x16\x4f\x2f"
_PRINTABLE = bytes(range(32, 127)) + b"\t\r\n"
_CHUNK = 1 << 20
_MAX_WORD_BYTES = 1 << 16  # bytes
_MAX_VECTOR_BYTES = 1 << 24  # bytes, in the file: a million numbers

# Where an entry stands (for messages), its word, and its numbers as text or as float32 bytes.
Entry: TypeAlias = tuple[int, bytes, bytes]


class Header(NamedTuple):
    """What a file says or shows about itself."""

    kind: Literal["glove", "text", "binary"]
    dimensions: int
    n_words: int | None  # None for GloVe, which does not say
    start: bytes  # of the vectors: read already, to find out the kind


def load(
    path: str | os.PathLike[str], words: Iterable[str] | None = None, limit: int | None = None
) -> WordVectors:
    """Load word vectors from a file; the format is recognised.

    The file is read from start to end and only the vectors that are kept are held in memory.

    Parameters
    ----------
    path : path
        GloVe text, word2vec text or binary, or fastText ``.vec``; gzipped or not.
    words : iterable of str, optional
        The words to keep; those that the file lacks are ignored. All words by default.
    limit : int, optional
        Read only the first ``limit`` words of the file, as a rule the most frequent ones.

    Returns
    -------
    WordVectors
        The vectors in the order of the file. Of a word that occurs twice the first vector is kept, with a
        warning.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "vectors.txt")
    >>> _ = path.write_text("cat 0.1 0.2\\ndog 0.3 0.4\\n")
    >>> load(path, words=["dog", "unicorn"])
    WordVectors(1 words, 2 dimensions)
    """
    path = Path(path).expanduser()
    if not path.is_file():
        raise FileNotFoundError(f"no such word vector file: {path}")
    if limit is not None and limit < 1:
        raise ValueError(f"limit must be at least 1 word, got {limit}.")
    if isinstance(words, str):
        raise ValueError("words must be a list of words, got one string.")
    from hott.corpus.readers.lines import GzipError, gunzip

    wanted = None if words is None else {word.encode(errors="replace") for word in words}
    with path.open("rb") as file:
        content = gunzip(file)
        try:
            return _load(content, path, wanted, limit)
        except GzipError as error:
            raise ValueError(f"{path}: {error}.") from error


def _load(
    content: io.BufferedReader, path: Path, wanted: set[bytes] | None, limit: int | None
) -> WordVectors:
    header = _read_header(content, path)
    place = "word" if header.kind == "binary" else "line"
    entries = (_binary if header.kind == "binary" else _text)(content, path, header)
    rows: dict[bytes, int] = {}
    numbers = bytearray()  # grows in place: no second copy of the vectors at the end
    repeated = 0
    read = 0
    for where, word, data in entries:
        if read == limit:
            break
        read += 1
        if wanted is not None and word not in wanted:
            continue
        if word in rows:
            repeated += 1
            continue
        vector = _parse(data, header, f"{path}, {place} {where:,}")
        rows[word] = len(rows)
        numbers += vector.tobytes()
    if header.n_words is not None and read < header.n_words and read != limit:
        raise ValueError(f"{path} is cut short: line 1 promises {header.n_words:,} words, it holds {read:,}.")
    if not rows:
        raise ValueError(
            f"{path} holds none of the {len(wanted or ()):,} words asked for, among its {read:,}."
        )
    if repeated:
        warnings.warn(
            f"{path}: {repeated:,} words occur again; the first vector of each was kept.", stacklevel=3
        )
    vectors = np.frombuffer(numbers, dtype=np.float32).reshape(len(rows), header.dimensions)
    # Words that are not UTF-8 (some files have a few) keep their bytes, escaped.
    return WordVectors((word.decode("utf-8", "backslashreplace") for word in rows), vectors)


def _read_header(content: io.BufferedReader, path: Path) -> Header:
    """Find out the format from the first lines."""
    line = content.readline(_CHUNK)
    if not line:
        raise ValueError(f"{path} is empty.")
    if line.startswith(_FASTTEXT_MODEL):
        raise ValueError(f"{path} is a fastText model. Its vectors come beside it in a .vec file: load that.")
    fields = line.split()
    if len(fields) == 2 and all(field.isdigit() and len(field) < 16 for field in fields):
        n_words, dimensions = map(int, fields)
        if not n_words or not dimensions:
            raise ValueError(f"{path} is empty: line 1 promises {n_words} words of {dimensions} numbers.")
        if dimensions > _MAX_VECTOR_BYTES // 4:
            raise ValueError(
                f"{path} is not a word vector file: line 1 promises {dimensions:,} numbers for each word."
            )
        start = content.readline(_CHUNK)
        is_text = not start.partition(b" ")[2].translate(None, _PRINTABLE)
        return Header("text" if is_text else "binary", dimensions, n_words, start)
    if len(fields) < 2 or not all(map(_is_number, fields[1:])):
        shown = line[:60].decode("utf-8", "replace")
        raise ValueError(
            f"{path} is not a word vector file that can be read here (GloVe text, word2vec text or binary, "
            f"fastText .vec): line 1 is {shown!r}."
        )
    return Header("glove", len(fields) - 1, None, line)


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _text(content: io.BufferedReader, path: Path, header: Header) -> Iterator[Entry]:
    d = header.dimensions
    lines = chain([header.start], iter(partial(content.readline, _MAX_VECTOR_BYTES), b""))
    for where, line in enumerate(lines, start=1 if header.kind == "glove" else 2):
        if len(line) == _MAX_VECTOR_BYTES:
            raise ValueError(f"{path}, line {where:,} is longer than a word and its vector can be.")
        line = line.rstrip()
        word, _, data = line.partition(b" ")
        if data.count(b" ") != d - 1:
            # Blank, tab-separated, or a word with spaces in it, as the large GloVe files have: look closer.
            fields = line.split()
            if not fields:
                continue
            n = sum(map(_is_number, fields[1:]))
            if n != d:
                raise ValueError(
                    f"{path}, line {where:,} has {n} numbers after its word, expected {d}: the file is cut "
                    "short, or mixes dimensions."
                )
            word, data = b" ".join(fields[:-d]), b" ".join(fields[-d:])
        yield where, word, data


def _binary(content: io.BufferedReader, path: Path, header: Header) -> Iterator[Entry]:
    size = 4 * header.dimensions
    buffer, position = header.start, 0
    for where in range(1, (header.n_words or 0) + 1):
        space = buffer.find(b" ", position)
        while space < 0 or len(buffer) < space + 1 + size:
            if space < 0 and len(buffer) - position > _MAX_WORD_BYTES:
                raise ValueError(f"{path}, word {where:,} does not end: the file is damaged.")
            more = content.read(max(_CHUNK, size))
            if not more:
                raise ValueError(
                    f"{path} is cut short: line 1 promises {header.n_words:,} words, "
                    f"it ends in word {where:,}."
                )
            buffer, position = buffer[position:] + more, 0
            space = buffer.find(b" ")
        # The original word2vec puts a line end after each vector, others do not.
        word = buffer[position:space].lstrip(b"\n")
        position = space + 1 + size
        yield where, word, buffer[space + 1 : position]


def _parse(data: bytes, header: Header, where: str) -> NDArray[np.float32]:
    if header.kind == "binary":
        vector = np.frombuffer(data, dtype="<f4")
    else:
        try:
            with np.errstate(over="ignore"):  # a number that is too large is reported below
                vector = np.array(data.split(), dtype=np.float32)
        except ValueError as error:
            raise ValueError(f"{where} holds something that is not a number: {error}.") from None
    if len(vector) != header.dimensions:
        raise ValueError(f"{where} has {len(vector)} numbers after its word, expected {header.dimensions}.")
    if not np.isfinite(vector).all():
        raise ValueError(f"{where} holds a number that is not finite: {vector[~np.isfinite(vector)][0]}.")
    return vector
