"""What each method said of each document: compressed files, one a data set and experiment."""

import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hott.utils.atomic import atomic_write, file_lock
from reproduction.setting import variant_suffix

_TRUE = "true"
AT_7, CHOSEN = 0, 1  # rows of the answers: 7 neighbours, and as many as were chosen


@dataclass(frozen=True, eq=False)
class Answers:
    """What was said of the documents of one data set in one cell, and what is right; -1 for no answer."""

    given: NDArray[np.int16]
    true: NDArray[np.int16]

    def wrong(self) -> NDArray[np.float64]:
        """1 for a wrong answer, 0 for a right one, NaN for none."""
        return np.where(self.given < 0, np.nan, self.given != self.true)


def path_of(out: Path, experiment: str, dataset: str) -> Path:
    return out / "predictions" / f"{experiment}-{dataset}.npz"


def keep(
    out: Path,
    experiment: str,
    key: Mapping[str, str | int],
    given: NDArray[np.int16],
    true: NDArray[np.int16],
) -> None:
    """Add the answers of a cell to the file of its data set, in place of those of the same cell."""
    with _changed(path_of(out, experiment, str(key["dataset"]))) as stored:
        # The right classes are the same for all cells, but for documents that a setting leaves out.
        known = stored.get(_TRUE, np.full_like(true, -1))
        stored[_TRUE] = np.where(true >= 0, true, known) if len(known) == len(true) else true
        stored[_name(key)] = given


def copy_answers(source: Path, target: Path, experiment: str, key: Mapping[str, str | int]) -> None:
    """Copy the answers of a cell from the results in one folder to those in another."""
    path = path_of(source, experiment, str(key["dataset"]))
    if path.exists():
        with np.load(path) as file:
            if _name(key) in file.files:
                keep(target, experiment, key, file[_name(key)], file[_TRUE])


class Predictions:
    """All answers of an experiment, read as they are asked for."""

    def __init__(self, out: Path, experiment: str) -> None:
        self.out, self.experiment = out, experiment
        self._files: dict[str, dict[str, NDArray]] = {}

    def of(self, row: Mapping[str, str], which: int = AT_7) -> Answers | None:
        """The answers of a row of the table; None where there are none."""
        stored = self._file(row["dataset"])
        given = stored.get(_name(row))
        if given is None or given.shape[1] != len(stored[_TRUE]):
            return None
        return Answers(given[which], stored[_TRUE])

    def _file(self, dataset: str) -> dict[str, NDArray]:
        if dataset not in self._files:
            self._files[dataset] = _read(path_of(self.out, self.experiment, dataset))
        return self._files[dataset]


def _name(key: Mapping[str, str | int]) -> str:
    parts = [key["protocol"], key["split"], key["method"], key["setting"], key["seed"]]
    if key.get("vectors", "bundled") != "bundled":
        parts.append(key["vectors"])
    # Names become files in an archive: a slash in "0/1 cost" would look like a folder.
    return "|".join(map(str, parts)).replace("/", ":")


def links_file(out: Path, vectors: str) -> Path:
    return out / "predictions" / f"links{variant_suffix(vectors)}.npz"


def keep_links(
    path: Path, distance: str, said: Mapping[str, NDArray[np.bool_]], true: NDArray[np.integer | np.bool_]
) -> None:
    """Keep which test pairs were taken for linked, by distance and feature set."""
    with _changed(path) as stored:
        for name in [name for name in stored if name.startswith(f"{distance}|")]:
            del stored[name]
        stored["true"] = np.packbits(true.astype(bool))
        stored["pairs"] = np.array(len(true))
        stored |= {f"{distance}|{feature}": np.packbits(answers) for feature, answers in said.items()}


def read_links(path: Path) -> dict[str, NDArray[np.bool_]]:
    """Read what :func:`keep_links` kept, by ``distance|feature``, and what is ``true``."""
    if not path.exists():
        return {}
    with np.load(path) as file:
        n = int(file["pairs"])
        return {
            name: np.unpackbits(file[name], count=n).astype(bool) for name in file.files if name != "pairs"
        }


def copy_links(source: Path, target: Path, distance: str) -> None:
    """Copy what was said of the test pairs with one distance from one file to another."""
    kept = read_links(source)
    if kept:
        own = {name: said for name, said in kept.items() if name.startswith(f"{distance}|")}
        keep_links(target, distance, {name.split("|")[1]: said for name, said in own.items()}, kept["true"])


def _read(path: Path) -> dict[str, NDArray]:
    if not path.exists():
        return {}
    with np.load(path) as file:
        return {name: file[name] for name in file.files}


@contextmanager
def _changed(path: Path) -> Iterator[dict[str, NDArray]]:
    """Give the arrays of a file to change, and write them back; other processes wait meanwhile."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with file_lock(path):
        arrays = _read(path)
        yield arrays
        content = io.BytesIO()
        np.savez_compressed(content, **arrays)  # type: ignore[arg-type]
        with atomic_write(path) as file:
            file.write(content.getvalue())
