"""Documents and costs as the kernels read them, and a kernel for each pair of classes of sizes.

``xp`` is CuPy, or NumPy to run the solver on the CPU.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hott import _core
from hott.compute.ground import Distributions, Ground

SMALL, MAX_SIDE = 16, _core.GPU_MAX_SIDE
"""Sites of a document up to which the kernel is fastest, and up to which it can take it at all."""

# The most sites of a document in each class. A value does not depend, in any bit, on its class.
ROW_CLASSES = (4, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32)
COLUMN_CLASSES = (2, 4, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32)
# For listed pairs, which come in small groups, and for few documents, fewer launches count for more.
FEWER_CLASSES = (4, 8, 12, 16, 20, 24, 28, 32)
# Kernels for large documents take longest to compile, and such are few: these do for either side.
LARGE_CLASSES = (8, 12, 16, 20, 24, 32)


def first_gives_columns(p: Any, q: Any) -> Any:
    """Whether a document of p sites is best the columns, and one of q sites the rows.

    Small documents may be either. A large one is the columns, those of a block: such documents are few, and
    the others, a thread each, are many.
    """
    return (q <= SMALL) | (-(-p // 4) >= -(-q // 4))


@dataclass(frozen=True, slots=True)
class Shape:
    """A kernel for documents of at most so many sites, with so many copies of the table of costs."""

    rows: int
    columns: int
    copies: int
    threads: int  # of a block
    blocks: int  # that a multiprocessor should hold

    @property
    def large(self) -> bool:
        return max(self.rows, self.columns) > SMALL

    def shared_bytes(self, sites: int) -> int:
        """Bytes of shared memory of a block."""
        return _core.gpu_shared_bytes(self.rows, self.columns, self.copies, self.threads, sites)

    @property
    def macros(self) -> dict[str, int]:
        """What the kernel's source is compiled with."""
        return {name.upper(): value for name, value in asdict(self).items()}

    @property
    def speed(self) -> float:
        """How fast it is among those of one class, roughly, as measured (benchmarks/gpu.py shapes)."""
        return (self.threads * self.blocks) ** (1 / 3) * {8: 1.0, 4: 0.9, 2: 0.84}[self.copies]

    @classmethod
    def fit(cls, rows: int, columns: int, sites: int, shared: int, few: bool) -> "Shape":
        """Choose the fastest shape that fits the memory.

        ``few``: a query has too few documents to keep a large block busy, or to make up for many copies.
        """
        if max(rows, columns) > SMALL:
            rows, columns = (next(size for size in LARGE_CLASSES if size >= n) for n in (rows, columns))
            # More threads would have too few registers.
            most = [(128, 2)] if few else [(512, 1), (384, 1)] if rows + columns <= 32 else [(320, 1)]
            launches = [*most, (256, 1), (192, 1), (128, 1), (64, 1), (32, 1)]
        else:
            most = [(128, 4)] if few else [(384, 2) if rows + columns <= 16 else (640, 1)]
            launches = [*most, (512, 1), (256, 1), (128, 1)]
        if few:
            launches = [(threads, blocks) for threads, blocks in launches if threads <= 128]
        copies = (4, 2) if few else (8, 4, 2)
        shapes = [cls(rows, columns, count, *launch) for launch in launches for count in copies]
        fitting = [shape for shape in shapes if shape.blocks * shape.shared_bytes(sites) <= shared]
        if not fitting:
            raise MemoryError(
                f"{sites} sites are too many for the device's shared memory, {shared >> 10} KB."
            )
        return max(fitting, key=lambda shape: shape.speed)


def segments(sizes: NDArray[np.int64], classes: tuple[int, ...]) -> Iterator[tuple[int, int, int]]:
    """Yield the limit of each class that sorted sizes fall in, and where it begins and ends."""
    ends = [0, *np.searchsorted(sizes, classes, side="right")]
    for limit, (start, stop) in zip(classes, pairwise(ends)):
        if start < stop:
            yield limit, int(start), int(stop)


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
