"""hott demo: the whole library on the bundled corpus, in under a minute."""

from pathlib import Path
from typing import Annotated

import typer

from hott.cli._output import console, print_table


def command(
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Folder for the report and the index.")
    ] = Path("hott-demo"),
) -> None:
    """Index the bundled corpus of 200 articles, ask it some questions, and write a report with pictures."""
    import hott
    from hott import demo, report
    from hott.evaluation import cross_validate

    output.mkdir(parents=True, exist_ok=True)
    articles = demo.corpus()
    console.rule("[bold]1. An index of 200 short articles on ten themes")
    index = hott.Index.build(articles, progress=True)
    index.save(output / "demo.hott")
    console.print(f"{index!r}\n")
    rows = [[f"{topic.share:.1%}", topic.name, ", ".join(topic.words[:6])] for topic in index.topics[:10]]
    print_table(["share", "topic", "words"], rows, title="Its ten heaviest topics")

    console.rule("[bold]2. Search")
    query = "planets that orbit other stars"
    hits = index.search(query, k=5)
    found = [[hit.distance, hit.title, hit.label] for hit in hits]
    print_table(["distance", "title", "theme"], found, title=f"“{query}”")
    console.print(f"{hits.computed} distances computed, {hits.pruned} ruled out by bounds\n", style="dim")

    console.rule("[bold]3. Why are two articles near?")
    pairs = demo.PAIRS
    console.print(str(index.compare(*pairs[0])), markup=False)

    console.rule("[bold]4. Do the neighbours have the same theme?")
    results = cross_validate(articles, ["hott", "tfidf", "blend"], progress=True)
    rows = [[r.distance, f"{1 - r.error:.1%}", f"{r.deviation:.1%}"] for r in results]
    print_table(
        ["distance", "accuracy", "+-"], rows, title="7 nearest neighbours vote, 5-fold cross-validation"
    )

    path = report.write(index, output / "report.html", pairs=pairs, title="hott demo")
    console.rule("[bold]Next")
    for line in (
        f"open {path} in a browser: the map, the topics, three transport diagrams",
        f'hott search {output / "demo.hott"} "stars and planets"',
        f"hott compare {output / 'demo.hott'} {pairs[0][0]} {pairs[0][1]}",
        f'hott explore {output / "demo.hott"}      (pip install "hott[explore]")',
        "hott index YOUR-FOLDER -o yours.hott",
    ):
        console.print(f"  {line}", markup=False, soft_wrap=True)
