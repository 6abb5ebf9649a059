"""The passage of a document that shows best what was searched for."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

_WORD = re.compile(r"\w+")
_BLANKS = re.compile(r"\s+")
_JOINED = ("Mn", "Me", "Mc", "Cf", "Sk")
MAX_READ = 1_000_000  # characters of a text, the first ones that have a wanted word: all of 99 MB take 25 s


@dataclass(frozen=True, slots=True)
class Snippet:
    """A passage of a text, and which parts of it are words that were searched for.

    >>> found = snippet("It was quiet. A mosquito bit him, then another.", lambda word: word == "mosquito")
    >>> found.marked("[", "]")
    '…A [mosquito] bit him, then another.'
    """

    text: str
    marks: tuple[tuple[int, int], ...] = ()  # start and end of each word, in the passage

    def marked(self, before: str, after: str, clean: Callable[[str], str] = str) -> str:
        """Return the passage with something put around its words; ``clean`` makes the text itself safe."""
        parts, done = [], 0
        for start, end in self.marks:
            parts += [clean(self.text[done:start]), before, clean(self.text[start:end]), after]
            done = end
        return "".join([*parts, clean(self.text[done:])])

    def html(self) -> str:
        """Return the passage as HTML, with <mark> around its words and everything else escaped."""
        return self.marked("<mark>", "</mark>", escape)

    def __str__(self) -> str:
        return self.text


def snippet(text: str, wanted: Callable[[str], float], length: int = 160) -> Snippet:
    """Cut the passage of about ``length`` characters out of a text that has the most of what is wanted.

    Parameters
    ----------
    text : str
    wanted : function from a word, in lower case, to how much it counts; 0 for words not searched for
    length : int
        Of the passage, in characters. It begins and ends between words.
    """
    if len(text) > MAX_READ:
        parts = (text[start : start + MAX_READ] for start in range(0, len(text), MAX_READ))
        having = (part for part in parts if any(wanted(word.lower()) for word in set(_WORD.findall(part))))
        text = next(having, text[:MAX_READ])
    flat = _BLANKS.sub(" ", text).strip()
    weights = {word: float(wanted(word.lower())) for word in set(_WORD.findall(flat))}
    found = ((word, weight) for word, weight in weights.items() if weight > 0)
    hits = sorted(
        (*match.span(), weight)
        for word, weight in found
        for match in re.finditer(rf"(?<!\w){word}(?!\w)", flat)
    )
    start = best_start(hits, length)
    if start > 0:  # begin a little before the first word, at the end of a sentence where there is one near
        earliest = max(0, start - length // 3)
        stop = max(flat.rfind(end, earliest, start) for end in (". ", "! ", "? "))
        start = stop + 2 if stop >= 0 else flat.rfind(" ", 0, max(1, start - length // 6)) + 1
    end = min(len(flat), start + length)
    if end < len(flat):
        end = max(flat.rfind(" ", start, end), start + length // 2)
        # Not before what is written onto the character before it: an accent, or a part of one emoji.
        while end < len(flat) and (unicodedata.category(flat[end]) in _JOINED or flat[end - 1] == "\u200d"):
            end += 1
    before, after = "…" if start > 0 else "", "…" if end < len(flat) else ""
    shift = len(before) - start
    marks = tuple((a + shift, b + shift) for a, b, _ in hits if start <= a and b <= end)
    return Snippet(before + flat[start:end] + after, marks)


def best_start(hits: Sequence[tuple[int, int, float]], length: int) -> int:
    """Find where a passage should begin to have the most different words, and the most of them."""
    best, best_start, first = 0.0, 0, 0
    total = 0.0
    for a, b, weight in hits:
        total += weight
        while hits[first][0] < a and b - hits[first][0] > length * 2 // 3:
            total -= hits[first][2]
            first += 1
        if total > best + 1e-12:
            best, best_start = total, hits[first][0]
    return best_start
