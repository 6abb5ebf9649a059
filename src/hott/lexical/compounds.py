"""Words made of words, as German, Dutch and the Scandinavian languages write them."""

from bisect import bisect_left
from collections.abc import Container, Iterator, Sequence
from functools import cached_property

# What may stand between the parts of a word.
LINKS = {
    "german": ("", "s", "es", "n", "en", "er", "e"),
    "dutch": ("", "s", "e", "en"),
    "danish": ("", "s", "e"),
    "norwegian": ("", "s", "e"),
    "swedish": ("", "s"),
}
MIN_PART = 4  # letters
MIN_LAST = 3  # letters of a second part that is known, beside one that is: weinles
MIN_SURE = 5  # letters of a part from which what stands beside it need be no known word
MAX_ENDING = 3  # letters that a stem lacks of another: rettung, bankenrett


class Compounds:
    """The forms of a collection, by the words that they are made of.

    >>> words = Compounds(sorted(["abgas", "abgasaffär", "skandal", "trainer", "cheftrainer"]), "german")
    >>> words.split("abgasskandal")
    ('abgas', 'skandal')
    >>> words.find("abgas"), words.find("trainer")
    (['abgasaffär'], ['cheftrainer'])
    """

    def __init__(self, forms: Sequence[str], language: str | None) -> None:
        self._forms = forms
        self._links = LINKS.get(language or "", ())

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self._forms)

    @cached_property
    def _reversed(self) -> list[str]:
        return sorted(form[::-1] for form in self._forms)

    def split(self, form: str) -> tuple[str, str] | None:
        """Split a form in two, of which one at least is a form of the collection, or None.

        Both known is best, best of all as they are, then few letters between them, then a long second part.
        """
        splits = []
        for cut in range(MIN_PART, len(form) - MIN_LAST + 1):
            first, rest = form[:cut], form[cut:]
            for link in self._links:
                second = rest.removeprefix(link)
                words = (first in self._known) + (second in self._known)
                if not rest.startswith(link) or len(second) < (MIN_PART if link or words < 2 else MIN_LAST):
                    continue
                known = words or self._begins_compound(first)
                both = words == 2 or (self.complete(first) and self.complete(second))
                long = second if second in self._known else first
                if both or (known and (link or len(long) >= MIN_SURE)):
                    splits.append((-words, not both, len(link), cut, first, second))
        return min(splits)[-2:] if splits else None

    def find(self, part: str) -> list[str]:
        """Find the forms that begin or end with a part, and have another part beside it."""
        if not self._links or len(part) < MIN_PART:
            return []
        after = [form for form in _begin_with(self._forms, part) if self._is_beside(form[len(part) :], part)]
        before = [
            turned[::-1]
            for turned in _begin_with(self._reversed, part[::-1])
            if self._is_beside(turned[::-1][: -len(part)], part, before=True)
        ]
        return [*after, *before]

    def _is_beside(self, rest: str, part: str, before: bool = False) -> bool:
        """Tell whether what is left of a form without a part is a word, or long enough to be one."""
        if before:
            left = [rest[: len(rest) - len(link)] for link in self._links if rest.endswith(link)]
        else:
            left = [rest[len(link) :] for link in self._links if rest.startswith(link)]
        if len(part) < MIN_SURE:  # "send" is in Nachrichtensendung, and not in tausend and wachsend
            return any(len(word) >= MIN_PART and word in self._known for word in left)
        return len(rest) >= MIN_PART or any(
            len(word) >= MIN_PART - 1 and word in self._known for word in left
        )

    def _begins_compound(self, word: str) -> bool:
        """Tell whether a known word stands after this one in a form of the collection."""
        rests = (form[len(word) :] for form in _begin_with(self._forms, word))
        return len(word) >= MIN_SURE and any(
            len(rest) >= len(link) + MIN_PART and self.complete(rest[len(link) :])
            for rest in rests
            for link in self._links
            if rest.startswith(link)
        )

    def find_relatives(self, form: str, stop_words: Container[str] = ()) -> list[str]:
        """Find the forms with the longest beginning in common, and another long part after it.

        A beginning that is no form itself may still be a word; one that starts with a stop word, such as
        "unter" in Untersuchung, says nothing.

        >>> Compounds(["abgasaffär", "abgeordneter"], "german").find_relatives("abgasskandal")
        ['abgasaffär']
        """
        lengths = range(len(form) - MIN_PART, MIN_SURE - 1, -1) if self._links else ()
        for length in lengths:
            if any(form[:end] in stop_words for end in range(MIN_PART, length + 1)):
                continue
            others = _begin_with(self._forms, form[:length])
            if found := [other for other in others if len(other) >= length + MIN_PART]:
                return found
        return []

    def complete(self, word: str) -> list[str]:
        """Return the word if the collection has it, else forms of which it is the beginning of the stem."""
        longest = len(word) + MAX_ENDING * (len(word) >= MIN_PART)
        found = [form for form in _begin_with(self._forms, word) if len(form) <= longest]
        return found[:1] if word in self._known else found


def _begin_with(words: Sequence[str], start: str) -> Iterator[str]:
    place = bisect_left(words, start)
    while place < len(words) and words[place].startswith(start):
        yield words[place]
        place += 1
