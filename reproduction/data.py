"""The data sets of the paper: where they can be had, and whether yours are complete."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from hott.cli._output import console, print_table

app = typer.Typer(no_args_is_help=False, rich_markup_mode="rich")


@app.callback(invoke_without_command=True)
def overview(context: typer.Context) -> None:
    """List the data sets of the paper: files, and where they can be had.

    A text data set is one file of gzipped JSON lines with "id", "text", "label" and, where there is a
    published split, "split" (train or test). Two can be downloaded by a program:

    python -m reproduction data fetch 20news -o data/

    python -m reproduction data fetch glove -o data/
    """
    if context.invoked_subcommand is not None:
        return
    from reproduction.sources import CITATIONS, CITATIONS_ORIGIN, GLOVE, GLOVE_ORIGIN, SOURCES

    rows = [[s.name, s.documents, s.classes, " ".join(s.files), s.origin] for s in SOURCES.values()]
    rows.append(["hepth", 27770, 2, " ".join(CITATIONS), CITATIONS_ORIGIN])
    rows.append(["glove", "", "", GLOVE, GLOVE_ORIGIN])
    print_table(["data set", "documents", "classes", "files", "from"], rows)


@app.command("check")
def check(folder: Annotated[Path, typer.Argument(help="Folder of the files.")]) -> None:
    """Check the files in a folder: there, readable, and those that our results were computed from.

    [bold]Example[/bold]

    python -m reproduction data check data/
    """
    from reproduction.checks import check_folder

    found = check_folder(folder)
    print_table(["file", "state"], [[one.file, one.state] for one in found])
    broken = [one.file for one in found if one.broken]
    if broken:
        raise ValueError(f"{len(broken)} files cannot be used: {', '.join(broken)}.")


@app.command("fetch")
def fetch(
    name: Annotated[str, typer.Argument(help="20news or glove, which may be downloaded by a program.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder to write to.")] = Path("data"),
) -> None:
    """Download a data set, or the word vectors, and write them in the form that the experiments read.

    [bold]Example[/bold]

    python -m reproduction data fetch 20news -o data/

    python -m reproduction data fetch glove -o data/
    """
    from reproduction.fetch import fetch_20news
    from reproduction.glove import fetch_glove
    from reproduction.sources import sources_named

    fetchers: dict[str, Callable[[Path], Path]] = {"20news": fetch_20news, "glove": fetch_glove}
    if name not in fetchers:
        [source] = sources_named([name])
        raise ValueError(f"{name} cannot be downloaded by a program. Get it from {source.origin}.")
    out.mkdir(parents=True, exist_ok=True)
    path = fetchers[name](out)
    console.print(f"Written to {path}", soft_wrap=True)
