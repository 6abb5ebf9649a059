"""What all answers are made from: an index, the map of it, and what was answered before."""

import threading
from collections.abc import Callable
from functools import cached_property, lru_cache, partial, wraps
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast

import numpy as np
from fastapi import Query
from numpy.typing import NDArray

import hott
from hott.explorer import schemas
from hott.explorer.budget import Patience
from hott.explorer.layout import Layout
from hott.explorer.selection import columns, count_values

if TYPE_CHECKING:
    from hott.index import Index

Id = Annotated[str, Query(max_length=schemas.MAX_ID_LENGTH)]
Name = Annotated[str, Query(max_length=1000)]
Count = Annotated[int, Query(ge=1, le=schemas.MAX_HITS)]
Method = TypeVar("Method", bound=Callable[..., Any])


class UnknownDocument(LookupError):
    """No document has the id that was asked for."""


def cache_last(most: int) -> Callable[[Method], Method]:
    """Remember the last answers of a method: a few, so that memory stays bounded.

    Who asks for one that is being computed waits for it.
    """

    def decorate(compute: Method) -> Method:
        @wraps(compute)
        def ask(self: "Base", /, *key: Any, **options: Any) -> Any:
            with self._remembering:
                own = lru_cache(maxsize=most)(partial(compute, self)), threading.RLock()
                cached, lock = self._memories.setdefault(compute.__name__, own)
            with lock:
                return cached(*key, **options)

        return cast(Method, ask)

    return decorate


class Base:
    def __init__(self, index: "Index", layout: Layout, name: str = "", file: Path | None = None) -> None:
        self.index, self.layout, self.name, self.file = index, layout, name, file
        self._memories: dict[str, tuple[Callable[..., Any], threading.RLock]] = {}
        self._remembering, self._editing = threading.Lock(), threading.Lock()
        self.work: dict[str, Patience] = {}

    @cache_last(1)
    def corpus(self) -> schemas.Answer:
        """Tell what the corpus holds."""
        index = self.index
        return {
            "name": self.name,
            "version": hott.__version__,
            "documents": len(index),
            "words": len(index.vocabulary.words_),
            "models": len(index.hott.models_),
            "topics": index.hott.models_[0].topics.n_topics,
            "label": index.documents.label_name,
            "labels": count_values(self.labels),
            "columns": columns(index),
            "meaning": index.model.searches_by_meaning,
            "editable": self.file is not None,
            "parquet": find_spec("pyarrow") is not None,
            "unplaced": len(index) - len(index.snapshot.topics),
        }

    @cached_property
    def labels(self) -> list[str | None]:
        return list(self.index.documents.labels)

    def position(self, id: str) -> int:
        try:
            return self.index.documents.position(id)
        except ValueError as error:
            raise UnknownDocument(str(error)) from None

    def points(self) -> NDArray[np.float64]:
        """Return the places on the map, scaled to lie between -1 and 1."""
        points = self.layout.points()
        size = np.nanmax(np.abs(points)) if np.isfinite(points).any() else 1.0
        scaled: NDArray[np.float64] = points / (size or 1.0)
        return scaled


def without_nan(values: NDArray[np.float64]) -> list[float | None]:
    """Write missing numbers as JSON has them."""
    return [None if value != value else value for value in values.tolist()]
