"""What two documents have in common and what each has alone, in terms."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, pairwise
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from hott.embeddings import WordVectors
from hott.terms.alignment import SentencePair, SentenceSpace, align, place_terms
from hott.terms.document import DocumentTerms, Term
from hott.terms.lexicon import MAX_COMMON, PARTICLE, VERB, lexicon_of, normalize, ranks
from hott.terms.reading import CAPITAL_NOUNS
from hott.terms.statistics import TermStatistics
from hott.text.tokens import same_word

MIN_NEAR = 0.45  # cosine of the vectors of terms that are near
MIN_NEAR_COMMON = 0.6  # the same of two common words
MIN_RELATED = 0.3  # cosine of words that look like one family, and are
MIN_NEAR_READ = 0.5  # cosine of terms that are near as the encoder of sentences reads them
MIN_SAME = 0.45  # cosine of forms of one word: "settled" and "settle", not "determine" and "determinism"
MIN_SAME_NAME = 0.75  # cosine of forms of one name: "Greek" and "Greeks", not "William" and "Williams"
_MIN_FAMILY = 5  # letters that words of one family begin with
_MIN_CAPITALS = 0.3  # of the places of a word with and without one, for both to be the same: Court 18
MIN_SHARED = 1.0  # weight of a shared term that is told
MIN_STRONG = 5.5  # weight of the best three shared terms, which three of four random pairs do not reach
MAX_GROUPS = 6  # colours
MAX_GROUP = 6  # terms of one colour
_MIN_GROUPED = 0.3  # mean cosine of terms of one colour
_CONSIDERED = 80  # terms of a document that may be near, or of it alone
_MIN_UNTOLD = 2.5  # deviations above chance from which sentences stand side by side without a told term
_ALONE = 8  # terms of one document alone that get a colour
MAX_IN_LINE = 5  # terms in a line
AnyTerm = TypeVar("AnyTerm", Term, "SharedTerm")
_Spans: TypeAlias = tuple[tuple[int, int], ...]
_Told: TypeAlias = tuple[str, float, _Spans]  # a term, its weight and its places in the text


@dataclass(frozen=True, slots=True)
class SharedTerm:
    """A term of both documents.

    Attributes
    ----------
    a, b : str
        As each writes it.
    weight : float
        The lesser of its weights in the two.
    spans_a, spans_b : tuple of (start, end)
        Where it is in the texts.
    words : tuple of int
        The keys of its words.
    is_minor : bool
        A number, a unit, a month, a day of the week or a verb such as "take".

    Examples
    --------
    >>> print(SharedTerm("settled", "settle", 4.6))
    settled/settle
    """

    a: str
    b: str
    weight: float
    spans_a: _Spans = field(default=(), repr=False)
    spans_b: _Spans = field(default=(), repr=False)
    words: tuple[int, ...] = field(default=(), repr=False)
    is_minor: bool = field(default=False, repr=False)

    @property
    def reversed(self) -> "SharedTerm":
        return replace(self, a=self.b, b=self.a, spans_a=self.spans_b, spans_b=self.spans_a)

    def __str__(self) -> str:
        one, other = (normalize(text).replace("-", " ") for text in (self.a, self.b))
        return self.a if one == other else f"{self.a}/{self.b}"


@dataclass(frozen=True, slots=True)
class NearTerms:
    """A term of A and one of B that mean much the same.

    Attributes
    ----------
    a, b : Term

    Examples
    --------
    >>> print(NearTerms(Term("traders", 5.8, (), (), 1, (1,)), Term("brokers", 5.8, (), (), 2, (2,))))
    traders ~ brokers
    """

    a: Term
    b: Term

    def __str__(self) -> str:
        return f"{self.a.text} ~ {self.b.text}"


@dataclass(frozen=True, slots=True)
class TermGroup:
    """Told terms that belong together, to be marked in one colour.

    Attributes
    ----------
    name : str
        Its best terms.
    terms_a, terms_b : tuple of str
        As each document writes them.
    spans_a, spans_b : tuple of (start, end)
        Where they are in the texts, in order.

    Examples
    --------
    >>> group = TermGroup("turf, clay", ("turf",), ("clay",), ((4, 8),), ((0, 4),), weight=12.0)
    >>> group.reversed.terms_a
    ('clay',)
    """

    name: str
    terms_a: tuple[str, ...]
    terms_b: tuple[str, ...]
    spans_a: _Spans = field(repr=False)
    spans_b: _Spans = field(repr=False)
    weight: float = field(repr=False)

    @property
    def reversed(self) -> "TermGroup":
        return TermGroup(self.name, self.terms_b, self.terms_a, self.spans_b, self.spans_a, self.weight)


@dataclass(frozen=True, eq=False, repr=False)
class TermComparison:
    """What two documents share and what each has alone, with sentences side by side.

    Attributes
    ----------
    a, b : DocumentTerms
    both : tuple of SharedTerm
    near : tuple of NearTerms
    only_a, only_b : tuple of Term

    Examples
    --------
    >>> from hott.terms import find_terms
    >>> statistics = TermStatistics.of(["A comet has a tail.", "The comet has ice."], "english")
    >>> a, b = (find_terms(text, statistics) for text in ("A comet has a tail.", "The comet has ice."))
    >>> comparison = compare_terms(a, b, statistics)
    >>> [str(term) for term in comparison.both], [term.text for term in comparison.only_a]
    (['comet'], ['tail'])
    """

    a: DocumentTerms
    b: DocumentTerms
    both: tuple[SharedTerm, ...]
    near: tuple[NearTerms, ...]
    only_a: tuple[Term, ...]
    only_b: tuple[Term, ...]
    _statistics: TermStatistics
    _vectors: WordVectors | None = None
    _space: SentenceSpace | None = None

    @cached_property
    def pairs(self) -> tuple[SentencePair, ...]:
        """Sentences side by side by exact transport between the texts, those that show what is told first."""
        if self._space is None:
            return ()
        links = [(t.spans_a, t.spans_b, t.weight) for t in self.both[:_ALONE] if not t.is_minor]
        links += [(p.a.spans, p.b.spans, min(p.a.weight, p.b.weight)) for p in self.near[:_ALONE]]
        shown: list[tuple[float, SentencePair]] = []
        for pair in align(self.a, self.b, self._statistics, self._space):
            spans = range(*self.a.sentences[pair.a]), range(*self.b.sentences[pair.b])
            told = sum(
                weight
                for *own, weight in links
                if all(any(start in span for start, _ in places) for span, places in zip(spans, own))
            )
            if told > 0 or pair.above_chance >= _MIN_UNTOLD:
                shown.append((-round(pair.weight * (1 + told), 9), pair))
        kept: list[SentencePair] = []
        for _, pair in sorted(shown, key=lambda one: one[0]):
            if not any(pair.a == other.a or pair.b == other.b for other in kept):  # none is quoted twice
                kept.append(pair)
        return tuple(kept)

    @cached_property
    def groups(self) -> tuple[TermGroup, ...]:
        """Told terms that belong together, at most six groups of at most six, to be marked in the texts."""
        if _is_mirrored(self.a, self.b):
            return tuple(group.reversed for group in self.reversed.groups)
        shared = (t for t in self.both[:_ALONE] if not t.is_minor)
        seeds: list[tuple[_Told | None, _Told | None]] = [
            *(((t.a, t.weight, t.spans_a), (t.b, t.weight, t.spans_b)) for t in shared),
            *((_tell(pair.a), _tell(pair.b)) for pair in self.near[:_ALONE]),
            *((_tell(term), None) for term in self.only_a[:_ALONE]),
            *((None, _tell(term)) for term in self.only_b[:_ALONE]),
        ]
        if not seeds:
            return ()
        points = place_terms([told[0] for seed in seeds if (told := seed[0] or seed[1])], self._vectors)
        groups = []
        for own in _join(points @ points.T, np.array([[bool(a), bool(b)] for a, b in seeds])):
            sides = [[told for k in own if (told := seeds[k][side])] for side in (0, 1)]
            worth: dict[str, float] = {}
            for text, weight, _ in (*sides[0], *sides[1]):
                worth[text] = max(weight, worth.get(text, 0.0))
            name = ", ".join(sorted(worth, key=lambda text: (-round(worth[text], 9), text))[:3])
            a, b = (tuple(dict.fromkeys(text for text, _, _ in side)) for side in sides)
            spans_a, spans_b = (tuple(sorted(span for *_, spans in side for span in spans)) for side in sides)
            total = sum(sum(weight for _, weight, _ in side) for side in sides)
            groups.append(TermGroup(name, a, b, spans_a, spans_b, total))
        groups.sort(key=lambda group: (-round(group.weight, 9), sorted((*group.terms_a, *group.terms_b))))
        return tuple(groups[:MAX_GROUPS])

    @cached_property
    def reversed(self) -> "TermComparison":
        """The comparison of B with A."""
        both = tuple(term.reversed for term in self.both)
        near = tuple(NearTerms(pair.b, pair.a) for pair in self.near)
        only = (self.only_b, self.only_a, self._statistics, self._vectors, self._space)
        return TermComparison(self.b, self.a, both, near, *only)

    @property
    def sentences(self) -> tuple[tuple[str, str], ...]:
        """The sentences of A and B side by side."""
        return tuple(
            (self.a.text[slice(*self.a.sentences[pair.a])], self.b.text[slice(*self.b.sentences[pair.b])])
            for pair in self.pairs
        )

    @property
    def lines(self) -> tuple[str, ...]:
        """The comparison in three to five lines."""
        told = [f"{self.why}."]
        if self.near and self.both:
            told.append(f"Near: {'; '.join(map(str, self.near[:3]))}.")
        for letter, terms in (("A", self.only_a), ("B", self.only_b)):
            if terms:
                told.append(f"Only {letter}: {', '.join(term.text for term in terms[:MAX_IN_LINE])}.")
        return tuple(told)

    @property
    def why(self) -> str:
        """What they have in common, in one line."""
        if self.both:
            weights = [term.weight for term in self.both if not term.is_minor]
            how = "Both" if sum(weights[:3]) >= MIN_STRONG else "Little in common"
            return f"{how}: {', '.join(map(str, self.both[:MAX_IN_LINE]))}"
        if self.near:
            return f"Little in common: {'; '.join(map(str, self.near[:3]))}"
        return "Nothing in common"

    def __str__(self) -> str:
        told = list(self.lines)
        if self.sentences:
            a, b = (" ".join(sentence.split()) for sentence in self.sentences[0])
            told.append(f"A: “{a}” – B: “{b}”")
        return "\n".join(told)

    def __repr__(self) -> str:
        return f"<TermComparison: {' '.join(self.lines)}>"


def compare_terms(
    a: DocumentTerms,
    b: DocumentTerms,
    statistics: TermStatistics,
    vectors: WordVectors | None = None,
    space: SentenceSpace | None = None,
) -> TermComparison:
    """Say what two documents have in common, and what each has alone.

    Parameters
    ----------
    a, b : DocumentTerms
        As :func:`~hott.terms.find_terms` gives them.
    statistics : TermStatistics
        Of the collection.
    vectors : WordVectors, optional
        To find terms that are near in meaning.
    space : SentenceSpace, optional
        To lay sentences side by side.

    Examples
    --------
    >>> from hott.terms import TermStatistics, find_terms
    >>> texts = ["A comet is a lump of ice and dust.", "Dust of a comet glows.", "The match had a late goal."]
    >>> statistics = TermStatistics.of(texts, "english")
    >>> a, b, c = (find_terms(text, statistics) for text in texts)
    >>> print(compare_terms(a, b, statistics).lines[0])
    Both: comet, dust.
    >>> print(compare_terms(a, c, statistics).lines[0])
    Nothing in common.
    """
    if _is_mirrored(a, b):  # of equally near terms the same are paired in both directions
        return compare_terms(b, a, statistics, vectors, space).reversed
    # The most special term that each word is in, and the first terms that the other has not, nor mentions.
    words_a, words_b = (
        {word: term for term in reversed(side.terms) for word in term.words} for side in (a, b)
    )
    own_a, own_b = (
        [
            term
            for term in side.terms
            if words.keys().isdisjoint(term.words) and not other.mentions.issuperset(term.words)
        ][:_CONSIDERED]
        for side, other, words in ((a, b, words_b), (b, a, words_a))
    )
    near, alike = _near(own_a, own_b, statistics.language, vectors, space)
    related = [pair for pair in near if _are_related(pair.a, pair.b)]
    near = tuple(pair for pair in near if pair not in related)
    both = _find_shared(a, b, words_a, words_b, statistics, related, space)
    only = []
    for own, rows, side in ((own_a, alike, "a"), (own_b, alike.T, "b")):
        told = {word for pair in (*near, *related) for word in getattr(pair, side).words}
        far = rows.max(axis=1, initial=0.0) <= MIN_NEAR
        alone = [term for term, is_far in zip(own, far) if is_far and not term.is_minor]
        # Names come before their parts, in the places of those: "Wayne Bridge" in that of "Bridge".
        rank = {term.key: place for place, term in enumerate(alone)}
        for name in alone:
            if name.words[1:] and _is_name(name):
                rank[name.key] = min(k for k, term in enumerate(alone) if {*term.words} <= {*name.words})
        only.append(_vary(sorted(alone, key=lambda term: (rank[term.key], -len(term.words))), told))
    return TermComparison(a, b, both, near, only[0], only[1], statistics, vectors, space)


def _tell(term: Term) -> _Told:
    return term.text, term.weight, term.spans


def _is_mirrored(a: DocumentTerms, b: DocumentTerms) -> bool:
    return (a.text, a.title) > (b.text, b.title)


def _vary(terms: Iterable[AnyTerm], told: set[int]) -> tuple[AnyTerm, ...]:
    """Leave out terms that share a word with one told before: no "Peter Shilton, Shilton"."""
    kept: list[AnyTerm] = []
    for term in terms:
        if told.isdisjoint(term.words):
            kept.append(term)
            told.update(term.words)
    return tuple(kept)


def _are_related(a: Term, b: Term) -> bool:
    """Say whether terms look like words of one family: "traders" and "trade", not "stars" and "starch"."""
    one, other = normalize(a.text), normalize(b.text)
    if a.text[0].isupper() and b.text[0].isupper():
        return not _are_other_names(a.text, b.text)
    return one[:_MIN_FAMILY] == other[:_MIN_FAMILY] and same_word(one, other)


def _find_shared(
    a: DocumentTerms,
    b: DocumentTerms,
    words_a: dict[int, Term],
    words_b: dict[int, Term],
    statistics: TermStatistics,
    related: Sequence[NearTerms],
    space: SentenceSpace | None,
) -> tuple[SharedTerm, ...]:
    """Find the terms of both, the words that they have in other terms, and words of one family."""
    terms_a, terms_b = ({term.key: term for term in side.terms} for side in (a, b))
    names_a, names_b = (
        {word for term in side.terms if term.words[1:] and _is_name(term) for word in term.words}
        for side in (a, b)
    )
    both: list[SharedTerm] = []
    heads = set()

    def share(left: Term, right: Term, words: tuple[int, ...], most: float = np.inf) -> None:
        one, other = (_write_run(term, words, statistics.language) for term in (left, right))
        if not _are_other_names(one, other):  # "Henry" and "Henri" have one stem
            weight, minor = min(left.weight, right.weight, most), left.is_minor or right.is_minor
            both.append(SharedTerm(one, other, weight, left.spans, right.spans, words, minor))

    same = terms_a.keys() & terms_b.keys()
    for key in same:
        share(terms_a[key], terms_b[key], terms_a[key].words)
    used = {word for key in same for word in terms_a[key].words}
    words = np.array(sorted((words_a.keys() & words_b.keys()) - used), np.uint64)
    for word, idf in zip(words.tolist(), statistics.idf(words).tolist()):
        left, right = words_a[word], words_b[word]
        runs_a, runs_b = (
            {term.words[i:j] for i, j in combinations(range(len(term.words) + 1), 2)}
            for term in (left, right)
        )
        # "New Zealand" of "New Zealand Cricket": the longest row of words with this one that both have.
        run = max((run for run in runs_a & runs_b if word in run), key=lambda run: (len(run), run))
        if len(run) == 1:
            left, right = terms_a.get(word, left), terms_b.get(word, right)
            if word in names_a & names_b and word not in same:
                continue  # no "Bridge" of Wayne Bridge and Stamford Bridge
            if any(_follows_particle(term, word, statistics.language) for term in (left, right)):
                continue  # no "Allen" of Van Allen
            if any("-" in term.text and not _is_name(term) for term in (left, right)):
                continue  # no "avoid" of self-avoiding
        if all(term.words[-len(run) :] == run for term in (left, right)):
            heads.add(run)  # "war" of Gulf War
        share(left, right, run, 1.5 * idf)
    for pair in related:  # "traders" and "trade"
        share(pair.a, pair.b, tuple(sorted({*pair.a.words, *pair.b.words})))
    both = [term for term in both if term.weight >= MIN_SHARED]
    _, _, inside, capitals = statistics.words.find(np.array([term.words[0] for term in both], np.uint64))
    rarely = (capitals < _MIN_CAPITALS * inside) & (statistics.language.split(",")[0] not in CAPITAL_NOUNS)
    both = [
        term
        for term, is_rare in zip(both, rarely)
        # A word is of a name in one text and a plain word in the other: Red Sea and red.
        if not is_rare or term.words in heads or term.words[1:] or term.a[0].isupper() == term.b[0].isupper()
    ]
    if space is not None and both:
        known, read = _read_likeness([(term.a, term.b) for term in both], space)
        names = np.array([term.a[0].isupper() or term.b[0].isupper() for term in both])
        unlike = known & (read < np.where(names, MIN_SAME_NAME, MIN_SAME))
        both = [term for term, is_unlike in zip(both, unlike) if not is_unlike]
    whole = []
    for phrase in both:  # it stands for its words, which are told with it: "Paula Radcliffe" for "Paula"
        parts = [term for term in both if {*term.words} <= {*phrase.words}] if phrase.words[1:] else [phrase]
        spans_a = tuple(sorted({span for term in parts for span in term.spans_a}))
        spans_b = tuple(sorted({span for term in parts for span in term.spans_b}))
        weight = max(term.weight for term in parts)
        whole.append(replace(phrase, weight=weight, spans_a=spans_a, spans_b=spans_b))
    ranked = sorted(whole, key=lambda term: (-round(term.weight, 9), -len(term.words), term.words))
    return tuple(_vary(ranked, set()))


def _are_other_names(a: str, b: str) -> bool:
    """Say whether names that look alike are others: "Henry" and "Henri", not "Israel" and "Israeli"."""
    one, other = normalize(a).replace("-", " "), normalize(b).replace("-", " ")
    return a[0].isupper() and b[0].isupper() and not (one.startswith(other) or other.startswith(one))


def _is_name(term: Term) -> bool:
    pieces = term.text.replace("-", " ").split()
    return all(piece[0].isupper() for piece in (pieces[0], pieces[-1]))  # Ruud van Nistelrooy


def _follows_particle(term: Term, word: int, language: str) -> bool:
    """Say whether a word is a name only with the small word before it, as a term has it: Van Allen."""
    lexicon, pieces = lexicon_of(language), re.findall(r"[^\s'’-]+", term.text)
    before = next((one for one, piece in pairwise(pieces) if lexicon.key(piece) == word), "")
    return before[:1].isupper() and bool(lexicon.describe_words([before])[1][0] & PARTICLE)


def _write_run(term: Term, run: tuple[int, ...], language: str) -> str:
    """Write some words of a term as the term does."""
    lexicon, pieces = lexicon_of(language), [*re.finditer(r"[^\s'’-]+", term.text)]
    keys = tuple(lexicon.key(piece.group()) for piece in pieces)
    for first in range(len(keys) - len(run) + 1):
        if keys[first : first + len(run)] == run:
            return term.text[pieces[first].start() : pieces[first + len(run) - 1].end()]
    return term.text


def _least_near(a: Term, b: Term) -> float:
    """Return how near terms must be: common words are near many others ("points" and "spot")."""
    if _is_name(a) != _is_name(b):
        return 1.0  # no "Sven-Goran Eriksson" and "winger"
    if any("-" in term.text and not _is_name(term) for term in (a, b)):
        return 1.0  # no "see-saw" and "seen"
    common = (ranks().get(normalize(term.text), MAX_COMMON) < MAX_COMMON for term in (a, b))
    return MIN_NEAR_COMMON if all(common) else MIN_NEAR


def _read_likeness(
    pairs: Sequence[tuple[str, str]], space: SentenceSpace
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Say of which pairs of terms the encoder of sentences knows both, and how alike it finds them."""
    numbers: dict[str, int] = {}
    left, right = zip(*([numbers.setdefault(normalize(text), len(numbers)) for text in p] for p in pairs))
    rows = np.asarray(space.read_terms([*numbers]), np.float64)
    known = np.abs(rows).sum(axis=1) > 0
    alike = np.einsum("ij,ij->i", rows[[*left]], rows[[*right]])
    return known[[*left]] & known[[*right]], alike


def _near(
    own_a: Sequence[Term],
    own_b: Sequence[Term],
    language: str,
    vectors: WordVectors | None,
    space: SentenceSpace | None,
) -> tuple[tuple[NearTerms, ...], NDArray[np.float64]]:
    """Pair terms of near meaning, the best first, each once; give also all likenesses."""
    (points_a, heads_a, verbs_a), (points_b, heads_b, verbs_b) = (
        _place(own, language, vectors) for own in (own_a, own_b)
    )
    alike = points_a @ points_b.T
    # "Massive particles" are not near "large-N": what a phrase is about is its last word.
    apart = (heads_a @ heads_b.T < MIN_RELATED) | (verbs_a[:, None] & verbs_b)
    candidates = []
    for i, j in zip(*np.nonzero(alike > MIN_RELATED)):
        a, b = own_a[i], own_b[j]
        is_related = _are_related(a, b)
        if _are_other_names(a.text, b.text):
            alike[i, j] = 0.0  # Paris and Chicago are like each other, and say nothing of the texts
        elif not (a.is_minor or b.is_minor) and (
            is_related or (alike[i, j] > _least_near(a, b) and not apart[i, j])
        ):
            weight = round(float(alike[i, j]) * min(a.weight, b.weight), 9)
            candidates.append((not is_related, -weight, a.key ^ b.key, i, j))
    if space is not None and candidates:
        known, read = _read_likeness([(own_a[i].text, own_b[j].text) for *_, i, j in candidates], space)
        is_other = np.array([one[0] for one in candidates])
        kept = np.where(is_other, known & (read >= MIN_NEAR_READ), ~known | (read >= MIN_RELATED))
        candidates = [one for one, is_kept in zip(candidates, kept) if is_kept]
    used_a: set[int] = set()
    used_b: set[int] = set()
    near = []
    for *_, i, j in sorted(candidates):
        a, b = own_a[i], own_b[j]
        if used_a.isdisjoint(a.words) and used_b.isdisjoint(b.words):
            used_a.update(a.words)
            used_b.update(b.words)
            near.append(NearTerms(a, b))
    return tuple(near), alike


def _place(
    own: Sequence[Term], language: str, vectors: WordVectors | None
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    """Give the vectors of terms and of their last words, and say which name no thing."""
    texts, lexicon = [term.text for term in own], lexicon_of(language)
    heads = place_terms([re.split(r"[\s-]+", text)[-1] for text in texts], vectors)
    return place_terms(texts, vectors), heads, (lexicon.describe_words(texts)[1] & VERB) > 0


def _join(alike: NDArray[np.float64], sides: NDArray[np.bool_]) -> list[list[int]]:
    """Join the nearest groups, by the mean of their likenesses, while they are small and near enough."""
    members = [[k] for k in range(len(alike))]
    sums, sizes, counts = alike.copy(), np.ones(len(alike)), sides.astype(int)
    later = np.tril(np.ones(alike.shape, bool), -1)
    while True:
        fits = (counts[:, None] + counts <= MAX_GROUP).all(axis=2) & later & (sizes * sizes[:, None] > 0)
        mean = np.where(fits, sums / np.maximum(np.outer(sizes, sizes), 1), -1.0).round(9)
        i, j = np.unravel_index(int(mean.argmax()), mean.shape)
        if mean[i, j] < _MIN_GROUPED:
            return [own for own in members if own]
        members[j] += members[i]
        members[i] = []
        sums[j] += sums[i]
        sums[:, j] += sums[:, i]
        counts[j] += counts[i]
        sizes[j], sizes[i] = sizes[j] + sizes[i], 0
