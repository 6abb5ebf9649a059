"""Change single expressions of the compiled core, and see whether the tests notice.

All changes are compiled at once into a copy of the core, each behind a switch (mutation.hpp); the tests are
then run with one change after the other, those that come by it, the fastest first. No file of the repository
is touched.

    python tools/mutate_core.py --changes 100 --seed 1
    python tools/mutate_core.py --line csrc/simplex.hpp:140        # only changes of that line
"""

import argparse
import hashlib
import json
import os
import random
import resource
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mutate import MEMORY, NOTICED, SURVIVED, UNREACHED, Mutant
from reached import QUIET, ROOT, Only, collect, silence
from switches import Change, Switches, built

FILES = [
    *("simplex.hpp", "potentials.hpp", "exact_sum.hpp", "fixed_point.hpp", "tree.hpp", "pricing_kernel.hpp"),
    *("lockstep.cpp", "simplex_lanes.hpp", "common_mass.hpp", "documents.hpp", "pair_solver.hpp"),
    *("pairwise.hpp", "bounds.hpp"),
    *("bounds_kernel.hpp", "parallel.hpp", "words.hpp", "sparse_l1.hpp", "smallest.hpp", "scan.hpp"),
    *("scan_kernel.hpp", "lexical.hpp", "sampler.hpp", "sampler_kernel.hpp", "sampler_table.hpp"),
    *("nearest_vectors.hpp", "nearest_kernel.hpp", "foldin.hpp", "foldin_kernel.hpp", "foldin_steps.h"),
]
TESTS = [
    *(f"transport/test_{room}.py" for room in ("solve", "exact", "densities", "batch")),
    *("distances/test_word.py", "distances/test_vector.py", "test_neighbors.py", "test_scan.py"),
    *("lexical/test_postings.py", "topics/test_sampler.py", "topics/test_foldin.py", "test_threads.py"),
    "test_campaign.py",
]
MAX_SECONDS = 25  # seconds of the processor: of tests that come by a change, the fastest so long
SLOW = ("larger_than_memory", "twenty_thousand", "eighty_thousand", "survive", "input_files", "every_writer")
QUICK = " and ".join(f"not {name}" for name in SLOW)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--changes", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=1, help="go on with this one of a run of that seed")
    parser.add_argument("--line", help="file:line, to change nothing else")
    options = parser.parse_args()
    module, changes = built(FILES)
    sys.meta_path.insert(0, Mutant("hott._core", module, None))
    os.chdir(ROOT)
    _quick_examples()
    switches = Switches(module, changes)
    files = [ROOT / "tests" / name for name in TESTS]
    tests = {file: _recorded(file, switches, module.parent) for file in files}
    if options.line:
        changes = [change for change in changes if change.place == options.line]
    random.Random(options.seed).shuffle(changes)
    changes, survived = changes[: options.changes], []
    for count, change in enumerate(changes[options.first - 1 :], options.first):
        verdict = _verdict(change, switches, tests)
        survived += [] if verdict == NOTICED else [change]
        print(f"{count}/{len(changes)} {verdict} {change}", flush=True)
    print(f"\n{len(changes) - options.first + 1 - len(survived)} noticed; survived:")
    for change in survived:
        print(f"  {change}")
    return 1 if survived else 0


# The tests of a file, the fastest first: their names, their seconds, and the changes that they come by.
Recorded = list[tuple[str, float, list[int]]]


def _recorded(file: Path, switches: Switches, folder: Path) -> Recorded:
    """Which changes the tests of a file come by, run now where it is new."""
    text = file.read_bytes()
    kept = folder / f"{file.stem}-{hashlib.sha256(text).hexdigest()[:12]}.json"
    collect([file])
    if not kept.exists():
        child = os.fork()
        if child == 0:
            silence()
            recorder = Recorder(switches)
            failed = pytest.main([*QUIET, "-k", QUICK, str(file)], plugins=[recorder])
            if not failed:
                kept.write_text(json.dumps(recorder.recorded()))
            os._exit(failed)
        if os.waitpid(child, 0)[1]:
            raise SystemExit(f"The tests fail without any change: {file}")
    return [tuple(fields) for fields in json.loads(kept.read_text())]


class Recorder:
    """Notes which changes each test comes by, and how long it takes, while pytest runs them."""

    def __init__(self, switches: Switches) -> None:
        self._switches = switches
        self._now: set[int] = set()
        self._shared: set[int] = set()
        self._seconds: dict[str, float] = {}
        self._reached: dict[str, set[int]] = {}

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._now = set()
        self._switches.take_reached()
        began = time.process_time()
        yield
        self._seconds[item.nodeid] = time.process_time() - began
        self._reached[item.nodeid] = self._now | self._switches.take_reached()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Iterator[None]:
        self._now |= self._switches.take_reached()
        yield
        if fixturedef.scope != "function":
            self._shared |= self._switches.take_reached()

    def recorded(self) -> Recorded:
        """What is made for several tests is come by by all."""
        names = sorted(self._seconds, key=self._seconds.__getitem__)
        return [(name, self._seconds[name], sorted(self._reached[name] | self._shared)) for name in names]


def _verdict(change: Change, switches: Switches, tests: dict[Path, Recorded]) -> str:
    """Whether a test fails or crashes with a change, or takes more of the processor than it should."""
    reaching = {
        (file, name): seconds
        for file, found in tests.items()
        for name, seconds, reached in found
        if change.number in reached
    }
    fastest = sorted(reaching, key=reaching.__getitem__)
    total = np.cumsum([reaching[test] for test in fastest])
    chosen = {test: reaching[test] for test in fastest[: np.searchsorted(total, MAX_SECONDS) + 1]}
    if not chosen:
        return UNREACHED
    child = os.fork()
    if child == 0:
        silence()
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        signal.alarm(600)  # ends one whose threads wait for each other
        switches.turn_on(change)
        only = Only({name: seconds for (_, name), seconds in chosen.items()})
        os._exit(pytest.main(["-x", *QUIET, *{str(file) for file, _ in chosen}], plugins=[only]))
    return NOTICED if os.waitpid(child, 0)[1] else SURVIVED


def _quick_examples() -> None:
    """The same examples every time, and none smaller of one that fails."""
    import hypothesis

    phases = [hypothesis.Phase.explicit, hypothesis.Phase.generate]
    hypothesis.settings.register_profile("quick", phases=phases, database=None, derandomize=True)
    hypothesis.settings.load_profile("quick")


if __name__ == "__main__":
    sys.exit(main())
