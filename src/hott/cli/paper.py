"""hott paper: every table and figure of the paper, computed anew."""

from pathlib import Path
from typing import Annotated

import typer

from hott.cli._arguments import Threads, Where
from hott.cli._output import console


def command(
    experiments: Annotated[
        list[str],
        typer.Argument(
            help="all, or some of: knn, appendix, sensitivity, preparation, statistics, timing, costs, "
            "relation, bounds, judgement, links, maps, interpretability. report: only write the report. "
            "claims: print what the paper claims, and whether it holds."
        ),
    ],
    data: Annotated[
        Path | None,
        typer.Option(envvar="HOTT_DATA", help="Folder of the data sets; see [bold]hott data[/bold]."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="Folder of the results.", show_default="results")
    ] = None,
    datasets: Annotated[
        str | None, typer.Option(help="Only these data sets, such as r8,classic.", show_default=False)
    ] = None,
    methods: Annotated[
        list[str] | None,
        typer.Option("--methods", "--method", help="Only this method; may be given several times."),
    ] = None,
    protocol: Annotated[str | None, typer.Option(help="Only this protocol: clean or paper.")] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Small samples: minutes instead of hours, other numbers.")
    ] = False,
    splits: Annotated[
        int | None, typer.Option(min=1, help="Random splits of a data set.", show_default="5")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of topics and layouts; a row of its own.")] = 0,
    seeds: Annotated[int, typer.Option(min=1, help="So many seeds, from --seed on.")] = 1,
    force: Annotated[bool, typer.Option("--force", help="Compute again what is finished.")] = False,
    page: Annotated[
        Path | None, typer.Option(help="A page whose included tables are brought up to date.")
    ] = None,
    threads: Threads = None,
    device: Where = "cpu",
) -> None:
    """Compute the experiments of the paper on its data, beside the published numbers.

    Finished parts are kept: a run that was stopped continues where it was. Rows of another version or of
    other settings are computed again. Writes CSV tables, predictions, pictures and REPORT.md to the folder of
    the results.

    [bold]Examples[/bold]

    hott paper knn --datasets r8,classic --data data/

    hott paper knn --datasets r8 --method HOTT --protocol clean --seed 3 --force --data data/

    hott paper claims
    """
    from dataclasses import replace

    from hott.paper.experiments import Only, experiments_named
    from hott.paper.methods import methods_named
    from hott.paper.report import claims_table, include, write_report
    from hott.paper.study import QUICK, Sizes, Study
    from hott.run import Run

    folder = out or (Path("results/quick") if quick else Path("results"))
    if experiments == ["claims"]:
        typer.echo(claims_table(folder))
        return
    failures: list[str] = []
    if experiments != ["report"]:
        wanted = experiments_named(experiments)
        if data is None:
            raise ValueError("Say where the data sets are: --data FOLDER, or the variable HOTT_DATA.")
        if protocol not in (None, "clean", "paper"):
            raise ValueError(f"--protocol must be clean or paper, not {protocol!r}.")
        only = Only([method.name for method in methods_named(methods)] if methods else None, protocol)
        sizes = QUICK if quick else Sizes()
        if splits is not None:
            sizes = replace(sizes, splits=splits)
        names = [name.strip() for name in datasets.split(",")] if datasets else None
        for number in range(seed, seed + seeds):
            study = Study(data, folder, names, sizes, number, Run(threads, device))
            for experiment in wanted:
                failures += experiment.run(study, only, force)
    report = write_report(folder)
    console.print(f"Report written to {report}", soft_wrap=True)
    if page is not None:
        include(page, folder)
        console.print(f"Tables of {page} are up to date", soft_wrap=True)
    if failures:
        for failure in failures:
            typer.echo(failure, err=True)
        raise ValueError(f"{len(failures)} parts failed; run the command again to try only those.")
