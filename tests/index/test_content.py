"""What is in an index: copies, groups, odd ones out, topics over time, a table."""

import json
from collections import Counter
from datetime import date, datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.metrics import adjusted_mutual_info_score

from hott import Corpus, Index, storage
from hott.cli.app import run
from hott.corpus import demo
from hott.index import subjects
from hott.neighbors import NeighborResult, find_communities
from hott.utils.run import Run
from tests.index.test_filters import BALL, FOOD, SKY


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
    from hott.index.analysis import find_duplicates
    from hott.index.documents import Documents
    from hott.lexical import Postings

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
    found = find_duplicates(documents, postings, likeness)
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
        assert {word for term in cluster.words[:3] for word in term.split()} <= set(words)
    with pytest.raises(ValueError, match="min_size must be from 2"):
        index.clusters(1)


@pytest.fixture(scope="module")
def articles():
    return Index.build(demo.corpus())


def test_clusters_of_very_many_documents_go_by_most_of_the_nearest(articles, monkeypatch):
    exact = subjects.find_subjects(articles.model, articles.snapshot, Run()).at(2)
    monkeypatch.setattr(subjects, "MAX_EXACT", 100)
    found = subjects.find_subjects(articles.model, articles.snapshot, Run()).at(2)
    assert (found >= 0).all()
    assert adjusted_mutual_info_score(exact, found) > 0.7


def test_finer_clusters_lie_in_coarser_ones(articles):
    coarse, *finer = (articles.clusters(2, granularity=granularity) for granularity in (1, 2, 3, 4))
    for fine in finer:
        assert len(fine) >= len(coarse)
        assert all(any({*one.ids} <= {*all.ids} for all in coarse) for one in fine)
        coarse = fine
    with pytest.raises(ValueError, match="granularity must be 1 "):
        articles.clusters(granularity=5)


def test_the_first_documents_of_a_subject_are_nearest_to_the_others(articles):
    D = articles.distances()
    for subject in articles.subjects().all:
        places = articles.subjects().positions(subject)
        assert [articles.documents.ids[place] for place in places] == list(subject.ids)
        means = D[np.ix_(places, places)].mean(axis=1)
        assert means[: len(means) // 2].mean() < means[len(means) // 2 :].mean()


def test_communities_of_cliques_are_the_cliques_and_a_document_without_neighbours_is_in_none():
    cliques = [np.arange(start, start + 5) for start in range(0, 50, 5)]
    indices = np.array([np.setdiff1d(own, [i]) for own in cliques for i in own] + [[-1] * 4])
    indices[0, 0] = 49  # one link between the first and the last
    for level in find_communities(NeighborResult(indices, np.ones(indices.shape), 0, 0)):
        assert level.tolist() == [clique for clique in range(10) for _ in range(5)] + [-1]


def test_communities_are_the_best_of_several_orders():
    """One order in the middle of it finds worse groups of these documents, which are linked at random."""
    from sknetwork.clustering import Louvain, get_modularity

    indices = np.random.default_rng(0).integers(0, 300, (300, 4))
    groups = find_communities(NeighborResult(indices, np.ones(indices.shape), 0, 0))[-1]
    ends = np.repeat(np.arange(300), 4), indices.ravel()
    graph = sparse.csr_array(((ends[0] != ends[1]) * 1.0, ends), shape=(300, 300))
    graph = sparse.csr_matrix(graph + graph.T)
    once = Louvain(4.0, shuffle_nodes=False, random_state=0).fit_predict(graph)
    best, first = (get_modularity(graph, found, resolution=4.0) for found in (groups, once))
    assert best > first + 0.001


def test_clusters_of_the_articles_are_of_one_subject(articles):
    index = articles
    subjects = dict(zip(index.documents.ids, index.documents.labels))
    clusters = [Counter(subjects[id] for id in cluster.ids) for cluster in index.clusters()]
    inside = sum(counts.total() for counts in clusters)
    assert inside == 200
    assert max(counts.total() for counts in clusters) <= 50
    assert sum(max(counts.values()) for counts in clusters) > 0.7 * inside
    fine = [Counter(subjects[id] for id in cluster.ids) for cluster in index.clusters(granularity=3)]
    assert sum(max(counts.values()) for counts in fine) > 0.85 * 200


def test_topics_are_named_by_terms_of_their_documents_as_they_are_written(articles):
    texts = " ".join(articles.documents[:].texts)
    for model, names in enumerate(articles.model.topic_names):
        first = [name.split(", ")[0].casefold() for name in names]
        assert len(set(first)) == len(first), model
        assert all(term.casefold() in texts.casefold() for name in names for term in name.split(", "))
    heaviest = [topic.name for topic in articles.topics[:12]]
    assert any("stars" in name for name in heaviest)
    assert any(word[0].isupper() for name in heaviest for word in name.split())  # Earth, World Cup


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


def test_selections_of_any_kind_are_contrasted(index):
    sky = [id for id, label in zip(index.documents.ids, index.documents.labels) if label == "sky"]
    by_filter = index.contrast({"label": "sky"}, {"label": "food"}, n=3)
    assert by_filter == index.contrast(sky, {"label": "food"}, n=3)
    assert all(word in SKY for term in by_filter.a for word in term.text.split())
    assert all(term.inside > term.outside for term in (*by_filter.a, *by_filter.b))
    cluster = index.clusters(4)[0]
    assert index.contrast(cluster, n=3) == index.contrast(cluster.ids, n=3)
    hits = index.search(SKY, k=4)
    assert index.contrast(hits, n=1).a == index.contrast([hit.id for hit in hits], n=1).a
    with pytest.raises(ValueError, match=r"a selection is a list of ids.*got 3 \(int\)"):
        index.contrast(3)
    with pytest.raises(ValueError, match="there are no others"):
        index.contrast(index.documents.ids)
    with pytest.raises(ValueError, match="a selection has no document"):
        index.contrast([])


def test_statistics_of_terms_follow_documents_and_files(index, tmp_path):
    """They are counted once; what is saved, added and removed is what counting anew gives."""
    from hott.terms import TermStatistics

    def counted(one):
        return TermStatistics.of([document.text for document in one.documents], "english").to_arrays()

    def same(one):
        ours, theirs = one.term_statistics.to_arrays(), counted(one)
        return all(np.array_equal(ours[name], theirs[name]) for name in theirs)

    index.save(tmp_path / "terms.hott")
    opened = Index.open(tmp_path / "terms.hott")
    assert opened.snapshot.parts["terms"].n_documents == len(index)
    assert same(opened)
    opened.remove(list(opened.documents.ids)[:3])
    assert opened.snapshot.parts["terms"] is not None  # taken away, not counted anew
    assert same(opened)
    opened.add(Corpus(["A comet and its tail of dust."], ids=["new"]))
    assert same(opened)


def test_a_file_keeps_the_distances_that_say_how_close_two_documents_are(index, tmp_path, monkeypatch):
    path = tmp_path / "distances.hott"
    index.save(path)
    kept = Index.open(path).snapshot.parts["distances"]
    expected = np.sort(index.distances()[np.triu_indices(len(index), 1)])  # 30 documents: all pairs
    np.testing.assert_allclose(kept, expected, rtol=1e-6)
    assert kept.dtype == np.float32
    assert np.array_equal(index.compare("d0", "d1").sample, kept)  # the same as before it was saved

    stored = storage.read(path)
    arrays = {name: stored.arrays[name] for name in stored.arrays if name != "sampled_distances"}

    def write(path, arrays):
        tables = {name: stored.tables[name].batches() for name in stored.tables}
        storage.write(path, stored.header, arrays, tables)

    write(tmp_path / "old.hott", arrays)
    old = Index.open(tmp_path / "old.hott")
    assert old.snapshot.parts["distances"] is None
    assert old.compare("d0", "d1").closer_than == index.compare("d0", "d1").closer_than

    write(tmp_path / "forged.hott", arrays | {"sampled_distances": -kept})
    with pytest.raises(storage.StorageError, match="does not hold sorted distances"):
        Index.open(tmp_path / "forged.hott").compare("d0", "d1")

    monkeypatch.setattr("hott.index.snapshot.measure_pairs", None)  # what a file has is not measured
    assert Index.open(path).compare("d0", "d1").closer_than == index.compare("d0", "d1").closer_than
    some = Index.open(path)
    monkeypatch.undo()
    some.remove(["d0", "d1"])
    assert len(some.compare("d2", "d3").sample) == 28 * 27 / 2  # of the documents that are left
