"""Selections, columns, subjects and changes of topics, over the API."""

from datetime import datetime, timedelta

import numpy as np
import pytest
from scipy import sparse

import hott

pytest.importorskip("fastapi")

from fastapi.testclient import TestClient

from hott.explorer import create_app, selection
from hott.explorer.answers.documents import heaviest
from hott.explorer.highlight import tell_words
from hott.explorer.selection import count_values, inside, special_words
from hott.index import changing
from hott.index.meaning import Meeting
from hott.lexical import Match
from hott.terms.sets import TermTable

A, B = "tennis/tie-break", "cooking/sourdough"


@pytest.fixture(scope="module")
def client(index, cache):
    return TestClient(create_app(index, cache=cache), base_url="http://localhost")


@pytest.fixture
def own(index, cache, tmp_path):
    """A client that may change topics, and the file where that is kept."""
    file = tmp_path / "own.hott"
    index.save(file)
    return TestClient(create_app(hott.open(file), cache=cache, file=file), base_url="http://localhost"), file


def post(client, path, **body):
    answer = client.post(path, json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_selection_is_all_that_holds_together(client, index):
    found = post(client, "/api/select", where=["label=tennis", "pages=0..3"], words="Court")
    expected = [
        i
        for i, d in enumerate(index.documents)
        if d.label == "tennis" and d.columns["pages"] <= 3 and "court" in (d.title + d.text).lower()
    ]
    assert expected
    assert found["positions"] == expected
    assert found["total"] == len(expected)
    assert found["labels"] == [{"label": "tennis", "documents": len(expected), "of": 20}]


def test_the_column_of_the_labels_keeps_the_name_that_the_user_gave_it(articles, cache, tmp_path):
    rows = [{"body": d.text, "category": d.label, "year": 2004} for d in articles]
    read = hott.Index.build(hott.read(rows), n_topics=2, n_models=1, iterations=5)
    client = TestClient(create_app(read, cache=cache), base_url="http://localhost")
    corpus = client.get("/api/corpus").json()
    assert (corpus["label"], corpus["labels"][0]["label"]) == ("category", "astronomy")
    assert [column["name"] for column in corpus["columns"]] == ["category", "year"]
    chosen = post(client, "/api/select", where=["category=tennis"])["positions"]
    assert chosen == [i for i, label in enumerate(articles.labels) if label == "tennis"]
    assert chosen == post(client, "/api/select", where=["label=tennis"])["positions"]  # as in old addresses
    assert list(post(client, "/api/rows", where=["category=tennis"])["columns"]) == [
        "id",
        "title",
        "category",
        "year",
        "subject",
        "x",
        "y",
    ]


def test_what_few_hits_meet_of_a_question_is_not_told():
    match = Match("getting", "same", (("get", 1.0),))
    few = [(Meeting("getting", ("day",), 0.2),), (), (), ()]
    assert tell_words([match], few)[0]["met"] == []
    assert tell_words([match], [*few[:1], *few[:1], *few])[0]["met"] == ["day"]


def test_the_documents_of_a_topic_have_a_tenth_of_it_and_the_most_comes_first(client, index):
    number = index.topics[0].number
    found = post(client, "/api/select", topic=number)
    column = index.proportions[:, [number]].toarray().ravel()
    assert sorted(found["positions"]) == np.flatnonzero(column >= 0.1).tolist()
    assert found["proportions"] == sorted(column[column >= 0.1].tolist(), reverse=True)
    assert found["topics"][0]["number"] == number


def test_a_lasso_is_a_shape_on_the_map(client):
    drawn = client.get("/api/map").json()
    half = [[-2, -2], [0, -2], [0, 2], [-2, 2]]
    found = post(client, "/api/select", lasso=half)
    assert found["positions"] == [i for i, x in enumerate(drawn["x"]) if x < 0]
    assert 0 < found["total"] < 60


def test_a_point_that_is_nowhere_is_in_no_shape():
    points = np.array([[0.5, 0.5], [2.0, 0.5], [np.nan, np.nan]])
    assert inside(points, [(0, 0), (1, 0), (1, 1), (0, 1)]).tolist() == [True, False, False]


def test_values_are_counted_the_most_frequent_first_and_then_by_name():
    counts = [(one["label"], one["documents"]) for one in count_values(["c", "b", None, "a", "c"])]
    assert counts == [("c", 2), ("a", 1), ("b", 1)]


def test_the_heaviest_topic_is_the_first_of_equal_ones():
    assert heaviest(sparse.csr_array([[0.2, 0.8], [0.0, 0.0], [0.5, 0.5]])).tolist() == [1, -1, 0]


def test_points_inside_a_shape_are_those_of_the_slow_way():
    from matplotlib.path import Path

    rng = np.random.default_rng(0)
    points, corners = rng.uniform(-1, 1, (500, 2)), rng.uniform(-1, 1, (9, 2))
    # Crossings decide, as in a drawing where a loop over a loop is open again.
    angles = np.sort(rng.uniform(0, 2 * np.pi, 9))
    corners = np.c_[np.cos(angles), np.sin(angles)] * rng.uniform(0.3, 1, (9, 1))
    assert (inside(points, corners) == Path(corners).contains_points(points)).all()


def test_a_corner_level_with_a_point_is_crossed_once():
    diamond = [(0, -1), (1, 0), (0, 1), (-1, 0)]
    assert inside(np.array([[0.0, 0.0], [-2.0, 0.0], [2.0, 0.0], [-0.5, 1.0]]), diamond).tolist() == [
        True,
        False,
        False,
        False,
    ]


def test_a_condition_that_leaves_nothing_says_what_there_is(client):
    answer = client.post("/api/select", json={"where": ["label=chess"]})
    assert answer.status_code == 422
    assert "astronomy" in answer.json()["message"]


def test_special_words_are_those_of_the_theme(index):
    tennis = np.array([i for i, label in enumerate(index.documents.labels) if label == "tennis"])
    words = special_words(index, tennis)
    texts = {
        label: [set(d.text.lower().split()) for d in index.documents if (d.label == "tennis") == label]
        for label in (True, False)
    }
    share = [sum(words[0] in text for text in texts[group]) / len(texts[group]) for group in (True, False)]
    assert share[0] > 3 * share[1]


def test_of_a_large_selection_some_documents_are_read(index, monkeypatch):
    own, read = TermTable.of, []
    monkeypatch.setattr(selection, "MAX_READ", 5)
    monkeypatch.setattr(
        TermTable, "of", lambda texts, statistics: read.extend(texts) or own(texts, statistics)
    )
    special_words(index, np.arange(20, 60))
    assert read == [index.documents[i].text for i in (20, 29, 39, 49, 59)]


def test_columns_are_described_and_given(client, index):
    columns = {one["name"]: one for one in client.get("/api/corpus").json()["columns"]}
    assert list(columns) == ["label", "pages", "date"]
    assert columns["date"]["first"] == "2001-01-15"
    pages = client.get("/api/column", params={"name": "pages"}).json()
    assert pages["numbers"] == [i % 7 for i in range(60)]
    label = client.get("/api/column", params={"name": "label"}).json()
    assert [label["names"][code] for code in label["codes"]] == list(index.documents.labels)
    assert client.get("/api/column", params={"name": "none"}).status_code == 422


def test_truths_are_written_as_conditions_take_them_and_moments_are_days(tmp_path):
    texts = ["planets orbit stars", "goals win a match", "stars and planets", "players win goals"]
    noon = datetime(1970, 1, 2, 12)
    columns = {"open": [True, False, None, True], "seen": [noon, None, noon - timedelta(days=3), noon]}
    index = hott.Index.build(hott.Corpus(texts, columns=columns), n_topics=2, n_models=1)
    client = TestClient(create_app(index, cache=tmp_path), base_url="http://localhost")
    found = client.get("/api/column", params={"name": "open"}).json()
    assert (found["names"], found["codes"]) == (["true", "false"], [0, 1, -1, 0])
    assert post(client, "/api/select", where=["open=true"])["positions"] == [0, 3]
    assert client.get("/api/column", params={"name": "seen"}).json()["numbers"] == [1.5, None, -1.5, 1.5]


def test_distances_from_a_document_are_exact(client, index):
    found = client.get("/api/distances", params={"id": A}).json()["distances"]
    exact = {hit.id: hit.distance for hit in index.search(id=A, k=60)}
    assert found == pytest.approx([exact[id] for id in index.documents.ids], abs=1e-5)


def test_search_is_filtered(client, index):
    found = post(client, "/api/search", text="water", within={"where": ["label=tennis"]}, k=5)
    assert [hit["id"] for hit in found["hits"]] == [
        hit.id for hit in index.search(text="water", where={"label": "tennis"}, k=5)
    ]
    assert [index.documents.ids[hit["position"]] for hit in found["hits"]] == [
        hit["id"] for hit in found["hits"]
    ]
    assert sum(topic["proportion"] for topic in found["topics"]) <= 1 + 1e-9


def test_groups_are_compared_as_the_library_does(client, index):
    sides = {
        letter: {"selection": {"where": [f"label={label}"]}, "name": label}
        for letter, label in (("a", "tennis"), ("b", "cooking"))
    }
    found = post(client, "/api/compare", **sides)
    assert found["distance"] == pytest.approx(
        index.compare(hott.index.Label("tennis"), hott.index.Label("cooking")).distance
    )
    assert (found["a"]["documents"], found["a"]["of"], found["a"]["title"]) == (20, 20, "tennis")
    wrong = client.post("/api/compare", json={"a": {}, "b": {"id": A}})
    assert wrong.status_code == 422


def test_subjects_are_those_of_the_library_and_select_their_documents(client, index):
    found, exact = client.get("/api/subjects").json(), index.subjects()
    assert found["level"] == exact.level
    assert found["levels"] == [[subject.number for subject in exact.at(level)] for level in (1, 2, 3, 4)]
    ids = list(index.documents.ids)
    for told, subject in zip(found["subjects"], exact.all, strict=True):
        assert (told["name"], told["terms"]) == (subject.name, list(subject.terms))
        assert [ids[i] for i in told["positions"]] == list(subject.ids)
    largest = exact[0]
    chosen = post(client, "/api/select", subject=largest.number)
    assert {ids[i] for i in chosen["positions"]} == set(largest.ids)
    assert client.post("/api/select", json={"subject": 10**6}).status_code == 422


def test_changes_of_topics_are_kept_in_the_file_and_undone(own, index):
    client, file = own
    first, second = index.topics[:2]
    found = post(client, "/api/topics", kind="rename", topics=[first.number], name="a name")
    assert found["topics"][0]["name"] == "a name"
    assert "a name" in client.get("/api/map").json()["topics"]
    found = post(client, "/api/topics", kind="merge", topics=[first.number, second.number])
    assert found["topics"][0]["members"] == sorted([first.number, second.number])
    document = client.get("/api/document", params={"id": A}).json()
    assert sum(topic["proportion"] for topic in document["topics"]) == pytest.approx(1)
    found = post(client, "/api/topics", kind="hide", topics=[index.topics[3].number])
    assert [topic["is_hidden"] for topic in found["topics"]].count(True) == 1
    assert len(hott.open(file).topics) == 4
    for _ in range(3):
        found = post(client, "/api/topics", kind="undo")
    assert found["undo"] is None
    assert [topic["name"] for topic in found["topics"]] == [topic.name for topic in index.topics]
    assert client.post("/api/topics", json={"kind": "undo"}).status_code == 422


def test_topics_of_a_file_that_was_built_anew_are_left_alone(own, index, articles):
    """A number means another topic there: nothing is renamed. Documents that were added do no harm."""
    client, file = own
    with changing(file) as stored:
        stored.add(["planets and stars, once more"])
    assert post(client, "/api/topics", kind="rename", topics=[0], name="a name")
    hott.Index.build(articles, n_topics=6, n_models=2, iterations=50, random_state=1).save(file)
    before = file.read_bytes()
    answer = client.post("/api/topics", json={"kind": "rename", "topics": [0], "name": "another"})
    assert answer.status_code == 409
    assert "was built anew meanwhile" in answer.json()["message"]
    assert file.read_bytes() == before


def test_merged_topics_are_as_far_as_their_parts_in_proportion(own, index):
    client, _ = own
    first, second, third = index.topics[0], index.topics[-1], index.topics[1]
    exact = index.hott.models_[0].distances
    found = post(client, "/api/topics", kind="merge", topics=[first.number, second.number])
    merged, other = (found["order"].index(topic.number) for topic in (first, third))
    shares = np.array([first.share, second.share]) / (first.share + second.share)
    assert shares[0] > 0.6
    expected = shares @ exact[[first.number, second.number], third.number]
    assert found["distances"][merged][other] == pytest.approx(expected, abs=1e-6)


def test_without_a_file_topics_cannot_be_changed(client, index):
    answer = client.post("/api/topics", json={"kind": "rename", "topics": [0], "name": "x"})
    assert answer.status_code == 422
    assert index.edits == ()


def test_relevance_ranks_the_words(client, index):
    frequent = client.get("/api/topics", params={"relevance": 1}).json()["topics"][0]["words"]
    weights = [word["weight"] for word in frequent]
    assert weights == sorted(weights, reverse=True)
