"""A disk that is really full: a small one in memory where we may mount it, a limit on files where not."""

import os
import resource
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from common import Campaign, described
from processes import DONE, REFUSED, ended, started
from writers import Writer, writers

STEP = 4096


def run(campaign: Campaign) -> None:
    """Every writer with a little more room each time, until it has enough."""
    for writer in writers(campaign.only):
        with _small_disk(campaign.folder) as (folder, real):
            if folder is None:
                continue
            try:
                writer.prepare(folder)
                _fill_up(campaign, writer, folder, real)
            except OSError as error:
                campaign.defect(f"{writer.name}: cannot be tried on a small disk: {error}", writer.name)


def _fill_up(campaign: Campaign, writer: Writer, folder: Path, real: bool) -> None:
    ballast = folder.parent / "ballast"
    room = 0
    while campaign.in_time:
        if real:
            free = os.statvfs(folder).f_bavail * os.statvfs(folder).f_frsize
            with ballast.open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, max(1, free - room))
        work = partial(writer.write, folder) if real else partial(_limited, writer, folder, room)
        status = ended(started(work))
        campaign.count("disk really full" if real else "files limited")
        if real:
            ballast.unlink()
        case = f"{writer.name} with {room} bytes of room"
        if status not in (DONE, REFUSED):
            campaign.defect(f"{writer.name}: on a full disk it ends with {status}", case)
        try:
            writer.check(folder, status == DONE)
        except Exception as error:
            campaign.defect(f"{writer.name}: a full disk leaves {described(error)}", case)
            return
        if status == DONE:
            return
        room += STEP * max(1, room // (16 * STEP))


def _limited(writer: Writer, folder: Path, limit: int) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    writer.write(folder)


@contextmanager
def _small_disk(parent: Path) -> Iterator[tuple[Path | None, bool]]:
    """A folder on a disk of 16 MB, if we may mount one; else an ordinary folder, to be used with a limit."""
    with tempfile.TemporaryDirectory(dir=parent) as name:
        mount = ["mount", "-t", "tmpfs", "-o", "size=16m", "none", name]
        real = os.geteuid() == 0 and subprocess.run(mount, capture_output=True).returncode == 0
        try:
            folder = Path(name, "folder")
            folder.mkdir()
            yield folder, real
        finally:
            if real:
                subprocess.run(["umount", "-l", name], check=True)
