"""An index as it is shown: what all answers look up again and again."""

import threading
from collections.abc import Callable, Hashable
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

import hott
from hott.explorer import schemas
from hott.explorer.columns import columns, count_values
from hott.explorer.layout import Layout
from hott.explorer.topic_views import Topics

if TYPE_CHECKING:
    from hott.index import Index

T = TypeVar("T")
P = ParamSpec("P")
Self = TypeVar("Self", bound="ShownIndex")


class UnknownDocument(LookupError):
    """No document has the id that was asked for."""


def cache_last(
    most: int,
) -> Callable[[Callable[Concatenate[Self, P], T]], Callable[Concatenate[Self, P], T]]:
    """Remember the last answers of a method: a few, so that memory stays bounded.

    Who asks for one that is being computed waits for it.
    """

    def decorate(compute: Callable[Concatenate[Self, P], T]) -> Callable[Concatenate[Self, P], T]:
        def ask(self: Self, /, *key: P.args, **options: P.kwargs) -> T:
            answer: T = self._cache(compute, most)(*key, **options)
            return answer

        return ask

    return decorate


class ShownIndex:
    """An index whose documents must not change meanwhile, with the map of it. Any number of threads may ask.

    With a ``file``, what people change about the topics is kept there.
    """

    def __init__(self, index: "Index", layout: Layout, name: str = "", file: Path | None = None) -> None:
        self.index, self.layout, self.name, self.file = index, layout, name, file
        self._memories: dict[Callable[..., Any], Callable[..., Any]] = {}
        self._remembering, self._editing = threading.Lock(), threading.Lock()

    def _cache(self, compute: Callable[..., T], most: int) -> Callable[..., T]:
        """A method of this object that remembers."""
        with self._remembering:
            if compute not in self._memories:
                cached, lock = lru_cache(maxsize=most)(partial(compute, self)), threading.RLock()

                def ask(*key: Hashable, **options: Hashable) -> T:
                    with lock:
                        return cached(*key, **options)

                self._memories[compute] = ask
            return self._memories[compute]

    @cached_property
    def corpus(self) -> schemas.CorpusInfo:
        index = self.index
        return schemas.CorpusInfo(
            name=self.name,
            version=hott.__version__,
            documents=len(index),
            words=len(index.vocabulary.words_),
            models=len(index.hott.models_),
            topics=index.hott.models_[0].topics.n_topics,
            labels=count_values(self.labels),
            columns=columns(index),
            meaning=index.model.searches_by_meaning,
            editable=self.file is not None,
            unplaced=len(index) - len(index.represented),
        )

    def position(self, id: str) -> int:
        try:
            return self.index.documents.position(id)
        except ValueError as error:
            raise UnknownDocument(str(error)) from None

    @property
    def first(self) -> Topics:
        """The topics of the first model."""
        return self._curate(self.index.edits, 0)

    @cache_last(16)
    def _curate(self, edits: Any, model: int) -> Topics:
        return Topics.of(self.index, model)

    @cached_property
    def labels(self) -> list[str | None]:
        return list(self.index.documents.labels)

    def points(self) -> NDArray[np.float64]:
        """The places on the map, from -1 to 1."""
        points = self.layout.points()
        size = np.nanmax(np.abs(points)) if np.isfinite(points).any() else 1.0
        scaled: NDArray[np.float64] = points / (size or 1.0)
        return scaled
