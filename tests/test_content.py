"""What is in an index: copies, groups, odd ones out, topics over time, a table."""

import json
from collections import Counter
from datetime import date, datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components

from hott import Corpus, Index, demo
from hott.cli.app import run
from hott.index import _clusters
from hott.neighbors import NeighborResult

from .test_filters import BALL, FOOD, SKY


@pytest.fixture(scope="module")
def index():
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.permutation((SKY, FOOD, BALL)[i % 3].split())[:6]) for i in range(30)]
    texts[3] = texts[0] + "  \n"  # the same but for white space
    texts[5] = "planets bread goal telescope oven league"  # a bit of everything
    days = [date(2000 + i % 3, 1 + i % 2, 1) for i in range(30)]
    labels = [("sky", "food", "ball")[i % 3] for i in range(30)]
    corpus = Corpus(texts, ids=[f"d{i}" for i in range(30)], labels=labels, columns={"day": days})
    return Index.build(corpus, n_topics=3, n_models=2, iterations=50)


def jaccard(a, b):
    words = {*a, *b}
    return sum(min(a.count(w), b.count(w)) for w in words) / sum(max(a.count(w), b.count(w)) for w in words)


WORDS = st.sampled_from(["bread", "moon", "goal", "oven"])
TEXTS = st.lists(st.lists(WORDS, min_size=1, max_size=5), min_size=2, max_size=8)


@given(TEXTS, st.sampled_from([0.3, 0.5, 0.8, 1.0]))
def test_copies_are_those_of_a_slow_twin(texts, likeness):
    from hott.index.analysis import duplicates
    from hott.index.documents import Documents
    from hott.lexical import Postings

    class Small:
        documents = Documents.of(Corpus([" ".join(text) for text in texts]))
        postings = Postings.of(map(" ".join, texts), str.split)

    pairs = {
        (i, j) for i in range(len(texts)) for j in range(i) if jaccard(texts[i], texts[j]) >= likeness - 1e-7
    }
    groups = [{i} for i in range(len(texts))]
    for i, j in pairs:
        one, other = (next(g for g in groups if k in g) for k in (i, j))
        if one is not other:
            groups = [g for g in groups if g is not one and g is not other] + [one | other]
    found = duplicates(Small(), likeness)
    assert sorted(sorted(map(int, copies.ids)) for copies in found) == sorted(
        sorted(g) for g in groups if len(g) > 1
    )


def test_exact_copies_come_first(index):
    first = index.duplicates(1.0)[0]
    assert (first.ids, first.likeness, first.are_exact) == (("d0", "d3"), 1.0, True)
    assert not index.duplicates(0.4)[0].are_exact
    with pytest.raises(ValueError, match="likeness must be above 0"):
        index.duplicates(0)


def test_clusters_are_the_planted_themes(index):
    found = index.clusters(4)
    assert len(found) == 3
    for cluster in found:
        themes = {index.documents.labels[index.documents.position(id)] for id in cluster.ids if id != "d5"}
        assert len(themes) == 1
        [theme] = themes
        words = {"sky": SKY, "food": FOOD, "ball": BALL}[theme].split()
        assert set(cluster.words[:3]) <= set(words)
    with pytest.raises(ValueError, match="min_size must be from 2"):
        index.clusters(1)


def test_the_first_documents_of_a_cluster_are_the_most_typical(index):
    D = index.distances()
    for cluster in index.clusters(4):
        places = [index.documents.position(id) for id in cluster.ids]
        means = D[np.ix_(places, places)].mean(axis=1)
        assert (np.diff(means) >= 0).all()


@pytest.fixture(scope="module")
def articles():
    return Index.build(demo.corpus())


def test_clusters_of_many_documents_by_their_nearest_are_those_of_all_distances(articles, monkeypatch):
    all_pairs = articles.clusters()
    monkeypatch.setattr(_clusters, "ALL_PAIRS", 10)
    found = articles.clusters()
    assert [{*cluster.ids} for cluster in found] == [{*cluster.ids} for cluster in all_pairs]
    assert [cluster.words for cluster in found] == [cluster.words for cluster in all_pairs]
    monkeypatch.setattr(_clusters, "MOST", 100)
    with pytest.raises(ValueError, match="has 200 documents, and 100 can be clustered at most"):
        articles.clusters()


def test_how_typical_a_document_is_shows_in_a_sample(articles, monkeypatch):
    monkeypatch.setattr(_clusters, "SAMPLE", 5)
    largest = articles.clusters()[0]
    places = [articles.documents.position(id) for id in largest.ids]
    means = articles.distances()[np.ix_(places, places)].mean(axis=1)
    assert means[: len(means) // 2].mean() < means[len(means) // 2 :].mean()


def test_copies_and_groups_that_nothing_joins_are_clusters():
    indices = np.array([[1, 2], [0, 2], [0, 1], [4, 5], [3, 5], [3, 4], [3, 4]])
    distances = np.array([[0.0, 0], [0, 0], [0, 0], [1, 1], [1, 1], [1, 1], [9, 9]])
    graph = _clusters.linked(NeighborResult(indices, distances, 0, 0))
    assert connected_components(graph)[0] == 1
    assert (graph != graph.T).nnz == 0
    found = _clusters._labels(graph, 3)
    assert len({*found[:3]}) == len({*found[3:6]}) == 1
    assert found[0] != found[3]


def test_clusters_of_the_articles_are_of_one_subject(articles):
    index = articles
    subjects = dict(zip(index.documents.ids, index.documents.labels))
    clusters = [Counter(subjects[id] for id in cluster.ids) for cluster in index.clusters()]
    inside = sum(counts.total() for counts in clusters)
    assert inside > 160  # of 200
    assert sum(max(counts.values()) for counts in clusters) > 0.8 * inside


def test_the_document_of_everything_is_the_outlier(index):
    assert index.outliers(3)[0].id == "d5"
    assert len(index.outliers(3)) == 3


def test_topics_over(index):
    over = index.topics_over("label")
    assert over.groups == ("ball", "food", "sky")
    np.testing.assert_allclose(over.shares.sum(axis=0), 1)
    assert sorted(over.shares.argmax(axis=0)) == [0, 1, 2]  # each theme has its own topic
    assert index.topics_over("day", by="year").groups == ("2000", "2001", "2002")
    assert index.topics_over("day").groups[0] == "2000-01"
    assert sum(index.topics_over("day").documents) == 30
    with pytest.raises(ValueError, match="no column 'colour'"):
        index.topics_over("colour")
    with pytest.raises(ValueError, match="by must be"):
        index.topics_over("day", by="week")


def test_topics_over_days_are_those_of_the_documents_of_a_day():
    moments = [datetime(2001, 5, 1, 8), datetime(2001, 5, 1, 21), datetime(2001, 5, 2, 8)]
    corpus = Corpus([SKY, FOOD, BALL], columns={"seen": moments})
    over = Index.build(corpus, n_topics=3, n_models=1, iterations=20).topics_over("seen", by="day")
    assert (over.groups, over.documents) == (("2001-05-01", "2001-05-02"), (2, 1))
    np.testing.assert_allclose(over.shares.sum(axis=0), 1)


def test_table(index):
    frame = pd.DataFrame(index.table(1))
    assert list(frame.columns[:4]) == ["id", "title", "label", "day"]
    np.testing.assert_allclose(frame.iloc[:, 4:].sum(axis=1), 1)


def test_commands(index, tmp_path, capsys):
    path = str(tmp_path / "a.hott")
    index.save(path)

    def asked(*arguments):
        assert run([*arguments, "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    assert {"d0", "d3"} <= set(asked("duplicates", path)[0]["ids"])
    assert len(asked("clusters", path, "--min-size", "4", "-o", str(tmp_path / "c.csv"))) == 3
    assert set(pd.read_csv(tmp_path / "c.csv")["cluster"]) == {0, 1, 2}
    assert asked("outliers", path, "-n", "1")[0]["id"] == "d5"
    assert asked("topics", path, "--over", "day", "--by", "year")["groups"] == ["2000", "2001", "2002"]
    assert run(["table", path, "-o", str(tmp_path / "t.csv")]) == 0
    assert len(pd.read_csv(tmp_path / "t.csv")) == 30
    for command in ("duplicates", "clusters", "outliers", "topics"):
        assert run([command, path]) == 0
    assert run(["topics", path, "--over", "label"]) == 0
    assert "documents" in capsys.readouterr().out
