"""The kernels on the CPU, for machines without a device: the same source behind a C++ compiler."""

import ctypes
import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from hott.compute.gpu.layout import DeviceDocuments, DeviceGround
from hott.compute.gpu.topics import Chains
from hott.compute.ground import Distributions, Ground, Sampling

HERE = Path(__file__).parent
SOURCE = HERE.parents[2] / "src" / "hott" / "compute" / "gpu" / "kernels"

# The most rows and columns of the kernels that are compiled here. With more than 16 columns they have two
# groups of them, with more than 32 sites in all masks of 64 bits.
KERNELS = (8, 6), (16, 16), (24, 8), (12, 20), (24, 16), (20, 24), (32, 32)
SMALL, USUAL, LARGE = KERNELS[0], KERNELS[1], KERNELS[-1]


@cache
def library(folder: Path) -> ctypes.CDLL:
    compiler = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++")
    if compiler is None:
        pytest.skip("no C++ compiler to run the kernel's source with")
    target = folder / "emulation.so"
    # Warnings are errors: the same source must please nvcc and NVRTC, which nobody watches here.
    flags = ["-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"-I{SOURCE}"]
    subprocess.run([compiler, *flags, "-o", str(target), str(HERE / "emulation.cpp")], check=True)
    return ctypes.CDLL(str(target))


def emulate(
    folder: Path,
    P: np.ndarray,
    Q: np.ndarray,
    cost: np.ndarray,
    metric: bool = True,
    kernel: tuple[int, int] = USUAL,
) -> np.ndarray:
    """Distances as the kernel computes them; NaN where it leaves a pair to the CPU."""
    ground = DeviceGround.of(np, Ground(np.asarray(cost, float), is_metric=metric))
    columns, rows = (DeviceDocuments.of(np, Distributions.of(X), ground) for X in (P, Q))
    arguments = [np.ascontiguousarray(part.argument) for part in (columns, rows, ground)]
    out = np.full((len(P), len(Q)), np.nan)
    line = np.empty(len(rows))
    for q, size in enumerate(columns.sizes):
        if size > kernel[1]:
            break
        line[:] = np.nan
        pointers = [ctypes.c_void_p(argument.ctypes.data) for argument in arguments]
        library(folder).emulate(metric, *kernel, *pointers, q, ctypes.c_void_p(line.ctypes.data))
        out[columns.number[q], rows.number] = line
    return out


TOPICS = 1, 3, 20
"""Numbers of topics that the sampler is compiled for here."""


def sampled(folder: Path, task: Sampling) -> Chains:
    """The models of a task as the device's kernels sample them, a lane a document."""

    def start(name: str, rows: int, threads: int, argument: np.ndarray, count: int, *numbers: int) -> None:
        rest = [kind(int(number)) for kind, number in zip((ctypes.c_int, ctypes.c_ulonglong), numbers)]
        function = getattr(library(folder), name)
        function(rows, ctypes.c_void_p(argument.ctypes.data), ctypes.c_longlong(int(count)), *rest)

    assert task.n_topics in TOPICS
    chains = Chains(np, start, task, task.seeds, lanes=1)
    for sweep in range(task.sweeps):
        chains.sweep(sweep)
    return chains
