"""What the API answers, value by value, against the index it is asked about."""

import gzip
import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import hott

fastapi = pytest.importorskip("fastapi.testclient")

from hott.explorer import create_app  # noqa: E402

A, B = "tennis/tie-break", "cooking/sourdough"


@pytest.fixture(scope="module")
def client(index, cache):
    with fastapi.TestClient(
        create_app(index, name="three themes", cache=cache), base_url="http://localhost"
    ) as client:
        yield client


def get(client, path, **parameters):
    response = client.get(path, params=parameters)
    assert response.status_code == 200, response.text
    return response.json()


PAIR = {"a": {"id": A}, "b": {"selection": {"where": ["label=cooking"]}}}
SENT = {
    "search": {"text": "the light of stars"},
    "marks": {"id": A, "like": B},
    "compare": PAIR,
    "contrast": PAIR,
    "without": PAIR | {"term": "water"},
}
ASKED = {
    "column": {"name": "pages"},
    "distances": {"id": A},
    "document": {"id": A},
    "search": {"id": A},
    "compare": {"a": A, "b": B},
    "topics/over": {"column": "pages"},
}


def test_answers_have_the_fields_that_the_documentation_lists(client):
    text = Path("docs/explorer-api.md").read_text()
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| `")]
    answers = {}
    for first, *_, last in rows:
        for method, name in re.findall(r"(GET|POST) /api/([\w/]+)(?=[?` ])", first):
            fields = listed(last)
            if not fields or (method, name) in (("POST", "topics"), ("POST", "stop")):  # which change things
                continue
            if method == "POST":
                response = client.post(f"/api/{name}", json=SENT.get(name, {}))
            else:
                response = client.get(f"/api/{name}", params=ASKED.get(name, {}))
            assert response.status_code == 200, (name, response.text)
            answers[name] = response.json()
            assert {*answers[name]} == fields, name
    for place, last in (row for row in rows if len(row) == 2):
        name, field = place.strip("| `").split(".")
        found = answers[name][field]
        for entry in found[:1] if isinstance(found, list) else [found]:
            assert {*entry} == listed(last), place


def listed(cell):
    """The fields in a cell of a table, without what is said of them in parentheses."""
    return {*re.findall(r"`(\w+)`", re.sub(r"\([^)]*\)", "", cell))}


def test_the_corpus_is_described(client, index):
    corpus = get(client, "/api/corpus")
    assert corpus["name"] == "three themes"
    assert (corpus["documents"], corpus["models"], corpus["topics"], corpus["unplaced"]) == (60, 2, 6, 0)
    assert corpus["words"] == len(index.vocabulary.words_)
    assert corpus["labels"] == [
        {"label": name, "documents": 20} for name in ("astronomy", "cooking", "tennis")
    ]


@pytest.mark.parametrize("model", [0, 1])
def test_topics_carry_their_distances(client, index, model):
    answer = get(client, "/api/topics", model=model)
    assert [card["name"] for card in answer["topics"]] == [topic.name for topic in index.topics_of(model)]
    assert sum(card["weight"] for card in answer["topics"]) == pytest.approx(1)
    exact = index.hott.models_[model].distances
    np.testing.assert_allclose(
        answer["distances"], exact[np.ix_(answer["order"], answer["order"])], atol=1e-6
    )
    for card in answer["topics"]:
        others = np.delete(exact[card["number"]], card["number"])
        assert card["nearest"][0]["distance"] == others.min()


def test_documents_come_in_pages(client, index):
    pages = [get(client, "/api/documents", offset=offset, limit=25) for offset in (0, 25, 50)]
    assert [len(page["documents"]) for page in pages] == [25, 25, 10]
    assert {page["total"] for page in pages} == {60}
    assert [line["id"] for page in pages for line in page["documents"]] == list(index.documents.ids)


def test_documents_are_filtered_by_label_topic_and_words(client, index):
    tennis = get(client, "/api/documents", label="tennis")
    assert tennis["total"] == 20
    assert all(line["label"] == "tennis" for line in tennis["documents"])
    topic = index.topics[0].number
    column = index.proportions[:, [topic]].toarray().ravel()
    with_topic = get(client, "/api/documents", topic=topic, limit=500)
    assert [line["proportion"] for line in with_topic["documents"]] == sorted(
        column[column > 0], reverse=True
    )
    words = get(client, "/api/documents", words="WIMBLEDON grass", limit=500)
    expected = [
        d.id
        for d in index.documents
        if all(w in (d.title + " " + d.text).lower() for w in ("wimbledon", "grass"))
    ]
    assert expected
    assert [line["id"] for line in words["documents"]] == expected
    assert get(client, "/api/documents", label="tennis", words="sourdough")["total"] == 0


def test_documents_are_filtered_by_any_column(client, index):
    found = get(client, "/api/documents", where=["pages=2..3", "label=tennis"], limit=500)
    expected = [d.id for d in index.documents if d.columns["pages"] in (2, 3) and d.label == "tennis"]
    assert 0 < len(expected) < 20
    assert [line["id"] for line in found["documents"]] == expected
    refused = client.get("/api/documents", params={"where": "no such column=1"})
    assert refused.status_code == 422
    assert "no such column" in refused.json()["message"]


def test_a_document_is_found_by_an_id_with_slashes(client, index):
    document = get(client, f"/api/documents/{A}")
    known = index.documents[index.documents.position(A)]
    assert (document["title"], document["text"], document["label"]) == (known.title, known.text, "tennis")
    row = index.proportions[[index.documents.position(A)], :6].toarray().ravel()
    assert {topic["number"]: topic["proportion"] for topic in document["topics"]} == {
        int(k): row[k] for k in np.flatnonzero(row)
    }


@pytest.mark.parametrize("text", ["planets and stars", "tennis/the-serve"])
def test_search_by_text(client, index, text):
    answer = client.post("/api/search", json={"text": text, "k": 5}).json()
    hits = index.search(text=text, k=5)
    assert [(hit["id"], hit["distance"]) for hit in answer["hits"]] == [
        (hit.id, hit.distance) for hit in hits
    ]
    assert answer["computed"] + answer["pruned"] == 60
    assert [hit["why"] for hit in answer["hits"]] == index.reasons(hits)
    assert "has " in answer["hits"][0]["why"]


def test_topics_tell_how_good_they_are(client, index):
    cards = get(client, "/api/topics", model=0)["topics"]
    known = index.topics_of(0)
    assert [(c["number"], c["is_filler"]) for c in cards] == [(t.number, t.is_filler) for t in known]
    assert [c["coherence"] for c in cards] == pytest.approx([t.coherence for t in known])


def test_search_by_one_of_the_two_with_notes_and_passages(client, index):
    for by in ("words", "topics"):
        answer = client.post("/api/search", json={"text": "tenniss court", "k": 5, "by": by}).json()
        hits = index.search(text="tenniss court", k=5, by=by)
        assert [(hit["id"], hit["score"]) for hit in answer["hits"]] == [(hit.id, hit.score) for hit in hits]
        assert answer["notes"] == list(hits.notes)
        assert [hit["snippet"] for hit in answer["hits"]] == [hit.snippet.text for hit in hits]
    assert client.post("/api/search", json={"text": "court", "by": "smell"}).status_code == 422


def test_search_by_id_both_ways(client, index):
    answer = get(client, "/api/search", id=A, k=4)
    assert answer == client.post("/api/search", json={"id": A, "k": 4}).json()
    assert [hit["id"] for hit in answer["hits"]] == [hit.id for hit in index.search(id=A, k=4)]
    assert answer["hits"][0]["distance"] == 0
    assert get(client, "/api/search", id=A, k=1)["hits"] == answer["hits"][:1]
    assert client.get("/api/search", params={"id": A, "k": 0}).status_code == 422


def test_a_comparison_is_that_of_the_library_with_labels_and_marks(client, index):
    answer = get(client, "/api/compare", a=A, b=B)
    exact = index.compare(A, B)
    for side in ("a", "b"):
        answer[side].pop("marks")
    known = json.loads(json.dumps(exact.to_dict(steps=200)))
    known["a"] |= {"label": "tennis", "of": 1, "text": None}
    known["b"] |= {"label": "cooking", "of": 1, "text": None}
    assert answer == known


def test_marks_lie_on_terms_of_their_group(client, index):
    answer = get(client, "/api/compare", a=A, b=B)
    text = index.documents[index.documents.position(A)].text
    assert answer["a"]["marks"]
    form = index.model.analyzer.form
    for start, end, group in answer["a"]["marks"]:
        words = {form(w) for term in answer["groups"][group]["terms_a"] for w in term.lower().split()}
        assert {form(word) for word in text[start:end].lower().split()} <= words


def test_marks_count_as_javascript_does(hostile, cache):
    app = create_app(hostile, cache=cache)
    with fastapi.TestClient(app, base_url="http://localhost") as client:
        id = list(hostile.documents.ids)[4]
        side = get(client, "/api/compare", a=id, b=id)["a"]
    text = hostile.documents[4].text.encode("utf-16-le")
    marked = [text[2 * start : 2 * end].decode("utf-16-le") for start, end, *_ in side["marks"]]
    assert "whistle" in marked  # it stands after an emoji, which takes two units


def test_the_map_has_a_place_for_every_document(client, index):
    while get(client, "/api/map")["state"] != "final":
        pass
    response = client.get("/api/map")
    assert response.headers["content-encoding"] == "gzip"
    drawn = response.json()
    names = get(client, "/api/names")
    assert names == {"ids": list(index.documents.ids), "titles": index.documents.names()}
    exact = index.map()
    points = np.column_stack([drawn["x"], drawn["y"]])
    np.testing.assert_allclose(points, exact / np.abs(exact).max(), atol=1e-4)
    assert [drawn["labels"][code] for code in drawn["label"]] == list(index.documents.labels)
    assert [drawn["topics"][code] for code in drawn["topic"]] == index.colors("topic")


def test_the_preliminary_map_shows_the_principal_axes(index):
    from hott.explorer.layout import principal_axes

    X = index.proportions.toarray()
    X = X - X.mean(axis=0)
    singular = np.linalg.svd(X, compute_uv=False)
    np.testing.assert_allclose(np.linalg.norm(principal_axes(index.proportions), axis=0), singular[:2])
    assert not principal_axes(sparse.csr_array(np.ones((3, 1)))).any()  # one topic: all in one place


def test_the_map_is_remembered_and_a_damaged_memory_is_not_trusted(index, tmp_path):
    from hott.explorer.layout import Layout

    first = Layout(index, cache=tmp_path).wait()
    [file] = tmp_path.iterdir()
    np.save(file, first + 1)
    np.testing.assert_array_equal(
        Layout(index, cache=tmp_path).wait(), first + 1
    )  # it was read, not computed
    file.write_bytes(b"not an array")
    np.testing.assert_array_equal(Layout(index, cache=tmp_path).wait(), first)
    assert np.load(file).shape == (60, 2)


def test_a_map_without_a_cache_folder(index, tmp_path):
    from hott.explorer.layout import Layout

    blocked = tmp_path / "file"
    blocked.write_text("")
    assert Layout(index, cache=blocked).wait().shape == (60, 2)


def test_documents_without_a_known_word_are_kept_apart(tmp_path):
    texts = ["planets orbit stars", "goals win a match", "stars and planets", "?!"]
    index = hott.Index.build(hott.Corpus(texts), n_topics=2, n_models=1, on_empty="nan")
    with fastapi.TestClient(create_app(index, cache=tmp_path), base_url="http://localhost") as client:
        assert get(client, "/api/corpus")["unplaced"] == 1
        drawn = get(client, "/api/map")
        assert (drawn["x"][3], drawn["topic"][3]) == (None, -1)
        assert get(client, "/api/documents/3")["topics"] == []
        response = client.get("/api/search", params={"id": "3"})
        assert response.status_code == 422
        assert "no word that the index knows" in response.json()["message"]


def test_many_may_ask_at_once(client, index):
    ids = list(index.documents.ids)
    expected = {id: index.search(id=id, k=3)[1].id for id in ids[:20]}
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda id: get(client, "/api/search", id=id, k=3)["hits"][1]["id"], ids[:20]))
    assert found == list(expected.values())


def test_what_is_known_to_the_browser_is_not_sent_again(client):
    first = client.get("/static/app.js")
    again = client.get("/static/app.js", headers={"if-none-match": first.headers["etag"]})
    assert (first.status_code, again.status_code, again.content) == (200, 304, b"")
    plain = client.get("/static/app.js", headers={"accept-encoding": "identity"})
    assert plain.content == first.content
    assert "content-encoding" not in plain.headers


def test_the_page_loads_nothing_from_elsewhere(client):
    names = ["", "static/page.js", "static/style.css"]
    for name in names:
        text = client.get(f"/{name}").text
        assert "http://" not in text.replace("http://www.w3.org/2000/svg", "")
        assert "https://" not in text


def test_the_palette_is_that_of_the_pictures(client):
    from hott.plots import style

    text = client.get("/static/colors.js").text
    assert all(color in text for color in (*style.COLORS, style.GREY))
    assert json.loads("[" + text.split("COLORS = [")[1].split("]")[0].rstrip().rstrip(",") + "]") == list(
        style.COLORS
    )


def test_compressed_and_plain_maps_are_the_same(client):
    packed = client.get("/api/map")
    plain = client.get("/api/map", headers={"accept-encoding": "identity"})
    assert packed.json() == plain.json()
    assert len(gzip.compress(plain.content)) < len(plain.content)
