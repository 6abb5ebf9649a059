"""What the parts of a campaign share: time, counts, and the defects that were found."""

import random
import sys
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Campaign:
    """One run: where it may write, how long it may take, what it has counted and found."""

    folder: Path
    seed: int
    counts: Counter[str] = field(default_factory=Counter)
    defects: dict[str, str] = field(default_factory=dict)  # what is wrong, and the first case that showed it
    first: int = 0  # number of the first case of fuzzers and of transport
    ends: float = 0.0  # of the part that is running
    only: tuple[str, ...] = ()  # writers and commands whose name begins with one of these; all without any
    max_kills: int | None = None

    def random(self, *what: object) -> random.Random:
        """Numbers that depend on the seed and on ``what`` alone."""
        return random.Random(f"{self.seed} {what}")

    @property
    def in_time(self) -> bool:
        return time.monotonic() < self.ends

    def count(self, what: str, n: int = 1) -> None:
        self.counts[what] += n

    def defect(self, what: str, case: str) -> None:
        """Report something once, however often it comes."""
        self.counts["defects"] += 1
        if what not in self.defects:
            self.defects[what] = case
            print(f"\nDEFECT {what}\n  first seen: {case}", file=sys.stderr, flush=True)


def described(error: BaseException) -> str:
    """An error by its type and the line of ours that raised it, so that the same one is known again."""
    ours = [frame for frame in traceback.extract_tb(error.__traceback__) if "/hott/" in frame.filename]
    where = f"{'/'.join(Path(ours[-1].filename).parts[-2:])}:{ours[-1].lineno}" if ours else "elsewhere"
    return f"{type(error).__name__} at {where}: {str(error)[:120]}"
