"""Files beside the documents are never run, whatever they are called."""

import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from tests.corpus.readers import files

# What Python, hott and the libraries beside it may look for. A file of that name in the folder of the
# documents must not be taken for it.
NAMES = {
    *sys.stdlib_module_names,
    *("hott", "pypdf", "openpyxl", "et_xmlfile", "lxml", "defusedxml", "pyarrow", "Stemmer", "cryptography"),
    *("Crypto", "PIL", "fontTools", "arabic_reshaper", "numpy", "scipy", "sklearn", "pandas", "polars"),
    *("typer", "rich", "click", "fastapi", "uvicorn", "starlette", "plotly", "openTSNE", "joblib", "fsspec"),
    *("dask", "distributed", "tornado", "msgpack", "cloudpickle", "zarr", "sitecustomize", "usercustomize"),
}
COMMANDS = """
    index . -o a.hott --topics 2 --models 1 --iterations 5 --min-df 1
    index . -o s.hotts --shards 2 --topics 2 --models 1 --iterations 5 --min-df 1
    sync a.hott .
    index more --like a.hott -o b.hott --label none
    merge a.hott b.hott -o c.hott
    add a.hott more --label none
    update a.hott more
    search a.hott cats
    remove a.hott new.pdf
    compare a.hott a.txt d.pdf
    topics a.hott
    neighbors a.hott -o n.csv
    distances a.hott -o d.npy
    duplicates a.hott
    clusters a.hott
    outliers a.hott
    table a.hott -o x.csv
    map a.hott -o m.html
    info a.hott
    export a.hott -o site
    classify t.csv --label label
"""
RUN = """
import sys
from hott.cli.app import run
if __name__ == "__main__":  # workers import this script
    for line in sys.argv[1].strip().splitlines():
        status = run(line.split())
        print("status", status, line.strip(), file=sys.stderr, flush=True)
"""
READ = """
import warnings
import hott
warnings.simplefilter("ignore")
corpus = hott.read(".")
print(sorted(corpus.ids))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Documents of every format among files that leave a mark when they are run."""
    root = tmp_path / "documents"
    files.folder_of_all(root)
    (root / "t.csv").write_text("text,label\n" + "cats purr and sleep,pets\nbanks lend money,money\n" * 5)
    (root / "u.xlsx").write_bytes(files.xlsx([["text"], ["cats sleep"]]))
    (root / "m.mbox").write_bytes(files.MBOX)
    (root / "more").mkdir()
    (root / "more" / "new.pdf").write_bytes(files.pdf("new cats"))
    mark = tmp_path / "run"
    for name in NAMES:
        (root / f"{name}.py").write_text(f"open({str(mark)!r}, 'a').write(__name__ + ' ')\n")
    return root


def run(folder: Path, code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a script that lies elsewhere, as the command ``hott`` does, in the folder of the documents."""
    script = folder.parent / "bin" / "script.py"
    script.parent.mkdir(exist_ok=True)
    script.write_text(code)
    return subprocess.run(
        [sys.executable, str(script), *arguments],
        cwd=folder,
        env={**os.environ, "HOTT_CACHE": str(folder.parent / "cache")},
        capture_output=True,
        text=True,
        check=False,
    )


def executed(folder: Path) -> str:
    mark = folder.parent / "run"
    return mark.read_text() if mark.exists() else ""


def test_reading_a_folder_runs_nothing_that_lies_in_it(folder):
    done = run(folder, READ)
    assert executed(folder) == ""
    assert "'d.pdf'" in done.stdout, done.stderr


def test_nothing_is_run_from_a_session_that_searches_the_current_folder_for_modules(folder):
    """In a notebook, and after ``python -c``, the current folder is the first that Python looks in."""
    code = (
        "import sys\nfrom hott.corpus import read\nimport openpyxl, pyarrow\nsys.path.insert(0, '')\n" + READ
    )
    done = run(folder, code)
    assert executed(folder) == ""
    assert "'d.pdf'" in done.stdout, done.stderr


def test_no_command_runs_what_lies_beside_the_documents(folder):
    done = run(folder, RUN, COMMANDS)
    assert executed(folder) == ""
    failed = [
        line for line in done.stderr.splitlines() if line.startswith("status") and "status 0" not in line
    ]
    assert failed == [], done.stderr
    script = folder.parent / "bin" / "script.py"
    script.write_text("from hott.cli import main\nmain()\n")
    process = subprocess.Popen(
        [sys.executable, "-u", str(script), "explore", "a.hott", "--no-browser"],
        cwd=folder,
        env={**os.environ, "HOTT_CACHE": str(folder.parent / "cache")},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        address = next(word for word in process.stdout.readline().split() if word.startswith("http"))
        page = urllib.request.urlopen(address).read()
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()
        process.stdout.close()
    assert b"<html" in page
    assert executed(folder) == ""


def test_workers_do_not_run_it_either(folder):
    done = run(folder, RUN, "index . -o w.hott --topics 2 --models 1 --iterations 5 --min-df 1 --workers 1")
    assert executed(folder) == ""
    assert "status 0" in done.stderr, done.stderr
