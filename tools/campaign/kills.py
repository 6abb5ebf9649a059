"""Stop every writer at every system call that changes a file, and see what is there afterwards.

A small library in C, loaded before the C library, counts the calls; see shim.c. Processes are forked from one
that has all it needs in memory, so that a kill takes milliseconds.
"""

import ctypes
import gc
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from common import Campaign, described
from processes import DONE, KILLED, REFUSED, ended, started
from writers import Writer, writers

COUNT, KILL, HALF, POWER, FULL = range(5)
MODES = {KILL: "killed", HALF: "killed in a write", POWER: "power cut", FULL: "disk full"}


def supported() -> str | None:
    """Why this cannot be run here, or None."""
    if sys.platform != "linux":
        return "needs Linux (LD_PRELOAD)"
    if not _compiled():
        return "needs a C compiler (cc)"
    return None


def _compiled() -> Path | None:
    library = Path(tempfile.gettempdir(), f"hott-campaign-shim-{os.getuid()}.so")
    source = Path(__file__).with_name("shim.c")
    if not library.exists() or library.stat().st_mtime < source.stat().st_mtime:
        made = library.with_suffix(f".{os.getpid()}")
        try:
            command = ["cc", "-O1", "-shared", "-fPIC", "-o", str(made), str(source), "-ldl"]
            subprocess.run(command, check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            return None
        made.replace(library)
    return library


def preload() -> None:
    """Start this program again with the library, unless that was done."""
    library = str(_compiled())
    if os.environ.get("LD_PRELOAD") != library:
        os.environ["LD_PRELOAD"] = library
        os.execv(sys.executable, [sys.executable, *sys.argv])


def run(campaign: Campaign) -> None:
    """Every writer, every way to stop it, every call; as many as the time allows, in a random order."""
    shim = ctypes.CDLL(os.environ["LD_PRELOAD"])
    shim.campaign_arm.argtypes = [ctypes.c_long, ctypes.c_int]
    cases = []
    for writer in writers(campaign.only):
        prepared = _prepared(campaign, writer)
        prepared.mkdir()
        writer.prepare(prepared)
        with tempfile.TemporaryDirectory(dir=campaign.folder) as name:
            writer.write(shutil.copytree(prepared, Path(name, "once")))  # imports what the others then have
        total = _count(shim, writer, campaign)
        modes = [mode for mode in MODES if mode != POWER or writer.durable]
        cases += [(writer, mode, n) for n in range(total) for mode in modes]
    campaign.random("kills").shuffle(cases)
    gc.freeze()  # copies of this process share what they do not touch
    campaign.count("ways to stop a writer", len(cases))
    for writer, mode, n in cases[: campaign.max_kills]:
        if not campaign.in_time:
            campaign.count("ways left out for want of time")
            continue
        _stop(shim, campaign, writer, mode, n)


def _prepared(campaign: Campaign, writer: Writer) -> Path:
    """What is there before a writer begins, made once."""
    return campaign.folder / f"before {writer.name}"


def _count(shim: ctypes.CDLL, writer: Writer, campaign: Campaign) -> int:
    """How many calls a whole run makes, and whether what it writes is right at all."""
    with tempfile.TemporaryDirectory(dir=campaign.folder) as name:
        folder = Path(name)
        shutil.copytree(_prepared(campaign, writer), folder, dirs_exist_ok=True)
        total = campaign.folder / "total"

        def counted() -> None:
            shim.campaign_arm(-1, COUNT)
            writer.write(folder)
            total.write_text(str(shim.campaign_count()))

        if ended(started(counted)) != DONE:
            raise RuntimeError(f"{writer.name} does not work at all")
        writer.check(folder, True)
        return int(total.read_text())


def _stop(shim: ctypes.CDLL, campaign: Campaign, writer: Writer, mode: int, n: int) -> None:
    case = f"{writer.name}, {MODES[mode]} at call {n}"
    campaign.count(f"{MODES[mode]}: {writer.name}")
    with tempfile.TemporaryDirectory(dir=campaign.folder) as name:
        folder = Path(name)
        shutil.copytree(_prepared(campaign, writer), folder, dirs_exist_ok=True)
        status = ended(started(lambda: (shim.campaign_arm(n, mode), writer.write(folder))))
        campaign.count(MODES[mode])
        if status not in ((DONE, REFUSED) if mode == FULL else (DONE, KILLED)):
            campaign.defect(f"{writer.name}: {MODES[mode]}, and then exit status {status}", case)
        try:
            writer.check(folder, False)
        except Exception as error:
            campaign.defect(f"{writer.name}: {MODES[mode]} leaves {described(error)}", case)
            return
        if ended(started(lambda: writer.write(folder))) != DONE:
            campaign.defect(f"{writer.name}: {MODES[mode]}, and it cannot be done again", case)
            return
        try:
            writer.check(folder, True)
        except Exception as error:
            campaign.defect(f"{writer.name}: {MODES[mode]}, done again: {described(error)}", case)
