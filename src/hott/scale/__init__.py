"""Beyond one machine's memory and cores: results in blocks, computed here or on a Dask cluster.

Needs the extra ``hott[dask]``. The numbers are the same, in every bit, as in one process: see docs/scale.md.
"""

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott._progress import Progress
from hott.corpus import texts_of
from hott.distances._checks import check_count
from hott.index._inference import represented, spread
from hott.neighbors import NeighborResult, as_graph
from hott.scale._collection import Collection
from hott.scale._distances import fill
from hott.scale._graph import nearest
from hott.scale._infer import BATCH, inferred, write
from hott.scale._runners import OnCluster, connected
from hott.scale._search import hits

if TYPE_CHECKING:
    from hott.corpus import Corpus
    from hott.index import Hits, Index

__all__ = ["connected", "distances", "graph", "infer", "neighbors", "search"]


def distances(
    index: "Index",
    client: Any = None,
    *,
    out: "NDArray | str | os.PathLike[str] | None" = None,
    block: int | None = None,
    storage_options: dict[str, Any] | None = None,
    progress: Progress = None,
) -> Any:
    """All distances of an index, computed by a Dask cluster.

    Parameters
    ----------
    index : Index
    client : dask.distributed.Client or str, optional
        A client, or the address of a scheduler; the current client by default.
    out : path or address, or array, optional
        ``"D.zarr"``, or the address of one such as ``"s3://bucket/D.zarr"``: the workers write their blocks
        there. An ``.npy`` file or an array is filled by this process. A new array by default.
    block : int, optional
        Documents on each side of a block; 2,048 by default, for which a worker needs about 200 MB besides
        the documents.
    storage_options : dict, optional
        For fsspec, such as credentials.
    progress : True, a function of (done, total), or None

    Returns
    -------
    zarr.Array, memory map or ndarray
        The same numbers as :meth:`hott.Index.distances`. What is in ``out`` from an interrupted run is not
        computed again.
    """
    with connected(client) as client:
        return fill(
            Collection.of(index),
            out,
            OnCluster(client),
            block=block,
            storage_options=storage_options,
            progress=progress,
        )


def neighbors(
    index: "Index",
    client: Any = None,
    *,
    k: int = 10,
    out: "str | os.PathLike[str] | None" = None,
    block: int | None = None,
    storage_options: dict[str, Any] | None = None,
    progress: Progress = None,
) -> NeighborResult:
    """The ``k`` nearest other documents of each document, computed by a Dask cluster.

    The parameters are those of :func:`graph`. Gives what :meth:`hott.Index.neighbors` gives; with ``out``,
    ``computed`` and ``pruned`` count what was not there yet.
    """
    with connected(client) as client:
        return nearest(
            Collection.of(index),
            k,
            OnCluster(client),
            out=out,
            block=block,
            storage_options=storage_options,
            progress=progress,
        )


def graph(
    index: "Index",
    client: Any = None,
    *,
    k: int = 10,
    out: "str | os.PathLike[str] | None" = None,
    block: int | None = None,
    storage_options: dict[str, Any] | None = None,
    progress: Progress = None,
) -> sparse.csr_array:
    """The exact graph of the ``k`` nearest other documents of each document, computed by a Dask cluster.

    Parameters
    ----------
    index, client, storage_options, progress
        As in :func:`distances`.
    k : int
    out : path or address, optional
        Where the workers keep it, so that an interrupted run goes on where it was: ``"graph.zarr"``, two
        arrays ``indices`` and ``distances`` of k columns, or ``"graph.parquet"``, a folder of tables with
        the columns document, id, rank, neighbor, neighbor_id and distance.
    block : int, optional
        Documents whose neighbours are sought together; 2,048 by default.

    Returns
    -------
    csr_array of shape (documents, documents)
        What :meth:`hott.Index.graph` gives.
    """
    found = neighbors(
        index, client, k=k, out=out, block=block, storage_options=storage_options, progress=progress
    )
    return as_graph(found.indices, found.distances, np.arange(len(index)), len(index))


def infer(
    index: "Index",
    documents: "Corpus | Iterable[str] | Iterable[Corpus]",
    client: Any = None,
    *,
    out: "str | os.PathLike[str] | None" = None,
    block: int | None = None,
    storage_options: dict[str, Any] | None = None,
    progress: Progress = None,
) -> sparse.csr_array | None:
    """Topic proportions of documents that are not in the index, computed by a Dask cluster.

    Parameters
    ----------
    index, client, storage_options, progress
        As in :func:`distances`.
    documents : Corpus, texts, or what :func:`hott.corpus.stream` gives
    out : path or address, optional
        ``"topics.parquet"``: a folder of tables with the columns id, model, topic and proportion, for more
        documents than fit in memory. The workers write them, and what is there is not computed again.
    block : int, optional
        Documents that are read together; 2,000 by default.

    Returns
    -------
    csr_array of shape (documents, models x topics), or None with ``out``
        Rows like those of :attr:`hott.Index.proportions`; empty for a document without a known word.
    """
    from hott.index._build import check_corpus

    reader, corpus = index._reader, check_corpus(documents)
    with connected(client) as client:
        runner = OnCluster(client)
        if out is not None:
            write(
                reader, corpus, runner, out, block=block, storage_options=storage_options, progress=progress
            )
            return None
        found = inferred(reader, corpus, runner, check_count(BATCH if block is None else block, "block"))
        rows, known = represented(index.distance, found, len(corpus), progress)
    return spread(rows, known, len(corpus))


def search(
    index: "Index", texts: Sequence[str], client: Any = None, *, k: int = 10, progress: Progress = None
) -> "list[Hits]":
    """The ``k`` documents nearest to each of many texts, computed by a Dask cluster.

    Gives, for each text, what :meth:`hott.Index.search` gives.
    """
    check_count(k, "k")
    checked = list(texts_of(texts, "texts"))
    with connected(client) as client:
        return hits(index, checked, k, OnCluster(client), progress)
