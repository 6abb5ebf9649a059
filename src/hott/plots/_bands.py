"""Where the nodes and bands of a transport diagram go, in pixels. No plotly in here."""

from collections.abc import Sequence
from dataclasses import dataclass

_UNIT = 300.0  # height of the whole mass of a document, at least
_SLOT = 40.0  # height that the label of a node needs
_GAP = 10.0


@dataclass(frozen=True, slots=True)
class Band:
    """Mass from a node on the left to a node on the right, both by their place in their column."""

    left: int
    right: int
    mass: float
    stays: bool


@dataclass(frozen=True, slots=True)
class Curve:
    """The middle line of a band: its height at both ends, from the top, and its thickness."""

    start: float
    end: float
    thickness: float

    def height_at(self, t: float) -> float:
        """Height at a point of the curve; t runs from 0 on the left to 1 on the right."""
        bend = t * t * (3 - 2 * t)
        return self.start + bend * (self.end - self.start)


@dataclass(frozen=True, slots=True)
class Places:
    """The finished diagram: tops and heights of the nodes of both columns, and the curve of each band."""

    height: float
    unit: float  # pixels a unit of mass
    left: list[tuple[float, float]]
    right: list[tuple[float, float]]
    curves: list[Curve]


def across(t: float) -> float:
    """How far to the right a point of a curve is: a Bézier curve whose handles meet in the middle."""
    return 1.5 * t * (1 - t) + t**3


def place(left: Sequence[float], right: Sequence[float], bands: Sequence[Band]) -> Places:
    """Stack the nodes of both columns, with room for labels, so that bands which stay run straight.

    ``left`` and ``right`` are the masses of the nodes, from top to bottom.
    """
    unit = _UNIT
    while True:
        tops = _tops(left, right, bands, unit)
        height = max(
            top + max(unit * mass, _SLOT) / 2 + unit * mass / 2
            for column, masses in zip(tops, (left, right))
            for top, mass in zip(column, masses)
        )
        if height <= 2.8 * unit:  # plotly gives at most two thirds of the height to the gaps
            break
        unit = height / 2.7
    return Places(
        height,
        unit,
        [(top, unit * mass) for top, mass in zip(tops[0], left)],
        [(top, unit * mass) for top, mass in zip(tops[1], right)],
        [_curve(band, bands, tops, unit) for band in bands],
    )


def _tops(
    left: Sequence[float], right: Sequence[float], bands: Sequence[Band], unit: float
) -> tuple[list[float], list[float]]:
    """Tops of the nodes in both columns."""
    partner = {band.left: band for band in bands if band.stays}
    tops: tuple[list[float], list[float]] = ([], [])
    free = [0.0, 0.0]  # where the next slot may begin

    def put(side: int, mass: float, top: float) -> None:
        tops[side].append(top)
        free[side] = top + (unit * mass + max(unit * mass, _SLOT)) / 2 + _GAP

    def earliest(side: int, mass: float) -> float:
        return free[side] + max(0.0, _SLOT - unit * mass) / 2

    for i, mass in enumerate(left):
        band = partner.get(i)
        if band is None:
            put(0, mass, earliest(0, mass))
            continue
        while len(tops[1]) < band.right:
            put(1, right[len(tops[1])], earliest(1, right[len(tops[1])]))
        shift = unit * (_above(band, bands)[0] - _above(band, bands)[1])
        top = max(earliest(0, mass), earliest(1, right[band.right]) - shift)
        put(0, mass, top)
        put(1, right[band.right], top + shift)
    for mass in right[len(tops[1]) :]:
        put(1, mass, earliest(1, mass))
    return tops


def _above(band: Band, bands: Sequence[Band]) -> tuple[float, float]:
    """Mass above a band in its left and in its right node.

    Bands leave and reach a node in the order of the nodes at their other ends; of two between the same nodes
    the one that stays comes first.
    """
    start, end = (band.right, not band.stays), (band.left, not band.stays)
    return (
        sum(o.mass for o in bands if o.left == band.left and (o.right, not o.stays) < start),
        sum(o.mass for o in bands if o.right == band.right and (o.left, not o.stays) < end),
    )


def _curve(band: Band, bands: Sequence[Band], tops: tuple[list[float], list[float]], unit: float) -> Curve:
    before, above = _above(band, bands)
    thickness = unit * band.mass
    return Curve(
        tops[0][band.left] + unit * before + thickness / 2,
        tops[1][band.right] + unit * above + thickness / 2,
        thickness,
    )


def label_points(
    curves: Sequence[Curve], *, width: float, box: tuple[float, float] = (40.0, 15.0), thinnest: float = 9.0
) -> dict[int, float]:
    """Where to write on each band: the t of its curve. Thin bands and those without room get no label.

    A good place is covered by few other bands, and labels never touch each other.
    """
    placed: list[tuple[float, float]] = []
    chosen: dict[int, float] = {}
    for i in sorted(range(len(curves)), key=lambda i: -curves[i].thickness):
        if curves[i].thickness < thinnest:
            continue
        best = None
        for t in (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.2, 0.8):
            x, y = width * across(t), curves[i].height_at(t)
            if any(abs(x - u) < box[0] and abs(y - v) < box[1] for u, v in placed):
                continue
            covered = sum(
                abs(other.height_at(t) - y) < (other.thickness + box[1]) / 2
                for j, other in enumerate(curves)
                if j != i
            )
            if best is None or covered < best[0]:
                best = (covered, t, x, y)
        if best is not None:
            chosen[i] = best[1]
            placed.append(best[2:])
    return chosen
