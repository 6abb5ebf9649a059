"""Stop every writer at every system call that changes a file, and see what is there afterwards.

A small library in C, loaded before the C library, counts the calls; see shim.c. Processes are forked from one
that has all it needs in memory, so that a kill takes milliseconds.
"""

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common import Campaign, described
from writers import Writer, writers

COUNT, KILL, HALF, POWER, FULL = range(5)
MODES = {KILL: "killed", HALF: "killed in a write", POWER: "power cut", FULL: "disk full"}
PATIENCE = 60.0  # seconds after which a writer that was let run counts as hanging


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
    campaign.count("ways to stop a writer", len(cases))
    for writer, mode, n in cases:
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
        end, start = os.pipe()
        child = os.fork()
        if child == 0:
            shim.campaign_arm(-1, COUNT)
            writer.write(folder)
            os.write(start, str(shim.campaign_count()).encode())
            os._exit(0)
        os.close(start)
        with os.fdopen(end) as counted:
            total = int(counted.read() or 0)
        os.waitpid(child, 0)
        writer.check(folder, True)
        return total


def _stop(shim: ctypes.CDLL, campaign: Campaign, writer: Writer, mode: int, n: int) -> None:
    case = f"{writer.name}, {MODES[mode]} at call {n}"
    campaign.count(f"{MODES[mode]}: {writer.name}")
    with tempfile.TemporaryDirectory(dir=campaign.folder) as name:
        folder = Path(name)
        shutil.copytree(_prepared(campaign, writer), folder, dirs_exist_ok=True)
        status = _forked(writer, folder, lambda: shim.campaign_arm(n, mode))
        campaign.count(MODES[mode])
        expected = {-signal.SIGKILL, 0} if mode != FULL else {0, 3}
        if status not in expected:
            campaign.defect(f"{writer.name}: {MODES[mode]}, and then exit status {status}", case)
        try:
            writer.check(folder, False)
        except Exception as error:
            campaign.defect(f"{writer.name}: {MODES[mode]} leaves {described(error)}", case)
            return
        if _forked(writer, folder) != 0:
            campaign.defect(f"{writer.name}: {MODES[mode]}, and it cannot be done again", case)
            return
        try:
            writer.check(folder, True)
        except Exception as error:
            campaign.defect(f"{writer.name}: {MODES[mode]}, done again: {described(error)}", case)


def _forked(writer: Writer, folder: Path, arm: object = None) -> int | str:
    """Run a writer in a process of its own. 0: done. 3: an OSError, as it should be. 4: another error."""
    child = os.fork()
    if child == 0:
        code = 4
        try:
            sys.stderr = open(os.devnull, "w")  # noqa: SIM115
            if callable(arm):
                arm()
            writer.write(folder)
            code = 0
        except OSError:
            code = 3
        finally:
            os._exit(code)
    began = time.monotonic()
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() - began > PATIENCE:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return "hanging"
        time.sleep(0.001)
