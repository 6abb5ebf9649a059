"""What a search found."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from html import escape
from textwrap import wrap
from typing import Any, Literal, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from hott.distances.representation import Representation
from hott.lexical import Match, Snippet, WeightedQuery
from hott.utils.tabular import Tabular
from hott.utils.wording import elide, printable

By: TypeAlias = Literal["both", "words", "topics", "meaning"]

_MAX_LINE = 100  # characters of a line of hits that are printed

_COLUMNS = ("id", "name", "title", "label", "score", "words", "topics", "meaning", "distance", "snippet")


@dataclass(frozen=True, slots=True)
class Hit:
    """A document that was found: how far it is, how well it matches, and the passage that shows it.

    Attributes
    ----------
    id, title, label : str
        The label is None where there is none.
    distance : float
        NaN for a document without known words.
    score : float
        The sum of ``words``, ``topics`` and ``meaning``: the larger the better.
    words : float
        BM25, over what the words of the query weigh; beside vectors, times the square of the share of them
        that the document has.
    topics : float
        The distance divided by its standard deviation, below zero.
    meaning : float
        The cosine of the vectors of query and document, divided by the deviation of the distance of
        vectors; 0 without.
    snippet : Snippet
        The passage that shows it best; ``snippet.marked("[", "]")`` marks the words in it.
    columns : mapping
        The values of all other columns.

    Examples
    --------
    >>> hit = Hit("a1", "Comets", "astronomy", distance=0.25, columns={"year": 2004})
    >>> hit.name, hit.distance, hit.columns["year"]
    ('Comets', 0.25, 2004)
    """

    id: str
    title: str
    label: str | None
    distance: float
    score: float = 0.0
    words: float = 0.0
    topics: float = 0.0
    meaning: float = 0.0
    snippet: Snippet = field(default_factory=lambda: Snippet(""))
    columns: Mapping[str, Any] = field(default_factory=dict, hash=False)
    first_line: str = ""
    position: int = field(default=-1, compare=False, repr=False)  # when it was found; the index may change

    @property
    def name(self) -> str:
        """The title; without one the first sentence that says something, shortened, or else the id."""
        return printable(self.title) or self.first_line or self.id

    def to_dict(self) -> dict[str, Any]:
        """Return the hit in plain values, as JSON can hold them."""
        columns = self.columns.items()
        return {
            **{name: getattr(self, name) for name in _COLUMNS},
            "distance": None if self.distance != self.distance else self.distance,
            "snippet": self.snippet.text,
            "marks": [list(mark) for mark in self.snippet.marks],
            "columns": {name: one.isoformat() if isinstance(one, date) else one for name, one in columns},
        }


@dataclass(frozen=True, slots=True, eq=False)
class Query:
    """What was searched for: a text or a document of the index, as the distance sees it.

    Attributes
    ----------
    document : Representation or None
        By its topics; None where no word of it is known.
    id, text : str or None
        Of a document of the index; otherwise the text.
    matches : tuple of Match
        What the words of the text were searched by.
    weights : mapping from str to float
        Forms of words of the documents, and how much each counts: what passages are chosen by.
    words : Weighed
        The same with how rare each is: what BM25 goes by.
    by : "both", "words", "topics" or "meaning"
    vector : array or None
        Of an encoder.
    corrected : str or None
        The text as the encoder read it, where words of it were misspelt.
    phrases : tuple of str
        What stands in quotation marks: documents must have it, in the same letters.

    Examples
    --------
    >>> Query(None, text="stars").notes
    ()
    """

    document: Representation | None
    id: str | None = None
    text: str | None = None
    matches: tuple[Match, ...] = ()
    weights: Mapping[str, float] = field(default_factory=dict)
    words: WeightedQuery = WeightedQuery({}, 1.0)
    by: By = "both"
    vector: NDArray[np.floating] | None = None
    corrected: str | None = None
    phrases: tuple[str, ...] = ()

    @property
    def read(self) -> str:
        """The text as the encoder read it."""
        return self.corrected or self.text or ""

    @property
    def notes(self) -> tuple[str, ...]:
        """What there is to say of words that are in no document."""
        return tuple(str(match) for match in self.matches if match.how != "same")


@dataclass(frozen=True, slots=True, repr=False)
class Hits(Tabular, Sequence[Hit]):
    """Documents in the order of their score, or distance, and what finding them took.

    Attributes
    ----------
    computed : int
        Documents whose exact distance was needed.
    pruned : int
        Documents that a lower bound ruled out without computing their distance.
    query : Query
        What was searched for, and what its words were searched by.

    Printed, and in a notebook, each hit has its passage and the reason why it was found.

    Examples
    --------
    >>> hits = Hits((Hit("a1", "Comets", "astronomy", 0.0), Hit("b7", "Tides", None, 0.25)), 5, 195)
    >>> hits[0].id, len(hits)
    ('a1', 2)
    >>> hits
    distance  id  title   label
      0.0000  a1  Comets  astronomy
      0.2500  b7  Tides
    2 of 200 documents
    """

    hits: tuple[Hit, ...]
    computed: int
    pruned: int
    query: Query | None = field(default=None, compare=False)
    explain: Callable[["Hits"], list[str]] | None = field(default=None, compare=False)  # by what was searched

    def __reduce__(self) -> Any:  # without the documents that reasons are found in
        return Hits, (self.hits, self.computed, self.pruned, self.query)

    def __len__(self) -> int:
        return len(self.hits)

    @overload
    def __getitem__(self, item: int) -> Hit: ...
    @overload
    def __getitem__(self, item: slice) -> "Hits": ...
    def __getitem__(self, item: int | slice) -> "Hit | Hits":
        return replace(self, hits=self.hits[item]) if isinstance(item, slice) else self.hits[item]

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    @property
    def notes(self) -> tuple[str, ...]:
        """What there is to say of the query's words and phrases that are in no document."""
        if self.query is None:
            return ()
        missing = [f"No document has {' and '.join(f'“{p}”' for p in self.query.phrases)}, word for word"]
        return (*self.query.notes, *(missing if self.query.phrases and not self.hits else ()))

    @property
    def are_scored(self) -> bool:
        """Whether they were found by a text, with scores, and not by a document, with distances alone."""
        return any(hit.score for hit in self.hits)

    @property
    def reasons(self) -> list[str]:
        """Why each was found, in one line each; empty lines where the documents are out of reach."""
        try:
            return self.explain(self) if self.explain is not None and self.hits else [""] * len(self)
        except OSError:  # the files of shards are gone: what was found can still be shown
            return [""] * len(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the hits in plain lists and numbers, as JSON can hold them."""
        return {
            "hits": [hit.to_dict() for hit in self.hits],
            "notes": list(self.notes),
            "computed": self.computed,
            "pruned": self.pruned,
        }

    def to_columns(self) -> dict[str, list[Any]]:  # type: ignore[override]
        """Return the hits as lists by name; a column of the documents whose name is taken ends in _."""
        rows = [hit.to_dict() for hit in self.hits]
        found = {name: [row[name] for row in rows] for name in _COLUMNS}
        for column in dict.fromkeys(name for hit in self.hits for name in hit.columns):
            name = f"{column}_" if column in found else column
            found[name] = [hit.columns.get(column) for hit in self.hits]
        return found

    def __repr__(self) -> str:
        rows = [("score" if self.are_scored else "distance", "id", "title", "label")]
        for hit in self.hits:
            number = hit.score if self.are_scored else hit.distance
            title = elide(hit.name, 60) if hit.name != hit.id else ""
            rows.append((f"{number:.4f}", printable(hit.id), title, printable(hit.label or "")))
        filled = [column for column in range(4) if column < 2 or any(row[column] for row in rows[1:])]
        widths = {column: max(len(row[column]) for row in rows) for column in filled}
        lines = [
            "  ".join(
                row[column].rjust(widths[column]) if column == 0 else row[column].ljust(widths[column])
                for column in filled
            ).rstrip()
            for row in rows
        ]
        told, indent = lines[:1], " " * (widths[0] + 2)
        for line, hit, reason in zip(lines[1:], self.hits, self.reasons):
            texts = map(printable, (hit.snippet.marked("[", "]"), reason))
            below = [wrapped for text in texts for wrapped in wrap(text, _MAX_LINE)]
            told.extend([line, *(indent + text for text in below)])
        return "\n".join([*told, *self.notes, f"{len(self)} of {self.computed + self.pruned:,} documents"])

    def _repr_html_(self) -> str:
        """Return the hits as an HTML table for a notebook."""
        number = "score" if self.are_scored else "distance"
        head = "".join(f"<th>{name}</th>" for name in (number, "document", "passage and reason"))
        left = "<td style='text-align:left'>"
        rows = "".join(
            f"<tr><td>{hit.score if self.are_scored else hit.distance:.2f}</td>"
            f"{left}<b>{escape(hit.name)}</b><br>{escape(' · '.join(filter(None, [hit.id, hit.label])))}</td>"
            f"{left}{hit.snippet.html()}<br><i>{escape(reason)}</i></td></tr>"
            for hit, reason in zip(self.hits, self.reasons)
        )
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{notes}"


class HitLists(Tabular, list[Hits]):
    """What several searches found, the hits of one after those of another."""

    __slots__ = ()

    def to_columns(self) -> dict[str, list[Any]]:  # type: ignore[override]
        """Return a row for each hit, with the number of its search and its rank in it."""
        found = [hits.to_columns() for hits in self]
        names = dict.fromkeys(name for columns in found for name in columns)
        return {
            "search": [number for number, hits in enumerate(self) for _ in hits],
            "rank": [rank for hits in self for rank in range(1, len(hits) + 1)],
        } | {
            name: [value for hits, one in zip(self, found) for value in one.get(name, [None] * len(hits))]
            for name in names
        }

    def _repr_html_(self) -> str:
        return "".join(hits._repr_html_() for hits in self)
