"""A finding: our number beside a claim of the paper, and whether the claim holds by it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
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
Judgement: TypeAlias = tuple[bool, bool | None]
"""Whether a part of a claim holds, and whether that is more than chance (None: not known)."""


def judge_all(parts: Sequence[Judgement]) -> Judgement:
    """Judge a claim whose parts must all hold: it fails for certain as soon as one part does.

    Examples
    --------
    >>> judge_all([(True, False), (False, True)]), judge_all([(True, True), (True, False)])
    ((False, True), (True, False))
    """
    failed = [certain for holds, certain in parts if not holds]
    if failed:
        return False, True if True in failed else None if None in failed else False
    known = [certain for _, certain in parts]
    return True, None if None in known else all(known)


def judge_any(parts: Sequence[Judgement]) -> Judgement:
    """Judge a claim of which one part must hold: it holds for certain as soon as one part does.

    Examples
    --------
    >>> judge_any([(True, True), (False, False)]), judge_any([(False, True), (False, False)])
    ((True, True), (False, False))
    """
    holds, certain = judge_all([(not holds, certain) for holds, certain in parts])
    return not holds, certain


def conjoin(*looks: Look) -> Look:
    """Make one finding of several that must all hold."""

    def look(results: Results) -> Finding | None:
        found = [finding for one in looks if (finding := one(results)) is not None]
        if len(found) < len(looks):
            return None
        holds, certain = judge_all([(finding.holds, finding.certain) for finding in found])
        sources = "; ".join(dict.fromkeys(finding.source for finding in found))
        return Finding("; ".join(finding.ours for finding in found), holds, sources, certain)

    return look
