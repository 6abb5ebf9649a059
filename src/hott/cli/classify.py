"""hott classify: labels of new documents by their neighbours, and how well neighbours tell the labels."""

from pathlib import Path
from typing import Annotated, Any

import typer

import hott
from hott.cli._arguments import Json, Language, Seed, Stem, StopWords, TableFile, read_stop_words
from hott.cli._output import print_found, say, write_table
from hott.cli._reading import with_reading


@with_reading
def command(
    corpus: Annotated[
        Path | None, typer.Argument(help="Labelled documents: a folder for each label, or a table.")
    ] = None,
    train: Annotated[
        Path | None, typer.Option(help="Labelled documents to learn from, with --predict.")
    ] = None,
    predict: Annotated[Path | None, typer.Option(help="Documents to label.")] = None,
    output: TableFile = None,
    distance: Annotated[
        list[str], typer.Option("-d", "--distance", help="A distance to use, or all. Repeatable.")
    ] = ["blend", "hott", "tfidf"],  # noqa: B006 -- typer reads the default from here
    k: Annotated[int, typer.Option("-k", "--neighbors", min=1, help="Number of neighbours that vote.")] = 7,
    folds: Annotated[int, typer.Option(min=2, help="Number of parts in the cross-validation.")] = 5,
    topics: Annotated[int | None, typer.Option(min=1, help="Topics.", show_default="by size")] = None,
    models: Annotated[int, typer.Option(min=1, help="Topic models to average over.")] = 8,
    language: Language = "auto",
    stop_words: StopWords = "auto",
    stem: Stem = False,
    vectors: Annotated[
        Path | None,
        typer.Option(
            help="A file of word vectors (GloVe, word2vec, fastText).",
            show_default="bundled, or learned from the documents",
        ),
    ] = None,
    seed: Seed = 0,
    json: Json = False,
    *,
    reading: dict[str, Any],
) -> None:
    """Label documents by their nearest neighbours, or measure how well that works by cross-validation.

    Topics and weights are learned from the labelled documents, or from the training part of each fold.

    Examples:
    hott classify articles/ -d hott -d tfidf -d wmd
    hott classify --train labelled.csv --predict new/ -o labels.csv
    """
    if (corpus is None) == (train is None):
        raise typer.BadParameter("Give labelled documents, or --train and --predict.")
    if output is not None and predict is None:
        raise typer.BadParameter("-o is for the labels of --predict; cross-validation prints its table.")
    labelled = hott.read((corpus or train or ""), progress=True, **reading)
    how: dict[str, Any] = {
        "n_neighbors": k,
        "n_topics": topics,
        "n_models": models,
        "language": language,
        "stop_words": read_stop_words(stop_words),
        "stem": stem,
        "word_vectors": "auto" if vectors is None else hott.embeddings.load(vectors),
        "random_state": seed,
        "progress": True,
    }
    if predict is None:
        results = hott.evaluation.cross_validate(labelled, distance, folds=folds, **how)
        rows = ([r.distance, f"{r.error:.1%}", f"{r.deviation:.1%}", f"{r.seconds:.1f} s"] for r in results)
        title = f"{k}-NN error, {folds}-fold cross-validation, {len(labelled):,} documents"
        print_found(results, json, ["distance", "error", "+-", "time"], rows, title)
        return
    # Names of columns and patterns are those of the labelled documents.
    theirs = {name: value for name, value in reading.items() if name not in ("label", "report")}
    new = hott.read(predict, progress=True, **theirs)
    found = hott.evaluation.predict(labelled, new, distance[0], **how)
    columns = {name: [getattr(one, name) for one in found] for name in ("id", "label", "share")}
    if output is not None:
        write_table(output, columns)
    how_found = f"by the {k} nearest labelled documents, distance {distance[0]}"
    if output is not None and not json:
        say(f"{len(found):,} labels written to {output}, {how_found}")
    else:
        rows = ([one.label, f"{one.share:.0%}", one.id] for one in found)
        print_found(found, json, ["label", "share", "id"], rows, f"Labels {how_found}")
