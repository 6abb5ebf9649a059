"""Where and how work runs: threads, device, cluster and progress, said once and passed on whole.

Every function that computes takes the same four keywords, ``threads``, ``device``, ``client`` and
``progress`` (:class:`RunOptions`). At the door they become one :class:`Run`, which is what all the code
behind it hands on. :func:`config_context` sets them for a block of code, for example around a grid search.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, fields, replace
from numbers import Real
from typing import Any, Literal, TypeAlias, TypedDict, TypeVar, Unpack, cast

from hott.utils.progress import Progress, Report, reporting
from hott.utils.wording import suggest

__all__ = ["Device", "Progress", "Report", "Run", "RunOptions", "config_context"]

Item = TypeVar("Item")
Result = TypeVar("Result")

Device: TypeAlias = Literal["cpu", "cuda", "auto"]

MAX_THREADS = 256
"""Threads beyond this gain nothing and take memory."""


class RunOptions(TypedDict, total=False):
    """The keywords of every function that computes. None is what :func:`config_context` says.

    threads : int, optional
        By default all cores, or as many as ``OMP_NUM_THREADS`` says, which joblib sets for its workers. The
        numbers are the same for any number of threads.
    device : "cpu", "cuda" or "auto"
        ``"cuda"`` computes on a GPU, ``"auto"`` does so where there is one and the work is large enough to
        gain (docs/gpu.md).
    client : dask.distributed.Client or address of a scheduler, optional
        Let a Dask cluster compute what is computed block by block (docs/scale.md).
    progress : bool or a function of (done, total), optional
        ``True`` shows a bar when standard error is a terminal.
    """

    threads: int | None
    device: Device
    client: Any
    progress: Progress


@dataclass(frozen=True, slots=True)
class Run:
    """Where and how a computation runs."""

    threads: int | None = None
    device: Device = "cpu"
    client: Any = None
    progress: Progress = None

    def __post_init__(self) -> None:
        real = isinstance(self.threads, Real)
        if self.threads is not None and not (real and self.threads >= 1 and float(self.threads).is_integer()):
            raise ValueError(f"threads must be a positive whole number or None, not {self.threads!r}.")
        if self.device not in ("cpu", "cuda", "auto"):
            raise ValueError(f'device must be "cpu", "cuda" or "auto", not {self.device!r}.')

    @classmethod
    def of(cls, options: RunOptions) -> "Run":
        """Put the options of one call over those of the surrounding :func:`config_context`.

        The error for another option suggests one of the function that asks, which was called with it.
        """
        if not options:
            return _current.get()
        known = [field.name for field in fields(cls)]
        unknown = options.keys() - {*known}
        if unknown:
            code = sys._getframe(1).f_code
            named = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            own = [name for name in named if name not in ("self", "cls") and not name.startswith("_")]
            listed, wrong = ", ".join([*own, "threads", "device", "client and progress"]), min(unknown)
            hint = suggest(wrong, [*own, *known])
            raise TypeError(f"There is no option {wrong!r}; there are {listed}.{hint}")
        given: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
        return replace(_current.get(), **given)

    @property
    def options(self) -> RunOptions:
        """The same options as keywords, for a function that takes them."""
        return cast(RunOptions, {field.name: getattr(self, field.name) for field in fields(self)})

    @property
    def n_threads(self) -> int:
        """Number of threads, as given, or else the cores that this process may use."""
        threads = self.threads
        if not threads:  # joblib shares out the cores by OMP_NUM_THREADS, of several levels by the first
            first = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
            threads = int(first) if first.isdecimal() else 0
        if not threads:
            has_affinity = hasattr(os, "sched_getaffinity")
            threads = len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1
        return min(int(threads), MAX_THREADS)

    def reporting(self, name: str) -> AbstractContextManager[Report | None]:
        """Give a block the function to call with (done, total) of work ``name``; None if nobody listens."""
        return reporting(self.progress, name) if self.progress else _SILENCE

    def follow(self, name: str, items: Iterable[Item], total: int, every: int = 1) -> Iterator[Item]:
        """Yield items, and report now and then how many of a total were worked on."""
        with self.reporting(name) as report:
            for done, item in enumerate(items, 1):
                yield item
                if report is not None and done % every == 0:
                    report(done, total)

    def quiet(self) -> "Run":
        """Return the same options without reports, for a part of some work that is reported as a whole."""
        return replace(self, progress=False)

    def map_threads(
        self, work: Callable[[Item, "Run"], Result], items: Iterable[Item]
    ) -> Iterator[tuple[Item, Result]]:
        """Do ``work(item, run)`` for many items, as many at once as there are threads; in their order.

        The threads are shared out over the items: so they wait for one another less than if they shared every
        step. An item must be short work, as Ctrl-C waits for it.
        """
        given = list(items)
        together = max(1, min(self.n_threads, len(given)))
        if together == 1:
            yield from ((item, work(item, self)) for item in given)
            return
        each = replace(self, threads=self.n_threads // together)
        pool = ThreadPoolExecutor(together)
        try:
            yield from zip(given, pool.map(lambda item: work(item, each), given))
        finally:
            pool.shutdown(cancel_futures=True)

    def on_cpu(self) -> "Run":
        """Return the same options with the processor as the device."""
        return replace(self, device="cpu")


_SILENCE = nullcontext()
_current: ContextVar[Run] = ContextVar("hott_run", default=Run())


@contextmanager
def config_context(**options: Unpack[RunOptions]) -> Iterator[None]:
    """Let everything inside the block run with these options, where a call does not say otherwise.

    As scikit-learn's function of this name: for code that calls ``fit`` and ``predict`` itself, such as a
    grid search. It holds in the thread where it was called; the processes of a grid search with ``n_jobs``
    share the cores among themselves.

    Parameters
    ----------
    **options : threads, device, client, progress
        See :class:`hott.run.RunOptions`.

    Examples
    --------
    >>> import hott
    >>> with hott.config_context(threads=1):
    ...     hott.transport.pairwise([[1.0, 0.0]], [[0.0, 1.0]], cost=[[0, 2], [2, 0]])
    array([[2.]])
    """
    token = _current.set(Run.of(options))
    try:
        yield
    finally:
        _current.reset(token)
