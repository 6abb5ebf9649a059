"""Comparison: what two documents, or two groups of them, have in common and what sets them apart."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hott.explain.plan import TopicMove
from hott.terms import NearTerms, SharedTerm, Term, TermComparison
from hott.text.tokens import tokenize
from hott.utils.tabular import Tabular
from hott.utils.wording import per_cent, pluralize

if TYPE_CHECKING:
    from hott.plots import Diagram

MAX_TOLD = 8  # terms of a kind that have their part of the distance told
CLOSE = 0.9  # share of random pairs that are farther apart than two that are near
Where = Literal["both", "near", "only_a", "only_b"]


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


@dataclass(frozen=True, slots=True)
class WordMove:
    """Mass that goes from a word of A to a word of B.

    Attributes
    ----------
    source, target : str
    mass, cost : float
        The part of the documents that moves, and what it adds to the distance.

    Examples
    --------
    >>> WordMove("clay", "grass", 0.02, 0.01).target
    'grass'
    """

    source: str
    target: str
    mass: float
    cost: float


@dataclass(frozen=True, slots=True)
class ToldTerm:
    """A term that a comparison tells, and its part of the distance.

    Attributes
    ----------
    text : str
    where : {"both", "near", "only_a", "only_b"}
    part : float
        Of the distance: half of what leaves its words in A and half of what arrives at its words in B.

    Examples
    --------
    >>> ToldTerm("clay", "only_b", 0.04).part
    0.04
    """

    text: str
    where: Where
    part: float


class Mark(NamedTuple):
    """A told term in a text.

    Attributes
    ----------
    start, end : int
        Where it is.
    group : int
        The number of its group, which has a colour.

    Examples
    --------
    >>> mark = Mark(2, 7, group=0)
    >>> "A comet is ice."[mark.start : mark.end]
    'comet'
    """

    start: int
    end: int
    group: int


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence of a text, with the told terms in it.

    Attributes
    ----------
    text : str
    start : int
        Where it begins in its text; marks count from the beginning of the sentence.
    marks : tuple of Mark

    Examples
    --------
    >>> quote = Quote("A comet is ice.", 0, (Mark(2, 7, 0),))
    >>> [quote.text[mark.start : mark.end] for mark in quote.marks]
    ['comet']
    """

    text: str
    start: int
    marks: tuple[Mark, ...] = field(repr=False)


@dataclass(frozen=True, repr=False, eq=False)
class Comparison(Tabular):
    """What two documents, or two groups of them, have in common and what sets them apart, in their own words.

    Made by :meth:`hott.Index.compare` and :func:`hott.explain.compare`. ``print`` shows it whole.

    Attributes
    ----------
    distance : float
        Of the two sides.
    topics : float
        The distance of their topics, the mean over all topic models. It is the whole distance, unless words
        and meaning count beside topics, as they do in an index by default.
    a, b : Side
    terms : TermComparison
        Terms of both, near ones and those of one side alone; sentences side by side.
    sample : array or None
        Distances of random pairs of documents, ascending.
    meaning : float
        What the vectors of the two texts add to the distance; 0 without.

    Examples
    --------
    >>> import hott
    >>> texts = ["Ice and dust form a comet.", "A comet has a tail of dust.", "The striker scored a goal."]
    >>> index = hott.Index.build(hott.Corpus(texts), n_topics=2, n_models=1)
    >>> comparison = index.compare("0", "1")
    >>> comparison.lines[0]
    'Both: comet, dust.'
    >>> abs(sum(step.cost for step in comparison.flow) - comparison.distance) < 1e-9
    True
    """

    distance: float
    topics: float
    a: Side
    b: Side
    terms: TermComparison
    _flow: Callable[[], Iterator[WordMove]]
    _key_of: Callable[[str], int]
    _moves: Callable[[int], tuple[TopicMove, ...]]
    sample: NDArray[np.floating] | None = None
    meaning: float = 0.0
    _without: Callable[[Collection[int]], float] | None = None

    # -- what it says ------------------------------------------------------------------------------------

    @property
    def both(self) -> tuple[SharedTerm, ...]:
        """Terms of both sides, the most special first."""
        return self.terms.both

    @property
    def near(self) -> tuple[NearTerms, ...]:
        """Terms of A and of B that mean much the same."""
        return self.terms.near

    @property
    def only_a(self) -> tuple[Term, ...]:
        """Terms that B has not; of groups, that B has less of."""
        return self.terms.only_a

    @property
    def only_b(self) -> tuple[Term, ...]:
        """Terms that A has not; of groups, that A has less of."""
        return self.terms.only_b

    @property
    def words(self) -> float:
        """What unlike words add to the distance, beside the topics."""
        return self.distance - self.topics - self.meaning

    @property
    def closer_than(self) -> float | None:
        """The share of random pairs that are farther apart; None where no others are known."""
        if self.sample is None or not len(self.sample):
            return None
        farther = len(self.sample) - int(np.searchsorted(self.sample, self.distance, "right"))
        return farther / len(self.sample)

    @property
    def told(self) -> tuple[ToldTerm, ...]:
        """The first terms of each kind with their parts of the distance; no word counts in two."""
        return self._parts[0]

    @property
    def rest(self) -> tuple[float, int]:
        """The part of the distance that no told term has, and over how many words it is spread."""
        return self._parts[1]

    @cached_property
    def _parts(self) -> tuple[tuple[ToldTerm, ...], tuple[float, int]]:
        halves: tuple[dict[int, float], dict[int, float]] = ({}, {})  # of what leaves each word, and arrives
        key_of = lru_cache(maxsize=None)(self._key_of)
        for step in self.flow:
            for word, cost in zip((step.source, step.target), halves):
                key = key_of(word)
                cost[key] = cost.get(key, 0.0) + step.cost / 2
        whole, told = self.distance or 1.0, []
        used: tuple[set[int], set[int]] = (set(), set())
        for where, text, *words in self._show():
            part = 0.0
            for own, cost, done in zip(words, halves, used):
                part += sum(cost.get(word, 0.0) for word in {*own} - done)
                done.update(own)
            told.append(ToldTerm(text, where, part / whole))
        left = (value for cost, done in zip(halves, used) for word, value in cost.items() if word not in done)
        return tuple(told), (sum(left) / whole, len(set().union(*halves).difference(*used)))

    def _show(self) -> Iterator[tuple[Where, str, Sequence[int], Sequence[int]]]:
        for shared in self.both[:MAX_TOLD]:
            yield "both", str(shared), shared.words, shared.words
        for pair in self.near[:MAX_TOLD]:
            yield "near", str(pair), pair.a.words, pair.b.words
        for term in self.only_a[:MAX_TOLD]:
            yield "only_a", term.text, term.words, ()
        for term in self.only_b[:MAX_TOLD]:
            yield "only_b", term.text, (), term.words

    @property
    def why(self) -> str:
        """The reason in one line, such as what both have."""
        if (self.closer_than or 0.0) < CLOSE:
            return self.terms.why
        if not (self.both or self.near):
            return "Near in meaning, with no special word in common"
        return self.terms.why.replace("Little in common", "Both" if self.both else "Near in meaning", 1)

    @property
    def lines(self) -> tuple[str, ...]:
        """The comparison in a few plain lines."""
        are_groups = max(self.a.n_documents, self.b.n_documents) > 1
        _, *lines = self.terms.lines
        more = (line.replace("Only ", "More in ", 1) if are_groups else line for line in lines)
        return (f"{self.why}.", *more, *self.numbers)

    @property
    def numbers(self) -> tuple[str, ...]:
        """How far apart the two are, beside random pairs, and what of that the told terms make up."""
        found = []
        if self.closer_than is not None:
            closer = self.closer_than >= 0.5
            part = self.closer_than if closer else 1 - self.closer_than
            # From 95 % on with a decimal, and never as 100 %, which a sample cannot show.
            share = f"{min(100 * part, 99.9):.1f} %" if part >= 0.95 else per_cent(part)
            found.append(f"{'Closer' if closer else 'Farther apart'} than {share} of pairs.")
        if self.distance and self.told:
            part, n_words = self.rest
            small = f"; the rest in small parts over {pluralize(n_words, 'word')}" if n_words else ""
            found.append(f"These terms: {per_cent(1 - part)} of the distance{small}.")
        return tuple(found)

    @cached_property
    def quotes(self) -> tuple[tuple[Quote, Quote], ...]:
        """Sentences side by side, those that show most of what is told first; none without the texts."""
        sides = list(zip((self.terms.a, self.terms.b), self.marks))
        quotes = []
        for pair in self.terms.pairs:
            for (side, marks), number in zip(sides, (pair.a, pair.b)):
                start, end = side.sentences[number]
                inside = (mark for mark in marks if start <= mark.start and mark.end <= end)
                shifted = tuple(Mark(mark.start - start, mark.end - start, mark.group) for mark in inside)
                quotes.append(Quote(side.text[start:end], start, shifted))
        return tuple(zip(quotes[::2], quotes[1::2]))

    @cached_property
    def marks(self) -> tuple[tuple[Mark, ...], tuple[Mark, ...]]:
        """The told terms in both texts, by their groups."""
        marks: tuple[list[Mark], list[Mark]] = ([], [])
        for side, spans_of in zip(marks, ("spans_a", "spans_b")):
            groups = enumerate(self.terms.groups)
            found = [(*span, number) for number, group in groups for span in getattr(group, spans_of)]
            for start, end, number in sorted(found):
                if not side or start >= side[-1].end:  # none that overlaps the one before
                    side.append(Mark(start, end, number))
        return tuple(marks[0]), tuple(marks[1])

    @cached_property
    def flow(self) -> tuple[WordMove, ...]:
        """The whole flow between words, the heaviest first. Masses sum to 1 and costs to ``distance``."""
        return tuple(sorted(self._flow(), key=lambda step: (-round(step.mass, 12), step.source, step.target)))

    def without(self, *terms: str) -> float:
        """Compute the distance anew, from both texts without these terms in any form.

        Taking out what both have brings them farther apart, mostly, and taking out what one has alone brings
        them nearer. Without a term it is the distance of the texts as they are.

        Parameters
        ----------
        *terms : str
            Words or phrases of the texts, such as those in ``both``.

        Examples
        --------
        >>> import hott
        >>> index = hott.Index.build(hott.demo.corpus()[160:], n_models=1)
        >>> comparison = index.compare("tennis/grass-courts", "tennis/clay-courts")
        >>> comparison.without("courts") > comparison.distance
        True
        """
        if self._without is None:
            raise ValueError("without() needs the texts: compare documents of an index, with index.compare.")
        return self._without({self._key_of(word) for term in terms for word in tokenize(term)})

    def topic_moves(self, model: int = 0) -> tuple[TopicMove, ...]:
        """Give the exact plan between the topics of both sides in one model, the heaviest move first."""
        return self._moves(model)

    # -- how it is shown ---------------------------------------------------------------------------------

    def to_dict(self, *, steps: int | None = 30, quotes: int = 5) -> dict[str, Any]:
        """Give everything as plain lists, dictionaries and numbers, ready for JSON.

        Parameters
        ----------
        steps : int or None
            How many entries of the flow between words to list, the heaviest; None lists all.
        quotes : int
            How many pairs of sentences to list.
        """
        part, n_words = self.rest
        return {
            "distance": self.distance,
            "topics": self.topics,
            "closer_than": self.closer_than,
            "why": self.why,
            "lines": list(self.lines),
            **{
                letter: {"id": side.id, "title": side.title, "documents": side.n_documents}
                for letter, side in (("a", self.a), ("b", self.b))
            },
            "terms": [*map(asdict, self.told)],
            "rest": {"part": part, "words": n_words},
            "groups": [
                {"name": group.name, "terms_a": list(group.terms_a), "terms_b": list(group.terms_b)}
                for group in self.terms.groups
            ],
            "quotes": [
                [{"text": one.text, "start": one.start, "marks": [*map(list, one.marks)]} for one in pair]
                for pair in self.quotes[:quotes]
            ],
            "flow": [asdict(step) for step in self.flow[:steps]],
        }

    def to_columns(self) -> dict[str, Sequence[Any]]:
        """Give the flow between words as lists, one a field of :class:`WordMove`."""
        return {part.name: [getattr(step, part.name) for step in self.flow] for part in fields(WordMove)}

    def plot(self, **options: Any) -> "Diagram":
        """Draw the terms; takes the options of :func:`hott.plots.term_diagram`."""
        from hott.plots import term_diagram

        return term_diagram(self, **options)

    def plot_topics(self, model: int = 0, **options: Any) -> "Diagram":
        """Draw the paper's diagram: the topics of both sides in one topic model, and the plan between them.

        Takes the options of :func:`hott.plots.transport_diagram`.
        """
        from hott.plots import transport_diagram

        return transport_diagram(self.topic_moves(model), (self.a.name, self.b.name), **options)

    def to_html(self, *, full: bool = True) -> str:
        """Give the comparison as HTML that fits phone and desktop; a whole page, or a piece of one.

        Needs nothing from the network, and no script.
        """
        from hott.explain.rendering import page, piece

        return page(self) if full else piece(self)

    def text(self, width: int | None = None) -> str:
        """Return what ``print`` shows, ``width`` characters wide; as wide as the terminal by default."""
        from hott.explain.rendering import render

        return render(self, width)

    def _repr_html_(self) -> str:
        return self.to_html(full=False)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<Comparison of {self.a.id!r} and {self.b.id!r}: distance {self.distance:.4g}. {self.why}>"
