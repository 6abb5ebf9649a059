"""Where the nodes and bands of a transport diagram go, in pixels. Nothing is drawn in here."""

from collections.abc import Sequence
from dataclasses import dataclass

_GAP = 10.0


@dataclass(frozen=True, slots=True)
class Node:
    """A bar of one column: its mass, and the height that its label needs."""

    mass: float
    slot: float


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


@dataclass(frozen=True, slots=True)
class Places:
    """The finished diagram: tops and heights of the nodes of both columns, and the curve of each band."""

    height: float
    left: list[tuple[float, float]]
    right: list[tuple[float, float]]
    curves: list[Curve]


def place(left: Sequence[Node], right: Sequence[Node], bands: Sequence[Band], unit: float) -> Places:
    """Stack the nodes of both columns, with room for labels, so that bands which stay run straight.

    Nodes come from top to bottom; ``unit`` is the height of the whole mass of a document.
    """
    tops = _tops(left, right, bands, unit)
    height = max(
        top + max(unit * node.mass, node.slot) / 2 + unit * node.mass / 2
        for column, nodes in zip(tops, (left, right))
        for top, node in zip(column, nodes)
    )
    spots = [[(top, unit * node.mass) for top, node in zip(*side)] for side in zip(tops, (left, right))]
    return Places(height, spots[0], spots[1], [_curve(band, bands, tops, unit) for band in bands])


def _tops(
    left: Sequence[Node], right: Sequence[Node], bands: Sequence[Band], unit: float
) -> tuple[list[float], list[float]]:
    """Compute the tops of the nodes in both columns."""
    partner = {band.left: band for band in bands if band.stays}
    tops: tuple[list[float], list[float]] = ([], [])
    free = [0.0, 0.0]  # where the next slot may begin

    def put(side: int, node: Node, top: float) -> None:
        tops[side].append(top)
        free[side] = top + (unit * node.mass + max(unit * node.mass, node.slot)) / 2 + _GAP

    def earliest(side: int, node: Node) -> float:
        return free[side] + max(0.0, node.slot - unit * node.mass) / 2

    for i, node in enumerate(left):
        band = partner.get(i)
        if band is None:
            put(0, node, earliest(0, node))
            continue
        while len(tops[1]) < band.right:
            put(1, right[len(tops[1])], earliest(1, right[len(tops[1])]))
        above = _above(band, bands)
        shift = unit * (above[0] - above[1])
        top = max(earliest(0, node), earliest(1, right[band.right]) - shift)
        put(0, node, top)
        put(1, right[band.right], top + shift)
    for node in right[len(tops[1]) :]:
        put(1, node, earliest(1, node))
    return tops


def _above(band: Band, bands: Sequence[Band]) -> tuple[float, float]:
    """Sum the mass above a band in its left and in its right node.

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
