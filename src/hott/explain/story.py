"""What a comparison says, in plain sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from hott.topics.names import same_word
from hott.utils.wording import per_cent

if TYPE_CHECKING:
    from hott.explain.comparison import Comparison, Theme, Word

TELLING = 0.25  # weight from which a theme is worth a sentence
MIN_MENTIONED = 0.05  # mass from which it is
NEAR, FAR = 0.5, 0.2  # closeness: above the one documents are near, below the other far
MAX_NAMED = 3  # words in a sentence
MAX_MENTIONED = 2  # themes of a kind in a sentence


def is_near(nearness: float, both: float) -> bool:
    """Whether a theme brings documents together: both have it, and in much the same topics."""
    return nearness >= max(0.02, 0.3 * both)


def is_alone(only: float, both: float) -> bool:
    """Whether a theme is of one document alone, or nearly."""
    return only >= max(MIN_MENTIONED, 2 * both)


def leading(theme: Theme, n: int = MAX_NAMED) -> tuple[str, ...]:
    """The words that stand for a theme: those of both documents first, then those of either in turn."""
    common = [word.text for word in common_words(theme)]
    rest_a, rest_b = own_words(theme)
    in_turn = [w.text for k in range(n) for side in (rest_a, rest_b) for w in side[k : k + 1]]
    return tuple(dict.fromkeys([*common, *in_turn]))[:n]


def common_words(theme: Theme) -> tuple[Word, ...]:
    """Words that both documents have, in some form, those of A first."""
    a = [word for word in theme.words_a if word.in_both or _among(word, theme.words_b)]
    b = [word for word in theme.words_b if word.in_both and not _among(word, theme.words_a)]
    return (*a, *b)


def own_words(theme: Theme) -> tuple[tuple[Word, ...], tuple[Word, ...]]:
    """Words that stand for the theme in one document, and that the other has not."""
    return (
        tuple(word for word in theme.words_a if not (word.in_both or _among(word, theme.words_b))),
        tuple(word for word in theme.words_b if not (word.in_both or _among(word, theme.words_a))),
    )


def _among(word: Word, words: Sequence[Word]) -> bool:
    """Whether some form of a word is among others."""
    return any(
        form == other or same_word(form, other) for one in words for other in one.forms for form in word.forms
    )


def verdict(c: Comparison) -> str:
    """Near, far or between, on the scale of unrelated topics."""
    if not c.distance:
        return "The same topics in the same proportions: distance 0."
    how = "Near" if c.closeness > NEAR else "Far apart" if c.closeness < FAR else "Related"
    if c.same_words is None:
        return f"{how}: distance {c.distance:.3f}, where unrelated topics are {c.far:.2f} apart."
    words = f"{per_cent(c.same_words)} of their words are the same"
    return f"{how}: topics {c.topics:.3f} apart, where unrelated ones are {c.far:.2f}; {words}."


def sentences(c: Comparison) -> tuple[str, ...]:
    """The comparison in a few sentences: what both share, what only one of them has."""
    found = [verdict(c)]
    found += [_shared(theme) for theme in c.shared[:MAX_MENTIONED]]
    if not c.shared:
        found.append(_nothing(c))
        return tuple(found)
    for letter, themes in (("A", _only(c, "a")), ("B", _only(c, "b"))):
        if themes:
            found.append(f"Only {letter} is about {' and '.join(themes)}.")
    return tuple(found)


def why(c: Comparison) -> str:
    """One line: what is in common, and what sets the two apart."""
    if not c.distance and not c.moved:
        strongest = max(c.themes, key=lambda theme: (not theme.is_other, theme.both))
        return f"the same topics: {strongest.name}"
    same = (
        []
        if c.shared
        else [word.text for theme in c.themes if not theme.is_other for word in common_words(theme)]
    )
    sides = ([word for word in _heaviest(c, side) if word not in same][:MAX_NAMED] for side in "ab")
    apart = " / ".join(", ".join(words) for words in sides if words)
    if not c.shared:
        common = f"words in common: {', '.join(same[:MAX_NAMED])}; apart" if same else "nothing in common"
        return f"{common}: {apart}" if apart else common.removesuffix("; apart")
    common = "; ".join(f"{theme.name} ({per_cent(theme.both)})" for theme in c.shared[:MAX_MENTIONED])
    return f"in common: {common}" + (f"; apart: {apart}" if apart and c.moved else "")


def _shared(theme: Theme) -> str:
    common, (a, b) = common_words(theme), own_words(theme)
    part = f"({per_cent(theme.both)})"
    own = "; ".join(f"{_listed(side)} in {letter}" for side, letter in ((a, "A"), (b, "B")) if side)
    if common:
        return f"Both are about {_listed(common)} {part}" + (f": {own}." if own else ".")
    return f"Related words {part}: {own}."


def _nothing(c: Comparison) -> str:
    heaviest = (
        max(c.themes, key=lambda t: (t.mass_a > 0, round(t.mass_a * t.weight**2, 12))).words_a,
        max(c.themes, key=lambda t: (t.mass_b > 0, round(t.mass_b * t.weight**2, 12))).words_b,
    )
    told = "; ".join(
        f"{letter} is about {_listed(words, 5)}" for letter, words in zip("AB", heaviest) if words
    )
    return f"They have nothing in common that would bring them together: {told}.{_closest(c)}"


def _closest(c: Comparison) -> str:
    """Where documents that share nothing come closest."""
    theme = max(c.themes, key=lambda theme: round(c.nearness(theme) * theme.weight, 12))
    if theme.both < MIN_MENTIONED or c.nearness(theme) < 0.02:
        return ""
    return f" They come closest in {', '.join(leading(theme, 6))} ({per_cent(theme.both)})."


def _only(c: Comparison, side: str) -> list[str]:
    alone = c.only_a if side == "a" else c.only_b
    themes = [theme for theme in alone if theme not in c.shared][:MAX_MENTIONED]
    return [
        f"{_listed(_words_of(theme, side))} ({per_cent(theme.only_a if side == 'a' else theme.only_b)})"
        for theme in themes
    ]


def _words_of(theme: Theme, side: str) -> Sequence[Word]:
    """Words of one side, those that the other has not first."""
    own = own_words(theme)[0 if side == "a" else 1]
    return (*own, *common_words(theme))


def _heaviest(c: Comparison, side: str) -> list[str]:
    """Words of the theme that one side has most of, and the other has least of."""

    def apart(theme: Theme) -> float:
        own = theme.only_a if side == "a" else theme.only_b
        return -round(own * theme.weight**2, 12)

    theme = min((theme for theme in c.themes if theme not in c.shared), key=apart, default=c.themes[-1])
    return [word.text for word in _words_of(theme, side)]


def _listed(words: Iterable[Word], n: int = MAX_NAMED) -> str:
    return ", ".join([word.text for word in words][:n])
