"""hott index: learn the topics of a corpus and make it searchable."""

import time
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

import hott
from hott.cli import _arguments as args
from hott.cli._output import print_json, quote, say
from hott.cli._reading import DocumentsPath, print_log, with_reading


@with_reading
def command(
    corpus: DocumentsPath,
    output: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--output",
            help="Where to write the index: a file, or an address such as s3://... Default: DOCUMENTS.hott.",
        ),
    ] = None,
    like: Annotated[
        str | None, typer.Option(help="Take words and topics from this index instead of learning them.")
    ] = None,
    shards: Annotated[
        int | None,
        typer.Option(
            min=1, help="Split the index into this many files, in a folder. Default: DOCUMENTS.hotts."
        ),
    ] = None,
    topics: Annotated[str, typer.Option(help="Number of topics in each model, or auto.")] = "auto",
    models: Annotated[int, typer.Option(min=1, help="Topic models to average over.")] = 8,
    iterations: Annotated[int, typer.Option(min=1, help="Gibbs sweeps for each model.")] = 100,
    vectors: Annotated[
        str, typer.Option(help="Word vectors: bundled, a file (GloVe, word2vec, fastText), train, or none.")
    ] = "bundled",
    strength: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="How much rare words borrow from words with a similar meaning; 0 is plain LDA.",
            show_default="auto",
        ),
    ] = None,
    language: args.Language = "auto",
    stop_words: args.StopWords = "auto",
    min_df: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Leave out words that have no vector and occur in fewer documents than this.",
            show_default="auto",
        ),
    ] = None,
    max_words: Annotated[int | None, typer.Option(min=1, help="Keep only the N most frequent words.")] = None,
    stem: args.Stem = False,
    on_empty: Annotated[
        Literal["error", "drop", "nan"],
        typer.Option(help="If a document has no known word: drop it, stop with an error, or keep it (nan)."),
    ] = "drop",
    distance: Annotated[
        str,
        typer.Option(help="The distance behind neighbours and map: blend (topics and words), hott, wmd, ..."),
    ] = "blend",
    encoder: Annotated[
        str,
        typer.Option(
            help="Vectors by meaning: auto (the bundled encoder, for English), none, minilm, mpnet, or "
            "another model of sentence-transformers."
        ),
    ] = "auto",
    fit_sample: Annotated[
        int, typer.Option(min=1, help="Learn words and topics from at most this many documents.")
    ] = 100_000,
    seed: args.Seed = 0,
    threads: args.Threads = None,
    scheduler: args.Scheduler = None,
    workers: args.Workers = None,
    json: args.Json = False,
    *,
    reading: dict[str, Any],
) -> None:
    """Index documents: learn their topics and make them searchable.

    Examples:
    hott index articles/ -o articles.hott
    hott index reviews.csv --text review --label product --topics 40
    hott index site/ --include '*.html' --passages 300 -o site.hott
    hott index crawl.jsonl --shards 16 --workers 8 -o crawl.hotts
    """
    if topics != "auto" and not (topics.isdigit() and int(topics)):
        raise typer.BadParameter(f"--topics must be a number or auto, not {topics!r}.")
    from hott.corpus.readers import Log

    ending = "hott" if shards is None else "hotts"
    output = output or f"{corpus.resolve().name.split('.')[0]}.{ending}"
    if shards is not None and like is not None:
        raise ValueError("--shards does not go with --like: add documents to shards with hott add.")
    file = None if shards or hott.storage.is_address(output) else args.check_output(Path(output))
    if file is not None and file.exists() and file.suffix != ".hott":
        raise ValueError(f"{output} is there already, perhaps no index. Give a name that ends in .hott.")
    started, log = time.monotonic(), Log()
    documents = hott.corpus.stream(corpus, log=log, progress=True, **reading)
    index: hott.Index | hott.Shards
    with args.dask_client(scheduler, workers) as client:
        where: dict[str, Any] = {"threads": threads, "progress": True, "client": client}
        if like is not None:
            index = args.open_index(like).with_documents(documents, **where)
        else:
            how: dict[str, Any] = {
                "n_topics": "auto" if topics == "auto" else int(topics),
                "n_models": models,
                "iterations": iterations,
                "strength": "auto" if strength is None else strength,
                "language": language,
                "embeddings": {"bundled": None, "none": False}.get(vectors, vectors),
                "stop_words": args.read_stop_words(stop_words),
                "min_df": "auto" if min_df is None else min_df,
                "max_words": max_words,
                "stem": stem,
                "on_empty": on_empty,
                "distance": distance,
                "encoder": None if encoder == "none" else encoder,
                "fit_sample": fit_sample,
                "random_state": seed,
            } | where
            if shards is None:
                index = hott.Index.build(documents, **how)
            else:
                index = hott.Shards.build(documents, output, shards=shards, **how)
    if isinstance(index, hott.Index):
        index.reading = {name: value for name, value in reading.items() if name != "report"}
        index.reading["source"] = str(corpus)
        index.save(output)
    seconds = time.monotonic() - started
    print_log(log, len(index))
    if json:
        print_json({"index": output, "seconds": round(seconds, 2), **index.info()})
        return
    say((output, "bold"), f": {index!r}, in {seconds:.1f} s")
    say(f'Next: hott search {quote(output)} "some words"   or   hott explore {quote(output)}')
