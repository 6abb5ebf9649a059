"""The encoder: from texts to vectors, and to their words in context."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sized
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from hott import _core
from hott.corpus import Corpus, texts_of
from hott.embeddings.encoder.packed import SIZE, WINDOW, PackedEncoder
from hott.text.tokens import passages
from hott.utils.run import Run, RunOptions

BUNDLED = Path(__file__).parent / "data" / "encoder.npz"
_WORD = re.compile(r"[^\W\d_]+")
_MAX_BATCH = 1 << 18
"""Words that are encoded at a time, so that what is in between stays below 300 MB."""

LEAD_WORDS = 12
LEAD_WEIGHT = 0.3
"""How many words at the beginning of a document, its title first, are read once more, and how much they weigh
beside the whole: they tell what it is about (benchmarks/meaning.py)."""


@dataclass(frozen=True, slots=True, eq=False)
class WordsInContext:
    """The words of a text that the encoder knows, each as it is meant there.

    Attributes
    ----------
    words : tuple of str
        In lower case.
    spans : array of shape (words, 2)
        Where each begins and ends in the text.
    rows : float32 array of shape (words, 256)
        The length of a row is the word's weight. The sum of all rows, brought to unit length, is the text.

    Examples
    --------
    >>> texts = "why does bread rise", "a loaf of sourdough needs yeast"
    >>> a, b = (Encoder.load().words_in_context(text) for text in texts)
    >>> pairs = a.shares @ b.shares.T  # they add up to the cosine
    >>> a.words[pairs.sum(axis=1).argmax()], b.words[pairs.sum(axis=0).argmax()]
    ('bread', 'loaf')
    """

    words: tuple[str, ...]
    spans: NDArray[np.int64]
    rows: NDArray[np.float32]

    @property
    def shares(self) -> NDArray[np.float32]:
        """The rows, scaled so that they add up to the text.

        So ``a.shares @ b.shares.T`` says what each pair of words adds to the cosine of two texts.
        """
        length = float(np.linalg.norm(self.rows.sum(axis=0, dtype=np.float64)))
        return self.rows / np.float32(length) if length > 0 else self.rows

    def weigh(self, weight: Callable[[str], float]) -> "WordsInContext":
        """Let each word count as often as a function says."""
        weights = np.array([weight(word) for word in self.words]).reshape(-1, 1)
        return replace(self, rows=self.rows * weights.astype(np.float32))


class Encoder:
    """Encode texts by their meaning; made by :meth:`load`.

    Words are runs of letters; those that are not among the 99,910 known ones are left out. Words see those
    of the same window of 128 words. The same text gives the same bits on every processor and on any number
    of threads.

    Examples
    --------
    >>> encoder = Encoder.load()
    >>> question, answer, other = encoder.encode(["a sick dog", "the puppy was ill", "interest rates"])
    >>> bool(question @ answer > question @ other)
    True
    """

    dimensions = SIZE
    window = WINDOW

    def __init__(self, packed: PackedEncoder) -> None:
        self._packed = packed
        self.words = packed.words
        self._number = {word: number for number, word in enumerate(packed.words)}
        layers: list = [tuple(tuple(part) for part in layer) for layer in packed.layers]
        self._core = _core.Encoder(
            packed.table, packed.table_scale, packed.word_weight,
            packed.left, packed.right, packed.gate, packed.gate_bias, layers,
        )  # fmt: skip

    @classmethod
    def load(cls, path: str | Path | None = None) -> "Encoder":
        """Read an encoder from a packed file; by default the one that comes with the library.

        The bundled one is read once, on the first call, and takes 35 MB of memory.
        """
        return _load_bundled() if path is None else cls(PackedEncoder.load(Path(path)))

    def __contains__(self, word: object) -> bool:
        return word in self._number

    def __deepcopy__(self, memo: object) -> "Encoder":
        return self  # nothing changes it, and scikit-learn copies the parameters of estimators

    def __reduce__(self) -> tuple[Callable[..., "Encoder"], tuple[PackedEncoder, ...]]:
        """Let another process read the bundled encoder for itself."""
        return (_load_bundled, ()) if self is _load_bundled() else (Encoder, (self._packed,))

    def __repr__(self) -> str:
        return f"Encoder({len(self.words):,} words, {SIZE} dimensions)"

    def encode(
        self, texts: Iterable[str] | Corpus, lead: float = 0.0, **options: Unpack[RunOptions]
    ) -> NDArray[np.float32]:
        """Encode texts as vectors of unit length; 0 where no word is known.

        Texts have much in common with every other text. Subtract the mean of a collection before you compare
        its texts by cosine, as :class:`DocumentVectors` does.

        Parameters
        ----------
        texts : iterable of str, or Corpus
        lead : float
            How much the first twelve words of a text weigh once more, beside the whole.
        **options : threads, progress
            See :class:`hott.run.RunOptions`.

        Returns
        -------
        float32 array of shape (texts, 256)
        """
        run = Run.of(options)
        parts = [np.empty((0, SIZE), np.float32)]
        with run.reporting("encoding") as report:
            done = 0
            total = len(texts) if isinstance(texts, Sized) else 0
            for numbers, starts in self._batches(texts):
                n, sizes = len(starts) - 1, np.diff(starts)
                if lead:
                    first = np.arange(len(numbers)) - np.repeat(starts[:-1], sizes) < LEAD_WORDS
                    ends = starts[-1] + np.minimum(sizes, LEAD_WORDS).cumsum()
                    numbers, starts = np.concatenate([numbers, numbers[first]]), np.append(starts, ends)
                rows = np.empty((len(starts) - 1, SIZE), np.float32)
                self._core.sums(numbers, starts, run.n_threads, rows)
                lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
                if lead:
                    ratios = lead * lengths[:n] / np.where(lengths[n:] > 0, lengths[n:], 1)
                    rows = rows[:n] + ratios.astype(np.float32)[:, None] * rows[n:]
                    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
                parts.append((rows / np.where(lengths > 0, lengths, 1)[:, None]).astype(np.float32))
                done += n
                if report and total:
                    report(done, total)
        return np.concatenate(parts)

    def words_in_context(self, text: str, lead: float = 0.0, **options: Unpack[RunOptions]) -> WordsInContext:
        """Encode every known word of a text in its context.

        Parameters
        ----------
        text : str
        lead : float
            As in :meth:`encode`: it adds to the rows of the first twelve words.
        **options : threads

        Examples
        --------
        >>> found = Encoder.load().words_in_context("He sat on the river bank.")
        >>> found.words
        ('he', 'sat', 'on', 'the', 'river', 'bank')
        >>> found.spans[-1], found.rows.shape
        (array([20, 24]), (6, 256))
        """
        words, spans, numbers = [], [], []
        if not isinstance(text, str):
            raise ValueError(f"text must be a string, got {type(text).__name__}.")
        for match in _WORD.finditer(text):
            word = _fold(match.group())
            if (number := self._number.get(word)) is not None:
                words.append(word)
                spans.append(match.span())
                numbers.append(number)
        rows = self._rows(np.array(numbers, np.int32), np.array([0, len(numbers)]), Run.of(options))
        if lead and numbers:
            first = np.array(numbers[:LEAD_WORDS], np.int32)
            added = self._rows(first, np.array([0, len(first)]), Run.of(options))
            whole, part = (np.linalg.norm(each.sum(axis=0, dtype=np.float64)) for each in (rows, added))
            rows[: len(first)] += np.float32(lead * whole / part) * added
        return WordsInContext(tuple(words), np.array(spans, np.int64).reshape(-1, 2), rows)

    def rows_in_context(
        self, texts: Iterable[str] | Corpus, **options: Unpack[RunOptions]
    ) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.float32]]]:
        """Encode the words of many texts, some texts at a time.

        Parameters
        ----------
        texts : iterable of str, or Corpus
        **options : threads

        Yields
        ------
        numbers, starts, rows
            Of some texts: which of :attr:`words` their words are, one text after the other; where each text
            begins, and where the last one ends; and the words in context.
        """
        run = Run.of(options)
        for numbers, starts in self._batches(texts):
            yield numbers, starts, self._rows(numbers, starts, run)

    def _rows(self, numbers: NDArray[np.int32], starts: NDArray[np.int64], run: Run) -> NDArray[np.float32]:
        rows = np.empty((len(numbers), SIZE), np.float32)
        self._core.in_context(numbers, starts, run.n_threads, rows)
        return rows

    def _batches(
        self, texts: Iterable[str] | Corpus
    ) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int64]]]:
        """Yield batches of texts, as the numbers of their words and the places where each text begins."""
        numbers: list[int] = []
        starts = [0]
        for text in texts_of(texts, "texts"):
            for passage in passages(text):
                fold = str.lower if passage.isascii() else _fold
                found = map(self._number.get, map(fold, _WORD.findall(passage)))
                numbers += [number for number in found if number is not None]
            starts.append(len(numbers))
            if len(numbers) >= _MAX_BATCH:
                yield np.array(numbers, np.int32), np.array(starts, np.int64)
                numbers, starts = [], [0]
        if len(starts) > 1:
            yield np.array(numbers, np.int32), np.array(starts, np.int64)


@cache
def _load_bundled() -> Encoder:
    return Encoder(PackedEncoder.load(BUNDLED))


def _fold(word: str) -> str:
    """Write a word as the table has it; NFKC takes the ligatures of PDF files apart."""
    return word.lower() if word.isascii() else unicodedata.normalize("NFKC", word).lower()
