"""Run something in a process of its own, and see how it ends."""

import os
import signal
import time
from collections.abc import Callable
from typing import Any

DONE, REFUSED, FAILED = 0, 3, 4  # without an error, with an OSError, with another error
KILLED = -signal.SIGKILL
HANGING = "hanging"


def started(work: Callable[[], Any]) -> int:
    """Begin ``work`` in a copy of this process; gives its number."""
    child = os.fork()
    if child:
        return child
    code = FAILED
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        work()
        code = DONE
    except OSError:
        code = REFUSED
    finally:
        os._exit(code)


def ended(child: int, patience: float = 120.0) -> int | str:
    """How a process ended: one of the codes above, or minus the signal that killed it."""
    ends = time.monotonic() + patience
    while time.monotonic() < ends:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.001)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return HANGING
