"""A fuzzer: small changes to sound files, and more changes to those that reach new lines of code.

A case is a chain of numbers, such as 17/3051: the file that mutation 17 makes of a sound one, changed once
more by mutation 3051. Chains that reach lines which none before had reached are changed further. So every
case can be made again from its chain alone.

Cases run in a process of their own, and its parent watches: a crash, more than ten seconds or more than a
gigabyte is a defect, and so is any error that the target does not allow.
"""

import json
import mmap
import os
import random
import resource
import signal
import struct
import sys
import time
import warnings
from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from types import FrameType
from typing import Any, Protocol

from common import Campaign, described

MAX_SECONDS = 10.0  # seconds
MAX_MEMORY = 1 << 30  # bytes, above what the process has at its start
_MAX_CHAIN_LENGTH = 6
_WATCHED = 0.25  # of the cases: watching the lines takes longer than running them
_STATE = struct.Struct("<qd200s")  # cases done, when the last one began, its chain


class Target(Protocol):
    """Something that reads files."""

    name: str
    allowed: tuple[type[BaseException], ...]

    def base(self, rng: random.Random) -> Any:
        """One of the sound files, in a form that ``change`` understands."""

    def change(self, case: Any, rng: random.Random) -> Any: ...

    def run(self, case: Any, folder: Path) -> str:
        """Read the file; say in a word what came of it."""


def built(target: Target, chain: tuple[int, ...]) -> Any:
    """The case of a chain."""
    case = target.base(random.Random(chain[0]))
    for number in chain:
        case = target.change(case, random.Random(f"{target.name} {number}"))
    return case


def fuzz(campaign: Campaign, target: Target) -> None:
    """Run cases until the time is over."""
    shared = mmap.mmap(-1, mmap.PAGESIZE)
    next_case, restarts = campaign.first, 0
    while campaign.in_time and restarts < 1000:
        found = campaign.folder / f"{target.name}.found"
        found.write_text("")
        shared[: _STATE.size] = _STATE.pack(0, time.monotonic() + 60, b"starting")
        child = os.fork()
        if child == 0:
            try:
                _work(campaign, target, next_case, shared, found)
            except BaseException as error:
                print(f"the fuzzer itself failed: {described(error)}", file=sys.stderr, flush=True)
                os._exit(5)
            os._exit(0)
        status = _watched(child, campaign, shared)
        done, _, chain = _STATE.unpack(shared[: _STATE.size])
        name = chain.rstrip(b"\0").decode()
        if status:
            campaign.defect(f"{target.name}: {status}", f"--replay {target.name} {name}")
        for line in found.read_text().splitlines():
            report = json.loads(line)
            campaign.counts.update(report.get("counts", {}))
            for what, case in report.get("defects", {}).items():
                campaign.defect(what, case)
        campaign.count(f"{target.name}: cases", done)
        next_case, restarts = next_case + done + 1, restarts + 1
    campaign.count(f"{target.name}: next case", next_case)


def _watched(child: int, campaign: Campaign, shared: mmap.mmap) -> str:
    """Wait for a worker; say what was wrong with its end, if anything was."""
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            code = os.waitstatus_to_exitcode(status)
            return (
                "" if code in (0, 6) else f"killed by signal {-code}" if code < 0 else f"exit status {code}"
            )
        _, began, _ = _STATE.unpack(shared[: _STATE.size])
        if time.monotonic() - began > MAX_SECONDS * slowness():
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return f"takes more than {MAX_SECONDS:.0f} seconds"
        time.sleep(0.05)


def slowness() -> float:
    """How many processes share a core at the moment: ten seconds of one are more by the clock."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1)) * 2


def _work(campaign: Campaign, target: Target, first: int, shared: mmap.mmap, found: Path) -> None:
    warnings.simplefilter("ignore")
    sys.stderr.flush()
    folder = campaign.folder / f"{target.name}.{os.getpid()}"
    folder.mkdir()
    pool: list[tuple[int, ...]] = []
    lines, counts, defects = _Lines(), Counter[str](), set[str]()
    at_start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    number, done = first, 0

    def defect(what: str, name: str) -> None:
        """Written down at once: the next case may bring down the process."""
        if what not in defects:
            defects.add(what)
            _tell(found, {"defects": {what: f"--replay {target.name} {name}"}})

    while campaign.in_time:
        rng = campaign.random(target.name, number)
        chain = (rng.getrandbits(32),)
        if pool and rng.random() < 0.7:
            chain = (*rng.choice(pool), *chain)
        name = "/".join(map(str, chain))
        shared[: _STATE.size] = _STATE.pack(done, time.monotonic(), name.encode())
        case = built(target, chain)
        try:
            with lines if rng.random() < _WATCHED else nullcontext():
                counts[f"{target.name}: {target.run(case, folder)}"] += 1
        except target.allowed:
            counts[f"{target.name}: refused"] += 1
        except BaseException as error:
            defect(f"{target.name}: {described(error)}", name)
            counts[f"{target.name}: wrong errors"] += 1
        if lines.new and len(chain) < _MAX_CHAIN_LENGTH:
            pool.append(chain)
        lines.new = False
        number, done = number + 1, done + 1
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - at_start
        if memory > MAX_MEMORY:
            defect(f"{target.name}: takes {memory >> 20} MB", name)
            break  # a new worker begins with little memory again
    shared[: _STATE.size] = _STATE.pack(done, time.monotonic(), b"")
    counts[f"{target.name}: lines reached"] = len(lines.seen)
    _tell(found, {"counts": counts})


def _tell(found: Path, what: dict[str, Any]) -> None:
    with found.open("a") as file:
        file.write(json.dumps(what) + "\n")


class _Lines:
    """The lines of ours that a block of code reaches, and whether some of them are new."""

    def __init__(self) -> None:
        import hott

        self._ours = str(Path(hott.__file__).parent)
        self.seen: set[tuple[Any, int]] = set()
        self.new = False

    def __enter__(self) -> None:
        self._before = len(self.seen)
        sys.settrace(self._called)

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)
        self.new = len(self.seen) > self._before

    def _called(self, frame: FrameType, event: str, arg: Any) -> Any:
        return self._line if frame.f_code.co_filename.startswith(self._ours) else None

    def _line(self, frame: FrameType, event: str, arg: Any) -> Any:
        self.seen.add((frame.f_code, frame.f_lineno))
        return self._line


def replay(target: Target, name: str, folder: Path) -> None:
    """Run one case again, here, and let its error be seen."""
    case = built(target, tuple(map(int, name.split("/"))))
    print("outcome:", target.run(case, folder))
