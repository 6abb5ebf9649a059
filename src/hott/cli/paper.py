"""hott paper: every table and figure of the paper, computed anew."""

from pathlib import Path
from typing import Annotated

import typer

from hott.cli._output import console


def command(
    experiments: Annotated[
        list[str],
        typer.Argument(
            help="all, or some of: knn, statistics, timing, relation, judgement, sensitivity, links, maps, "
            "interpretability, appendix. report: only write the report."
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
    quick: Annotated[
        bool, typer.Option("--quick", help="Small samples: minutes instead of hours, other numbers.")
    ] = False,
    splits: Annotated[
        int | None, typer.Option(min=1, help="Random splits of a data set.", show_default="5")
    ] = None,
    threads: Annotated[int | None, typer.Option(min=1, help="Threads.", show_default="all cores")] = None,
) -> None:
    """Compute the experiments of the paper on its data, beside the published numbers.

    Finished parts are kept: a run that was stopped continues where it was. Writes CSV tables, pictures and
    REPORT.md to the folder of the results.

    [bold]Example[/bold]

    hott paper knn --datasets r8,classic --data data/
    """
    from dataclasses import replace

    from hott.paper.experiments import experiments_named
    from hott.paper.report import write_report
    from hott.paper.study import QUICK, Sizes, Study

    folder = out or (Path("results/quick") if quick else Path("results"))
    failures: list[str] = []
    if experiments != ["report"]:
        wanted = experiments_named(experiments)
        if data is None:
            raise ValueError("Say where the data sets are: --data FOLDER, or the variable HOTT_DATA.")
        sizes = QUICK if quick else Sizes()
        if splits is not None:
            sizes = replace(sizes, splits=splits)
        names = [name.strip() for name in datasets.split(",")] if datasets else None
        study = Study(data, folder, names, sizes, threads=threads)
        for experiment in wanted:
            failures += experiment.run(study)
            write_report(folder)
    report = write_report(folder)
    console.print(f"Report written to {report}", soft_wrap=True)
    if failures:
        for failure in failures:
            typer.echo(failure, err=True)
        raise ValueError(f"{len(failures)} parts failed; run the command again to try only those.")
