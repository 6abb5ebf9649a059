"""The device: whether there is one, and its kernels, compiled on first use and kept by CuPy."""

import logging
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.resources import files
from types import ModuleType
from typing import Any

from hott.utils.optional import import_optional

log = logging.getLogger("hott.gpu")

MIN_CAPABILITY = 80
"""Compute capability, times ten, that the kernels need."""


class NoDeviceError(RuntimeError):
    """There is no CUDA device to compute on; the message says what is missing."""


@cache
def cupy() -> ModuleType:
    """CuPy, with a device behind it; otherwise an error that says what is missing."""
    module = import_optional("cupy", extra="gpu")
    instead = 'Choose device="cpu", or "auto", which uses a device only where there is one.'
    try:
        found = module.cuda.runtime.getDeviceCount()
    except module.cuda.runtime.CUDARuntimeError as error:
        raise NoDeviceError(f"No CUDA device can be used: {error}. {instead}") from error
    if found == 0:
        raise NoDeviceError(f"There is no CUDA device. {instead}")
    capability = int(module.cuda.Device().compute_capability)
    if capability < MIN_CAPABILITY:
        have, want = f"{capability / 10:.1f}", f"{MIN_CAPABILITY / 10:.1f}"
        raise NoDeviceError(f"The CUDA device has compute capability {have}, and {want} is needed. {instead}")
    return module


def available() -> bool:
    """Whether CuPy is installed and has a device to compute on."""
    try:
        cupy()
    except (ImportError, NoDeviceError):
        return False
    return True


@cache
def attribute(name: str) -> int:
    """Return a number that describes the device, by CUDA's name for it."""
    return int(cupy().cuda.Device().attributes[name])


def free_memory() -> int:
    """Bytes of device memory that can be had."""
    return int(cupy().cuda.runtime.memGetInfo()[0] + cupy().get_default_memory_pool().free_bytes())


def check_memory(needed: int, what: str) -> None:
    """Raise an error when the device has less memory than this free."""
    free = free_memory()
    if needed > free:
        raise MemoryError(
            f"{what} need {needed / 2**30:.1f} GiB of device memory and {free / 2**30:.1f} GiB are free. "
            'Free some, split the documents, or choose device="cpu".'
        )


def source(name: str) -> str:
    """Return the source of a file of kernels with its headers in place, so CuPy's cache sees every change."""
    folder = files("hott.compute.gpu") / "kernels"
    seen: set[str] = set()

    def read(file: str) -> str:
        lines = []
        for line in (folder / file).read_text().splitlines():
            if line.startswith('#include "'):
                header = line.split('"')[1]
                line = "" if header in seen else read(header)
                seen.add(header)
            lines.append("" if line == "#pragma once" else line)
        return "\n".join(lines)

    return read(f"{name}.cu")


@cache
def kernel(file: str, name: str, **defines: int) -> Any:
    """Return the kernel ``name`` of ``kernels/<file>.cu``, compiled with these macros defined."""
    macros = tuple(f"-D{key}={value}" for key, value in defines.items())
    module = cupy().RawModule(code=source(file), options=("-std=c++17", *macros))
    return module.get_function(name)


def compile_together(file: str, name: str, variants: list[dict[str, int]]) -> None:
    """Compile variants of a kernel at the same time, one a core; those compiled before cost nothing."""
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda defines: kernel(file, name, **defines), variants))
