"""Arguments and options that several commands share, and their completion in the shell."""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

import hott
from hott.cli._output import errors, print_json, print_table, quote, say, write_table

MAX_OFFERED = 200  # suggestions
MAX_VALUES = 10_000  # of a column that are looked at


def _completion(list_values: Callable[[Any, str], Iterable[str]]) -> Callable[..., list[str]]:
    def complete(ctx: typer.Context, incomplete: str) -> list[str]:
        try:
            index = ctx.params.get("index") or ctx.args[0]  # before an option still without a value
            values = list_values(open_searchable(index).documents, incomplete)
            return [value for value in dict.fromkeys(values) if value.startswith(incomplete)][:MAX_OFFERED]
        except Exception:  # a traceback amid what someone types helps nobody
            return []

    return complete


def _list_values(documents: Any, column: str) -> list[str]:
    values = documents.column(column)[:MAX_VALUES]
    return sorted({str(value)[:10] if hasattr(value, "year") else str(value) for value in values} - {"None"})


def _list_conditions(documents: Any, incomplete: str) -> list[str]:
    column, equals, _ = incomplete.partition("=")
    if equals:
        return [f"{column}={value}" for value in _list_values(documents, column)]
    return [f"{name}=" for name in _list_columns(documents)]


def _list_columns(documents: Any) -> list[str]:
    return ["label", *documents.columns]


complete_id = _completion(lambda documents, _: documents.ids)
complete_label = _completion(lambda documents, _: _list_values(documents, "label"))
complete_column = _completion(lambda documents, _: _list_columns(documents))
complete_condition = _completion(_list_conditions)


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


def output_option(help: str, *endings: str) -> Any:
    """Make the option -o, which refuses, before any work is done, a path that cannot be written."""

    def check(path: Path | None) -> Path | None:
        return None if path is None else check_output(path, endings)

    return typer.Option("-o", "--output", help=help, callback=check)


IndexFile = Annotated[
    str,
    typer.Argument(
        metavar="INDEX", help="The index: a file, a folder of shards, or an address such as s3://..."
    ),
]
TableFile = Annotated[
    Path | None, output_option("Write the result to this .csv or .parquet file.", ".csv", ".parquet")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Verbose = Annotated[
    bool, typer.Option("--verbose", help="Also show how many distances were computed and how many ruled out.")
]
Threads = Annotated[int | None, typer.Option(min=1, help="Threads to use; all cores by default.")]
Where = Annotated[
    Literal["cpu", "cuda", "auto"],
    typer.Option("--device", help="Compute on the CPU, on a CUDA device, or on whichever is faster (auto)."),
]
Scheduler = Annotated[
    str | None,
    typer.Option(help="Compute on a Dask cluster, by the address of its scheduler: tcp://host:8786."),
]
Workers = Annotated[int | None, typer.Option(min=1, help="Start this many Dask workers on this machine.")]
Conditions = Annotated[
    list[str] | None,
    typer.Option(
        "--where",
        metavar="COLUMN=VALUE",
        help="Only documents with this value in a column: label=sport, year=2004..2005. Repeatable.",
        autocompletion=complete_condition,
    ),
]
Language = Annotated[
    str, typer.Option(help="Language of the documents, or several: english,german. auto detects it.")
]
StopWords = Annotated[
    str,
    typer.Option(help="auto (those of the language), a language, none, or a file with one word per line."),
]
Stem = Annotated[bool, typer.Option("--stem", help="Reduce words to their stems.")]
Over = Annotated[
    str | None,
    typer.Option(
        help="Show shares over a column instead: date, label, year, ...", autocompletion=complete_column
    ),
]
By = Annotated[
    Literal["year", "month", "day"] | None, typer.Option(help="Group dates by year, month or day.")
]
TopicModel = Annotated[int, typer.Option(min=0, help="The topic model to show, counted from 0.")]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same numbers.")]
Neighbors = Annotated[int, typer.Option("-k", "--neighbors", min=1, help="How many documents to return.")]


def open_index(path: str) -> "hott.Index":
    """Open an index of one file, or say what to do when there is none."""
    opened = open_searchable(path)
    if isinstance(opened, hott.Shards):
        raise ValueError(
            f"{path} is an index of shards: hott search, compare, map, add and info read it, other commands "
            "need a single file. In Python, hott.Shards.open(path).index() makes one."
        )
    return opened


def open_searchable(path: str) -> "hott.Index | hott.Shards":
    """Open an index, of one file or of shards, here or at an address."""
    path = path.removeprefix("file://")
    elsewhere = hott.storage.is_address(path)
    if not elsewhere and not Path(path).exists():
        raise ValueError(f"There is no index {path}. Make one with: hott index FOLDER -o {quote(path)}")
    of_shards = hott.Shards.are_at(path) if elsewhere else Path(path).is_dir()
    return hott.Shards.open(path) if of_shards else hott.open(path)


def file_here(path: str) -> Path:
    """Return the local path of an index to be changed; refuse an address, which cannot be locked."""
    if hott.storage.is_address(path):
        raise ValueError(
            f"{path} is remote and cannot be locked: copy the file here, change it, and copy it back. (hott "
            "add can add documents to an index of shards there.)"
        )
    return Path(path.removeprefix("file://"))


def conditions(index: "hott.Index | hott.Shards", where: list[str] | None) -> dict[str, Any] | None:
    """Return the filter that --where gives, or None without it."""
    if not where:
        return None
    return hott.index.parse_filter(index if isinstance(index, hott.Shards) else index.documents, where)


@contextmanager
def dask_client(scheduler: str | None, workers: int | None) -> Iterator[Any]:
    """Yield the Dask client that was asked for and say where its dashboard is; otherwise yield None."""
    if scheduler is None and workers is None:
        yield None
        return
    with hott.scale.connect(scheduler=scheduler, workers=workers) as client:
        say(f"Dask dashboard: {client.dashboard_link}", to=errors)  # standard output may be JSON
        yield client


def read_stop_words(choice: str) -> str | list[str] | None:
    """Read what --stop-words names."""
    if choice in ("auto", "none", *hott.languages.LANGUAGES):
        return None if choice == "none" else choice
    return " ".join(read_lines(Path(choice))).split()


def read_lines(path: Path) -> list[str]:
    """Read the lines of a text file that are not empty; a ValueError says what to do where that fails."""
    if not path.is_file():
        raise ValueError(f"There is no file {path}. It should hold one entry a line.")
    try:
        return [line for line in path.read_text("utf-8-sig").splitlines() if line.strip()]
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not UTF-8. Save it as UTF-8 text first.") from None


def write_groups(path: Path, kind: str, groups: Iterable[Any]) -> None:
    """Write which group each document is in, with its number and name."""
    members = [(id, group.number, group.name) for group in groups for id in group.ids]
    write_table(
        path, {name: [row[place] for row in members] for place, name in enumerate(("id", kind, "name"))}
    )


def print_trends(kind: str, names: Sequence[str], trends: Any, json: bool, **more: Any) -> None:
    """Print the share of each topic or subject in each group of documents, what changed most first.

    What there is more to say of them is for JSON.
    """
    if json:
        shares = {name: row.tolist() for name, row in zip(names, trends.shares)}
        print_json({"groups": trends.groups, "documents": trends.documents, "shares": shares, **more})
        return
    changes = trends.shares.max(axis=1, initial=0) - trends.shares.min(axis=1, initial=1)
    order = sorted(range(len(names)), key=lambda place: -changes[place])
    rows = [[names[place], *(f"{share:.1%}" for share in trends.shares[place])] for place in order]
    print_table([kind, *trends.groups], [*rows, ["documents", *map(str, trends.documents)]])


def say_effort(found: Any) -> None:
    """Say how many distances a search computed."""
    say(f"{found.computed:,} distances computed, {found.pruned:,} ruled out", style="dim")


def parse_numbers(written: str | None) -> tuple[list[int], str]:
    """Read the numbers of topics or subjects, and a name: "3,4=the sky"."""
    if written is None:
        return [], ""
    numbers, _, name = written.partition("=")
    if not all(number.strip().isdigit() for number in numbers.split(",")):
        raise ValueError(f"Give the number that the table shows, not {numbers!r:.40}.")
    return [int(number) for number in numbers.split(",")], name


def name_documents(index: "hott.Index", ids: Sequence[str]) -> str:
    """List documents by name, each with its id where that differs."""
    names = index.documents.names(map(index.documents.position, ids))
    return "; ".join(id if name == id else f"{name} ({id})" for id, name in zip(ids, names))
