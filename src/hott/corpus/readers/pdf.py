"""Text out of PDF, by pypdf in a process of its own, which a file made to hang or to fill the memory ends."""

import base64
import contextlib
import io
import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO, Any, cast

from hott.corpus.readers.lines import largest_document, pdf_seconds
from hott.corpus.readers.rows import Record

MAX_MEMORY = 4 << 30
MAX_PROPERTY = 10_000  # characters of a title or an author
# What a program wrote for a title is the name of the file that the PDF was made of.
FILE_NAME = re.compile(r"\.(dvi|docx?|fm|indd|odt|pdf|pptx?|ps|qxd|rtf|tex|txt|wpd|xlsx?)$", re.IGNORECASE)

# Folders come after Python's own: no file in one of them can take the place of a module of Python.
_START = "import sys; sys.path += sys.argv[1:]; from hott.corpus.readers.pdf import serve; serve()"


class PdfReader:
    """Reads PDF files, one after the other, in another process, which is started when it is needed."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def read(self, data: bytes) -> Record:
        """Return the title and text of a file; a ValueError says why it cannot be read."""
        process = self._process or self._start()
        to, back = cast(IO[bytes], process.stdin), cast(IO[bytes], process.stdout)
        seconds = pdf_seconds()
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
            self.close()
            raise ValueError(f"it took more than {seconds:g} s or too much memory, and was given up")
        answer = json.loads(line)
        if "missing" in answer:
            raise ImportError(
                f"{answer['missing']} is needed here and not installed. "
                'Install it with: pip install "hott[documents]"'
            )
        if "error" in answer:
            raise ValueError(answer["error"])
        return Record(**answer)

    def _start(self) -> "subprocess.Popen[bytes]":
        # Isolated (-I): neither the current folder, where the documents may lie, nor what PYTHONPATH names
        # is searched before Python's own modules. The current folder is not searched at all.
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-c", _START, *module_folders()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=os.path.abspath(os.sep),
        )
        return self._process

    def close(self) -> None:
        """End the process, if there is one."""
        if self._process is not None:
            self._process.kill()
            for pipe in (self._process.stdin, self._process.stdout):
                with contextlib.suppress(OSError):
                    if pipe is not None:
                        pipe.close()
            self._process.wait()
            self._process = None


def module_folders() -> list[str]:
    """List where this process finds modules, without the current folder and the folder of the script."""
    unsafe = {os.path.realpath("")}
    if sys.argv and os.path.isfile(sys.argv[0]):
        unsafe.add(os.path.dirname(os.path.realpath(sys.argv[0])))
    folders = [path for path in sys.path if os.path.isabs(path) and os.path.realpath(path) not in unsafe]
    return [*folders, str(Path(__file__).parents[3])]


def serve() -> None:
    """Read files from standard input, one a line, and write what they say to standard output."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    for line in sys.stdin.buffer:
        try:
            answer = extract(base64.b64decode(line))
        except MemoryError:
            os._exit(1)
        except ModuleNotFoundError as error:
            answer = {"missing": error.name}
        except Exception as error:  # whatever a broken file makes pypdf raise
            told = f"{type(error).__name__}: {str(error)[:200]}"
            answer = {"error": f"it is damaged, or no PDF that can be read ({told})"}
        sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
        sys.stdout.buffer.flush()


def extract(data: bytes) -> dict[str, Any]:
    """Return the title, text and columns of a PDF, or the error that is in the way."""
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
    properties = reader.metadata
    title, author = (properties.title, properties.author) if properties else (None, None)
    title = str(title or "").strip()[:MAX_PROPERTY]
    return {
        "title": "" if FILE_NAME.search(title) else title,
        "text": "\n\n".join(filter(None, pages)),
        "columns": {"author": str(author)[:MAX_PROPERTY]} if author else {},
    }
