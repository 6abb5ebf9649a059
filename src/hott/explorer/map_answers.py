"""Answers about all documents together: the map, columns, distances."""

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott.explorer import schemas
from hott.explorer.columns import values_of
from hott.explorer.shown import ShownIndex, cache_last
from hott.utils.run import Run


class MapAnswers(ShownIndex):
    """Where documents are, and what colours them."""

    def map(self) -> schemas.MapView:
        """Every document with its place, its label and its heaviest topic."""
        final = self.layout.final  # asked first: points that become final meanwhile do no harm
        x, y = (_without_nan(column) for column in self.points().round(4).T)
        labels = [entry.label for entry in self.corpus.labels]
        codes = {label: code for code, label in enumerate(labels)}
        return schemas.MapView(
            state="final" if final else "preliminary",
            x=x,
            y=y,
            labels=labels,
            label=[-1 if label is None else codes[label] for label in self.labels],
            topics=self._topic_names,
            topic=self._heaviest.tolist(),
        )

    def names(self) -> schemas.NameView:
        """The id of every document, and what to call it."""
        documents = self.index.documents
        return schemas.NameView(ids=list(documents.ids), titles=documents.names())

    @cache_last(8)
    def column(self, name: str) -> schemas.ColumnView:
        """A column as colours need it."""
        for info in self.corpus.columns:
            if info.name == name:
                return values_of(self.index, info)
        raise ValueError(f"The documents have no column {name!r:.60}.")

    def distances(self, id: str) -> schemas.DistanceView:
        """How far every document is from one."""
        index = self.index
        known, position = index.snapshot.combine(index.model), self.position(id)
        if position not in known.positions:
            raise ValueError(f"The document {id!r} has no known word, so it cannot be compared with others.")
        own = known.select(np.array([position]))
        found = self.index.distance.between(own, known, Run.of({"threads": 1}))[0]
        return schemas.DistanceView(distances=_without_nan(known.scatter(found[:, None])[:, 0].round(5)))

    @property
    def _topic_names(self) -> list[str]:
        """By number; topics that were merged into others have no name."""
        return [self.first.names.get(k, "") for k in range(self.first.proportions.shape[1])]

    @property
    def _heaviest(self) -> NDArray[np.intp]:
        """The heaviest topic of each document; -1 for one without a known word."""
        return heaviest(self.first.proportions)


def heaviest(rows: sparse.csr_array) -> NDArray[np.intp]:
    """The column with the largest value of each row, the first of equal ones; -1 for an empty row.

    Examples
    --------
    >>> heaviest(sparse.csr_array([[0.2, 0.8], [0.0, 0.0], [0.5, 0.5]]))
    array([ 1, -1,  0])
    """
    found, sizes = np.full(rows.shape[0], -1, np.intp), np.diff(rows.indptr)
    filled = sizes > 0
    starts = rows.indptr[:-1][filled]
    if len(starts):
        most = np.repeat(np.maximum.reduceat(rows.data, starts), sizes[filled])
        column = np.where(rows.data == most, rows.indices, rows.shape[1])
        found[filled] = np.minimum.reduceat(column, starts)
    return found


def _without_nan(values: NDArray[np.float64]) -> list[float | None]:
    return [None if value != value else value for value in values.tolist()]
