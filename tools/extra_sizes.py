"""Print how many megabytes hott and each of its extras take on the disk, with what they depend on.

    python tools/extra_sizes.py

Only what is installed here is counted: an extra with a missing package is marked with its name.
"""

import re
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement

import hott


def requirements(name: str, extra: str = "") -> list[str]:
    """Return the requirements of a package that hold here, for one extra or for none."""
    lines = [Requirement(line) for line in distribution(name).requires or []]
    own = [line for line in lines if line.marker is None or line.marker.evaluate({"extra": extra})]
    without = [line for line in lines if line.marker is None or line.marker.evaluate({"extra": ""})]
    kept = [line for line in own if not extra or line not in without]
    return [line.name if not line.extras else f"{line.name}[{','.join(line.extras)}]" for line in kept]


def closure(name: str, extra: str = "") -> tuple[set[str], set[str]]:
    """Return all packages that a package needs, itself left out, and those of them that are not installed."""
    needed: set[str] = set()
    missing: set[str] = set()
    waiting = requirements(name, extra)
    while waiting:
        wanted, extras = re.fullmatch(r"([^\[]+)(?:\[(.*)\])?", waiting.pop()).groups()  # type: ignore[union-attr]
        wanted = wanted.lower().replace("_", "-")
        try:
            for one in (extras or "").split(","):
                if one:
                    waiting += requirements(wanted, one)
            if wanted not in needed:
                needed.add(wanted)
                waiting += requirements(wanted)
        except PackageNotFoundError:
            missing.add(wanted)
    return needed - {name} - missing, missing


def megabytes(name: str) -> float:
    """Return the size of a package: of its files, or of the folder of hott, which a checkout may hold."""
    if name == "hott":
        own = Path(hott.__file__).parent.rglob("*")
        return sum(path.stat().st_size for path in own if path.is_file() and path.suffix != ".pyc") / 1e6
    files = [path.locate() for path in distribution(name).files or []]
    return sum(path.stat().st_size for path in files if path.is_file()) / 1e6


if __name__ == "__main__":
    base, _ = closure("hott")
    print(f"{'hott':10} {sum(map(megabytes, base)) + megabytes('hott'):6.0f} MB")
    for extra in distribution("hott").metadata.get_all("Provides-Extra") or []:
        needed, missing = closure("hott", extra)
        lacking = f"  without {', '.join(sorted(missing))}" if missing else ""
        print(f"{extra:10} {sum(map(megabytes, needed - base)):6.0f} MB{lacking}")
