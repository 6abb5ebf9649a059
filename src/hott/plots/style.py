"""What all pictures share: colours that every reader can tell apart, and themes."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

Theme: TypeAlias = Literal["light", "dark"]

# The first six are Okabe and Ito's. The rest were added one at a time, each the colour farthest (in OKLab)
# from all before it as seen with normal vision and without red, green or blue cones, among colours that stand
# out from white and from black. tests/plots/test_style.py measures how far apart they are.
COLORS = (
    "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7",
    "#56B4E9", "#793D3D", "#314992", "#9279F3", "#9EB686",
    "#925579", "#9E490C", "#920C6D", "#8661DB", "#3D49C2",
    "#E77931", "#FF79CE", "#556D49", "#6DAA61", "#9E0C0C",
)  # fmt: skip
GREY = "#8C8C8C"
MIN_WIDTH = 320
SYMBOLS = ("circle", "diamond", "square", "triangle-up", "cross")
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'Noto Sans', sans-serif"


@dataclass(frozen=True, slots=True)
class Look:
    """The colours of a theme."""

    background: str
    text: str
    faint: str  # second-rank text
    lines: str


LOOKS: dict[Theme, Look] = {
    "light": Look("#ffffff", "#1a1a1a", "#5c5c5c", "#d9d9d9"),
    "dark": Look("#14161a", "#ececec", "#a8a8a8", "#3a3d42"),
}


def look_of(theme: Theme) -> Look:
    """Return the colours of a theme, or raise an error that lists the themes."""
    if theme not in LOOKS:
        raise ValueError(f"theme must be one of {', '.join(map(repr, LOOKS))}, not {theme!r}.")
    return LOOKS[theme]


def check_width(width: int) -> None:
    """Raise ValueError if a diagram would be too narrow for its words."""
    if width < MIN_WIDTH:
        raise ValueError(f"width must be at least {MIN_WIDTH} pixels, got {width}.")


def color(position: int) -> str:
    """Return the colour of the class or topic at this position; colours repeat after twenty."""
    return COLORS[position % len(COLORS)]


def symbol(position: int) -> str:
    """Return the marker of a class; it changes after every ten, so that a hundred classes look different."""
    return SYMBOLS[position // 10 % len(SYMBOLS)]


def fade(hex_color: str, opacity: float) -> str:
    """Make a colour let through what is behind it.

    >>> fade("#0072B2", 0.5)
    'rgba(0,114,178,0.5)'
    """
    red, green, blue = (int(hex_color[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity:g})"
