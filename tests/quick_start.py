"""A ``hott`` and a ``python`` that start at once, for tests that run many: imports take most of the time.

A process that has imported everything waits for calls, and a fresh copy of it runs each one, as ``hott`` or
``python -c`` would: in the caller's folder and environment, with its standard input and output. What is read
when Python or hott starts (``PYTHONHASHSEED``, ``HOTT_INSTRUCTIONS``) is that of the first process.
"""

import gc
import importlib
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOMS = ("cli.app", "demo", "evaluation", "explorer", "explorer.export", "frames", "index", "plots", "report")
SCRIPT = """#!{python} -IS
import json, os, socket, sys
call = json.dumps([os.getcwd(), {name!r}, sys.argv[1:], dict(os.environ)]).encode()
with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    socket.send_fds(server, [len(call).to_bytes(4, "big")], [0, 1, 2])
    server.sendall(call)
    sys.exit(int(server.recv(16) or b"70"))
"""


@contextmanager
def quick_commands(folder: Path) -> Iterator[Path]:
    """Put commands that start at once into a folder: ``bin/hott``, ``python``."""
    address = folder / "calls"
    (folder / "bin").mkdir()
    for script in (folder / "bin" / "hott", folder / "python"):
        script.write_text(SCRIPT.format(python=sys.executable, name=script.name, address=str(address)))
        script.chmod(0o755)
    command = [sys.executable, "-m", "tests.quick_start", address]
    with subprocess.Popen(command, cwd=Path(__file__).parents[1], stdout=subprocess.PIPE) as server:
        try:
            assert server.stdout.readline() == b"ready\n"
            yield folder
        finally:
            server.kill()


def serve(address: str) -> None:
    """Run every call that comes in a copy of this process."""
    for room in ROOMS:
        importlib.import_module(f"hott.{room}")
    importlib.import_module("sklearn.model_selection")
    gc.freeze()  # copies share what they do not touch
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        print("ready", flush=True)
        while True:
            caller, _ = listener.accept()
            if os.fork() == 0:
                answer(caller)
            caller.close()


def answer(caller: socket.socket) -> None:
    """Run one call, and tell its exit code."""
    size, streams, _, _ = socket.recv_fds(caller, 4, 3)
    call = caller.recv(int.from_bytes(size, "big"), socket.MSG_WAITALL)
    child = os.fork()
    if child:
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        caller.sendall(str(code).encode())
        os._exit(0)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    folder, name, arguments, environment = json.loads(call)
    encoding = environment.get("PYTHONIOENCODING")
    sys.stdin, sys.stdout = open(0, encoding=encoding), open(1, "w", encoding=encoding)  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, encoding=encoding)  # noqa: SIM115
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    if name == "hott":
        from hott.cli import main

        sys.argv = ["hott", *arguments]
        main()
    else:
        option, code, *rest = arguments
        assert option == "-c"
        sys.argv = [option, *rest]
        exec(compile(code, "<string>", "exec"), {"__name__": "__main__"})
        sys.exit()


if __name__ == "__main__":
    serve(sys.argv[1])
