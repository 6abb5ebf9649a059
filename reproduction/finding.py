"""A finding: our number beside a claim of the paper, and whether the claim holds by it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

from reproduction.results import Results


@dataclass(frozen=True)
class Finding:
    """Our number, whether the claim holds by it, whether that is more than chance, and where it is from."""

    ours: str
    holds: bool
    source: str
    certain: bool | None = None  # None where there is no test of it

    @property
    def verdict(self) -> str:
        said = "holds" if self.holds else "fails"
        return said if self.certain in (None, True) else f"{said}, within chance"


Look: TypeAlias = Callable[[Results], Finding | None]


def inverted(look: Look) -> Look:
    """The contrary of what is looked up."""

    def looked(results: Results) -> Finding | None:
        found = look(results)
        return None if found is None else replace(found, holds=not found.holds)

    return looked


def both_hold(first: Look, second: Look) -> Look:
    """Two findings in one."""

    def looked(results: Results) -> Finding | None:
        a, b = first(results), second(results)
        if a is None or b is None:
            return None
        certain = None if None in (a.certain, b.certain) else bool(a.certain and b.certain)
        return Finding(f"{a.ours}; {b.ours}", a.holds and b.holds, a.source, certain)

    return looked
