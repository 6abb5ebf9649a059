"""Arguments and options that several commands share."""

import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from hott.cli._completion import complete_condition
from hott.cli._output import errors, say

if TYPE_CHECKING:
    from hott.index import Index, Shards

IndexFile = Annotated[
    str,
    typer.Argument(
        metavar="INDEX", help="The index: a file, a folder of shards, or an address such as s3://..."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Verbose = Annotated[
    bool,
    typer.Option("--verbose", help="Also say how many distances were computed and how many were ruled out."),
]
Threads = Annotated[
    int | None, typer.Option(min=1, help="Threads to use; all cores by default.", show_default=False)
]
Where = Annotated[
    Literal["cpu", "cuda", "auto"],
    typer.Option(
        "--device", help="Compute on the CPU, on a CUDA device, or on a device where it pays (auto)."
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option(help="Compute on the Dask cluster of this scheduler: tcp://host:8786.", show_default=False),
]
Workers = Annotated[
    int | None,
    typer.Option(min=1, help="Start this many Dask workers on this machine.", show_default=False),
]
Conditions = Annotated[
    list[str] | None,
    typer.Option(
        "--where",
        metavar="COLUMN=VALUE",
        help="Only documents with this value in a column: label=sport, year=2004..2005. Repeatable.",
        autocompletion=complete_condition,
        show_default=False,
    ),
]
Language = Annotated[str, typer.Option(help="Language of the documents, several as english,german, or auto.")]
StopWords = Annotated[
    str,
    typer.Option(help="auto (those of the language), a language, none, or a file with one word per line."),
]
Stem = Annotated[bool, typer.Option("--stem", help="Reduce words to their stems.")]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same numbers.")]
Neighbors = Annotated[int, typer.Option("-k", "--neighbors", min=1, help="How many documents to return.")]


def open_index(path: str) -> "Index":
    """Open an index of one file, or say what to do when there is none."""
    from hott.index import Shards

    opened = open_searchable(path)
    if isinstance(opened, Shards):
        raise ValueError(
            f"{path} is an index of shards, which hott search, compare, map, add and info know; others want "
            "one file. In Python, hott.Shards.open(path).index() makes one of them."
        )
    return opened


def open_searchable(path: str) -> "Index | Shards":
    """Open an index, of one file or of shards, here or at an address."""
    import hott
    from hott import storage

    path = path.removeprefix("file://")
    elsewhere = storage.is_address(path)
    if not elsewhere and not Path(path).exists():
        raise ValueError(f"There is no index {path}. Make one with: hott index FOLDER -o {path}")
    of_shards = hott.Shards.are_at(path) if elsewhere else Path(path).is_dir()
    return hott.Shards.open(path) if of_shards else hott.open(path)


def file_here(path: str) -> Path:
    """The file of an index that is to be changed, which nobody else may do meanwhile."""
    from hott import storage

    if storage.is_address(path):
        raise ValueError(
            f"{path} is at an address, where nothing can be locked: copy the file here, change it, and copy "
            "it back. To an index of shards hott add adds another shard there, too."
        )
    return Path(path.removeprefix("file://"))


def conditions(index: "Index | Shards", where: list[str] | None) -> dict[str, Any] | None:
    """The filter that --where gives."""
    from hott.index import Shards, parse_filter

    return parse_filter(index if isinstance(index, Shards) else index.documents, where) if where else None


@contextmanager
def dask_client(scheduler: str | None, workers: int | None) -> Iterator[Any]:
    """The Dask client that was asked for, or None; says where its dashboard is."""
    if scheduler is None and workers is None:
        yield None
        return
    from hott.blocks.scale import connect

    with connect(scheduler=scheduler, workers=workers) as client:
        say(f"Dask dashboard: {client.dashboard_link}", to=errors)  # standard output may be JSON
        yield client


def read_stop_words(choice: str) -> str | list[str] | None:
    """Read what --stop-words names."""
    from hott.text.languages import LANGUAGES

    if choice in ("auto", "none", *LANGUAGES):
        return None if choice == "none" else choice
    return Path(choice).read_text(encoding="utf-8").split()


def read_text(argument: str) -> str:
    """The argument itself, or standard input where it is a dash."""
    if argument != "-":
        return argument
    return sys.stdin.buffer.read().decode("utf-8", errors="replace")


def check_output(path: Path, endings: tuple[str, ...] = ()) -> Path:
    """Return the path of a file that can be written; a ValueError says why not, before any work is done."""
    if endings and path.suffix.lower() not in endings:
        raise ValueError(f"{path} must end in {', '.join(endings)}, which says what to write.")
    if path.is_dir() and path.suffix.lower() != ".zarr":  # a Zarr array is one, and may be continued
        raise ValueError(f"{path} is a folder; give the name of a file.")
    if not path.parent.exists():
        raise ValueError(f"There is no folder {path.parent} to write {path.name} in.")
    try:
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise ValueError(f"{path} cannot be written: {error.strerror}.") from None
    return path


def name_documents(index: "Index", ids: Sequence[str]) -> str:
    """Documents by their names, each with its id where that is another."""
    names = index.documents.names(map(index.documents.position, ids))
    return "; ".join(id if name == id else f"{name} ({id})" for id, name in zip(ids, names))
