"""Words that are spelled like another."""

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from hott import _core


class Spellings:
    """A list of words, by their letters.

    Examples
    --------
    >>> words = Spellings(["league", "ticket", "cricket"])
    >>> list(words.near("leauge", 2)), list(words.near("criket", 2))
    ([(0, 1)], [(2, 1)])
    """

    def __init__(self, words: Iterable[str]) -> None:
        listed = list(words)
        sizes = np.fromiter(map(len, listed), np.int64, len(listed))
        self._places = np.argsort(sizes, kind="stable")  # words of a length are together
        self._sizes = sizes[self._places]
        self._starts = np.concatenate([[0], np.cumsum(self._sizes)])
        self._letters = _letters("".join(listed[place] for place in self._places))

    def near(self, word: str, max_edits: int) -> Iterator[tuple[int, int]]:
        """The places of words that few edits make of a word, each with how many.

        An edit puts a letter in, leaves one out, changes one, or swaps it with the next. The first letter is
        the same, or the two after it are.
        """
        first, last = np.searchsorted(self._sizes, [len(word) - max_edits, len(word) + max_edits + 1])
        edits = np.empty(last - first, np.uint8)
        _core.near_spellings(_letters(word), self._letters, self._starts, int(first), max_edits, edits)
        for place in np.flatnonzero(edits <= max_edits):
            yield int(self._places[first + place]), int(edits[place])


def _letters(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
