"""Which lines of ours each test reaches, and how long it takes: noted once for a file of tests, and kept.

A change to a line need then be shown only to the tests that reach it, the fastest first.
"""

import gc
import hashlib
import json
import os
import resource
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from functools import cache
from io import StringIO
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "hott"
KEPT = ROOT / "build" / "reached"
# A change is made in memory, so a browser, a cluster of processes or a GPU would not see it.
HERE = "not browser and not cluster and not gpu"

QUIET = ["-q", "-p", "no:cacheprovider", "-p", "no:unraisableexception"]  # which collects garbage five times

Lines = dict[str, list[int]]  # by file, below src/hott


@dataclass
class Reached:
    """What the tests of one file reach."""

    seconds: dict[str, float] = field(default_factory=dict)  # of the processor, by test
    lines: dict[str, Lines] = field(default_factory=dict)  # by test
    shared: Lines = field(default_factory=dict)  # by what is made once for several tests

    def tests(self, file: str, lines: range) -> list[str]:
        """The tests that reach one of the lines; all of them where it is reached for all."""
        wanted = set(lines)
        if wanted.intersection(self.shared.get(file, ())):
            return list(self.seconds)
        return [test for test, reached in self.lines.items() if wanted.intersection(reached.get(file, ()))]


@cache
def reached(tests: Path) -> Reached:
    """What a file of tests reaches, run now where it or our code is new."""
    files = [tests, *sorted(SOURCE.rglob("*.py"))]
    key = hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()
    kept = KEPT / f"{'-'.join(tests.relative_to(ROOT / 'tests').with_suffix('').parts)}.json"
    if kept.exists():
        found = json.loads(kept.read_text())
        if found.pop("key") == key:
            return Reached(**found)
    collect([tests])
    child = os.fork()
    if child == 0:
        recorder = Recorder()
        silence()
        failed = pytest.main([*QUIET, "-m", HERE, str(tests)], plugins=[recorder])
        if failed not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            os._exit(1)
        KEPT.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps({"key": key, **recorder.result()}))
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        raise SystemExit(f"The tests fail without any change: {tests}")
    return Reached(**{name: value for name, value in json.loads(kept.read_text()).items() if name != "key"})


def collect(files: Sequence[Path]) -> None:
    """Import the modules of tests, and ours with them: processes that are forked from this one have them."""
    new = [str(file) for file in files if file not in _COLLECTED]
    if new:
        with redirect_stdout(StringIO()):
            pytest.main(["--collect-only", *QUIET, *new])
        _COLLECTED.update(files)
        gc.collect()
        gc.freeze()  # what is there now need not be searched in every fork


_COLLECTED: set[Path] = set()


def silence() -> None:
    """Let nothing that this process says be seen."""
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)


class Recorder:
    """Notes what each test reaches, while pytest runs them."""

    def __init__(self) -> None:
        self._unseen: dict[tuple[int, CodeType], set[int]] = {}
        self._shared: set[tuple[str, int]] = set()
        self._of_test: dict[str, set[tuple[str, int]]] = {}
        self._seconds: dict[str, float] = {}
        self._now = self._shared
        threading.settrace(self._called)
        sys.settrace(self._called)

    def _called(self, frame: FrameType, event: str, arg: Any) -> Any:
        left = self._left(frame.f_code)
        return self._line if left else None

    def _line(self, frame: FrameType, event: str, arg: Any) -> Any:
        left = self._left(frame.f_code)
        if frame.f_lineno in left:
            left.discard(frame.f_lineno)
            self._now.add((frame.f_code.co_filename, frame.f_lineno))
        return self._line if left else None

    def _left(self, code: CodeType) -> set[int]:
        """The lines of ours that have not been reached yet: where there is none, nothing is traced."""
        key = id(self._now), code
        if key not in self._unseen:
            ours = code.co_filename.startswith(str(SOURCE))
            self._unseen[key] = {line for *_, line in code.co_lines() if line} if ours else set()
        return self._unseen[key]

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._now = self._of_test[item.nodeid] = set()
        self._unseen.clear()
        began = time.process_time()
        sys.settrace(self._called)  # a test may have taken it away
        yield
        self._seconds[item.nodeid] = time.process_time() - began
        self._now = self._shared

    @pytest.hookimpl(hookwrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Iterator[None]:
        now = self._now
        if fixturedef.scope != "function":
            self._now = self._shared
        yield
        self._now = now

    def result(self) -> dict[str, Any]:
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]
        lines = {test: _by_file(found) for test, found in self._of_test.items()}
        return {"seconds": self._seconds, "lines": lines, "shared": _by_file(self._shared)}


def _by_file(found: set[tuple[str, int]]) -> Lines:
    lines: Lines = {}
    for file, line in sorted(found):
        lines.setdefault(os.path.relpath(file, SOURCE), []).append(line)
    return lines


class Only:
    """Runs the given tests alone, the fastest first, and ends the process where one takes far too long.

    Parameters
    ----------
    seconds : mapping of the name of a test to the time of the processor that it takes
    """

    def __init__(self, seconds: Mapping[str, float]) -> None:
        self._seconds = seconds

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if item.nodeid in self._seconds]
        of_file = dict.fromkeys((item.path for item in items), 0.0)
        for item in items:
            of_file[item.path] += self._seconds[item.nodeid]
        # File by file, as what is made for all tests of a file is made once so.
        items.sort(key=lambda item: (of_file[item.path], item.path, self._seconds[item.nodeid]))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        limit = int(time.process_time() + 10 + 5 * self._seconds[item.nodeid])
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
