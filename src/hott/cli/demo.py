"""hott demo: the whole library on the bundled corpus, in under a minute."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

import hott
from hott.cli._output import quote, say, say_beside


def command(
    output: Annotated[
        Path, typer.Option("-o", "--output", file_okay=False, help="Folder for the report and the index.")
    ] = Path("hott-demo"),
    articles_only: Annotated[
        Path | None,
        typer.Option("--articles", metavar="FOLDER", file_okay=False, help="Only write the articles there."),
    ] = None,
) -> None:
    """See in a minute what hott does: it indexes 200 articles, answers questions, and writes a report.

    Examples:
    hott demo
    hott demo --articles articles && hott index articles -o articles.hott
    """
    from hott.explorer import report

    if articles_only:
        say(f"{hott.demo.write(articles_only)} articles written to {articles_only}")
        return
    output.mkdir(parents=True, exist_ok=True)
    articles = hott.demo.corpus()
    say("hott finds documents that answer a question, even in other words, and says why.")
    _head("1. Index 200 short articles")
    index = hott.Index.build(articles, progress=True)
    index.save(output / "demo.hott")
    say_beside("They are about ", "; ".join(subject.name for subject in index.subjects()))

    _head("2. Ask three questions")
    for query in hott.demo.QUERIES:
        say((f"“{query}”", "bold"))
        by_words = [hit.name for hit in index.search(query, k=2, by="words")]
        say_beside(("  same words (BM25)  ", "dim"), " · ".join(by_words))
        hits = index.search(query, k=2)
        for rank, (hit, why) in enumerate(zip(hits, index.reasons(hits))):
            lead = "  hott" if rank == 0 else ""
            say_beside((f"{lead:21}", "dim"), (hit.name, "bold"), (f"  {why}", "italic"))
        if query != hott.demo.QUERIES[-1]:
            say()

    _head("3. Compare two articles")
    comparison = index.compare(*hott.demo.PAIRS[0])
    a, b = comparison.a.name, comparison.b.name
    say((a, "bold"), " and ", (b, "bold"))
    for line in comparison.lines[:-1]:  # the last one is of shares
        say_beside("  ", line.replace("Only A:", f"Only {a}:").replace("Only B:", f"Only {b}:"))

    results = hott.evaluation.cross_validate(articles, ["blend", "hott", "tfidf"], progress=True)
    [stems] = hott.evaluation.cross_validate(articles, ["tfidf"], stem=True)
    results.insert(2, replace(stems, distance="tfidf-stems"))
    path = report.write(
        index,
        output / "report.html",
        pairs=hott.demo.PAIRS,
        queries=hott.demo.QUERIES,
        results=results,
        title="hott demo",
    )
    _head("Next")
    say(f"  Open {path} in a browser for the map, the topics and how often neighbours agree.")
    say("  hott index YOUR-FOLDER -o yours.hott")
    say(f"  hott explore {quote(str(output / 'demo.hott'))}")


def _head(text: str) -> None:
    say()
    say((text, "bold"))
    say()
