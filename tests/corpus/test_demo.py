import re
from collections import Counter

import pytest

import hott
from hott.corpus import demo
from hott.evaluation import CrossValidation
from hott.explorer import report


def test_the_corpus_is_what_it_is_said_to_be():
    corpus = demo.corpus()
    assert Counter(corpus.labels) == dict.fromkeys(demo.THEMES, 20)
    assert len(set(corpus.ids)) == len(set(corpus.titles)) == 200
    lengths = [len(text.split()) for text in corpus.texts]
    assert min(lengths) >= 80
    assert max(lengths) <= 150


def test_no_two_articles_share_a_run_of_eight_words():
    owners: dict[tuple[str, ...], str] = {}
    for article in demo.corpus():
        words = article.text.lower().split()
        for run in {tuple(words[i : i + 8]) for i in range(len(words) - 7)}:
            assert owners.setdefault(run, article.id) == article.id


def test_the_pairs_worth_comparing_are_there():
    ids = set(demo.corpus().ids)
    assert all(a in ids and b in ids for a, b in demo.PAIRS)


@pytest.fixture(scope="module")
def index():
    hostile = hott.Corpus(
        ["planets and stars orbit"] * 3 + ["bread and flour bake"] * 3,
        ids=list("abcdef"),
        titles=["<script>alert(1)</script>", "Stars & planets", "Orbits", "Bread", "Flour", "Cake"],
        labels=["<b>sky</b>"] * 3 + ["kitchen"] * 3,
    )
    return hott.Index.build(hostile, n_topics=2, n_models=1, iterations=30)


def test_the_report_holds_all_it_needs_and_escapes_texts(index, tmp_path):
    path = report.write(index, tmp_path / "report.html", pairs=[("a", "d")], title="A & B")
    page = path.read_text(encoding="utf-8")
    assert "<title>A &amp; B</title>" in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt; <span>and</span> <b>B</b> Bread" in page
    assert "<script>alert(1)" not in page
    parts = r"<p>Nothing in common\.</p><p>Only A: [^<]*planets[^<]*</p><p>Only B: [^<]*bread[^<]*</p>"
    assert re.search(parts, page)
    assert page.count('class="plotly-graph-div"') == 1
    assert page.count("<body>") == 1
    assert page.count('class="hott-comparison"') == 1
    own_markup = page[page.index("</script>\n</head>") :]
    assert 'src="http' not in own_markup
    assert all(topic.name in page for topic in index.topics)


def test_the_report_shows_searches_and_results_and_escapes_them(index, tmp_path):
    result = CrossValidation("tfidf", 0.25, 0.05, (0.2, 0.3), 0.0)
    query = "<i>planets</i> and stars"
    page = report.write(index, tmp_path / "report.html", queries=[query], results=[result]).read_text("utf-8")
    assert "“&lt;i&gt;planets&lt;/i&gt; and stars”" in page
    assert "<mark>planets</mark> and <mark>stars</mark> orbit" in page
    assert "<td>75.0%</td><td>± 5.0%</td><th>TF-IDF, cosine</th>" in page
    assert "prefers-color-scheme: dark" in page


def test_every_search_of_the_demo_finds_what_a_reader_would_expect():
    index = hott.Index.build(demo.corpus(), n_models=2)
    first = {
        by: [index.search(query, k=1, by=by)[0].name for query in demo.QUERIES] for by in ("both", "words")
    }
    assert first["both"] == ["Sauerkraut and kimchi", "Solar eclipses", "Sourdough"]
    assert first["words"] == ["Mitochondria", "The Milky Way", "Inflation"]  # BM25 has the words alone


def test_a_report_that_cannot_be_written_says_so(index, tmp_path):
    with pytest.raises(OSError, match="there is no folder"):
        report.write(index, tmp_path / "missing" / "report.html")


def test_the_articles_can_be_written_as_a_folder_and_read_back(tmp_path):
    """As the first page of the documentation does it."""
    assert demo.write(tmp_path / "articles") == len(demo.corpus())
    read = hott.read(tmp_path / "articles")
    first, there = demo.corpus()[0], read[list(read.ids).index(f"{demo.corpus()[0].id}.txt")]
    assert (there.title, there.label) == (first.title, first.label)
    assert there.text.rstrip().endswith(first.text)
