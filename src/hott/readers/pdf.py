"""Text out of PDF, by pypdf in a process of its own, which a file made to hang or to fill the memory ends."""

import base64
import contextlib
import io
import json
import os
import subprocess
import sys
import threading
from typing import IO, Any, cast

from hott._optional import need
from hott.readers.limits import largest_document
from hott.readers.markup import Page

SECONDS = 60
"""That one file may take; the variable HOTT_PDF_SECONDS sets another limit."""

MEMORY = 4 << 30


class PdfReader:
    """Reads PDF files, one after the other, in another process, which is started when it is needed."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "PdfReader":
        return self

    def __exit__(self, *exception: object) -> None:
        self._stop()

    def read(self, data: bytes) -> Page:
        """The title and text of a file; a ValueError that says why not."""
        need("pypdf", extra="documents")
        process = self._process or self._started()
        to, back = cast(IO[bytes], process.stdin), cast(IO[bytes], process.stdout)
        seconds = float(os.environ.get("HOTT_PDF_SECONDS", SECONDS))
        timer = threading.Timer(seconds, process.kill)
        timer.start()
        try:
            to.write(base64.b64encode(data) + b"\n")
            to.flush()
            line = back.readline()
        except OSError:
            line = b""
        finally:
            timer.cancel()
        if not line:
            self._stop()
            raise ValueError(f"it took more than {seconds:g} s or too much memory, and was given up")
        answer = json.loads(line)
        if "error" in answer:
            raise ValueError(answer["error"])
        return Page(answer["title"], answer["text"], answer["columns"])

    def _started(self) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-c", "from hott.readers.pdf import serve; serve()"]
        paths = os.pathsep.join(path for path in sys.path if path)
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": paths},
        )
        return self._process

    def _stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            for pipe in (self._process.stdin, self._process.stdout):
                with contextlib.suppress(OSError):
                    if pipe is not None:
                        pipe.close()
            self._process.wait()
            self._process = None


def serve() -> None:
    """Read files from standard input, one a line, and write what they say to standard output."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for line in sys.stdin.buffer:
        try:
            answer = extract(base64.b64decode(line))
        except MemoryError:
            os._exit(1)
        except Exception as error:  # whatever a broken file makes pypdf raise
            told = f"{type(error).__name__}: {str(error)[:200]}"
            answer = {"error": f"it is damaged, or no PDF that can be read ({told})"}
        sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
        sys.stdout.buffer.flush()


def extract(data: bytes) -> dict[str, Any]:
    """What a PDF says: title, text and columns, or the error that is in the way."""
    import pypdf

    reader = pypdf.PdfReader(io.BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        return {"error": "it is encrypted with a password"}
    pages, length = [], 0
    for page in reader.pages:
        text = page.extract_text()
        length += len(text)
        if length > largest_document():
            return {"error": f"its text is larger than {largest_document():,} characters"}
        pages.append(text.strip())
    told = reader.metadata
    return {
        "title": str((told and told.title) or "").strip(),
        "text": "\n\n".join(filter(None, pages)),
        "columns": {"author": str(told.author)} if told and told.author else {},
    }
