"""Topics and searches for frames of texts, in the shapes that Spark, Ray and Parquet data sets take.

A function of a frame gives a frame: pandas for pandas, Arrow for Arrow. It travels to the workers of an
engine by the path of its index, which each of their processes opens once.

>>> import hott, pandas
>>> texts = ["A planet orbits its star.", "Stars and planets shine.", "Goals win a football match."]
>>> hott.Index.build(hott.Corpus(texts, ids=["a", "b", "c"]), n_topics=2, n_models=1).save("sky.hott")
>>> search = Search("sky.hott", k=1)
>>> search(pandas.DataFrame({"id": ["q"], "text": ["the light of stars"]}))[["id", "rank", "found"]]
  id  rank found
0  q     1     b
"""

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, ClassVar, Unpack

import numpy as np
from scipy import sparse

from hott.blocks import run_blocks
from hott.blocks.address import Address, filling
from hott.blocks.stores import ParquetParts
from hott.corpus import Corpus
from hott.index import By, EmptyQuery, Index, Shards
from hott.index import open as open_index
from hott.index.reading import tabulate_proportions
from hott.utils.arrays import fingerprint
from hott.utils.checks import check_choice, check_count
from hott.utils.optional import import_optional
from hott.utils.run import Run, RunOptions

__all__ = ["Infer", "OnFrames", "Search", "corpora", "write"]


@dataclass(frozen=True, kw_only=True)
class OnFrames(ABC):
    """A function of a frame with a column of texts and one of ids.

    ``df.mapInPandas(f.each, f.schema)`` applies it in Spark (``mapInArrow`` as well), and
    ``ds.map_batches(f, batch_format="pandas")`` in Ray.

    Parameters
    ----------
    index : path, address, Index or Shards
        Of a file or of shards; an open one travels whole.
    text, id : str
        The columns of the texts and the ids.
    threads : int, optional
        For one frame: 1, since engines work on as many frames at a time as there are cores.

    Examples
    --------
    >>> Infer("sky.hott").schema  # of the result, as Spark writes it
    'id string, model int, topic int, proportion double'
    """

    index: str | os.PathLike[str] | Index | Shards = field(kw_only=False)
    text: str = "text"
    id: str = "id"
    threads: int | None = 1
    schema: ClassVar[str]

    @abstractmethod
    def columns(self, ids: Sequence[Any], texts: Sequence[str]) -> dict[str, Any]:
        """Return the columns of the result for some texts and their ids."""

    def __call__(self, frame: Any) -> Any:
        """Return a frame with what was found for each text of the given one."""
        names = list(frame.schema.names if hasattr(frame, "schema") else frame.columns)
        for name in (self.id, self.text):
            if name not in names:
                raise ValueError(f"The frame has no column {name!r}. It has {', '.join(map(repr, names))}.")
        ids, texts = _list(frame[self.id]), ["" if t is None else str(t) for t in _list(frame[self.text])]
        found = self.columns(ids, texts)
        if hasattr(frame, "to_pylist"):
            return self._arrow(found, is_batch=not hasattr(frame, "to_batches"))
        return import_optional("pandas", extra="pandas").DataFrame(found)

    def each(self, frames: Iterable[Any]) -> Iterator[Any]:
        """Apply the function to one frame after the other, as Spark hands them over."""
        return map(self, frames)

    def _arrow(self, found: dict[str, Any], *, is_batch: bool = False) -> Any:
        pa = import_optional("pyarrow", extra="parquet")
        kinds = {"string": pa.string(), "int": pa.int32(), "double": pa.float64()}
        schema = pa.schema([(name, kinds[kind]) for name, kind in map(str.split, self.schema.split(","))])
        return (pa.RecordBatch.from_pydict if is_batch else pa.Table.from_pydict)(found, schema=schema)

    @property
    def opened(self) -> Index | Shards:
        """The index, which a process opens once."""
        return self.index if isinstance(self.index, Index | Shards) else _open(os.fspath(self.index))


@dataclass(frozen=True, kw_only=True)
class Infer(OnFrames):
    """Topic proportions of texts: a row for each topic that a text has in each model.

    A text without a known word has none.

    Parameters
    ----------
    index, text, id, threads
        As in :class:`OnFrames`.

    Examples
    --------
    >>> import hott, pandas
    >>> index = hott.Index.build(["Planets orbit stars.", "Goals win a match."], n_topics=2, n_models=1)
    >>> found = Infer(index)(pandas.DataFrame({"id": ["q"], "text": ["the light of stars"]}))
    >>> list(found.columns), float(found["proportion"].sum())
    (['id', 'model', 'topic', 'proportion'], 1.0)
    """

    schema: ClassVar[str] = "id string, model int, topic int, proportion double"

    def columns(self, ids: Sequence[Any], texts: Sequence[str]) -> dict[str, Any]:
        index = self.opened
        rows = index.infer(Corpus(texts), threads=self.threads) if texts else sparse.csr_array((0, 1))
        return tabulate_proportions(index.model, ids, rows)


@dataclass(frozen=True, kw_only=True)
class Search(OnFrames):
    """The ``k`` documents that fit each text best: a row for each, with its id, score and distance.

    A text that has nothing to search by finds nothing.

    Parameters
    ----------
    index, text, id, threads
        As in :class:`OnFrames`.
    k : int
    by : "both", "words" or "topics"
        As in :meth:`hott.Index.search`.

    Examples
    --------
    >>> import hott, pandas
    >>> index = hott.Index.build(["Planets orbit stars.", "Goals win a match."], n_topics=2, n_models=1)
    >>> Search(index, k=1)(pandas.DataFrame({"id": ["q"], "text": ["a star"]}))["found"].tolist()
    ['0']
    """

    k: int = 10
    by: By = "both"
    schema: ClassVar[str] = "id string, rank int, found string, score double, distance double"

    def __post_init__(self) -> None:
        check_count(self.k, "k")
        check_choice(self.by, "by", ("both", "words", "topics"))

    def columns(self, ids: Sequence[Any], texts: Sequence[str]) -> dict[str, Any]:
        found = []
        for id, text in zip(ids, texts):
            with suppress(EmptyQuery):
                hits = self.opened.search(text=text, k=self.k, by=self.by, threads=self.threads)
                found += [(str(id), rank, hit) for rank, hit in enumerate(hits, 1)]
        return {
            "id": [id for id, *_ in found],
            "rank": np.array([rank for _, rank, _ in found], np.int32),
            "found": [hit.id for *_, hit in found],
            "score": np.array([hit.score for *_, hit in found], np.float64),
            "distance": np.array([hit.distance for *_, hit in found], np.float64),
        }


def corpora(dataset: Any, *, text: str = "text", id: str = "id") -> Iterator[Corpus]:
    """Yield the documents of a Parquet data set in batches, as :meth:`hott.Index.build` takes them.

    Parameters
    ----------
    dataset : path, address, or pyarrow.dataset.Dataset
        A file or a folder of files.
    text, id : str
        The columns of the texts and the ids; others are kept beside them.

    Examples
    --------
    >>> import pandas
    >>> pandas.DataFrame({"id": ["a"], "body": ["A planet."], "year": [2004]}).to_parquet("sky.parquet")
    >>> list(corpora("sky.parquet", text="body"))
    [Corpus of 1 document: 'a']
    """
    for batch in _dataset(dataset).to_batches():
        if batch.num_rows:
            table = import_optional("pyarrow", extra="parquet").Table.from_batches([batch])
            names = [{text: "text", id: "id"}.get(name, name) for name in table.column_names]
            yield Corpus.from_table(table.rename_columns(names))


def write(
    function: OnFrames,
    dataset: Any,
    out: str | os.PathLike[str],
    *,
    storage_options: dict[str, Any] | None = None,
    **options: Unpack[RunOptions],
) -> None:
    """Apply a function to a Parquet data set, file by file, and write a file of results for each.

    What is there from an interrupted run is not computed again.

    Parameters
    ----------
    function : Infer or Search
    dataset : path, address, or pyarrow.dataset.Dataset
    out : path or address
        A folder, whose name ends in ``.parquet``.
    storage_options : dict, optional
        For fsspec, such as credentials.
    **options : threads, client, progress
        The workers of a Dask cluster each read and write files.

    Examples
    --------
    >>> import hott, pandas
    >>> pandas.DataFrame({"id": ["q"], "text": ["a star"]}).to_parquet("queries.parquet")
    >>> index = hott.Index.build(["Planets orbit stars.", "Goals win a match."], n_topics=2, n_models=1)
    >>> write(Search(index, k=1), "queries.parquet", "found.parquet")
    >>> pandas.read_parquet("found.parquet")["found"].tolist()
    ['0']
    """
    run, files = Run.of(options), list(_dataset(dataset).get_fragments())
    digest = _fingerprint(function, [file.path for file in files])
    parts = ParquetParts.begin(Address.of(out, storage_options), len(files), type(function).__name__, digest)
    with filling(parts, len(files)) as finished, run.reporting("files") as report:
        todo = ((number, file) for number, file in enumerate(files) if number not in finished)
        for done, _ in enumerate(run_blocks(partial(_write, parts=parts), function, todo, run), 1):
            if report is not None:
                report(len(finished) + done, len(files))


def _write(function: OnFrames, item: tuple[int, Any], run: Run, *, parts: ParquetParts) -> None:
    number, file = item
    pa = import_optional("pyarrow", extra="parquet")
    batches = file.to_batches(columns=[function.id, function.text])
    tables = [function(pa.Table.from_batches([batch])) for batch in batches if batch.num_rows]
    found = pa.concat_tables(tables) if tables else function._arrow(function.columns([], []))
    parts.write_table(number, dict(zip(found.column_names, found.columns)))


def _fingerprint(function: OnFrames, files: list[str]) -> str:
    """Identify what the results depend on: the files, the function and the index."""
    told = {name: value for name, value in vars(function).items() if name not in ("index", "threads")}
    said = repr([type(function).__name__, told, len(function.opened), files])
    return fingerprint(said, *(space.topics.components for space in function.opened.model.hott.models_))


def _dataset(dataset: Any) -> Any:
    if isinstance(dataset, str | os.PathLike):
        return import_optional("pyarrow.dataset", extra="parquet").dataset(
            os.fspath(dataset), format="parquet"
        )
    return dataset


def _list(column: Any) -> list[Any]:
    return column.to_pylist() if hasattr(column, "to_pylist") else column.to_list()


@lru_cache(maxsize=4)
def _open(path: str) -> Index | Shards:
    return Shards.open(path) if Path(path).is_dir() or path.endswith(".hotts") else open_index(path)
