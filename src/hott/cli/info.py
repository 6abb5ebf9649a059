"""hott info: what an index holds, and whether the file is sound."""

from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.filesize import decimal

import hott
from hott.cli._arguments import IndexFile, Json, open_searchable
from hott.cli._output import print_json, print_table, quote, say, say_beside
from hott.utils.wording import per_cent

MAX_PARTS = 4  # that are named of what takes the space
MAX_SUBJECTS = 6


def command(
    index: IndexFile,
    verify: Annotated[
        bool, typer.Option("--verify", help="Read the whole file and check every part.")
    ] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Also show every parameter, the models and each part of the file.")
    ] = False,
    json: Json = False,
) -> None:
    """Show what is in an index, what takes its space, and what it was built from.

    Example:
    hott info articles.hott --verify
    """
    from hott.index.file_sizes import measure_parts

    opened = open_searchable(index)
    if verify and isinstance(opened, hott.Index):
        opened = hott.open(index, verify=True)
    elif verify and isinstance(opened, hott.Shards):
        opened.verify()
    parts = {} if hott.storage.is_address(index) else measure_parts(index)
    info = {"file": index, "bytes": hott.storage.size(index), **opened.info(), "parts": parts}
    if json:
        print_json(info)
        return
    for name, text in _summarize(info).items():
        say_beside((f"{name:10} ", "bold"), text)
    say()
    if info["columns"]:
        rows = [[name, told["type"], _describe_column(told)] for name, told in info["columns"].items()]
        print_table(["column", "type", ""], rows)
    if everything:
        _print_all(info)
    if verify:
        say("The file is sound.")


def _summarize(info: dict[str, Any]) -> dict[str, str]:
    """Say what is in an index, a line each."""
    file, shards, subjects = info["file"], info.get("shards", {}), info.get("subjects")
    source, parts, n_bytes = info.get("source"), info["parts"], sum(info["parts"].values())
    n_left_out = info.get("documents dropped", 0) + info.get("documents without a known word", 0)
    lines = {
        "documents": f"{info['documents']:,}"
        + (f" in {hott.languages.name_languages(info['language'])}" if info["language"] else "")
        + (f", in {len(shards):,} files" if shards else "")
        + (f"; {n_left_out:,} more without a known word" if n_left_out else ""),
        "words": f"{info['words']:,}",
        "topics": f"{info['topics']:,}",
        "subjects": f"hott subjects {quote(file)} finds them",
        "search by": "words and topics"
        if info["meaning"].startswith("none")
        else "words, topics and meaning",
        "size": decimal(info["bytes"]),
    }
    if subjects is not None:
        named = [*subjects[:MAX_SUBJECTS], *(["..."] if len(subjects) > MAX_SUBJECTS else [])]
        lines["subjects"] = f"{len(subjects):,}: {'; '.join(named)}" if named else "none"
    elif shards:
        del lines["subjects"]
    if parts:
        most = [f"{name} {per_cent(n / n_bytes)}" for name, n in [*parts.items()][:MAX_PARTS]]
        lines["size"] += (
            f": {', '.join(most)}, other {per_cent(sum([*parts.values()][MAX_PARTS:]) / n_bytes)}"
        )
        saved = max(one.stat().st_mtime for one in [Path(file), *Path(file).glob("*.hott")])
        lines["saved"] = f"{datetime.fromtimestamp(saved):%Y-%m-%d %H:%M}"
    return lines | ({"built from": source} if source else {})


def _print_all(info: dict[str, Any]) -> None:
    """Print the rest: what an index was learned by, and how well."""
    if shards := info.get("shards"):
        print_table(["shard", "documents"], [*shards.items()])
    told = {name: value for name, value in info.items() if not isinstance(value, dict | list)}
    print_table(["", ""], [[key, _plain(value)] for key, value in told.items()])
    if info["parts"]:
        print_table(["what takes the space", "bytes"], [*info["parts"].items()])
    print_table(["parameter", "value"], [[key, _plain(value)] for key, value in info["parameters"].items()])


def _plain(value: object) -> str:
    return f"{value:,}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def _describe_column(column: dict[str, Any]) -> str:
    """Describe what a column holds, for example: 12 different, 2001 to 2005, 3 missing."""
    told = {"values": "{values} different", "from": "{from} to {to}", "missing": "{missing} missing"}
    return ", ".join(text.format_map(column) for name, text in told.items() if name in column)
