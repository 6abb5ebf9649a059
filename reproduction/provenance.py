"""Where a row of results comes from: code, settings, libraries, processor."""

import hashlib
import json
import platform
import subprocess
from collections.abc import Sequence
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import hott
from hott.utils.atomic import atomic_write, file_lock
from reproduction.study import Study

REVISION = 2
"""Raised when a change of ours alters numbers: rows of another revision are computed again."""

_LIBRARIES = ("numpy", "scipy", "scikit-learn", "POT", "openTSNE", "gensim", "sentence-transformers")
_COMMON = ("documents", "book_words", "topics", "iterations", "models", "words_a_book")


def stamp(study: Study, uses: Sequence[str] = ()) -> dict[str, str]:
    """What every row of an experiment carries. Rows with the same version and settings belong together.

    ``settings`` and ``machine`` are short names; provenance.json beside the tables says what they stand for.

    Parameters
    ----------
    study : Study
    uses : names of sizes that the experiment depends on, beside those of documents and topics
    """
    settings = {name: getattr(study.sizes, name) for name in (*_COMMON, *uses)}
    machine = {"processor": _processor(), "threads": study.run.n_threads, "libraries": _libraries()}
    if study.run.device != "cpu":
        machine["device"] = _device()
    if study.glove_file.exists():
        machine["glove"] = hashlib.sha256(study.glove_file.read_bytes()).hexdigest()[:16]
    names = {"settings": _short(settings), "machine": _short(machine)}
    remember(study.out, {names["settings"]: settings, names["machine"]: machine})
    version = hott.__version__.split(".dev")[0]  # a release does not alter numbers, a revision does
    return {"version": f"{version}-{REVISION}", "commit": COMMIT, **names}


def remembered(out: Path) -> dict[str, Any]:
    """What the short names in the tables of a folder stand for."""
    path = out / "provenance.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def remember(out: Path, entries: dict[str, Any]) -> None:
    """Add what short names stand for to those of a folder."""
    if entries.keys() <= remembered(out).keys():
        return
    out.mkdir(parents=True, exist_ok=True)
    path = out / "provenance.json"
    with file_lock(path):
        known = {**remembered(out), **entries}
        with atomic_write(path) as file:
            file.write((json.dumps(known, indent=1, sort_keys=True) + "\n").encode())


def _short(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:8]


def _libraries() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in _LIBRARIES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def _device() -> str:
    """The name of the GPU; empty without one."""
    from hott.compute import gpu

    return gpu.cupy().cuda.runtime.getDeviceProperties(0)["name"].decode() if gpu.available() else ""


@cache
def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def _read_commit() -> str:
    """Return the commit of a checkout, with a plus where files differ from it; empty outside of one."""
    folder = Path(__file__).parent

    def git(*arguments: str) -> str:
        done = subprocess.run(
            ["git", "-c", "core.fsmonitor=false", "-C", str(folder), *arguments],
            capture_output=True,
            text=True,
            check=True,
            timeout=10,
        )
        return done.stdout.strip()

    try:
        code = [str(folder), *(str(folder.parent / name) for name in ("src", "csrc"))]  # not the results
        changed = git("status", "--porcelain", "--untracked-files=no", "--", *code)
        return git("rev-parse", "--short=10", "HEAD") + "+" * bool(changed)
    except (OSError, subprocess.SubprocessError):
        return ""


COMMIT = _read_commit()
"""Of the code as it was loaded: a checkout that moves on while a run lasts does not alter it."""
