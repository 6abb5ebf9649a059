"""Downloads: 20news through scikit-learn."""

import gzip
import json
from pathlib import Path
from typing import Any

from hott.utils.atomic import atomic_write


def fetch_20news(folder: Path, **options: Any) -> Path:
    """Download 20news (by date), without headers, footers and quotes, and without messages left empty.

    ``options`` go to :func:`sklearn.datasets.fetch_20newsgroups`.
    """
    from sklearn.datasets import fetch_20newsgroups

    rows = []
    for split in ("train", "test"):
        found = fetch_20newsgroups(
            subset=split, remove=("headers", "footers", "quotes"), shuffle=False, **options
        )
        for name, text, target in zip(found.filenames, found.data, found.target):
            if text.strip():
                number = Path(name).name
                label = found.target_names[target]
                rows.append({"id": f"{label}/{number}", "text": text, "label": label, "split": split})
    path = folder / "20news.jsonl.gz"
    content = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    with atomic_write(path) as file:
        file.write(gzip.compress(content.encode("utf-8", errors="replace"), mtime=0))
    return path
