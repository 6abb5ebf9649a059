"""Drawings made of bars, bands and labels, as SVG by ourselves and as PNG by matplotlib."""

from __future__ import annotations

import io
import os
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from xml.sax.saxutils import escape

from rich.cells import cell_len

from hott.plots import style
from hott.utils.atomic import atomic_write
from hott.utils.optional import import_optional
from hott.utils.wording import elide, printable

Anchor = Literal["start", "middle", "end"]

NARROW = 600  # pixels below which a diagram is laid out for a phone
# Widths of a column of text in ems; measured on DejaVu Sans, which is wider than most fonts of browsers.
_EM, _BOLD_EM = 0.62, 0.70
_LINE = 1.25  # height of a line, in ems


@dataclass(frozen=True, slots=True)
class Bar:
    """A rectangle."""

    x: float
    y: float
    width: float
    height: float
    color: str


@dataclass(frozen=True, slots=True)
class Ribbon:
    """A band that goes from (x1, y1) to (x2, y2), the middles of its ends."""

    x1: float
    y1: float
    x2: float
    y2: float
    thickness: float
    color: str
    opacity: float
    title: str = ""  # shown when the mouse is over it


@dataclass(frozen=True, slots=True)
class Label:
    """A line of text; ``y`` is its middle."""

    text: str
    x: float
    y: float
    size: float
    color: str
    anchor: Anchor = "start"
    bold: bool = False

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom, estimated generously."""
        width = text_width(self.text, self.size, self.bold)
        left = self.x - width * {"start": 0.0, "middle": 0.5, "end": 1.0}[self.anchor]
        return left, self.y - _LINE * self.size / 2, left + width, self.y + _LINE * self.size / 2


def text_width(text: str, size: float, bold: bool = False) -> float:
    """Estimate generously how wide a line of text is, in pixels."""
    return cell_len(text) * size * (_BOLD_EM if bold else _EM)


def columns_in(width: float, size: float, bold: bool = False) -> int:
    """Estimate how many columns of text are sure to fit into a width in pixels, at least two."""
    return max(int(width / (size * (_BOLD_EM if bold else _EM))), 2)


def draw_titles(titles: tuple[str, str], width: int, look: style.Look) -> list[Label]:
    """Write the titles of the two sides of a diagram, one below the other."""
    size = 14.0 if width < NARROW else 17.0
    texts = (elide(f"{a} {b}", columns_in(width - 24, size, bold=True)) for a, b in zip("AB", titles))
    return [
        Label(t, 12, 16 + size * (0.5 + 1.5 * k), size, look.text, bold=True) for k, t in enumerate(texts)
    ]


def write_lines(
    text: str,
    x: float,
    y: float,
    width: float,
    size: float,
    color: str,
    step: float,
    anchor: Anchor = "start",
) -> list[Label]:
    """Write a text from ``y`` on, in lines that fit into a width and begin ``step`` below one another."""
    lines = textwrap.wrap(text, columns_in(width, size))
    return [Label(line, x, y + size / 2 + k * step, size, color, anchor) for k, line in enumerate(lines)]


@dataclass(frozen=True, slots=True)
class Diagram:
    """A drawing, ready to be shown in a notebook or written to a file.

    Attributes
    ----------
    width, height : float
        In pixels.
    background : str or None
        A colour; None is transparent.
    title : str
    shapes : tuple
        What is drawn.

    Examples
    --------
    >>> Diagram(40, 20, None, "nothing", ()).to_svg().startswith("<svg")
    True
    """

    width: float
    height: float
    background: str | None
    title: str
    shapes: tuple[Bar | Ribbon | Label, ...]

    @property
    def labels(self) -> tuple[Label, ...]:
        """All texts, with their places."""
        return tuple(shape for shape in self.shapes if isinstance(shape, Label))

    def to_svg(self) -> str:
        """Return the drawing as SVG."""
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width:g} {self.height:g}" '
            f'width="{self.width:g}" height="{self.height:g}" role="img" font-family="{style.FONT}">',
            f"<title>{_escape(self.title)}</title>",
        ]
        if self.background is not None:
            parts.append(f'<rect width="100%" height="100%" fill="{self.background}"/>')
        return "".join([*parts, *map(_svg, self.shapes), "</svg>"])

    def to_png(self, scale: float = 2.0) -> bytes:
        """Return the drawing as PNG, ``scale`` dots per pixel (needs the extra ``hott[plots]``)."""
        figure = self._paint()
        stream = io.BytesIO()
        figure.savefig(stream, format="png", dpi=72 * scale, transparent=self.background is None)
        return stream.getvalue()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the drawing to an .svg or a .png file."""
        path = Path(path)
        if path.suffix not in (".svg", ".png"):
            raise ValueError(f"path must end in .svg or .png, got {str(path)!r}.")
        data = self.to_svg().encode() if path.suffix == ".svg" else self.to_png()
        with atomic_write(path) as file:
            file.write(data)

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def _paint(self) -> Any:
        """Return the drawing as a matplotlib figure, one point per pixel."""
        backend = import_optional("matplotlib.backends.backend_agg", extra="plots")
        figure = import_optional("matplotlib.figure", extra="plots").Figure(
            figsize=(self.width / 72, self.height / 72)
        )
        backend.FigureCanvasAgg(figure)
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set(xlim=(0, self.width), ylim=(self.height, 0))
        axes.axis("off")
        if self.background is not None:
            figure.set_facecolor(self.background)
        for shape in self.shapes:
            _paint(axes, shape)
        return figure


def _escape(text: str) -> str:
    return escape(printable(text), {'"': "&quot;"})


def _svg(shape: Bar | Ribbon | Label) -> str:
    if isinstance(shape, Bar):
        return (
            f'<rect x="{shape.x:.1f}" y="{shape.y:.1f}" width="{shape.width:.1f}" '
            f'height="{max(shape.height, 1):.1f}" rx="2" fill="{shape.color}"/>'
        )
    if isinstance(shape, Label):
        weight = ' font-weight="600"' if shape.bold else ""
        return (
            f'<text x="{shape.x:.1f}" y="{shape.y:.1f}" dy="0.35em" font-size="{shape.size:g}" '
            f'fill="{shape.color}" text-anchor="{shape.anchor}"{weight}>{_escape(shape.text)}</text>'
        )
    points = " ".join(
        f"{command}{' '.join(f'{v:.1f}' for v in values)}" for command, values in _outline(shape)
    )
    title = f"<title>{_escape(shape.title)}</title>" if shape.title else ""
    return f'<path d="{points}Z" fill="{shape.color}" fill-opacity="{shape.opacity:.2f}">{title}</path>'


def _outline(r: Ribbon) -> list[tuple[str, tuple[float, ...]]]:
    """Trace the edge of a ribbon: along its upper side, down, and back along its lower side."""
    middle, half = (r.x1 + r.x2) / 2, r.thickness / 2
    return [
        ("M", (r.x1, r.y1 - half)),
        ("C", (middle, r.y1 - half, middle, r.y2 - half, r.x2, r.y2 - half)),
        ("L", (r.x2, r.y2 + half)),
        ("C", (middle, r.y2 + half, middle, r.y1 + half, r.x1, r.y1 + half)),
    ]


def _paint(axes: Any, shape: Bar | Ribbon | Label) -> None:
    patches, paths = (import_optional(f"matplotlib.{name}", extra="plots") for name in ("patches", "path"))
    if isinstance(shape, Bar):
        corner = (shape.x, shape.y)
        axes.add_patch(
            patches.Rectangle(corner, shape.width, max(shape.height, 1), facecolor=shape.color, linewidth=0)
        )
    elif isinstance(shape, Label):
        axes.text(
            shape.x,
            shape.y,
            printable(shape.text).replace("$", r"\$"),  # matplotlib takes dollars for formulas
            fontsize=shape.size,
            color=shape.color,
            fontweight="bold" if shape.bold else "normal",
            ha={"start": "left", "middle": "center", "end": "right"}[shape.anchor],
            va="center_baseline",
        )
    else:
        codes = {"M": [1], "L": [2], "C": [4, 4, 4]}
        vertices, kinds = [], []
        for command, values in _outline(shape):
            vertices += [(values[k], values[k + 1]) for k in range(0, len(values), 2)]
            kinds += codes[command]
        path = paths.Path([*vertices, vertices[0]], [*kinds, 79])
        axes.add_patch(patches.PathPatch(path, facecolor=shape.color, alpha=shape.opacity, linewidth=0))
