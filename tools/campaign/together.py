"""Several processes that write the same thing at the same moment, some of them killed."""

import os
import shutil
import signal
import tempfile
import time
from pathlib import Path

from common import Campaign, described
from processes import DONE, KILLED, REFUSED, ended, started
from writers import Writer, writers

PROCESSES = 4


def run(campaign: Campaign) -> None:
    """Round after round, each with one of the writers, until the time is over."""
    all_writers = writers(campaign.only)
    for writer in all_writers:
        before = campaign.folder / f"before {writer.name}"
        if not before.exists():
            before.mkdir()
            writer.prepare(before)
    number = 0
    while campaign.in_time:
        _together(campaign, all_writers[number % len(all_writers)], number)
        number += 1


def _together(campaign: Campaign, writer: Writer, number: int) -> None:
    rng = campaign.random("together", number)
    case = f"{writer.name}, round {number}"
    with tempfile.TemporaryDirectory(dir=campaign.folder) as name:
        folder = Path(name)
        shutil.copytree(campaign.folder / f"before {writer.name}", folder, dirs_exist_ok=True)
        gate = time.monotonic() + 0.05

        def at_the_gate() -> None:
            while time.monotonic() < gate:
                pass
            writer.write(folder)

        children = [started(at_the_gate) for _ in range(PROCESSES)]
        if number % 3 == 0:  # every third time some die on the way
            time.sleep(0.05 + rng.random() * 0.1)
            for child in rng.sample(children, 2):
                os.kill(child, signal.SIGKILL)
        for child in children:
            status = ended(child)
            campaign.count("concurrent writers")
            # A store for one process alone may say that another process is at it.
            if status not in (DONE, KILLED) and not (status == REFUSED and writer.alone):
                campaign.defect(f"{writer.name}: a concurrent writer ends with {status}", case)
        try:
            writer.check(folder, False)
            if ended(started(lambda: writer.write(folder))) != DONE:
                raise AssertionError("it cannot be done again")
            writer.check(folder, True)
        except Exception as error:
            campaign.defect(f"{writer.name}: concurrent writers leave {described(error)}", case)
