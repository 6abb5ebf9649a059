"""Launches of the exact kernel, side by side."""

from dataclasses import dataclass
from functools import cache
from itertools import cycle
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hott.compute.gpu.device import attribute, cupy, kernel
from hott.compute.gpu.layout import DeviceGround, address
from hott.compute.gpu.shapes import Shape

STREAMS = 8
"""Kernels of either kind that run side by side: the last blocks of one do not leave the device idle."""

FAILURES = np.dtype([("count", "u8"), ("place", "u8"), ("room", "i4")], align=True)


class Failures:
    """Places of the values that a kernel could not certify, collected on the device."""

    ROOM = 1 << 18

    def __init__(self) -> None:
        self.count = cupy().zeros(1, np.int32)
        self.place = cupy().empty(self.ROOM, np.int64)

    @property
    def argument(self) -> NDArray[np.void]:
        return np.array((address(self.count), address(self.place), self.ROOM), FAILURES)


@dataclass(frozen=True, slots=True, eq=False)
class Launch:
    """One kernel to run, for so many queries of ``width`` documents each, where all have as many."""

    shape: Shape
    ground: DeviceGround
    queries: int
    width: int
    arguments: tuple[Any, ...]

    @property
    def work(self) -> int:
        """To sort by: entries of all cost tables."""
        return self.queries * self.width * self.shape.rows * self.shape.columns

    def run(self) -> None:
        """Start it on the current stream."""
        shape, shared = self.shape, self.shape.shared_bytes(self.ground.sites)
        run = _compile(shape, self.ground.metric)
        # Split the documents of a query over several blocks where there are few queries.
        wanted = 8 * shape.blocks * attribute("MultiProcessorCount")
        split = max(1, min(wanted // self.queries, self.width // (2 * shape.threads)))
        run((self.queries, split), (shape.threads,), self.arguments, shared_mem=shared)


@cache
def _compile(shape: Shape, metric: bool) -> Any:
    run = kernel("exact", "exact", METRIC=int(metric), **shape.macros)
    run.max_dynamic_shared_size_bytes = attribute("MaxSharedMemoryPerBlockOptin")
    return run


class Launcher:
    """Streams for kernels to run on side by side."""

    def __init__(self) -> None:
        self.streams = [cupy().cuda.Stream(non_blocking=True) for _ in range(2 * STREAMS)]

    def run(self, launches: list[Launch]) -> None:
        """Run these after what the current stream was given, and before what it is given next.

        The most work comes first: small kernels fill the gaps that large ones leave at their end. Those of
        large documents take long however few they are, and begin before the others, on their own streams.
        The arrays of a launch live until then, in the list: CuPy would give their memory to the next that
        asks for some.
        """
        current = cupy().cuda.get_current_stream()
        before = current.record()
        for stream in self.streams:
            stream.wait_event(before)
        turns = {True: cycle(self.streams[:STREAMS]), False: cycle(self.streams[STREAMS:])}
        for launch in sorted(launches, key=lambda launch: (not launch.shape.large, -launch.work)):
            with next(turns[launch.shape.large]):
                launch.run()
        for stream in self.streams:
            current.wait_event(stream.record())
