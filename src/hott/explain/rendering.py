"""A comparison as HTML without a script, and as plain text for a terminal.

Lines come first, terms and sentences second, texts and numbers third.
"""

import shutil
import textwrap
from collections.abc import Iterator, Sequence
from html import escape
from importlib import resources
from string import Template

from hott.explain.comparison import Comparison, Mark
from hott.plots import style, term_diagram
from hott.utils.wording import elide, printable, visible

_WIDE, _NARROW = 980, 360  # pixels
_QUOTES = 3
_STEPS = 12


def page(c: Comparison) -> str:
    """Give a whole page, for a file."""
    template = resources.files("hott.explain").joinpath("comparison.html").read_text(encoding="utf-8")
    return Template(template).substitute(title=_text(f"{c.a.name} and {c.b.name}"), body=piece(c))


def piece(c: Comparison) -> str:
    """Give what a notebook or a report shows."""
    css = resources.files("hott.explain").joinpath("comparison.css").read_text(encoding="utf-8")
    return "\n".join([f'<div class="hott-comparison"><style>{css}</style>', *_parts(c), "</div>"])


def _parts(c: Comparison) -> Iterator[str]:
    yield f"<h2><b>A</b> {_text(c.a.name)} <span>and</span> <b>B</b> {_text(c.b.name)}</h2>"
    yield "".join(f"<p>{_text(line)}</p>" for line in c.lines[: len(c.lines) - len(c.numbers)])
    for name, width in (("wide", _WIDE), ("narrow", _NARROW)):
        diagram = term_diagram(c, width=width, story=False, transparent=True)
        yield f'<div class="{name}">{diagram.to_svg()}</div>'
    for pair in c.quotes[:_QUOTES]:
        shown = (
            f"<div><b>{letter}</b><p>{mark_terms(quote.text, quote.marks)}</p></div>"
            for letter, quote in zip("AB", pair)
        )
        yield f'<div class="sides">{"".join(shown)}</div>'
    if any(texts := (c.terms.a.text, c.terms.b.text)):
        names = "".join(
            f'<span><i style="background:{style.color(number)}"></i>{_text(group.name)}</span> '
            for number, group in enumerate(c.terms.groups)
        )
        yield f'<details><summary>Both texts</summary><p>{names}</p><div class="sides">'
        for letter, text, marks in zip("AB", texts, c.marks):
            yield f"<div><b>{letter}</b><p class=text>{mark_terms(text, marks)}</p></div>"
        yield "</div></details>"
    yield "<details><summary>The numbers</summary>"
    yield f"<p>Distance {c.distance:.4f}; that of the topics alone is {c.topics:.4f}.</p>"
    yield "<table><tr><th>mass<th>cost<th>from a word of A<th>to a word of B</tr>"
    for step in c.flow[:_STEPS]:
        cells = f"{100 * step.mass:.1f} %", f"{step.cost:.4f}", _text(step.source), _text(step.target)
        yield f"<tr><td>{'<td>'.join(cells)}</tr>"
    yield "</table></details>"


def mark_terms(text: str, marks: Sequence[Mark]) -> str:
    """Mark told terms in a text, each in the colour of its group."""
    pieces, at = [], 0
    for start, end, group in marks:
        pieces.append(escape(visible(text[at:start])))
        shade = style.fade(style.color(group), 0.3)
        pieces.append(f'<mark style="background:{shade}">{escape(visible(text[start:end]))}</mark>')
        at = end
    return "".join([*pieces, escape(visible(text[at:]))])


def _text(text: str) -> str:
    return escape(printable(text))


def render(c: Comparison, width: int | None) -> str:
    """Lay out a comparison as plain text, ``width`` columns wide (the terminal's width by default)."""
    width = min(max(width or shutil.get_terminal_size((80, 24)).columns, 60), 110)
    names = []
    for letter, side in (("A", c.a), ("B", c.b)):
        title = side.name if side.title in ("", side.id) else f"{side.title} ({side.id})"
        names.append(f"  {letter}  {elide(title, width - 5)}")
    quotes = [
        _wrap([f"{letter}: “{sentence}”" for letter, sentence in zip("AB", pair)], width, "  ", "     ")
        for pair in c.terms.sentences[:_QUOTES]
    ]
    said = _wrap(c.lines[: len(c.lines) - len(c.numbers)], width)
    return "\n\n".join(filter(None, [said, "\n".join(names), *quotes, _wrap(c.numbers, width)]))


def _wrap(lines: Sequence[str], width: int, first: str = "", later: str = "  ") -> str:
    wrapped = (
        textwrap.wrap(printable(one), width, initial_indent=first, subsequent_indent=later) for one in lines
    )
    return "\n".join(line for rows in wrapped for line in rows)
