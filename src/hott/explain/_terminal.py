"""A comparison as plain text for a terminal."""

import shutil
from collections.abc import Iterator

from rich.cells import cell_len

from hott.explain.comparison import Comparison, Move, Side
from hott.wording import elide, fit, per_cent, printable

_SMALL = 0.02  # moves below this share of the distance are summed up in one line
_MOST = 8  # and no more than this many are listed
_BLOCKS = " ▏▎▍▌▋▊▉█"


def render(c: Comparison, width: int | None) -> str:
    """Lay out a comparison ``width`` columns wide (the terminal's width by default)."""
    width = min(max(width or shutil.get_terminal_size((80, 24)).columns, 60), 110)
    parts = (_heading(c, width), _shared(c, width), _moved(c, width), _carriers(c, width))
    return "\n\n".join(text for text in map("\n".join, parts) if text)


def _heading(c: Comparison, width: int) -> Iterator[str]:
    yield f"Distance {c.distance:.4f}"
    for letter, side in (("A", c.a), ("B", c.b)):
        title = side.name if side.title in ("", side.id) else f"{side.title} ({side.id})"
        yield f"  {letter}  {elide(title, width - 5)}"
    if c.n_models > 1:
        yield (
            f"Explained by topic model {c.model + 1} of {c.n_models}, where the distance is "
            f"{c.model_distance:.4f}:"
        )
        yield f"the closest to {c.distance:.4f}, the mean of all."


def _shared(c: Comparison, width: int) -> Iterator[str]:
    if not c.shared:
        yield "In common: nothing"
        return
    yield f"In common: {per_cent(c.shared_mass)} of the mass stays in its topic"
    listed = c.shared[:_MOST]
    names = _name_width((move.source.name for move in listed), width - 32)
    for move in listed:
        yield f"  {per_cent(move.mass):>5}  {fit(move.source.name, names)}  {_bar(move.mass, 20)}".rstrip()
    yield from _rest(c.shared[_MOST:], "topic")


def _moved(c: Comparison, width: int) -> Iterator[str]:
    if not c.moved:
        yield "Moved: nothing, the documents have the same topics"
        return
    yield f"Moved: {per_cent(c.moved_mass)} of the mass goes to another topic"
    listed = [move for move in c.moved if move.share >= _SMALL][:_MOST] or list(c.moved[:1])
    room = (width - 31) // 2
    sources = _name_width((move.source.name for move in listed), room)
    targets = _name_width((move.target.name for move in listed), room)
    yield f"  {'mass':>5}  {'cost':>7}  {'share':>6}  {fit('from', sources)}   to"
    for move in listed:
        numbers = f"  {per_cent(move.mass):>5}  {move.cost:7.4g}  {per_cent(move.share):>6}  "
        yield f"{numbers}{fit(move.source.name, sources)} → {fit(move.target.name, targets)}".rstrip()
        yield _words(c, move, width)
    yield from _rest(c.moved[len(listed) :], "move")
    root = " is the square of" if c.p == 2 else " is"
    where = " in this model" if c.n_models > 1 else ""
    yield f"  The sum of mass × cost{root} the distance{where}."


def _words(c: Comparison, move: Move, width: int) -> str:
    """The largest steps of the word plan, as many as fit on the line."""
    line = " " * 25
    for step in c.word_plan(move):
        more = f"{printable(step.source)} → {printable(step.target)}"
        if cell_len(line) + cell_len(more) > width or step.source == step.target:
            break
        line += more + ", "
    return line.rstrip(" ,")


def _carriers(c: Comparison, width: int) -> Iterator[str]:
    for letter, side in (("A", c.a), ("B", c.b)):
        lines = list(_side_carriers(side, width))
        if lines:
            yield f"Carried in {letter} by"
            yield from lines


def _side_carriers(side: Side, width: int) -> Iterator[str]:
    for topic, proportion in list(side.proportions.items())[:4]:
        words = ", ".join(word.text for word in side.words(topic, 6))
        if words:
            yield f"  {per_cent(proportion):>5}  {elide(f'{topic.name}: {words}', width - 9)}"
        for sentence in side.sentences(topic, 1):
            yield f"{' ' * 9}“{elide(sentence.text, width - 11)}”"


def _rest(moves: tuple[Move, ...], kind: str) -> Iterator[str]:
    if moves:
        mass, share = sum(move.mass for move in moves), sum(move.share for move in moves)
        of_distance = f", {per_cent(share)} of the distance" if share else ""
        plural = "s" * (len(moves) > 1)
        yield f"  {per_cent(mass):>5}  in {len(moves)} smaller {kind}{plural}{of_distance}"


def _name_width(names: Iterator[str], most: int) -> int:
    return min(max(cell_len(printable(name)) for name in names), most)


def _bar(part: float, width: int) -> str:
    eighths = round(8 * width * min(part, 1.0))
    return "█" * (eighths // 8) + _BLOCKS[eighths % 8].strip()
