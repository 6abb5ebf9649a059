"""How well search finds what people judged relevant, beside BM25 and TF-IDF cosine.

    python benchmarks/retrieval.py --data FOLDER [--json FILE] [--models 8]
        [--only cran cisi articles hepth questions]

FOLDER holds retrieval-NAME.jsonl.gz, -queries.jsonl.gz and -relevant.csv.gz for cran and cisi,
hepth_papers.jsonl.gz, bbcsport.jsonl.gz and amazon.jsonl.gz (docs/reproduction.md). Three kinds of tables:

- judged: mean average precision, nDCG at 10 and mean reciprocal rank over queries with human judgements;
- known items: how often the title of a document, as a query, finds its own text first, and among ten. For
  hep-th papers the index holds abstracts without titles; for the bundled articles texts with titles;
- questions: short ones as people type them (questions.csv, written before any answer was seen), and how many
  of twenty have the right document among the first three. Copies of a text are as right as the text.

The peer for BM25 is bm25s (Lucene's formula, k1 1.2, b 0.75), on the words that ours sees and on their stems;
TF-IDF cosine is scikit-learn's, with its English stop words. LSI is its truncated SVD of TF-IDF over stems,
200 dimensions. "words + LSI" is the score of hott with LSI in the place of topics and meaning: hott's BM25,
eight times over the idf of the query, and the cosine over the deviation of distances between documents.
"""

import argparse
import csv
import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import bm25s
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

import hott
from hott.corpus import demo
from hott.index.search import WORDS
from hott.lexical import Postings, WordForms
from hott.lexical.frequencies import Language
from hott.text.languages import stop_words_of

Ranker = Callable[[str], Sequence[int]]
Scorer = Callable[[str], NDArray[np.floating]]
Encode = Callable[[list[str]], NDArray[np.floating]]
Row = dict[str, Any]


def records(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def rankers(texts: list[str], index: hott.Index, k: int | None = None) -> dict[str, Ranker]:
    """Ways to order documents for a query, best first; ours gives the ``k`` best, all by default."""
    position = {id: place for place, id in enumerate(index.documents.ids)}
    weights = TfidfVectorizer(stop_words="english")
    rows = weights.fit_transform(texts)

    def by_cosine(query: str) -> Sequence[int]:
        return best_first((rows @ weights.transform([query]).T).toarray().ravel())

    def ours(by: Any) -> Ranker:
        def rank(query: str) -> Sequence[int]:
            try:
                return [position[hit.id] for hit in index.search(text=query, k=k or len(index), by=by)]
            except ValueError:  # nothing to go on
                return []

        return rank

    return {
        "TF-IDF cosine": by_cosine,
        "BM25 (bm25s)": peer(texts, None),
        "BM25 (bm25s), stems": peer(texts, "english"),
        **{name: ordered(score) for name, score in by_vectors("LSI", texts, lsi(texts)).items()},
        "hott by words": ours("words"),
        "hott by topics": ours("topics"),
        "hott by both": ours("both"),
    }


def peer(texts: list[str], language: str | None) -> Ranker:
    forms = WordForms(stop_words_of("english", "english"), language)
    model = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    model.index([forms.forms(text) for text in texts], show_progress=False)

    def rank(query: str) -> Sequence[int]:
        words = [word for word in forms.forms(query) if word in model.vocab_dict]
        return best_first(model.get_scores(words)) if words else []

    return rank


def lsi(texts: list[str]) -> Encode:
    weights = TfidfVectorizer(analyzer=_stems().forms, sublinear_tf=True)
    rows = weights.fit_transform(texts)
    axes = TruncatedSVD(min(200, min(rows.shape) - 1), random_state=0).fit(rows)
    return lambda some: axes.transform(weights.transform(some))


def by_vectors(name: str, texts: list[str], encode: Encode) -> dict[str, Scorer]:
    """Score by the cosine of vectors, and by hott's words with them, added as hott adds words and meaning."""

    def unit(some: list[str]) -> NDArray[np.floating]:
        rows = np.asarray(encode(some), np.float64)
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)

    rows = unit(texts)
    some = rows[np.random.default_rng(0).permutation(len(rows))[:2000]]
    apart = np.sqrt(np.maximum(2 - 2 * some @ some.T, 0))[np.triu_indices(len(some), 1)]
    forms = _stems()
    postings, language = Postings.of(texts, forms.forms), Language.at_large(forms)

    def by_words(query: str) -> NDArray[np.float64]:
        found = Counter(forms.forms(query))
        total = sum(n * postings.frequencies.idf(word, language) for word, n in found.items())
        weighed = postings.frequencies.weigh(found, language, total)
        return WORDS * postings.bm25(weighed) / total if total else np.zeros(len(texts))

    def by_cosine(query: str) -> NDArray[np.float64]:
        return rows @ unit([query])[0]

    deviation = apart.std()
    return {
        name: by_cosine,
        f"words + {name}": lambda query: by_words(query) + by_cosine(query) / deviation,
    }


def ordered(score: Scorer) -> Ranker:
    return lambda query: best_first(score(query))


def _stems() -> WordForms:
    return WordForms(stop_words_of("english", "english"), "english")


def best_first(scores: NDArray[np.floating]) -> Sequence[int]:
    return np.argsort(-scores, kind="stable").tolist()


def judged(
    name: str, folder: Path, models: int, encoders: dict[str, Callable[[list[str]], Encode]] | None = None
) -> list[Row]:
    """Measures of every ranker, and of encoders that are made for the texts, on one set with judgements."""
    documents = records(folder / f"retrieval-{name}.jsonl.gz")
    relevant: dict[str, set[str]] = defaultdict(set)
    with gzip.open(folder / f"retrieval-{name}-relevant.csv.gz", "rt", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            relevant[row["query"]].add(row["document"])
    queries = [
        q for q in records(folder / f"retrieval-{name}-queries.jsonl.gz") if relevant.get(str(q["id"]))
    ]
    ids, titles, texts = (
        [str(d["id"]) for d in documents],
        [d["title"] for d in documents],
        [d["text"] or d["title"] for d in documents],
    )
    index = hott.Index.build(
        hott.Corpus(texts, ids=ids, titles=titles), n_models=models, on_empty="nan", progress=True
    )
    found = []
    whole = [f"{title}\n{text}" for title, text in zip(titles, texts)]
    rank_by = rankers(whole, index)
    for encoder, make in (encoders or {}).items():
        scores = by_vectors(encoder, whole, make(whole))
        rank_by |= {method: ordered(score) for method, score in scores.items()}
    for method, rank in rank_by.items():
        measures = []
        for query in track(queries, f"{name}: {method}", transient=True):
            wanted = relevant[str(query["id"])]
            hits = np.array([ids[place] in wanted for place in rank(query["text"])], bool)
            measures.append(quality(hits, len(wanted)))
        precision, gain, reciprocal = np.mean(measures, axis=0)
        found.append({"set": name, "method": method, "MAP": precision, "nDCG@10": gain, "MRR": reciprocal})
    return found


def quality(hits: NDArray[np.bool_], n_relevant: int) -> tuple[float, float, float]:
    """Average precision, nDCG at 10 and reciprocal rank of one answer."""
    ranks = np.flatnonzero(hits) + 1
    precision = float((np.arange(1, len(ranks) + 1) / ranks).sum() / n_relevant)
    ideal = (1 / np.log2(np.arange(2, min(10, n_relevant) + 2))).sum()
    gain = float((1 / np.log2(ranks[ranks <= 10] + 1)).sum() / ideal)
    return precision, gain, 1 / ranks[0] if len(ranks) else 0.0


def known_items(name: str, corpus: hott.Corpus, titles: list[str], models: int, most: int) -> list[Row]:
    index = hott.Index.build(corpus, n_models=models, on_empty="nan", progress=True)
    whole = [f"{title}\n{text}" for title, text in zip(corpus.titles, corpus.texts)]
    chosen = np.random.default_rng(0).permutation(len(titles))[:most]
    found = []
    for method, rank in rankers(whole, index, 100).items():
        places = []
        for item in track(chosen.tolist(), f"{name}: {method}", transient=True):
            order = list(rank(titles[item]))
            places.append(order.index(item) if item in order else len(titles))
        own = np.array(places)
        found.append(
            {"set": name, "method": method, "first": (own == 0).mean(), "in ten": (own < 10).mean(),
             "MRR": (1 / (own + 1)).mean()}
        )  # fmt: skip
    return found


def questions(name: str, corpus: hott.Corpus, asked: list[dict[str, str]], models: int) -> list[Row]:
    index = hott.Index.build(corpus, n_models=models, on_empty="nan", progress=True)
    whole = [f"{title}\n{text}" for title, text in zip(corpus.titles, corpus.texts)]
    found = []
    for method, rank in rankers(whole, index, 3).items():
        wrong = []
        for one in asked:
            right = whole[corpus.position(one["answer"])]
            if right not in [whole[place] for place in list(rank(one["question"]))[:3]]:
                wrong.append(one["question"])
        row = {"set": name, "method": method, "right in three": str(len(asked) - len(wrong))}
        found.append(row | {"missed": "; ".join(wrong)})
    return found


def show(rows: list[Row]) -> None:
    columns = list(rows[0])
    table = Table(*columns)
    for row in rows:
        table.add_row(*(value if isinstance(value, str) else f"{value:.3f}" for value in row.values()))
    Console().print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--models", type=int, default=8)
    parser.add_argument("--queries", type=int, default=1000, help="titles of hep-th papers, at most")
    parser.add_argument("--only", nargs="+", default=["cran", "cisi", "articles", "hepth", "questions"])
    parser.add_argument(
        "--questions", type=Path, default=Path(__file__).with_name("questions.csv"),
        help="CSV with the columns set (articles, or NAME.jsonl.gz of the data), question and answer (an id)",
    )  # fmt: skip
    options = parser.parse_args()
    results: list[list[Row]] = [
        judged(name, options.data, options.models) for name in ("cran", "cisi") if name in options.only
    ]
    if "articles" in options.only:
        corpus = demo.corpus()
        results.append(known_items("articles", corpus, list(corpus.titles), options.models, len(corpus)))
    if "hepth" in options.only:
        papers = records(options.data / "hepth_papers.jsonl.gz")
        papers = [paper for paper in papers if paper["title"].strip() and paper["abstract"].strip()]
        abstracts = hott.Corpus([paper["abstract"] for paper in papers])
        titles = [paper["title"] for paper in papers]
        results.append(known_items("hepth", abstracts, titles, options.models, options.queries))
    if "questions" in options.only:
        with options.questions.open(encoding="utf-8", newline="") as file:
            by_set: dict[str, list[dict[str, str]]] = defaultdict(list)
            for question in csv.DictReader(file):
                by_set[question["set"]].append(question)
        for name, asked in by_set.items():
            corpus = demo.corpus() if name == "articles" else hott.read(options.data / f"{name}.jsonl.gz")
            results.append(questions(name, corpus, asked, options.models))
    for rows in results:
        show(rows)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
