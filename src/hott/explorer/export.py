"""The explorer as files that open without a server: the page, the index, and the core to compute answers."""

import json
import os
import re
import time
from functools import cache as cached
from pathlib import Path
from typing import TYPE_CHECKING

from hott.distances.vector import MeaningVectors
from hott.explorer.answers import Answers
from hott.explorer.assets import assets, bundle, offline, wasm
from hott.explorer.layout import Layout
from hott.explorer.packing import Part, pack, pack_language
from hott.utils.atomic import atomic_write, file_lock
from hott.utils.cache import cache_folder
from hott.utils.progress import Progress, reporting

if TYPE_CHECKING:
    from hott.index import Index

# A page from a file has no headers, so the policy stands in the page. Files may load files beside them.
# Answers are computed by compiled code (wasm-unsafe-eval) in a thread made of a script of the page (blob:).
_POLICY = (
    "default-src 'none'; script-src 'self' file: blob: 'wasm-unsafe-eval'; worker-src blob:; "
    "style-src 'self' file:; img-src 'self' file: data: blob:; base-uri 'none'; form-action 'none'"
)
_SCRIPT = '<script defer src="static/page.js"></script>'
_DATA = "data/index.js"
_SCRIPTS = "\n  ".join(
    f'<script defer src="{name}"></script>' for name in ("static/engine.js", _DATA, "static/page.js")
)
_META = '<meta charset="utf-8">'

_MANIFEST = "hott-export.json"
_OURS = re.compile(r"index\.html|(static|data)/[\w-]+\.\w+")  # a manifest cannot lead out of the folder
_UNFINISHED = """addEventListener("DOMContentLoaded", () => {
  document.body.textContent = "This export was interrupted. Run hott export again.";
});
"""


def export_site(
    index: "Index",
    folder: str | os.PathLike[str],
    *,
    name: str = "",
    meaning: bool = True,
    cache: Path | None = None,
    progress: Progress = None,
) -> Path:
    """Write the explorer of ``index`` as a folder of files that search and compare in the browser.

    The same index gives the same bytes.

    Parameters
    ----------
    index : Index
    folder : path
        A new folder, an empty one, or that of an export, whose files are replaced. Other files that were put
        there stay as they are; a folder with other files only is refused.
    name : str
        What to call the corpus on the page.
    meaning : bool
        Whether the page searches by meaning as well, for which it holds the encoder (15 MB). An index
        with vectors of another encoder is searched without meaning in any case.
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
    has_meaning = index.model.searches_by_meaning
    if not (meaning and isinstance(index.model.distances[-1], MeaningVectors)):
        index = index.without_meaning()  # no other encoder runs in the browser
    layout = Layout(index, cache=cache_folder() if cache is None else cache)
    with reporting(progress, "Laying out the map") as report:
        layout.start()
        while not layout.final:
            time.sleep(0.05)
            if report and layout.done:
                report(*layout.done)
    with reporting(progress, "Packing the index") as report:
        parts = pack(Answers(index, layout, name), report, has_meaning=has_meaning)
    # All of it is made first: what is there stays as it is until the new one can take its place.
    more = _language(index.model.reads_unseen, index.model.searches_by_meaning)
    listed = f"window.HOTT_LATER = {json.dumps([[file, len(content)] for file, content in more.items()])};\n"
    data = listed.encode() + _data("window.HOTT_DATA = ", parts | {"core": Part.of(wasm())})
    files = _page() | more | {_DATA: data}
    with file_lock(folder.resolve()):
        _put(files, folder)
    return folder / "index.html"


def _put(files: dict[str, bytes], folder: Path) -> None:
    """Put the files in their places, each in one step, and remove those left over from an older export.

    In between the page says that it is not finished, rather than show some of both.
    """
    old = _own_files(folder)
    for inner in {Path(name).parent for name in files}:
        (folder / inner).mkdir(parents=True, exist_ok=True)
    _replace(folder / _MANIFEST, _list({*old, *files}))  # first, for the folder is known by it
    _replace(folder / _DATA, _UNFINISHED.encode())
    for name, content in files.items():
        if name != _DATA:
            _replace(folder / name, content)
    for name in old:
        if name not in files:
            (folder / name).unlink(missing_ok=True)
    _replace(folder / _MANIFEST, _list(set(files)))
    _replace(folder / _DATA, files[_DATA])


def _replace(path: Path, content: bytes) -> None:
    with atomic_write(path) as file:
        file.write(content)


def _list(names: set[str]) -> bytes:
    return (json.dumps({"made by": "hott export", "files": sorted(names)}, indent=1) + "\n").encode()


def _own_files(folder: Path) -> list[str]:
    """List by name the files that an export wrote here, finished or not."""
    try:
        names = json.loads((folder / _MANIFEST).read_text())["files"]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    return [name for name in names if isinstance(name, str) and _OURS.fullmatch(name)]


def _check_folder(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder} is a file; give the name of a folder.")
    if folder.exists() and not (folder / _MANIFEST).is_file() and any(map(_counts, folder.iterdir())):
        raise ValueError(f"{folder} holds other files. Choose a folder that is empty or does not exist yet.")
    if not folder.resolve().parent.is_dir():
        raise ValueError(f"There is no folder {folder.parent} to make {folder.name} in.")


def _counts(path: Path) -> bool:
    """Say whether a path shows that a folder holds other files; dot files, CNAME or empty folders do not."""
    empty = path.is_dir() and not any(inner.is_file() for inner in path.rglob("*"))
    return not (path.name.startswith(".") or path.name == "CNAME" or empty)


def _page() -> dict[str, bytes]:
    files = assets()
    page = files["index.html"].content.decode()
    policy = f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    page = page.replace(_META, f"{_META}\n  {policy}").replace(_SCRIPT, _SCRIPTS)
    engine = bundle(offline(), "worker.js")
    return {
        "index.html": page.encode(),
        "static/engine.js": f"window.HOTT_ENGINE = function () {{ {engine} }};\n".encode(),
        **{f"static/{name}": files[name].content for name in ("page.js", "style.css", "icon.svg")},
    }


@cached
def _language(has_words: bool, has_meaning: bool) -> dict[str, bytes]:
    """Write what comes with the library, which takes longer than many an index."""
    found = pack_language(has_words, has_meaning)
    return {f"data/{file}.js": _data("window.HOTT_LOADED(", parts, "});\n") for file, parts in found.items()}


def _data(start: str, parts: dict[str, Part], end: str = "};\n") -> bytes:
    """Write parts as a script, since a page opened from a disk may load nothing else."""
    lines = (f"{json.dumps(name)}:{json.dumps(part.script)}" for name, part in sorted(parts.items()))
    return (start + "{" + ",\n".join(lines) + end).encode()
