"""The map of a corpus: laid out once, in the background, and remembered between runs."""

import atexit
import hashlib
import logging
import os
import threading
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott.utils.atomic import atomic_write

if TYPE_CHECKING:
    from hott.index import Index

_log = logging.getLogger("hott.explorer")
_VERSION = b"map 2"  # another layout algorithm: another number


class _Stopped(Exception):
    pass


class Layout:
    """Points of the documents on a plane: preliminary ones at once, the t-SNE map as soon as it is there.

    ``start`` looks for the map in the cache folder and computes it in a thread where it is not there. A
    program that ends meanwhile has the thread stop first: compiled code must not be in the middle of
    something when Python comes down.
    """

    def __init__(self, index: "Index", *, cache: Path | None = None) -> None:
        self._index = index
        # Another name for anything that the map depends on.
        name = hashlib.sha256(_VERSION + index.fingerprint().encode()).hexdigest()[:40] if cache else ""
        self._file = cache / f"{name}.npy" if cache else None
        self._ready = threading.Event()
        self._points: NDArray[np.float64] | None = None
        self._thread: threading.Thread | None = None
        self._leaving = False
        self.done: tuple[int, int] | None = None  # of the steps of laying out

    def start(self) -> None:
        """Begin laying out, unless that was done before. Returns at once."""
        if self._thread is None:
            self._points = self._read_cached()
            if self._points is not None:
                self._ready.set()
            self._thread = threading.Thread(target=self._compute, name="hott-map", daemon=True)
            atexit.register(self.stop)
            self._thread.start()

    def stop(self, *, wait: bool = True) -> None:
        """Give up laying out, and wait until that is done: a moment, as a rule."""
        self._leaving = True
        if self._thread is not None and wait:
            self._thread.join()

    def wait(self) -> NDArray[np.float64]:
        """Wait for the final map and return it."""
        self.start()
        self._ready.wait()
        return self.points()

    @property
    def final(self) -> bool:
        return self._ready.is_set()

    def points(self) -> NDArray[np.float64]:
        """Return the final map if it is ready, two principal axes of the first model otherwise."""
        return self._points if self._points is not None else self._preliminary

    @cached_property
    def _preliminary(self) -> NDArray[np.float64]:
        return principal_axes(self._index.proportions_of(0))

    def _compute(self) -> None:
        if self._points is None:
            try:
                # One core stays free to answer requests.
                threads = max(1, (os.cpu_count() or 2) - 1)
                self._points = self._index.map(threads=threads, progress=self._go_on)
                self._remember(self._points)
            except _Stopped:
                pass  # whoever waits for the map gets its principal axes
            except Exception:
                _log.exception("the map could not be laid out; its principal axes are shown")
            if self._points is None:
                self._points = self._preliminary
        self._ready.set()
        atexit.unregister(self.stop)

    def _go_on(self, done: int, total: int) -> None:
        self.done = done, total
        if self._leaving:
            raise _Stopped

    def _read_cached(self) -> NDArray[np.float64] | None:
        if self._file is None:
            return None
        with suppress(OSError, ValueError, EOFError):  # not there or not sound: computed anew
            points = np.load(self._file, allow_pickle=False)
            if points.shape == (len(self._index), 2) and points.dtype == np.float64:
                return points
        return None

    def _remember(self, points: NDArray[np.float64]) -> None:
        if self._file is None:
            return
        with suppress(OSError):  # a cache that cannot be written to is no reason to stop
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with atomic_write(self._file) as file:
                np.save(file, points, allow_pickle=False)


def principal_axes(proportions: sparse.csr_array) -> NDArray[np.float64]:
    """Project documents on the two axes along which their proportions differ the most; NaN for empty rows.

    Examples
    --------
    >>> points = principal_axes(sparse.csr_array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]))
    >>> points.round(3) + 0.0
    array([[-0.707,  0.   ],
           [ 0.707,  0.   ],
           [   nan,    nan]])
    """
    points = np.full((proportions.shape[0], 2), np.nan)
    known = np.flatnonzero(np.diff(proportions.indptr))
    rows = proportions[known]
    mean = np.asarray(rows.mean(axis=0)).ravel()
    scatter = (rows.T @ rows).toarray() / max(len(known), 1) - np.outer(mean, mean)
    _, vectors = np.linalg.eigh(scatter)
    axes = vectors[:, : -min(2, len(mean)) - 1 : -1]
    axes = axes * np.where(axes[np.abs(axes).argmax(axis=0), range(axes.shape[1])] < 0, 1, -1)  # fixed signs
    points[known] = 0.0
    points[known, : axes.shape[1]] = rows @ axes - mean @ axes
    return points
