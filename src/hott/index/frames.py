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
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from hott.corpus import Corpus
from hott.index import By, EmptyQuery, Index, Shards
from hott.index import open as open_index
from hott.index.reading import tabulate_proportions
from hott.utils.checks import check_choice, check_count
from hott.utils.optional import import_optional

__all__ = ["Infer", "OnFrames", "Search", "corpora"]


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
        if not hasattr(frame, "to_pylist"):
            return import_optional("pandas", extra="pandas").DataFrame(found)
        pa = import_optional("pyarrow", extra="parquet")
        kinds = {"string": pa.string(), "int": pa.int32(), "double": pa.float64()}
        schema = pa.schema([(name, kinds[kind]) for name, kind in map(str.split, self.schema.split(","))])
        return (pa.Table if hasattr(frame, "to_batches") else pa.RecordBatch).from_pydict(
            found, schema=schema
        )

    def each(self, frames: Iterable[Any]) -> Iterator[Any]:
        """Apply the function to one frame after the other, as Spark hands them over."""
        return map(self, frames)

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
    if isinstance(dataset, str | os.PathLike):
        arrow = import_optional("pyarrow.dataset", extra="parquet")
        dataset = arrow.dataset(os.fspath(dataset), format="parquet")
    for batch in dataset.to_batches():
        if batch.num_rows:
            table = import_optional("pyarrow", extra="parquet").Table.from_batches([batch])
            names = [{text: "text", id: "id"}.get(name, name) for name in table.column_names]
            yield Corpus.from_table(table.rename_columns(names))


def _list(column: Any) -> list[Any]:
    return column.to_pylist() if hasattr(column, "to_pylist") else column.to_list()


@lru_cache(maxsize=4)
def _open(path: str) -> Index | Shards:
    return Shards.open(path) if Path(path).is_dir() or path.endswith(".hotts") else open_index(path)
