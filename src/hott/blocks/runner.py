"""Blocks of work, one after the other: in this process, or by the workers of a Dask cluster."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import TypeVar

from hott.utils.run import Run

Common = TypeVar("Common")
Item = TypeVar("Item")
Result = TypeVar("Result")


def run_blocks(
    work: Callable[[Common, Item, Run], Result],
    common: Common,
    items: Iterable[Item],
    run: Run,
    *,
    home: Callable[[Item], int] | None = None,
) -> Iterator[tuple[Item, Result]]:
    """Do ``work(common, item, run)`` for many items, and give each with its result as it comes.

    Parameters
    ----------
    work : function of the common part, an item, and a Run for the work on that item
    common : what all pieces of work need, which may be large
    items : taken as there is room for them
    run : Run
        With a client, the items are spread over its workers, which have one thread for each.
    home : function from an item to a number, optional
        Items of the same number go to the same worker, where it is free.
    """
    if run.client is None:
        own = run.quiet()
        for item in items:
            yield item, work(common, item, own)
        return
    from hott.blocks import scale  # needs Dask

    there = replace(run, client=None, progress=None, threads=1)
    with scale.connect(run.client) as client:
        yield from scale.OnCluster(client).run(partial(_work_there, work, there), common, items, home)


def _work_there(work: Callable[[Common, Item, Run], Result], run: Run, common: Common, item: Item) -> Result:
    return work(common, item, run)
