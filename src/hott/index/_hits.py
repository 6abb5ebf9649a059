"""What a search found."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, overload

from hott.distances.representation import Representation


@dataclass(frozen=True, slots=True)
class Hit:
    """A document that was found, and how far it is from what was searched for."""

    id: str
    title: str
    label: str | None
    distance: float

    @property
    def name(self) -> str:
        """The title, or the id of a document without one."""
        return self.title or self.id


@dataclass(frozen=True, slots=True, eq=False)
class Query:
    """What was searched for: a text or a document of the index, as the distance sees it."""

    document: Representation
    id: str | None = None  # of a document of the index
    text: str | None = None  # otherwise


@dataclass(frozen=True, slots=True, repr=False)
class Hits(Sequence[Hit]):
    """Documents in the order of their distance, and what finding them took.

    Attributes
    ----------
    computed : int
        Documents whose exact distance was needed.
    pruned : int
        Documents that a lower bound ruled out without computing their distance.
    query : Query
        What was searched for.

    Examples
    --------
    >>> hits = Hits((Hit("a1", "Comets", "astronomy", 0.0), Hit("b7", "Tides", None, 0.25)), 5, 195)
    >>> hits[0].id, len(hits)
    ('a1', 2)
    >>> hits
    distance  id  title   label
      0.0000  a1  Comets  astronomy
      0.2500  b7  Tides
    2 of 200 documents; 5 distances computed, 195 pruned
    """

    hits: tuple[Hit, ...]
    computed: int
    pruned: int
    query: Query | None = field(default=None, compare=False)  # the same hits may answer other queries

    def __len__(self) -> int:
        return len(self.hits)

    @overload
    def __getitem__(self, item: int) -> Hit: ...
    @overload
    def __getitem__(self, item: slice) -> tuple[Hit, ...]: ...
    def __getitem__(self, item: int | slice) -> Hit | tuple[Hit, ...]:
        return self.hits[item]

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and numbers, as JSON can hold them."""
        return {
            "hits": [asdict(hit) for hit in self.hits],
            "computed": self.computed,
            "pruned": self.pruned,
        }

    def __repr__(self) -> str:
        rows = [("distance", "id", "title", "label")]
        rows += [(f"{h.distance:.4f}", h.id, _shortened(h.title), h.label or "") for h in self.hits]
        filled = [column for column in range(4) if column < 2 or any(row[column] for row in rows[1:])]
        widths = {column: max(len(row[column]) for row in rows) for column in filled}
        lines = [
            "  ".join(
                row[column].rjust(widths[column]) if column == 0 else row[column].ljust(widths[column])
                for column in filled
            ).rstrip()
            for row in rows
        ]
        effort = f"{self.computed:,} distances computed, {self.pruned:,} pruned"
        return "\n".join([*lines, f"{len(self)} of {self.computed + self.pruned:,} documents; {effort}"])


def _shortened(title: str, length: int = 60) -> str:
    return title if len(title) <= length else title[: length - 1] + "…"
