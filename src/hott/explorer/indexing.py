"""An index of documents that have none yet, kept for the next time."""

import json
from pathlib import Path
from typing import Any

import hott
from hott.corpus import Corpus, read
from hott.index import Index
from hott.utils.arrays import fingerprint
from hott.utils.cache import cache_folder, shrink, touch
from hott.utils.progress import Progress


def find_index(
    path: Path, *, cache: Path | None = None, progress: Progress = None, **options: Any
) -> tuple[Path, bool]:
    """Return the file of an index of some documents, and whether it was there: it is made once for a content.

    Parameters
    ----------
    path : Path
        A table, a folder, or whatever else :func:`hott.read` takes.
    cache : Path, optional
        Folder to keep it in; that of the user by default.
    progress : as everywhere
    **options
        As :func:`hott.read` takes them.
    """
    folder = (cache_folder() if cache is None else cache) / "indexes"
    corpus = read(path, progress=progress, **options)
    file = folder / f"{fingerprint(hott.__version__, *_content(corpus))}.hott"
    is_known = file.exists()
    if not is_known:
        index = Index.build(corpus, progress=progress)
        folder.mkdir(parents=True, exist_ok=True)
        index.save(file)
        shrink(folder, "*.hott")
    touch(file)
    return file, is_known


def _content(corpus: Corpus) -> list[str]:
    """Return all that an index has of its documents, as texts."""
    return [
        json.dumps([d.id, d.title, d.label, d.text, dict(d.columns)], default=str, ensure_ascii=False)
        for d in corpus
    ]
