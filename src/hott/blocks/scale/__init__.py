"""Dask: a cluster to compute blocks on, for ``client=`` of everything that is computed block by block.

Needs the extra ``hott[dask]``. The numbers are the same, in every bit, as in one process: see docs/scale.md.
"""

import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from itertools import chain, islice
from typing import Any, TypeVar

from hott.utils.optional import import_optional

__all__ = ["connect"]

Common = TypeVar("Common")
Item = TypeVar("Item")
Result = TypeVar("Result")

CONNECT = "20s"
WAIT_FOR_WORKERS = 60  # seconds
LOSSES = 100
"""How many blocks may get lost one after the other before it is given up."""


class OnCluster:
    """Items spread over the workers of a Dask cluster, which get ``common`` once; results as they come.

    Items are taken from their source as workers get free, so that it may be larger than memory. A worker that
    dies is replaced by the others.
    """

    def __init__(self, client: Any) -> None:
        self.client = client
        _check_workers(client)

    def run(
        self,
        work: Callable[[Common, Item], Result],
        common: Common,
        items: Iterable[Item],
        home: Callable[[Item], int] | None = None,
        heavy: bool = False,
    ) -> Iterator[tuple[Item, Result]]:
        distributed = import_optional("distributed", extra="dask")
        items, pending, losses = iter(items), {}, 0
        first = list(islice(items, 1))
        if not first:
            return
        items = chain(first, items)
        with _explain_errors(self.client):
            held = self._share(common)
            finished = distributed.as_completed(loop=self.client.loop)

            def submit(item: Item) -> None:
                sent = self.client.scatter([item], hash=False)[0] if heavy else item  # not by the scheduler
                future = self.client.submit(work, held, sent, pure=False, **self._where(item, home))
                pending[future.key] = item
                finished.add(future)

            def fill() -> None:
                room = 2 * sum(self.client.nthreads().values()) + 2 - len(pending)
                for item in islice(items, max(0, room)):
                    submit(item)

            fill()
            for future in finished:
                item = pending.pop(future.key)
                if future.status == "error":
                    break
                try:
                    result, losses = future.result(), 0
                except CancelledError as error:  # all workers that had it, or the shared part, are gone
                    losses += 1
                    if losses > LOSSES or self.client.status != "running":
                        raise _Gone from error
                    if held.status != "finished":
                        held = self._share(common)
                    submit(item)
                    continue
                future.release()
                fill()
                yield item, result
            else:
                return
        _raise_error_of(future)

    def _where(self, item: Item, home: Callable[[Item], int] | None) -> dict[str, Any]:
        """Return options that prefer the worker which may have what an item needs, but allow others."""
        workers = sorted(self.client.nthreads()) if home is not None else []
        if home is None or not workers:
            return {}
        return {"workers": [workers[home(item) % len(workers)]], "allow_other_workers": True}

    def _share(self, common: Any) -> Any:
        self.client.wait_for_workers(1, timeout=WAIT_FOR_WORKERS)
        [held] = self.client.scatter([common], broadcast=True, hash=False)
        return held


@contextmanager
def connect(client: Any = None, *, scheduler: str | None = None, workers: int | None = None) -> Iterator[Any]:
    """Yield the Dask client given, one for a running scheduler, or one for a new cluster on this machine.

    Parameters
    ----------
    client : dask.distributed.Client or str, optional
        A client, or the address of a scheduler.
    scheduler : str, optional
        The address of a scheduler, such as ``"tcp://host:8786"``.
    workers : int, optional
        Start so many worker processes on this machine, of one thread each, and stop them at the end.

    Examples
    --------
    >>> with connect(workers=2) as client:  # doctest: +SKIP
    ...     D = index.distances("D.zarr", client=client)
    """
    distributed = import_optional("distributed", extra="dask")
    if isinstance(client, str):
        client, scheduler = None, client
    if scheduler is not None and workers is not None:
        raise ValueError("Give a scheduler or a number of workers, not both: a scheduler has its workers.")
    if client is not None:
        yield client
    elif scheduler is not None:
        try:
            client = distributed.Client(scheduler, timeout=CONNECT)
        except (OSError, TimeoutError, ValueError) as error:
            raise ConnectionError(
                f"There is no Dask scheduler at {scheduler}: {error}. Start one with: dask scheduler"
            ) from error
        with client:
            yield client
    elif workers is not None:
        with (
            _safe_path(),
            distributed.LocalCluster(n_workers=workers, threads_per_worker=1) as cluster,
            distributed.Client(cluster) as client,
        ):
            yield client
    else:
        try:
            client = distributed.default_client()
        except ValueError:
            raise ValueError(
                "There is no Dask client. Make one with dask.distributed.Client(address), or give the "
                "address of a scheduler."
            ) from None
        yield client


@contextmanager
def _safe_path() -> Iterator[None]:
    """Keep new Python processes from importing modules out of the current folder, where documents may lie."""
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        if before is None:
            os.environ.pop("PYTHONSAFEPATH", None)
        else:
            os.environ["PYTHONSAFEPATH"] = before


def _check_workers(client: Any) -> None:
    """Check that there are workers and that they have this version of hott."""
    from hott import __version__

    try:
        client.wait_for_workers(1, timeout=WAIT_FOR_WORKERS)
    except TimeoutError:
        raise ConnectionError(
            f"The Dask scheduler {client.scheduler.address} has no workers. Start some with: "
            f"dask worker {client.scheduler.address}"
        ) from None
    with _explain_errors(client):
        answers = client.run(_version, on_error="return")
    for answer in answers.values():
        if isinstance(answer, ModuleNotFoundError):
            raise ImportError(
                f"The Dask workers miss a package ({answer}). Install on each machine of the cluster: "
                f'pip install "hott[dask]=={__version__}"'
            ) from answer
    # A worker that died while it was asked is none: the scheduler finds out later, and others do its work.
    versions = {address: answer for address, answer in answers.items() if not isinstance(answer, OSError)}
    others = {address: version for address, version in versions.items() if version != __version__}
    if others:
        address, version = next(iter(others.items()))
        raise ImportError(
            f"The Dask workers must have hott {__version__} as this process has; the worker {address} has "
            f"{version}."
        )


def _version() -> str:
    import hott

    return hott.__version__


class _Gone(Exception):
    """Blocks were lost again and again, or there is nobody left to ask."""


@contextmanager
def _explain_errors(client: Any) -> Iterator[None]:
    """Say clearly that the cluster is gone, whichever way that shows."""
    address = client.scheduler.address if client.scheduler else "its address"
    try:
        yield
    except (OSError, CancelledError, _Gone) as error:
        raise ConnectionError(
            f"The Dask cluster at {address} is gone. Finished blocks are kept: the same call goes on from "
            "there, on another cluster or without one."
        ) from error


def _raise_error_of(future: Any) -> None:
    """Raise what went wrong with a block on its worker."""
    try:
        future.result()
    except import_optional("distributed", extra="dask").KilledWorker as error:
        raise MemoryError(
            f"One Dask worker after the other died of a block ({error}). They may be short of memory: try "
            "smaller blocks (block=...), or fewer workers on a machine."
        ) from error


def __getattr__(name: str) -> object:
    if name == "connected":
        warnings.warn("hott.scale.connected is now hott.scale.connect.", DeprecationWarning, stacklevel=2)
        return connect
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
