"""The commands: one for each experiment, ``all``, the report of the results, and the data sets."""

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Annotated, cast, get_args

import typer

from hott.cli import app as hott_app
from hott.cli._arguments import Threads, Where
from hott.cli._output import console, print_table
from hott.utils.run import Run
from reproduction import data, study
from reproduction.authors import OURS, Problem, compare, load_checkout
from reproduction.encoder import encode, load_encoder, vectors_file
from reproduction.experiments import EXPERIMENTS, Experiment, Only
from reproduction.jobs import run_parts
from reproduction.merge import merge_results
from reproduction.methods import methods_named
from reproduction.report import claims_table, include, write_report
from reproduction.setting import Vectors
from reproduction.study import Sizes, Study

NAME = "python -m reproduction"
RESULTS = Path("results")

Folder = Annotated[Path, typer.Option("-o", "--out", help="Folder of the results.")]
Data = Annotated[
    Path | None,
    typer.Option("--data", envvar="HOTT_DATA", help=f"Folder of the data sets; see {NAME} data."),
]
Out = Annotated[
    Path | None, typer.Option("-o", "--out", help="Folder of the results.", show_default="results")
]
Sets = Annotated[
    str | None, typer.Option(help="Only these data sets, such as r8,classic.", show_default=False)
]
Quick = Annotated[
    bool, typer.Option("--quick", help="Small samples: minutes instead of hours, other numbers.")
]
Force = Annotated[bool, typer.Option("--force", help="Compute again what is finished.")]

app = typer.Typer(
    name=NAME,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    help="Compute the experiments of the paper on its data, beside the published numbers.",
    epilog="Start with [bold]python -m reproduction data[/bold], then "
    "[bold]python -m reproduction all --data data/[/bold].",
)
app.add_typer(data.app, name="data")


def run(arguments: list[str]) -> int:
    """Run one command and return its exit code. An error is one line on standard error."""
    return hott_app.run(arguments, app, NAME)


@app.command("report")
def report(
    out: Folder = RESULTS,
    page: Annotated[
        Path | None, typer.Option(help="A page whose included tables are brought up to date.")
    ] = None,
) -> None:
    """Write REPORT.md and the pictures from the tables in the folder of the results."""
    console.print(f"Report written to {write_report(out)}", soft_wrap=True)
    if page is not None:
        include(page, out)
        console.print(f"Tables of {page} are up to date", soft_wrap=True)


@app.command("encode")
def encode_texts(
    encoders: Annotated[
        list[str],
        typer.Argument(help="minilm, mpnet or wordllama, or mpnet=FOLDER where a folder has the model."),
    ],
    folder: Data = None,
    out: Out = None,
    datasets: Sets = None,
    quick: Quick = False,
    force: Force = False,
) -> None:
    """Keep what large encoders say of the texts, on a GPU where there is one; then now has rows of them."""
    asked = _study(folder, out, datasets, quick)
    for given in encoders:
        name, _, where = given.partition("=")
        model = load_encoder(name, where or None)
        for source in asked.sources:
            path = vectors_file(asked, source.name, name)
            if source.name != "gutenberg" and (force or not path.exists()):
                encode(asked, source.name, name, model)
                console.print(f"Written to {path}", soft_wrap=True)


@app.command("claims")
def claims(out: Folder = RESULTS) -> None:
    """Print what the paper claims, our number, and whether it holds."""
    typer.echo(claims_table(out))


@app.command("merge")
def merge(
    folders: Annotated[list[Path], typer.Argument(help="Folders of results to take rows from.")],
    out: Folder = RESULTS,
) -> None:
    """Join results of several folders: rows, predictions, maps; of the same cell, the later one stays."""
    for name, n in merge_results(folders, out).items():
        console.print(f"{name}: {n} rows taken", soft_wrap=True)


@app.command("authors")
def authors(
    checkout: Annotated[
        Path | None, typer.Option(help="A clone of github.com/IBM/HOTT, to compare with their code itself.")
    ] = None,
) -> None:
    """Compare our distances with what the authors' code computes, on the same topics and proportions."""
    functions = OURS if checkout is None else load_checkout(checkout)
    rows = [[name, f"{gap:.1e}"] for name, gap in compare(Problem.draw(), functions).items()]
    print_table(["distance", "largest difference, relative"], rows)


def _compute(experiments: list[Experiment]) -> Callable[..., None]:
    """Return the command that computes some experiments."""

    def command(
        folder: Data = None,
        out: Out = None,
        datasets: Sets = None,
        only_these: Annotated[
            str | None, typer.Option("--experiments", help="Only these experiments, such as knn,now.")
        ] = None,
        methods: Annotated[
            list[str] | None,
            typer.Option("--methods", "--method", help="Only this method; may be given several times."),
        ] = None,
        settings: Annotated[
            list[str] | None,
            typer.Option(
                "--settings",
                "--setting",
                help="Only this setting, as tables name it, such as topics=10 or standard; may be given "
                "several times.",
            ),
        ] = None,
        protocol: Annotated[str | None, typer.Option(help="Only this protocol: clean or paper.")] = None,
        vectors: Annotated[
            str | None,
            typer.Option(
                help="Word vectors, glove or bundled, or both: glove,bundled. By default both for the paper "
                "protocol and bundled for the clean one.",
                show_default=False,
            ),
        ] = None,
        glove: Annotated[
            Path | None, typer.Option(help="File of GloVe vectors, in place of the one among the data.")
        ] = None,
        quick: Quick = False,
        splits: Annotated[
            int | None, typer.Option(min=1, help="Random splits of a data set.", show_default="5")
        ] = None,
        seed: Annotated[int, typer.Option(min=0, help="Seed of topics and layouts; a row of its own.")] = 0,
        seeds: Annotated[int, typer.Option(min=1, help="So many seeds, from --seed on.")] = 1,
        jobs: Annotated[int, typer.Option(min=1, help="Processes that compute at the same time.")] = 1,
        force: Force = False,
        threads: Threads = None,
        device: Where = "cpu",
    ) -> None:
        asked = _study(folder, out, datasets, quick)
        if protocol not in (None, "clean", "paper"):
            raise ValueError(f"--protocol must be clean or paper, not {protocol!r}.")
        named = [method.name for method in methods_named(methods)] if methods else None
        only = Only(named, protocol, settings or None)
        sizes = asked.sizes if splits is None else replace(asked.sizes, splits=splits)
        some = [e for e in experiments if e.name in (only_these or e.name).split(",")]
        if not some:
            raise ValueError(f"--experiments must be some of {','.join(EXPERIMENTS)}, not {only_these!r}.")
        parts = []
        for chosen, number in product(_read_vectors(vectors), range(seed, seed + seeds)):
            run = Run(threads, device)
            one = replace(asked, sizes=sizes, seed=number, run=run, vectors=chosen, glove=glove)
            _check_settings(settings or [], some, one)
            parts += [(e, one) for e in some if vectors or not chosen or e.both]
        failures = run_parts(parts, only, force, jobs)
        report(asked.out)
        if failures:
            for failure in failures:
                typer.echo(failure, err=True)
            raise ValueError(f"{len(failures)} parts failed; run the command again to try only those.")

    return command


def _study(folder: Path | None, out: Path | None, datasets: str | None, quick: bool) -> Study:
    """Make a study of what commands have in common."""
    if folder is None:
        raise ValueError("Say where the data sets are: --data FOLDER, or the variable HOTT_DATA.")
    names = [name.strip() for name in datasets.split(",")] if datasets else None
    results = out or (RESULTS / "quick" if quick else RESULTS)
    return Study(folder, results, names, study.QUICK if quick else Sizes())


def _check_settings(labels: list[str], experiments: list[Experiment], one: Study) -> None:
    """Refuse a setting that no cell has."""
    known = dict.fromkeys(cell.key.get("setting", "standard") for e in experiments for cell in e.cells(one))
    for label in labels:
        if label not in known:
            raise ValueError(f"There is no setting {label!r} here. There are: {', '.join(map(str, known))}.")


def _read_vectors(given: str | None) -> list[Vectors | None]:
    """Read the names of word vectors; None stands for those of each protocol.

    By default these, and beside them the bundled ones.
    """
    if given is None:
        return [None, "bundled"]
    names = [name.strip() for name in given.split(",")]
    for name in names:
        if name not in get_args(Vectors):
            raise ValueError(f"--vectors must be glove, bundled or both with a comma, not {given!r}.")
    return cast(list[Vectors | None], names)


_KEPT = (
    "Finished parts are kept: a run that was stopped continues where it was. Rows of another version or of "
    "other settings are computed again. Writes CSV tables, predictions, pictures and REPORT.md."
)
_ABOUT = {"all": "every experiment, from top to bottom"} | {e.name: e.about for e in EXPERIMENTS.values()}
for name, about in _ABOUT.items():
    chosen = [e for e in EXPERIMENTS.values() if name in ("all", e.name)]
    app.command(name, help=f"{about}.\n\n{_KEPT}")(_compute(chosen))
