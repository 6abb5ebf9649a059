"""A comparison as HTML without a script: sentences first, the diagram second, evidence and tables third."""

from collections.abc import Iterator, Sequence
from html import escape
from importlib import resources
from string import Template

from hott.explain.comparison import Comparison, Theme, Word
from hott.explain.evidence import Sentence
from hott.plots import style, theme_colors, transport_diagram
from hott.utils.wording import per_cent, printable

_WIDE, _NARROW = 980, 360  # pixels
_SENTENCES = 2  # a theme and side
_STEPS = 12


def page(c: Comparison) -> str:
    """A whole page, for a file."""
    template = resources.files("hott.explain").joinpath("comparison.html").read_text(encoding="utf-8")
    return Template(template).substitute(title=_text(f"{c.a.name} and {c.b.name}"), body=piece(c))


def piece(c: Comparison) -> str:
    """What a notebook or a report shows."""
    css = resources.files("hott.explain").joinpath("comparison.css").read_text(encoding="utf-8")
    return "\n".join([f'<div class="hott-comparison"><style>{css}</style>', *_parts(c), "</div>"])


def _parts(c: Comparison) -> Iterator[str]:
    yield f"<h2><b>A</b> {_text(c.a.name)} <span>and</span> <b>B</b> {_text(c.b.name)}</h2>"
    verdict, *others = c.sentences
    yield f'<p class="verdict">{_text(verdict)}</p>'
    yield "".join(f"<p>{_text(sentence)}</p>" for sentence in others)
    for name, width in (("wide", _WIDE), ("narrow", _NARROW)):
        diagram = transport_diagram(c, width=width, story=False)
        yield f'<div class="{name}">{diagram.to_svg()}</div>'
    colors = theme_colors(c)
    yield from _evidence(c, colors)
    yield from _tables(c, colors)


def _evidence(c: Comparison, colors: dict[int, str]) -> Iterator[str]:
    told = {theme.number: theme for theme in (*c.shared, *c.only_a, *c.only_b)}
    for theme in told.values():
        found = c.evidence(theme, _SENTENCES)
        if any(found):
            yield f'<h3>{_dot(colors[theme.number])}{_text(theme.name)}</h3><div class="sides">'
            for letter, sentences in zip("AB", found):
                shown = "".join(f"<p>{_marked(s, colors[theme.number])}</p>" for s in sentences)
                yield f"<div><b>{letter}</b>{shown}</div>"
            yield "</div>"


def _marked(sentence: Sentence, color: str) -> str:
    pieces, at = [], 0
    for mark in sentence.marks:
        pieces.append(escape(sentence.text[at : mark.start]))
        shade = style.faded(color, 0.15 + 0.35 * mark.strength)
        pieces.append(
            f'<mark style="background:{shade}">{escape(sentence.text[mark.start : mark.end])}</mark>'
        )
        at = mark.end
    return "".join([*pieces, escape(sentence.text[at:])])


def _tables(c: Comparison, colors: dict[int, str]) -> Iterator[str]:
    yield "<details><summary>The numbers</summary>"
    yield "<table><tr><th>A<th>B<th>both<th>cost<th>words of A<th>words of B</tr>"
    for theme in c.themes:
        masses = "".join(f"<td>{per_cent(part)}" for part in (theme.mass_a, theme.mass_b, theme.both))
        dot = _dot(colors[theme.number])
        yield f"<tr>{masses}<td>{theme.cost:.4f}<td>{dot}{_words(theme, theme.words_a)}"
        yield f"<td>{_words(theme, theme.words_b)}</tr>"
    mass, cost = sum(move.mass for move in c.moved), sum(move.cost for move in c.moved)
    yield f'<tr><td><td><td>{per_cent(mass)}<td>{cost:.4f}<td colspan="2">moves to another theme</tr>'
    yield f'<tr><td><td><td>100 %<td>{c.distance:.4f}<td colspan="2">in all: the distance</tr></table>'
    yield "<table><tr><th>mass<th>cost<th>from a word of A<th>to a word of B</tr>"
    for step in c.flow[:_STEPS]:
        yield (
            f"<tr><td>{100 * step.mass:.1f} %<td>{step.cost:.4f}"
            f"<td>{_dot(colors[step.source_theme])}{_text(step.source)}"
            f"<td>{_dot(colors[step.target_theme])}{_text(step.target)}</tr>"
        )
    yield "</table></details>"


def _words(theme: Theme, words: Sequence[Word]) -> str:
    return "other words" if theme.is_other else _text(", ".join(word.text for word in words))


def _dot(color: str) -> str:
    return f'<i style="background:{color}"></i>'


def _text(text: str) -> str:
    return escape(printable(text))
