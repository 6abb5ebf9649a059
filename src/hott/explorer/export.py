"""The explorer as files that open without a server."""

import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from hott._progress import Progress, reporting
from hott.explorer.answers import Answers
from hott.explorer.assets import assets, bundle
from hott.explorer.layout import Layout, cache_folder

if TYPE_CHECKING:
    from hott.index import Index

# A page from a file has no headers, so the policy stands in the page. Files may load files beside them.
_POLICY = (
    "default-src 'none'; script-src 'self' file:; style-src 'self' file: 'unsafe-inline'; "
    "img-src 'self' file: data: blob:; base-uri 'none'; form-action 'none'"
)
_MODULE = '<script type="module" src="static/app.js"></script>'
_SCRIPTS = '<script src="data/start.js"></script>\n  <script defer src="static/app.js"></script>'
_META = '<meta charset="utf-8">'


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
        Made anew; an export that is there already is replaced, any other folder is not touched.
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
    made = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=".exporting", dir=folder.parent))
    try:
        made.chmod(0o755)
        _write_page(made)
        _write_data(made / "data", answers, neighbors, progress)
        if folder.exists():
            shutil.rmtree(folder)
        made.rename(folder)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise
    return folder / "index.html"


def _check_folder(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder} is a file; give the name of a folder.")
    if folder.exists() and any(folder.iterdir()) and not (folder / "data" / "start.js").is_file():
        raise ValueError(f"{folder} holds other files. Choose a folder that is empty or does not exist yet.")
    if not folder.resolve().parent.is_dir():
        raise ValueError(f"There is no folder {folder.parent} to make {folder.name} in.")


def _write_page(folder: Path) -> None:
    files = assets()
    modules = {name: asset.content.decode() for name, asset in files.items() if name.endswith(".js")}
    page = files["index.html"].content.decode()
    policy = f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    page = page.replace(_META, f"{_META}\n  {policy}").replace(_MODULE, _SCRIPTS)
    (folder / "static").mkdir()
    (folder / "index.html").write_text(page, encoding="utf-8")
    (folder / "static" / "app.js").write_text(bundle(modules), encoding="utf-8")
    for name in ("style.css", "icon.svg", "plotly.js"):
        (folder / "static" / name).write_bytes(files[name].content)


def _write_data(folder: Path, answers: Answers, neighbors: int, progress: Progress) -> None:
    """The answers to all that the page may ask, each a script that puts them where the page looks."""
    (folder / "documents").mkdir(parents=True)
    start = {"neighbors": neighbors, "corpus": answers.corpus}
    _write(folder / "start.js", "start", start)
    _write(folder / "map.js", "map", answers.map())
    for model in range(answers.corpus.models):
        _write(folder / f"topics-{model}.js", f"topics-{model}", answers.topics(model))
    ids = list(answers.index.documents.ids)
    with reporting(progress, "Comparing documents with their nearest") as report:
        for position, id in enumerate(ids):
            _write(
                folder / "documents" / f"{position}.js",
                f"documents/{position}",
                _about(answers, id, neighbors),
            )
            if report:
                report(position + 1, len(ids))


def _about(answers: Answers, id: str, neighbors: int) -> dict[str, Any]:
    """A document, its nearest ones, and the comparisons with them."""
    view = answers.document(id)
    if not view.topics:  # no known word: at no distance from anything
        return {"document": view, "search": None, "comparisons": {}}
    found = answers.search(neighbors + 1, id=id)
    others = [hit.id for hit in found.hits if hit.id != id][:neighbors]
    comparisons = {other: answers.compare(id, other) for other in others}
    return {"document": view, "search": found, "comparisons": comparisons}


def _write(path: Path, key: str, value: Any) -> None:
    content = json.dumps(value, default=_plain, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    script = f"(window.HOTT_DATA ||= {{}})[{json.dumps(key)}] = {content};\n"
    path.write_text(script, encoding="utf-8", errors="replace")


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump()
    raise TypeError(f"cannot write {type(value).__name__}")
