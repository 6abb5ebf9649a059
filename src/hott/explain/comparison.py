"""Comparison: why two documents are as far apart as they are."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from hott.explain.evidence import Carrier, Evidence
from hott.topics.names import Topic
from hott.wording import per_cent

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Move:
    """Mass that goes from a topic of the first document to a topic of the second.

    ``share`` is the part of the distance that this move makes: ``mass * cost`` over the sum of all.
    """

    source: Topic
    target: Topic
    mass: float
    cost: float
    share: float

    @property
    def stays(self) -> bool:
        """True for mass that both documents have in the same topic."""
        return self.source.number == self.target.number


@dataclass(frozen=True, slots=True)
class WordMove:
    """Mass that goes from a word of one topic to a word of another, as a part of a :class:`Move`."""

    source: str
    target: str
    mass: float
    cost: float
    share: float


@dataclass(frozen=True)
class Side:
    """One of the two documents, as the distance sees it: its topics and their proportions, heaviest first."""

    id: str
    title: str
    proportions: dict[Topic, float]
    _evidence: Evidence | None = field(default=None, repr=False, compare=False)

    @property
    def name(self) -> str:
        """The title, or the id of a document without one."""
        return self.title or self.id

    def words(self, topic: Topic, n: int | None = 10) -> tuple[Carrier, ...]:
        """The words of this document that carry ``topic``; none when its words are not known."""
        return self._evidence.words(topic.number, n) if self._evidence else ()

    def sentences(self, topic: Topic, n: int | None = 3) -> tuple[Carrier, ...]:
        """The sentences of this document that carry ``topic``; none when its text is not known."""
        return self._evidence.sentences(topic.number, n) if self._evidence else ()


WordPlan = Callable[[Move], Iterable[tuple[str, str, float, float]]]


@dataclass(frozen=True, repr=False)
class Comparison:
    """Why two documents are as far apart as they are: which topic's mass goes where, and at what cost.

    Made by :func:`hott.explain.compare` and :meth:`hott.Index.compare`. ``print`` shows it whole.

    Attributes
    ----------
    distance : float
        The distance of the two documents: the mean over all topic models.
    model, model_distance, n_models : int, float, int
        The topic model that the plan belongs to, the distance in that model, and the number of models. Of
        several it is the one whose distance is closest to the mean.
    p : int
        The order of the distance: ``sum(mass * cost)`` over the plan is ``model_distance ** p``.
    a, b : Side
        The two documents with their topics.
    plan : tuple of Move
        All moves: what stays first, then what is moved, each from large to small.
    """

    distance: float
    model_distance: float
    model: int
    n_models: int
    p: int
    a: Side
    b: Side
    plan: tuple[Move, ...]
    _word_plan: WordPlan = field(repr=False, compare=False)

    @cached_property
    def shared(self) -> tuple[Move, ...]:
        """What the documents have in common: mass in the same topic, the most first."""
        return tuple(move for move in self.plan if move.stays)

    @cached_property
    def moved(self) -> tuple[Move, ...]:
        """What differs: mass that goes to another topic, the largest share of the distance first."""
        return tuple(move for move in self.plan if not move.stays)

    @property
    def shared_mass(self) -> float:
        """Mass that stays in its topic, between 0 and 1."""
        return sum(move.mass for move in self.shared)

    @property
    def moved_mass(self) -> float:
        """Mass that goes to another topic, between 0 and 1."""
        return sum(move.mass for move in self.moved)

    def word_plan(self, move: Move) -> tuple[WordMove, ...]:
        """One level down: how the words of one topic become the words of the other, the largest share first.

        The masses sum to the mass of ``move``, and ``sum(mass * cost)`` is ``move.mass * move.cost``: at both
        levels everything adds up to the distance. Solved exactly, when asked for.
        """
        total = self.model_distance**self.p
        steps = [
            WordMove(source, target, mass, cost, mass * cost / total if total else 0.0)
            for source, target, mass, cost in self._word_plan(move)
        ]
        return tuple(sorted(steps, key=lambda step: (-step.share, -step.mass)))

    @property
    def why(self) -> str:
        """The reason in one line: what is in common, and the move that costs the most."""
        parts = []
        if self.shared:
            parts.append(f"{per_cent(self.shared_mass)} in common ({self.shared[0].source.name})")
        if self.moved:
            most = self.moved[0]
            parts.append(f"{per_cent(self.moved_mass)} moved ({most.source.name} → {most.target.name})")
        return "; ".join(parts)

    def to_dict(self, *, words: int | None = 10, sentences: int | None = 3) -> dict[str, Any]:
        """Give everything as plain lists, dictionaries and numbers, ready for JSON.

        Parameters
        ----------
        words, sentences : int or None
            How many to list for each topic and each move; None lists all of them, 0 none.
        """
        return {
            "distance": self.distance,
            "model": self.model,
            "n_models": self.n_models,
            "model_distance": self.model_distance,
            "p": self.p,
            "shared_mass": self.shared_mass,
            "moved_mass": self.moved_mass,
            "a": _side_dict(self.a, words, sentences),
            "b": _side_dict(self.b, words, sentences),
            "shared": [
                {"topic": move.source.number, "name": move.source.name, "mass": move.mass, "cost": move.cost}
                for move in self.shared
            ],
            "moved": [
                {
                    "from": move.source.number,
                    "to": move.target.number,
                    "from_name": move.source.name,
                    "to_name": move.target.name,
                    "mass": move.mass,
                    "cost": move.cost,
                    "share": move.share,
                    "words": [
                        {"from": s.source, "to": s.target, "mass": s.mass, "cost": s.cost, "share": s.share}
                        for s in (self.word_plan(move)[:words] if words != 0 else ())
                    ],
                }
                for move in self.moved
            ],
        }

    def to_table(self) -> "pa.Table":
        """Give the topic plan as an Arrow table, one row a move."""
        import pyarrow as pa

        columns = {
            "from": [move.source.number for move in self.plan],
            "to": [move.target.number for move in self.plan],
            "from_name": [move.source.name for move in self.plan],
            "to_name": [move.target.name for move in self.plan],
            "mass": [move.mass for move in self.plan],
            "cost": [move.cost for move in self.plan],
            "share": [move.share for move in self.plan],
            "stays": [move.stays for move in self.plan],
        }
        types = [pa.int64()] * 2 + [pa.string()] * 2 + [pa.float64()] * 3 + [pa.bool_()]
        return pa.table(columns, schema=pa.schema(list(zip(columns, types))))

    def to_frame(self) -> "pd.DataFrame":
        """Give the topic plan as a pandas DataFrame, one row a move. Without pandas, see :meth:`to_table`."""
        try:
            import pandas  # noqa: F401
        except ModuleNotFoundError as error:
            raise ImportError(
                "to_frame needs pandas: pip install pandas. to_table() gives the same without it, as an "
                "Arrow table."
            ) from error
        return self.to_table().to_pandas()

    def plot(self, **options: Any) -> "go.Figure":
        """Draw the topic plan; takes the options of :func:`hott.plots.transport_diagram`."""
        from hott.plots import transport_diagram

        return transport_diagram(self, **options)

    def text(self, width: int | None = None) -> str:
        """What ``print`` shows, ``width`` characters wide; as wide as the terminal by default."""
        from hott.explain._terminal import render

        return render(self, width)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<Comparison of {self.a.id!r} and {self.b.id!r}: distance {self.distance:.4g}, {self.why}>"


def _side_dict(side: Side, words: int | None, sentences: int | None) -> dict[str, Any]:
    return {
        "id": side.id,
        "title": side.title,
        "topics": [
            {
                "topic": topic.number,
                "name": topic.name,
                "proportion": proportion,
                "distinctive_words": list(topic.words),
                "words": [{"word": word.text, "mass": word.mass} for word in side.words(topic, words)],
                "sentences": [
                    {"text": sentence.text, "start": sentence.start, "mass": sentence.mass}
                    for sentence in side.sentences(topic, sentences)
                ],
            }
            for topic, proportion in side.proportions.items()
        ],
    }
