"""The folder for what can be computed or fetched anew."""

import os
import sys
import time
from contextlib import suppress
from pathlib import Path

MAX_BYTES = 10 * 1024**3
"""Of files that were not used for a day: beyond so many the oldest go."""

MAX_AGE = 30 * 24 * 3600.0
"""Seconds after which a file that nobody has used goes."""

_DAY = 24 * 3600.0


def cache_folder() -> Path:
    """Return the folder where this system keeps caches, or the one that ``HOTT_CACHE`` names."""
    if own := os.environ.get("HOTT_CACHE"):
        return Path(own)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home()) / "hott" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "hott"
    given = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (given if given.is_absolute() else Path.home() / ".cache") / "hott"


def touch(path: Path) -> None:
    """Note that a cached file is in use now, and keep its modification time, on which its readers rely."""
    with suppress(OSError):
        os.utime(path, ns=(time.time_ns(), path.stat().st_mtime_ns))


def shrink(folder: Path, pattern: str) -> None:
    """Remove files that were not used for long, and, where there are too many, those not used for a day."""
    used = []
    for path in folder.glob(pattern):
        with suppress(OSError):  # another process was faster
            status = path.stat()
            used.append((time.time() - max(status.st_atime, status.st_mtime), status.st_size, path))
    kept = 0
    for age, size, path in sorted(used):
        kept += size
        if age > MAX_AGE or (age > _DAY and kept > MAX_BYTES):
            with suppress(OSError):  # Windows: someone reads it
                path.unlink()
