"""Join the results of several folders, such as those of two machines or of a run that was done in parts."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from reproduction.experiments import EXPERIMENTS
from reproduction.maps import points_file
from reproduction.predictions import copy_answers, copy_links, links_file
from reproduction.provenance import remember, remembered
from reproduction.tables import Row, read_rows, write_rows

_KEY = (
    "dataset", "protocol", "split", "method", "distance", "solver", "setting", "n_topics", "seed", "vectors",
)  # fmt: skip


def merge_results(folders: Sequence[Path], out: Path) -> dict[str, int]:
    """Add the rows of other folders to a folder of results, with all that belongs to them.

    Of two rows of the same cell the one that was finished later stays. Rows are never altered: each keeps the
    commit, settings and machine that it was computed with.

    Returns
    -------
    dict
        How many rows of each table were taken.
    """
    taken: dict[str, int] = {}
    for folder in folders:
        tables = [name for name in EXPERIMENTS if (folder / f"{name}.csv").exists()]
        if not tables:
            raise ValueError(f"{folder} has no tables of results. There would be {', '.join(EXPERIMENTS)}.")
        remember(out, remembered(folder))
        for name in tables:
            new = _merge_table(folder / f"{name}.csv", out / f"{name}.csv")
            taken[name] = taken.get(name, 0) + len(new)
            for row in new:
                _copy_files(name, row, folder, out)
    return taken


def _merge_table(source: Path, target: Path) -> list[Row]:
    """Write the newer rows of one table into another; returns them."""
    known = {_key(row): row for row in read_rows(target)}
    new = [
        row
        for row in read_rows(source)
        if _key(row) not in known or row["finished"] > known[_key(row)]["finished"]
    ]
    if new:
        rows = {**known, **{_key(row): row for row in new}}
        # In the order in which they were finished: the last row tells which kind is the newest.
        write_rows(target, sorted(rows.values(), key=lambda row: row["finished"]))
    return new


def _key(row: Row) -> tuple[str, ...]:
    return tuple(row.get(name, "") for name in _KEY)


def _copy_files(name: str, row: Row, source: Path, target: Path) -> None:
    if "setting" in row:
        copy_answers(source, target, name, row)
    elif name == "links":
        files = [links_file(folder, row["vectors"]) for folder in (source, target)]
        copy_links(files[0], files[1], row["distance"])
    elif name == "maps":
        files = [points_file(f, row["dataset"], row["method"], row["vectors"]) for f in (source, target)]
        files[1].parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(*files)
