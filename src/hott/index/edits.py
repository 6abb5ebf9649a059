"""What people change about the topics of an index: their names, which are one, which are not shown."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from hott.topics import Topic, named_topics

Kind: TypeAlias = Literal["rename", "merge", "hide", "show"]
MAX_NAME_LENGTH = 200


@dataclass(frozen=True, slots=True)
class Edit:
    """One change to the topics of a model. All of them, in order, are kept with the index.

    The topics themselves, and so all distances, stay as they are: an edit is about what is shown.

    Attributes
    ----------
    kind : "rename", "merge", "hide" or "show"
    topics : tuple of int
        Numbers; the first one stands for all that are merged.
    name : str
        The new one, where there is one.
    model : int

    Examples
    --------
    >>> print(Edit("rename", (3,), "Cooking"))
    rename topic 3 to 'Cooking'
    """

    kind: Kind
    topics: tuple[int, ...]
    name: str = ""
    model: int = 0

    def __str__(self) -> str:
        numbers = ", ".join(map(str, self.topics))
        name = f" to {self.name!r}" if self.name else ""
        return f"{self.kind} topic{'s' * (len(self.topics) > 1)} {numbers}{name}"

    def check(self, n_topics: Sequence[int]) -> "Edit":
        """Check the edit and return it, tidied; an error says what is wrong with it."""
        if self.kind not in get_args(Kind):
            raise ValueError(f"kind must be one of {', '.join(get_args(Kind))}; got {self.kind!r:.40}.")
        if self.model not in range(len(n_topics)):
            raise ValueError(f"model must be from 0 to {len(n_topics) - 1}, got {self.model!r:.40}.")
        wrong = [number for number in self.topics if number not in range(n_topics[self.model])]
        if wrong or not self.topics:
            raise ValueError(
                f"topics must be numbers from 0 to {n_topics[self.model] - 1}, got {self.topics!r:.60}."
            )
        if self.kind == "merge" and len(set(self.topics)) < 2:
            raise ValueError(f"merge wants two topics or more, got {self.topics!r:.60}.")
        if not isinstance(self.name, str) or len(self.name) > MAX_NAME_LENGTH:
            raise ValueError(f"name must be a text of at most {MAX_NAME_LENGTH} characters.")
        if self.kind == "rename" and not (self.name.strip() and len(self.topics) == 1):
            raise ValueError("rename wants one topic and a name. Undo the renaming to have the old one back.")
        return replace(self, topics=tuple(dict.fromkeys(map(int, self.topics))), name=self.name.strip())


@dataclass(frozen=True, slots=True, eq=False)
class Curation:
    """What all edits of one model come to."""

    leader: NDArray[np.intp]  # of each topic: the one that stands for it, itself where it was not merged
    names: dict[int, str]  # of topics that were renamed
    hidden: frozenset[int]

    @classmethod
    def of(cls, edits: Iterable[Edit], model: int, n_topics: int) -> "Curation":
        leader, names, hidden = np.arange(n_topics), dict[int, str](), set[int]()
        for edit in edits:
            if edit.model != model:
                continue
            # Whoever names a topic that was merged means the one that stands for it.
            topics = [int(leader[number]) for number in edit.topics]
            if edit.kind == "merge":
                leader[np.isin(leader, topics)] = topics[0]
                typed = [names.pop(number) for number in topics if number in names]
                names |= {topics[0]: typed[0]} if typed else {}  # what someone typed outlives a merge
            if edit.kind == "hide":
                hidden.update(topics)
            elif edit.kind == "show":
                hidden.difference_update(topics)
            if edit.name:
                names[topics[0]] = edit.name
        return cls(leader, names, frozenset(hidden))

    def members(self, number: int) -> list[int]:
        """List the topics that one stands for, itself included."""
        found: list[int] = np.flatnonzero(self.leader == number).tolist()
        return found

    def join(
        self, topics: Sequence[Topic], components: NDArray[np.floating], words: Sequence[str], **how: Any
    ) -> list[Topic]:
        """List the topics that stand for others or themselves, hidden ones too, by the names people gave."""
        found = []
        for number in np.unique(self.leader).tolist():
            topic = topics[number]
            if len(parts := [topics[k] for k in self.members(number)]) > 1:
                shares = np.array([part.share for part in parts])
                weights = shares / shares.sum() if shares.sum() > 0 else np.full(len(parts), 1 / len(parts))
                [mixed] = named_topics((weights @ components[self.members(number)])[None], words, **how)
                topic = replace(
                    mixed,
                    name=parts[int(shares.argmax())].name,
                    share=float(shares.sum()),
                    coherence=float(weights @ np.array([part.coherence for part in parts])),
                    concentration=float(weights @ np.array([part.concentration for part in parts])),
                    is_filler=all(part.is_filler for part in parts),
                )
            found.append(replace(topic, number=number, name=self.names.get(number, topic.name)))
        return found
