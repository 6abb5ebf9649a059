"""Documents and costs as the kernels read them. ``xp`` is CuPy, or NumPy to run the solver on the CPU."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hott import _core
from hott.compute.gpu.shapes import MAX_SIDE
from hott.compute.ground import Distributions, Ground

MAX_COST, INDEX_BITS = _core.GPU_MAX_COST, _core.GPU_INDEX_BITS

# The structures of kernels/pair.h.
DOCUMENTS = np.dtype(
    [("count", "i4"), ("size", "u8"), ("site", "u8"), ("mass", "u8"), ("mass_at", "u8")], align=True
)
GROUND = np.dtype(
    {
        "names": ["sites", "free_stay", "unit", "rounding", "rounded", "rest"],
        "formats": ["i4", "?", "f8", "f4", "u8", "u8"],
    },
    align=True,
)


@dataclass(frozen=True, slots=True, eq=False)
class DeviceGround:
    """The cost between sites: rounded to integers for the pivots, and what rounding took away."""

    cost: Any
    rounded: Any
    rest: Any
    unit: float
    rounding: float
    metric: bool
    free_stay: bool

    @classmethod
    def of(cls, xp: Any, ground: Ground) -> Self:
        cost = ground.cost
        most = float(cost.max(initial=0.0))
        unit = most / MAX_COST if most > 0 else 1.0
        rounded = np.rint(cost / unit)
        rest = cost / unit - rounded
        return cls(
            xp.asarray(cost),
            xp.asarray(rounded.astype(np.int32) << INDEX_BITS),
            xp.asarray(rest.astype(np.float32)),
            unit,
            float(np.abs(rest).max(initial=0.0)),
            ground.keeps_common,
            not np.diagonal(cost).any(),
        )

    @property
    def sites(self) -> int:
        return int(self.cost.shape[0])

    @property
    def argument(self) -> NDArray[np.void]:
        """What a kernel takes."""
        arrays = address(self.rounded), address(self.rest)
        return np.array((self.sites, self.free_stay, self.unit, self.rounding, *arrays), GROUND)


@dataclass(frozen=True, slots=True, eq=False)
class DeviceDocuments:
    """The documents of no more than ``MAX_SIDE`` sites, sorted by size.

    ``number`` says which row each of them is, and ``sizes`` how large, both in memory; the rest is for the
    kernels.
    """

    number: NDArray[np.int64]
    sizes: NDArray[np.int64]
    size: Any
    site: Any
    mass: Any
    mass_at: Any

    @classmethod
    def of(cls, xp: Any, rows: Distributions, ground: DeviceGround) -> Self:
        rows = rows.unpack()
        sizes = np.diff(rows.starts)
        number = np.flatnonzero(sizes <= MAX_SIDE)
        # Threads of a warp wait for each other: let their problems be alike, in size and heaviest site.
        number = number[np.lexsort((_heaviest_site(rows)[number], sizes[number]))]
        count = len(number)
        if ground.sites * count >= 2**31:
            raise MemoryError(f"{count} documents over {ground.sites} sites are too many: split them.")
        place = np.full(len(sizes), -1)
        place[number] = np.arange(count)

        first, last = int(rows.starts[0]), int(rows.starts[-1])
        sites, masses = xp.asarray(rows.sites[first:last]), xp.asarray(rows.masses[first:last])
        starts = xp.asarray(rows.starts - first)
        row = xp.searchsorted(starts, xp.arange(last - first), side="right") - 1
        order = xp.lexsort(xp.stack([masses, row.astype(np.float64)]))  # each row's sites by ascending mass
        rank, document = xp.arange(last - first) - starts[row], xp.asarray(place)[row]
        sites, masses = sites[order], masses[order]
        kept = document >= 0
        sites, masses, rank, document = sites[kept], masses[kept], rank[kept], document[kept]

        site, mass = xp.zeros((MAX_SIDE, count), np.uint16), xp.zeros((MAX_SIDE, count))
        mass_at = xp.zeros((ground.sites, count))
        site[rank, document], mass[rank, document], mass_at[sites, document] = sites, masses, masses
        size = xp.asarray(sizes[number].astype(np.int32))
        return cls(number, sizes[number], size, site, mass, mass_at)

    def __len__(self) -> int:
        return len(self.number)

    @property
    def argument(self) -> NDArray[np.void]:
        """What a kernel takes."""
        arrays = (self.size, self.site, self.mass, self.mass_at)
        return np.array((len(self), *map(address, arrays)), DOCUMENTS)


def _heaviest_site(rows: Distributions) -> NDArray[np.int32]:
    first, last = int(rows.starts[0]), int(rows.starts[-1])
    masses, sites = rows.masses[first:last], rows.sites[first:last]
    starts = rows.starts - first
    heaviest = np.maximum.reduceat(masses, starts[:-1])
    places = np.flatnonzero(masses == np.repeat(heaviest, np.diff(starts)))
    return sites[places[np.searchsorted(places, starts[:-1])]]


def address(array: Any) -> int:
    """Where the first element of an array is, on the device or in memory."""
    return int(array.ctypes.data if isinstance(array, np.ndarray) else array.data.ptr)
