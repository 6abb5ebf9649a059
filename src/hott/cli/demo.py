"""hott demo: the whole library on the bundled corpus, in under a minute."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from hott.cli._output import quote, say, say_beside


def command(
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Folder for the report and the index.")
    ] = Path("hott-demo"),
    articles_only: Annotated[
        Path | None,
        typer.Option("--articles", metavar="FOLDER", help="Only write the articles here, as text files."),
    ] = None,
) -> None:
    """Index the bundled corpus of 200 articles, ask it some questions, and write a report with pictures.

    Examples

    hott demo

    hott demo --articles articles && hott index articles -o articles.hott
    """
    import hott
    from hott.corpus import demo
    from hott.evaluation import cross_validate
    from hott.explorer import report

    if articles_only:
        say(f"{demo.write(articles_only)} articles written to {articles_only}")
        return
    output.mkdir(parents=True, exist_ok=True)
    articles = demo.corpus()
    say_beside("", "hott finds the documents that answer a question, also in other words, and says why.")
    _head("1. An index of 200 short articles on ten themes")
    index = hott.Index.build(articles, progress=True)
    index.save(output / "demo.hott")
    say_beside("Its subjects: ", "; ".join(topic.name for topic in index.topics[:8]), "; ...")

    _head("2. Three questions")
    for query in demo.QUERIES:
        say((f"“{query}”", "bold"))
        by_words = [hit.name for hit in index.search(query, k=3, by="words")]
        say_beside(("  the same words (BM25)  ", "dim"), " · ".join(by_words))
        hits = index.search(query, k=3)
        for lead, hit, why in zip(
            ("  hott                   ", " " * 25, " " * 25), hits, index.reasons(hits)
        ):
            say_beside((lead, "dim"), (hit.name, "bold"), (f"  {why.partition('; near: ')[0]}", "italic"))
        say()

    _head("3. Why are two articles alike?")
    comparison = index.compare(*demo.PAIRS[0])
    say((comparison.a.name, "bold"), " and ", (comparison.b.name, "bold"))
    for sentence in comparison.lines:
        say_beside("  ", sentence)

    results = cross_validate(articles, ["blend", "hott", "tfidf"], progress=True)
    [stems] = cross_validate(articles, ["tfidf"], stem=True)
    results.insert(2, replace(stems, distance="tfidf-stems"))
    path = report.write(
        index,
        output / "report.html",
        pairs=demo.PAIRS,
        queries=demo.QUERIES,
        results=results,
        title="hott demo",
    )
    _head("Next")
    for line in (
        f"open {path} in a browser: the map, the topics, three comparisons, and how often neighbours agree",
        "hott index YOUR-FOLDER -o yours.hott",
        f"hott explore {quote(str(output / 'demo.hott'))}",
    ):
        say(f"  {line}")


def _head(text: str) -> None:
    say()
    say((text, "bold"))
    say()
