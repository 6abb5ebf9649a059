"""hott demo: the whole library on the bundled corpus, in under a minute."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from hott.cli._output import print_table, quote, say, say_beside


def command(
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Folder for the report and the index.")
    ] = Path("hott-demo"),
) -> None:
    """Index the bundled corpus of 200 articles, ask it some questions, and write a report with pictures."""
    import hott
    from hott.corpus import demo
    from hott.evaluation import cross_validate
    from hott.explorer import report

    output.mkdir(parents=True, exist_ok=True)
    articles = demo.corpus()
    _head("1. An index of 200 short articles on ten themes")
    index = hott.Index.build(articles, progress=True)
    index.save(output / "demo.hott")
    say(f"{index!r}")
    say()
    rows = [[f"{topic.share:.1%}", topic.name, ", ".join(topic.words[:6])] for topic in index.topics[:10]]
    print_table(["share", "topic", "words"], rows, title="Its ten heaviest topics")

    _head("2. Search")
    for query in demo.QUERIES:
        hits = index.search(query, k=3)
        found = [[hit.score, hit.name, hit.label, str(hit.snippet)] for hit in hits]
        print_table(["score", "title", "theme", "passage"], found, title=f"“{query}”")

    _head("3. Why are two articles alike?")
    pairs = demo.PAIRS
    for a, b in (pairs[0], pairs[-1]):
        comparison = index.compare(a, b)
        say((comparison.a.name, "bold"), " and ", (comparison.b.name, "bold"))
        for sentence in comparison.lines:
            say_beside("", sentence)
        say()

    _head("4. Do neighbours belong together?")
    results = cross_validate(articles, ["blend", "hott", "tfidf"], progress=True)
    [stems] = cross_validate(articles, ["tfidf"], stem=True)
    results.insert(2, replace(stems, distance="tfidf-stems"))
    rows = [
        [report.distance_in_words(r.distance), f"{1 - r.error:.1%}", f"{r.deviation:.1%}"] for r in results
    ]
    print_table(
        ["distance", "accuracy", "+-"],
        rows,
        title="7 nearest neighbours vote on the theme; the same 5 folds for all",
    )
    say_beside("", (report.CAVEAT, "dim"))

    path = report.write(
        index, output / "report.html", pairs=pairs, queries=demo.QUERIES, results=results, title="hott demo"
    )
    _head("Next")
    file = quote(str(output / "demo.hott"))
    for line in (
        f"open {path} in a browser: searches, the map, three comparisons, the topics",
        f'hott search {file} "stars and planets"',
        f"hott compare {file} {pairs[0][0]} {pairs[0][1]}",
        f'hott explore {file}      (pip install "hott[explore]")',
        "hott index YOUR-FOLDER -o yours.hott",
    ):
        say(f"  {line}")


def _head(text: str) -> None:
    say()
    say((text, "bold"))
    say()
