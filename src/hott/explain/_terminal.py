"""A comparison as plain text for a terminal."""

import shutil
import textwrap
from collections.abc import Iterable, Iterator

from hott.explain.comparison import Comparison, Theme, Word
from hott.utils.wording import elide, per_cent, printable

_MOVES = 5  # that are listed; the others are summed up in one line
_THEMES_WITH_SENTENCES = 3


def render(c: Comparison, width: int | None) -> str:
    """Lay out a comparison ``width`` columns wide (the terminal's width by default)."""
    width = min(max(width or shutil.get_terminal_size((80, 24)).columns, 60), 110)
    parts = (_heading(c, width), _story(c, width), _themes(c, width), _moves(c, width), _evidence(c, width))
    return "\n\n".join(text for text in map("\n".join, parts) if text)


def _heading(c: Comparison, width: int) -> Iterator[str]:
    common = f", {per_cent(c.both)} in common themes" if c.shared else ""
    yield f"Distance {c.distance:.4f}{common}"
    for letter, side in (("A", c.a), ("B", c.b)):
        title = side.name if side.title in ("", side.id) else f"{side.title} ({side.id})"
        yield f"  {letter}  {elide(title, width - 5)}"


def _story(c: Comparison, width: int) -> Iterator[str]:
    for sentence in c.sentences:
        yield from textwrap.wrap(printable(sentence), width, subsequent_indent="  ")


def _themes(c: Comparison, width: int) -> Iterator[str]:
    yield f"  {'A':>5}  {'B':>5}  {'both':>5}  {'cost':>6}  words of A ~ words of B"
    for theme in c.themes:
        numbers = f"{per_cent(theme.mass_a):>5}  {per_cent(theme.mass_b):>5}  {per_cent(theme.both):>5}"
        yield f"  {numbers}  {theme.cost:6.3f}  {elide(_words(theme), width - 33)}".rstrip()
    mass, cost = sum(move.mass for move in c.moved), sum(move.cost for move in c.moved)
    if c.moved:
        yield f"  {'':5}  {'':5}  {per_cent(mass):>5}  {cost:6.3f}  moves to another theme"
    yield f"  {'':5}  {'':5}  {'100 %':>5}  {c.distance:6.3f}  in all: the distance"


def _words(theme: Theme) -> str:
    if theme.is_other:
        return "other words"
    return f"{_texts(theme.words_a)} ~ {_texts(theme.words_b)}"


def _texts(words: Iterable[Word]) -> str:
    return ", ".join(printable(word.text) for word in words) or "–"


def _moves(c: Comparison, width: int) -> Iterator[str]:
    if not c.moved:
        return
    yield "What moves, the most costly first"
    listed = [move for move in c.moved if not (move.source.is_other or move.target.is_other)][:_MOVES]
    room = (width - 21) // 2
    for move in listed:
        source, target = (elide(_texts(words), room) for words in (move.source.words_a, move.target.words_b))
        yield f"  {per_cent(move.mass):>5}  {move.cost:6.3f}  {source} → {target}"
    rest = [move for move in c.moved if move not in listed]
    if rest:
        mass, cost = sum(move.mass for move in rest), sum(move.cost for move in rest)
        yield f"  {per_cent(mass):>5}  {cost:6.3f}  {'other' if listed else 'all'} moves"


def _evidence(c: Comparison, width: int) -> Iterator[str]:
    told = [*c.shared, *c.only_a, *c.only_b]
    for theme in list({theme.number: theme for theme in told}.values())[:_THEMES_WITH_SENTENCES]:
        found = c.evidence(theme, 1)
        if any(found):
            yield f"“{elide(theme.name, width - 2)}”"
        for letter, sentences in zip("AB", found):
            for sentence in sentences:
                yield f"  {letter}  {elide(sentence.text, width - 5)}"
