"""The explorer as files that open without a server."""

import json
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from pydantic import BaseModel

from hott._atomic import guarded, replacing
from hott._progress import Progress, reporting
from hott.explorer.answers import Answers
from hott.explorer.assets import assets, bundle
from hott.explorer.layout import Layout, cache_folder
from hott.explorer.schemas import ComparisonSide

if TYPE_CHECKING:
    from hott.index import Index

# A page from a file has no headers, so the policy stands in the page. Files may load files beside them.
_POLICY = (
    "default-src 'none'; script-src 'self' file:; style-src 'self' file:; "
    "img-src 'self' file: data: blob:; base-uri 'none'; form-action 'none'"
)
_MODULE = '<script type="module" src="static/app.js"></script>'
_SCRIPTS = '<script src="data/start.js"></script>\n  <script defer src="static/app.js"></script>'
_META = '<meta charset="utf-8">'

# What an export is made of. Whatever else lies in the folder is not touched.
_START = "data/start.js"
_ASIDE = ".exporting"
_OURS = re.compile(
    r"index\.html|static/(app\.js|style\.css|icon\.svg|plotly\.js)|data/(start|map|regions|topics-\d+|documents/\d+)\.js"
    rf"|(static/|data/|data/documents/)?{re.escape(_ASIDE)}"
)
_UNFINISHED = """addEventListener("DOMContentLoaded", () => {
  document.body.textContent = "This export was interrupted. Run hott export again.";
});
"""


def export_site(
    index: "Index",
    folder: str | os.PathLike[str],
    *,
    name: str = "",
    neighbors: int = 10,
    cache: Path | None = None,
    progress: Progress = None,
) -> Path:
    """Write the explorer of ``index`` as a folder of files, with all texts and comparisons that it shows.

    Parameters
    ----------
    index : Index
    folder : path
        A new folder, an empty one, or that of an export, whose files are replaced. Other files that were put
        there stay as they are; a folder with other files only is refused.
    name : str
        What to call the corpus on the page.
    neighbors : int
        For each document, its comparisons with so many nearest ones are kept.
    cache : Path, optional
        Folder to remember the map in; that of the user by default.
    progress : True, a function of (done, total), or None

    Returns
    -------
    Path
        The page to open, ``index.html``.
    """
    folder = Path(folder)
    _check_folder(folder)
    layout = Layout(index, cache=cache_folder() if cache is None else cache)
    layout.wait()
    answers = Answers(index, layout, name)
    # All of it is made first, in a file without a name: a killed export leaves nothing behind, and what is
    # there stays as it is until the new one can take its place.
    with tempfile.TemporaryFile(dir=folder.resolve().parent) as file:
        made = _Made(file)
        _make_page(made)
        _make_data(made, answers, neighbors, progress)
        with guarded(folder.resolve()):
            _put(made, folder)
    return folder / "index.html"


class _Made:
    """Files that wait in one file to be put in their places."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.places: dict[str, tuple[int, int]] = {}  # of each name: where it begins, and how long it is

    def add(self, name: str, content: bytes) -> None:
        self.places[name] = (self._file.tell(), len(content))
        self._file.write(content)

    def content(self, name: str) -> bytes:
        start, length = self.places[name]
        self._file.seek(start)
        return self._file.read(length)

    def contents(self) -> Iterator[tuple[str, bytes]]:
        for name in self.places:
            yield name, self.content(name)


def _put(made: _Made, folder: Path) -> None:
    """Put the files in their places, each in one step; those of an older export that are left over go.

    In between the page says that it is not finished, rather than show some of both.
    """
    (folder / _START).parent.mkdir(parents=True, exist_ok=True)
    _replace(folder / _START, _UNFINISHED.encode())  # first, for the folder is known by it
    for inner in {Path(name).parent for name in made.places}:
        (folder / inner).mkdir(parents=True, exist_ok=True)
    for name, content in made.contents():
        if name != _START:
            _replace(folder / name, content)
    for old in _own_files(folder):
        if old not in made.places:
            (folder / old).unlink()
    with replacing(folder / _START) as file:
        file.write(made.content(_START))


def _replace(path: Path, content: bytes) -> None:
    # Not `replacing`, which waits for the disk each time: an export has a file for each document.
    aside = path.with_name(_ASIDE)
    aside.write_bytes(content)
    aside.replace(path)


def _own_files(folder: Path) -> list[str]:
    """The files of an export, finished or not, by their names."""
    names = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir())
    return [name for name in names if _OURS.fullmatch(name)]


def _check_folder(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder} is a file; give the name of a folder.")
    others = (path for path in folder.rglob("*") if not path.is_dir() and path.name != _ASIDE)
    if folder.exists() and not (folder / _START).is_file() and any(others):
        raise ValueError(f"{folder} holds other files. Choose a folder that is empty or does not exist yet.")
    if not folder.resolve().parent.is_dir():
        raise ValueError(f"There is no folder {folder.parent} to make {folder.name} in.")


def _make_page(made: _Made) -> None:
    files = assets()
    modules = {name: asset.content.decode() for name, asset in files.items() if name.endswith(".js")}
    page = files["index.html"].content.decode()
    policy = f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    page = page.replace(_META, f"{_META}\n  {policy}").replace(_MODULE, _SCRIPTS)
    made.add("index.html", page.encode())
    made.add("static/app.js", bundle(modules).encode())
    for name in ("style.css", "icon.svg"):
        made.add(f"static/{name}", files[name].content)


def _make_data(made: _Made, answers: Answers, neighbors: int, progress: Progress) -> None:
    """The answers to all that the page may ask, each a script that puts them where the page looks."""

    def add(key: str, value: Any) -> None:
        made.add(f"data/{key}.js", _script(key, value))

    add("start", {"neighbors": neighbors, "corpus": answers.corpus})
    add("map", answers.map())
    add("regions", answers.regions)
    for model in range(answers.corpus.models):
        add(f"topics-{model}", answers.topics(model))
    ids = list(answers.index.documents.ids)
    with reporting(progress, "Comparing documents with their nearest") as report:
        for position, id in enumerate(ids):
            add(f"documents/{position}", _about(answers, id, neighbors))
            if report:
                report(position + 1, len(ids))


def _about(answers: Answers, id: str, neighbors: int) -> dict[str, Any]:
    """A document, its nearest ones, and the comparisons with them."""
    view = answers.document(id)
    if not view.topics:  # no known word: at no distance from anything
        return {"document": view, "search": None, "comparisons": {}}
    found = answers.search(neighbors + 1, id=id)
    others = [hit.id for hit in found.hits if hit.id != id][:neighbors]
    comparisons = {
        other: answers.compare(ComparisonSide(id=id), ComparisonSide(id=other)) for other in others
    }
    return {"document": view, "search": found, "comparisons": comparisons}


def _script(key: str, value: Any) -> bytes:
    content = json.dumps(value, default=_plain, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return f"(window.HOTT_DATA ||= {{}})[{json.dumps(key)}] = {content};\n".encode(errors="replace")


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump()
    raise TypeError(f"cannot write {type(value).__name__}")
