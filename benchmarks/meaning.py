"""What the bundled encoder adds: search by words and meaning, and topics of words in context.

    python benchmarks/meaning.py search --data FOLDER [--peers minilm mpnet] [--json FILE]
    python benchmarks/meaning.py held-out [--data FOLDER] [--only articles amazon] [--peers minilm]
    python benchmarks/meaning.py topics --data FOLDER [--only bbcsport r8 ...] [--json FILE]
    python benchmarks/meaning.py neighbors --data FOLDER [--only bbcsport r8 ...] [--json FILE]
    python benchmarks/meaning.py speed

``search``: nDCG at 10 and MAP on the judged collections cran and cisi, and 100 questions about the bundled
articles in other words than theirs (paraphrases.json, written before any ranking was seen): mean reciprocal
rank, and how many have the right article among the first three and ten; the same for 60 hard questions about
bbcsport that share at most one word with their answer (hard_questions.json, written before as well); by the
parts of hott.Index alone, by words with LSI (retrieval.py), by all of it with the encoder and without, and by
other encoders (--peers).

``held-out``: questions written without seeing any ranking (held_out_questions.csv), by words, by vectors, by
all of the index and by other encoders: how many have the right document first and among ten, and the mean
reciprocal rank, 0 beyond the first hundred. Choose settings on the half "choose" only (35 about the bundled
articles and amazon), report the half "report", and leave "sealed" (40 about four collections) closed: it was
asked once. --documents takes the answers and others at random, so many documents of a collection.

``topics``: error of a 7-nearest-neighbours classifier by hott.distances.contextual.ContextualHOTT, one
clustering and four, and by four with half a TF-IDF L1, each over its deviation; at most --most documents, at
most 1,000 of them for testing; the split of the data set, or 70 to 30. FOLDER as in retrieval.py and
docs/reproduction.md.

``neighbors``: error of the same classifier by the parts of the distance of an index (HOTT over eight models,
TF-IDF L1, vectors of the encoder), by contextual topics and by their sums, with hubs corrected and without, 7
and 15 neighbours; and how many of the ten nearest have the same label, as "more like this" shows them.
"train" are up to 600 training documents, each by the others: by these the weight of vectors was chosen. At
most --most training documents, at most 600 for testing.

``speed``: milliseconds of one core for 1,000 words, and for the scores of a million documents.
"""

import argparse
import csv
import gzip
import json
import os
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from retrieval import Scorer, by_vectors, lsi, quality, records, show

import hott
from hott.compute import backends
from hott.compute.ground import Problems
from hott.distances.contextual import ContextualHOTT
from hott.embeddings.encoder import DocumentVectors, Encoder, NamedEncoder
from hott.index.hits import By
from hott.index.search import rank_queries
from hott.text.tokens import tokenize
from hott.topics import ContextualTopics
from hott.utils.run import Run

FOLDER = Path(__file__).parent
Row = dict[str, Any]


def peer_scorer(name: str, texts: list[str]) -> Scorer:
    """Score by the cosine of the vectors of another encoder, less the mean of the documents as ours are."""
    encode = NamedEncoder(name)
    rows = encode(texts)
    apart = rows - rows.mean(axis=0)
    apart /= np.linalg.norm(apart, axis=1, keepdims=True)
    return lambda question: apart @ (encode([question])[0] - rows.mean(axis=0))


def scorers(corpus: hott.Corpus, peers: list[str]) -> dict[str, Scorer]:
    """Ways to score all documents for a question."""
    index = hott.Index.build(corpus)

    def searched(index: hott.Index, by: By) -> Scorer:
        def score(question: str) -> NDArray[np.floating]:
            query = index._searcher.parser.parse(question, by)
            [found] = rank_queries(index._searcher, [query], len(corpus), None, Run())
            scores = np.full(len(corpus), -np.inf)
            scores[found.positions] = found.words + found.topics + found.meaning
            return scores

        return score

    texts = [f"{title}\n{text}" for title, text in zip(corpus.titles, corpus.texts)]
    return {
        "words": searched(index, "words"),
        "words + LSI": by_vectors("LSI", texts, lsi(texts))["words + LSI"],
        "vectors": searched(index, "meaning"),
        **{peer: peer_scorer(peer, texts) for peer in peers},
        "hott without the encoder": searched(index.without_meaning(), "both"),
        "hott": searched(index, "both"),
    }


def judged(name: str, folder: Path, peers: list[str]) -> list[Row]:
    documents = records(folder / f"retrieval-{name}.jsonl.gz")
    relevant: dict[str, set[str]] = defaultdict(set)
    with gzip.open(folder / f"retrieval-{name}-relevant.csv.gz", "rt", encoding="utf-8") as lines:
        next(lines)
        for line in lines:
            query, document = line.strip().split(",")
            relevant[query].add(document)
    ids = np.array([str(document["id"]) for document in documents])
    rows = []
    texts, titles = ([document[key] for document in documents] for key in ("text", "title"))
    for method, score in scorers(hott.Corpus(texts, ids=ids.tolist(), titles=titles), peers).items():
        measures = []
        for query in records(folder / f"retrieval-{name}-queries.jsonl.gz"):
            wanted = relevant.get(str(query["id"]))
            if wanted:
                order = ids[np.argsort(-score(query["text"]), kind="stable")]
                measures.append(quality(np.isin(order, list(wanted)), len(wanted)))
        precision, gain, _ = np.mean(measures, axis=0)
        rows.append({"set": name, "method": method, "nDCG@10": gain, "MAP": precision})
    return rows


def find_copies(corpus: hott.Corpus, id: str) -> list[int]:
    """Find the positions of all documents with the text of this one: copies are as right as the text."""
    right = corpus.texts[corpus.position(id)]
    return [place for place, text in enumerate(corpus.texts) if text == right]


def questions(name: str, file: str, corpus: hott.Corpus, peers: list[str]) -> list[Row]:
    asked = json.loads((FOLDER / file).read_text(encoding="utf-8"))
    answers = [find_copies(corpus, id) for id in asked.values()]
    rows = []
    for method, score in scorers(corpus, peers).items():
        ranks = []
        for question, answer in zip(asked, answers):
            scores = score(question)
            best = scores[answer].max()
            ranks.append(int((scores > best).sum()) + 1 if best != 0 else len(corpus))
        found = np.array(ranks)
        rows.append(
            {"set": name, "method": method, "MRR": (1 / found).mean(),
             "in three": str((found <= 3).sum()), "in ten": str((found <= 10).sum())}
        )  # fmt: skip
    return rows


def held_out(
    name: str, corpus: hott.Corpus, halves: list[str], peers: list[str], most: int | None
) -> list[Row]:
    """Rank the answers to the held-out questions about a corpus, each half by itself."""
    with (FOLDER / "held_out_questions.csv").open(encoding="utf-8", newline="") as lines:
        asked = [row for row in csv.DictReader(lines) if row["set"] == name and row["half"] in halves]
    if most is not None:
        answers = {place for row in asked for place in find_copies(corpus, row["answer"])}
        others = np.random.default_rng(0).permutation(len(corpus)).tolist()
        corpus = corpus[sorted([*answers, *(place for place in others if place not in answers)][:most])]
    methods, rows = scorers(corpus, peers), []
    for half in halves:
        ours = [(row["question"], find_copies(corpus, row["answer"])) for row in asked if row["half"] == half]
        for method, score in methods.items() if ours else ():
            ranks = []
            for question, right in ours:
                scores = score(question)
                rank = int((scores > scores[right].max()).sum()) + 1
                ranks.append(rank if rank <= 100 and np.isfinite(scores[right].max()) else np.inf)
            ranked = np.array(ranks)
            rows.append(
                {"set": name, "half": half, "method": method, "n": str(len(ranks)), "of": str(len(corpus)),
                 "hit@1": (ranked == 1).mean(), "hit@10": (ranked <= 10).mean(), "MRR": (1 / ranked).mean()}
            )  # fmt: skip
    return rows


def split_documents(name: str, folder: Path, most: int | None = None) -> tuple[list[Row], list[Row]]:
    """Read training and test documents: by the split of the data, or 70 to 30."""
    documents = records(folder / f"{name}.jsonl.gz")
    if name == "ohsumed":  # the ten classes of the paper
        documents = [document for document in documents if document["label"] <= "C10"]
    random = np.random.default_rng(0)
    order = random.permutation(len(documents))[:most]
    if documents[0].get("split") in ("train", "test"):
        parts = [[documents[i] for i in order if documents[i]["split"] == part] for part in ("train", "test")]
    else:
        cut = int(0.7 * len(order))
        parts = [[documents[i] for i in chosen] for chosen in (order[:cut], order[cut:])]
    return parts[0], parts[1][:1000]


def error(distances: NDArray[np.float64], train: list[str], test: list[str], k: int = 7) -> float:
    wrong = 0
    for row, label in zip(np.argsort(distances, axis=1, kind="stable")[:, :k], test):
        votes = [train[i] for i in row]
        wrong += max(sorted(set(votes)), key=lambda c: (votes.count(c), -votes.index(c))) != label
    return 100 * wrong / len(test)


def topics(name: str, folder: Path, most: int, cost: Any) -> list[Row]:
    train, test = split_documents(name, folder, most)
    texts = [[document["text"] for document in part] for part in (train, test)]
    labels = [[document["label"] for document in part] for part in (train, test)]
    started = time.perf_counter()
    distance = ContextualHOTT(ContextualTopics(), cost=cost).fit(texts[0])
    R, S = distance.represent(texts[1]), distance.represent(texts[0])
    each = [backends.pairwise(Problems((one,)), Run()) for one in distance._problems(R, S).each]
    seconds = time.perf_counter() - started
    four = np.mean(each, axis=0)
    l1 = hott.TextDistance(hott.L1("tfidf")).fit(texts[0]).pairwise(texts[1], texts[0])
    l1 = np.nan_to_num(l1, nan=np.nanmax(l1))
    errors = {
        "one": np.mean([error(one, *labels) for one in each]),
        "four": error(four, *labels),
        "four + half TF-IDF": error(four / four.std() + 0.5 * l1 / l1.std(), *labels),
    }
    return [{"set": name, "n": str(len(train)), "cost": cost, **errors, "seconds": f"{seconds:.0f}"}]


def neighbors(name: str, folder: Path, most: int) -> list[Row]:
    train, test = split_documents(name, folder)
    train, test = train[:most], test[:600]
    index = hott.Index.build([document["text"] for document in train], on_empty="nan")
    model, texts = index.model, [document["text"] for document in test]
    seen = [index.snapshot.parts[part] for part in model.distance_names]
    new = [
        *model.represent([tokenize(text) for text in texts], Run()),
        model.encode(hott.Corpus(texts), Run()),
    ]
    labels = [[str(document["label"]) for document in part] for part in (train, test)]
    matrices = []  # training documents by themselves, and the others by them
    for part, documents, others in zip(model.distances, seen, new):
        scale = part.deviation(documents)
        own, apart = part.between(documents, None), part.between(others, documents)
        both = documents.scatter(own, documents) / scale, others.scatter(apart, documents) / scale
        matrices.append([np.nan_to_num(each, nan=np.nanmax(each)) for each in both])
    for n_models in (1, 4):
        contextual = ContextualHOTT(ContextualTopics(n_models=n_models))
        contextual.fit([document["text"] for document in train])
        documents = contextual.represent([document["text"] for document in train])
        others = contextual.represent(texts)
        scale = contextual.deviation(documents)
        own, apart = contextual.between(documents, None), contextual.between(others, documents)
        both = documents.scatter(own, documents) / scale, others.scatter(apart, documents) / scale
        matrices.append([np.nan_to_num(each, nan=np.nanmax(each)) for each in both])
    rows = []
    for method, weights in {
        "HOTT, eight models": (1, 0, 0), "vectors": (0, 0, 1), "old blend": (1, 0.5, 0),
        **{f"blend, vectors {w}": (1, 0.5, w) for w in (1, 2, 3, 4)},
        "contextual, one": (0, 0, 0, 1), "contextual, four": (0, 0, 0, 0, 1),
        "four + half TF-IDF": (0, 0.5, 0, 0, 1), "four + half TF-IDF + vectors": (0, 0.5, 1, 0, 1),
    }.items():  # fmt: skip
        own, apart = (sum(w * each[i] for w, each in zip(weights, matrices)) for i in (0, 1))
        np.fill_diagonal(own, np.inf)
        local = np.sort(own, axis=1)[:, :10].mean(axis=1)
        row: Row = {"set": name, "n": str(len(train)), "method": method}
        for hubs in (False, True):
            for k in (7, 15):
                what = f"{k}{', hubs' * hubs}"
                values = [2 * each - local if hubs else each for each in (own, apart)]
                row[f"train {what}"] = error(values[0], labels[0], labels[0], k)
                row[f"test {what}"] = error(values[1], *labels, k)
            near = np.argsort(values[0], axis=1, kind="stable")[:, :10]
            alike = np.array(labels[0])[near] == np.array(labels[0])[:, None]
            row["same label among ten" + ", hubs" * hubs] = 100 * alike.mean()
        rows.append(row)
    return rows


def speed() -> list[Row]:
    encoder = Encoder.load()
    text = " ".join(article.text for article in hott.demo.corpus())
    n_words = len(encoder.words_in_context(text).words)
    random = np.random.default_rng(0)
    codes = random.integers(-127, 128, size=(1_000_000, Encoder.dimensions), dtype=np.int8)
    vectors = DocumentVectors(codes, np.zeros(Encoder.dimensions, np.float32))
    [query] = encoder.encode(["a question"])

    def best(work: Callable[[], Any]) -> float:
        times = []
        for _ in range(7):
            started = time.process_time()
            work()
            times.append(time.process_time() - started)
        return 1000 * min(times)

    return [
        {
            "work": "encode 1,000 words",
            "ms": best(lambda: encoder.encode([text], threads=1)) / n_words * 1000,
        },
        {"work": "score a million documents", "ms": best(lambda: vectors.scores(query, threads=1))},
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=["search", "held-out", "topics", "neighbors", "speed"])
    parser.add_argument("--data", type=Path, default=os.environ.get("HOTT_DATA"), help="or set HOTT_DATA")
    parser.add_argument("--json", type=Path)
    parser.add_argument(
        "--most",
        type=int,
        default=3000,
        help="documents of a set for topics, training documents for neighbors",
    )
    parser.add_argument("--cost", choices=["centres", "words"], default="centres")
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--half", nargs="+", default=["choose", "report"], help="of held-out questions")
    parser.add_argument("--documents", type=int, help="of a collection for held-out questions")
    parser.add_argument("--peers", nargs="*", default=[], help="encoders of sentence-transformers, by name")
    options = parser.parse_args()
    needs_data = options.what != "speed" and (options.what, options.only) != ("held-out", ["articles"])
    if needs_data and options.data is None:
        parser.error("--data says where the data sets are.")
    if options.what == "search":
        names = options.only or ("cran", "cisi", "paraphrases", "hard")
        results = [judged(name, options.data, options.peers) for name in names if name in ("cran", "cisi")]
        if "paraphrases" in names:
            results.append(questions("paraphrases", "paraphrases.json", hott.demo.corpus(), options.peers))
        if "hard" in names:
            corpus = hott.read(options.data / "bbcsport.jsonl.gz")
            results.append(questions("hard", "hard_questions.json", corpus, options.peers))
    elif options.what == "held-out":
        results = []
        for name in options.only or ("articles", "amazon"):
            papers = name == "hepth_papers"
            corpus = (
                hott.demo.corpus()
                if name == "articles"
                else hott.read(options.data / f"{name}.jsonl.gz", **({"text": "abstract"} if papers else {}))
            )
            results.append(held_out(name, corpus, options.half, options.peers, options.documents))
    elif options.what == "neighbors":
        names = options.only or ("bbcsport", "twitter", "amazon", "classic4", "r8", "ohsumed", "20news")
        results = [neighbors(name, options.data, options.most) for name in names]
    elif options.what == "topics":
        names = options.only or ("bbcsport", "amazon", "r8", "ohsumed")
        results = [topics(name, options.data, options.most, options.cost) for name in names]
    else:
        results = [speed()]
    for rows in results:
        show(rows)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
