"""hott classify: how well nearest neighbours under a distance tell the labels."""

from typing import Annotated, Any

import typer

from hott.cli._arguments import Json
from hott.cli._output import print_json, print_table
from hott.cli._reading import DocumentsPath, with_reading


@with_reading
def command(
    corpus: DocumentsPath,
    distance: Annotated[
        list[str],
        typer.Option(
            "-d", "--distance", help="A distance, or several by repeating the option; all: every one."
        ),
    ] = ["hott", "tfidf"],  # noqa: B006 -- typer reads the default from here
    k: Annotated[int, typer.Option("-k", "--neighbors", min=1, help="Neighbours that vote.")] = 7,
    folds: Annotated[int, typer.Option(min=2, help="Parts of the cross-validation.")] = 5,
    topics: Annotated[int | None, typer.Option(min=1, help="Topics.", show_default="by size")] = None,
    models: Annotated[int, typer.Option(min=1, help="Topic models to average over.")] = 8,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same numbers.")] = 0,
    json: Json = False,
    *,
    reading: dict[str, Any],
) -> None:
    """Classify labelled documents by their nearest neighbours, cross-validated, under any distance.

    Topics and weights are learned from the training part of each fold.

    [bold]Example[/bold]

    hott classify articles/ -d hott -d tfidf -d wmd
    """
    import hott
    from hott.evaluation import cross_validate

    documents = hott.read(corpus, progress=True, **reading)
    results = cross_validate(
        documents, distance, n_neighbors=k, folds=folds, n_topics=topics, n_models=models, random_state=seed,
        progress=True,
    )  # fmt: skip
    if json:
        print_json([result.to_dict() for result in results])
        return
    rows = [[r.distance, f"{r.error:.1%}", f"{r.deviation:.1%}", f"{r.seconds:.1f} s"] for r in results]
    title = f"{k}-NN error, {folds}-fold cross-validation, {len(documents):,} documents"
    print_table(["distance", "error", "+-", "time"], rows, title=title)
