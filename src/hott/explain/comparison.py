"""Comparison: why two documents, or two groups of them, are as far apart as they are."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

from hott.explain import story
from hott.explain.evidence import Evidence, Mark, Sentence
from hott.utils.optional import need

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from hott.plots import Diagram


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a document.

    Attributes
    ----------
    text : str
        The word in its most frequent form.
    mass : float
        The part of the document that it carries.
    forms : tuple of str
        All forms of it in the document.
    in_both : bool
        Whether the other document has the word, too.

    Examples
    --------
    >>> Word("planet", 0.1, ("planet", "planets")).forms
    ('planet', 'planets')
    """

    text: str
    mass: float
    forms: tuple[str, ...]
    in_both: bool = False


@dataclass(frozen=True, slots=True)
class Theme:
    """Words of the two documents that belong together.

    Attributes
    ----------
    number : int
        From 0, the theme that says the most first. The last may be what no theme holds: ``is_other``.
    words_a, words_b : tuple of Word
        The words of each document that stand for the theme, at most eight.
    mass_a, mass_b : float
        The part of each document that the theme takes up.
    both : float
        Mass that goes from the theme in A to the same theme in B: what the documents have in common of it.
    cost : float
        What that adds to the distance: nothing where the topic models see the same topics on both sides, and
        the words, where they count beside topics, are the same.
    apart : float
        What of that the topics add.
    weight : float
        How much the theme says beside the first, from 0 to 1: little if its words are few or fillers.

    Examples
    --------
    >>> words = (Word("comet", 0.3, ("comet", "comets"), in_both=True),)
    >>> theme = Theme(0, words, words, mass_a=0.5, mass_b=0.3, both=0.3, cost=0.0, apart=0.0, weight=1.0)
    >>> round(theme.only_a, 3)
    0.2
    """

    number: int
    words_a: tuple[Word, ...]
    words_b: tuple[Word, ...]
    mass_a: float
    mass_b: float
    both: float
    cost: float
    apart: float
    weight: float
    is_other: bool = False

    @property
    def only_a(self) -> float:
        """Mass that A has of the theme, and B has not."""
        return max(self.mass_a - self.both, 0.0)

    @property
    def only_b(self) -> float:
        """Mass that B has of the theme, and A has not."""
        return max(self.mass_b - self.both, 0.0)

    @property
    def name(self) -> str:
        """Three words, those of both documents first, then the heaviest."""
        return ", ".join(story.leading(self)) if not self.is_other else "other words"


@dataclass(frozen=True, slots=True)
class Move:
    """Mass that goes from a theme of A to a theme of B.

    Attributes
    ----------
    source, target : Theme
    mass : float
        The part of the documents that moves.
    cost : float
        What it adds to the distance.

    Examples
    --------
    >>> theme = Theme(0, (), (), 0.5, 0.5, both=0.5, cost=0.1, apart=0.1, weight=1.0)
    >>> Move(theme, theme, mass=0.5, cost=0.1).stays
    True
    """

    source: Theme
    target: Theme
    mass: float
    cost: float

    @property
    def stays(self) -> bool:
        """True for mass that both documents have in the same theme."""
        return self.source.number == self.target.number


@dataclass(frozen=True, slots=True)
class WordMove:
    """Mass that goes from a word of A to a word of B.

    Attributes
    ----------
    source, target : str
    mass, cost : float
        The part of the documents that moves, and what it adds to the distance.
    source_theme, target_theme : int
        The numbers of their themes.

    Examples
    --------
    >>> WordMove("clay", "grass", 0.02, 0.01, 0, 0).target
    'grass'
    """

    source: str
    target: str
    mass: float
    cost: float
    source_theme: int
    target_theme: int


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two sides: a document, a text, or a group of documents.

    Attributes
    ----------
    id, title : str
    n_documents : int

    Examples
    --------
    >>> Side("medicine/malaria", "Malaria").name
    'Malaria'
    """

    id: str
    title: str = ""
    n_documents: int = 1

    @property
    def name(self) -> str:
        """The title, or the id of a document without one."""
        return self.title or self.id


@dataclass(frozen=True, repr=False)
class Comparison:
    """Why two documents, or two groups of them, are as far apart as they are, in their own words.

    Made by :meth:`hott.Index.compare` and :func:`hott.explain.compare`. ``print`` shows it whole.

    Attributes
    ----------
    distance : float
        Of the two sides.
    topics : float
        The distance of their topics, the mean over all topic models. It is the whole distance, unless words
        and meaning count beside topics, as they do in an index by default.
    far : float
        How far apart two topics are that have nothing to do with each other; the scale of ``topics``.
    a, b : Side
    themes : tuple of Theme
        At most six, and what no theme holds.
    moves : tuple of Move
        What goes where between themes. Masses sum to 1 and costs to ``distance``: what stays in a theme
        first, then what moves, each from large to small.
    same_words : float or None
        The share of their words that both have, between 0 and 1; rare words count for more. None where only
        topics count.
    meaning : float
        What the vectors of the two texts add to the distance; 0 without.

    Examples
    --------
    >>> import hott
    >>> texts = ["Ice and dust form a comet.", "A comet has a tail of dust.", "The striker scored a goal."]
    >>> index = hott.Index.build(hott.Corpus(texts), n_topics=2, n_models=1)
    >>> comparison = index.compare("0", "1")
    >>> comparison.distance < index.compare("0", "2").distance
    True
    >>> abs(sum(move.cost for move in comparison.moves) - comparison.distance) < 1e-9
    True
    """

    distance: float
    topics: float
    far: float
    a: Side
    b: Side
    themes: tuple[Theme, ...]
    moves: tuple[Move, ...]
    _flow: Callable[[], Iterator[WordMove]] = field(compare=False)
    _evidence: tuple[Evidence, Evidence] | None = field(default=None, compare=False)
    same_words: float | None = None
    meaning: float = 0.0

    # -- what it says ------------------------------------------------------------------------------------

    @cached_property
    def shared(self) -> tuple[Theme, ...]:
        """Themes that bring the documents together, the strongest first."""
        near = [theme for theme in self._telling if story.is_near(self.nearness(theme), theme.both)]
        return tuple(sorted(near, key=lambda theme: -round(self.nearness(theme) * theme.weight, 12)))

    @property
    def only_a(self) -> tuple[Theme, ...]:
        """Themes that A has much more of than B, those that A has most of first."""
        themes = [theme for theme in self._telling if story.is_alone(theme.only_a, theme.both)]
        return tuple(sorted(themes, key=lambda theme: -round(theme.only_a * theme.weight, 12)))

    @property
    def only_b(self) -> tuple[Theme, ...]:
        """Themes that B has much more of than A, those that B has most of first."""
        themes = [theme for theme in self._telling if story.is_alone(theme.only_b, theme.both)]
        return tuple(sorted(themes, key=lambda theme: -round(theme.only_b * theme.weight, 12)))

    @cached_property
    def moved(self) -> tuple[Move, ...]:
        """Mass that leaves its theme, the largest part of the distance first."""
        return tuple(move for move in self.moves if not move.stays)

    @property
    def both(self) -> float:
        """Mass that stays in its theme, between 0 and 1. Words that no theme holds do not count."""
        return sum(theme.both for theme in self.themes if not theme.is_other)

    def nearness(self, theme: Theme) -> float:
        """The mass that both have of a theme, less what it costs to go from one to the other (on the scale
        of ``far``): a theme of the same words that the documents use in unlike ways counts for little."""
        return max(theme.both - theme.apart / self.far, 0.0) if self.far else theme.both

    @property
    def words(self) -> float:
        """What unlike words add to the distance, beside the topics."""
        return self.distance - self.topics - self.meaning

    @property
    def closeness(self) -> float:
        """1 for documents with the same topics, 0 for documents as far apart as unrelated topics."""
        return min(max(1 - self.topics / self.far, 0.0), 1.0) if self.far else 1.0

    @property
    def why(self) -> str:
        """The reason in one line."""
        return story.why(self)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The comparison in a few plain sentences."""
        return story.sentences(self)

    @cached_property
    def flow(self) -> tuple[WordMove, ...]:
        """The whole flow between words, the heaviest first. Masses sum to 1 and costs to ``distance``."""
        return tuple(sorted(self._flow(), key=lambda step: (-round(step.mass, 12), step.source, step.target)))

    def evidence(self, theme: Theme, n: int = 2) -> tuple[tuple[Sentence, ...], tuple[Sentence, ...]]:
        """The sentences of A and of B that carry a theme, the heaviest first; none without the texts."""
        if self._evidence is None:
            return (), ()
        a, b = self._evidence
        return a.sentences(theme.number, n), b.sentences(theme.number, n)

    @property
    def marks(self) -> tuple[Sequence[Mark], Sequence[Mark]]:
        """The words of both texts that carry a theme; of a group, those of its first document."""
        if self._evidence is None:
            return (), ()
        a, b = self._evidence
        return a.marks[0], b.marks[0]

    @property
    def _telling(self) -> list[Theme]:
        return [theme for theme in self.themes if theme.weight >= story.TELLING]

    # -- how it is shown ---------------------------------------------------------------------------------

    def to_dict(self, *, steps: int | None = 30, sentences: int = 2) -> dict[str, Any]:
        """Give everything as plain lists, dictionaries and numbers, ready for JSON.

        Parameters
        ----------
        steps : int or None
            How many entries of the flow between words to list, the heaviest; None lists all.
        sentences : int
            How many sentences to list for each theme and side.
        """
        from hott.explain._data import as_dict

        return as_dict(self, steps, sentences)

    def to_table(self) -> "pa.Table":
        """Give the flow between words as an Arrow table, one row a :class:`WordMove` (``hott[parquet]``)."""
        pa = need("pyarrow", extra="parquet")
        types = (pa.string(), pa.string(), pa.float64(), pa.float64(), pa.int64(), pa.int64())
        columns = self.to_columns()
        return pa.table(columns, schema=pa.schema(list(zip(columns, types))))

    def to_columns(self) -> dict[str, list[Any]]:
        """Give the flow between words as lists, one a field of :class:`WordMove`."""
        return {part.name: [getattr(step, part.name) for step in self.flow] for part in fields(WordMove)}

    def to_frame(self) -> "pd.DataFrame":
        """Give the flow between words as a pandas DataFrame. Without pandas, see :meth:`to_columns`."""
        try:
            import pandas as pd
        except ModuleNotFoundError as error:
            raise ImportError(
                "to_frame needs pandas: pip install pandas. to_columns() gives the same without it, as lists."
            ) from error
        return pd.DataFrame(self.to_columns())

    def plot(self, **options: Any) -> "Diagram":
        """Draw the themes; takes the options of :func:`hott.plots.transport_diagram`."""
        from hott.plots import transport_diagram

        return transport_diagram(self, **options)

    def to_html(self, *, full: bool = True) -> str:
        """Give the comparison as HTML that fits phone and desktop; a whole page, or a piece of one.

        Needs nothing from the network, and no script.
        """
        from hott.explain._html import page, piece

        return page(self) if full else piece(self)

    def text(self, width: int | None = None) -> str:
        """What ``print`` shows, ``width`` characters wide; as wide as the terminal by default."""
        from hott.explain._terminal import render

        return render(self, width)

    def _repr_html_(self) -> str:
        return self.to_html(full=False)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<Comparison of {self.a.id!r} and {self.b.id!r}: distance {self.distance:.4g}, {self.why}>"
