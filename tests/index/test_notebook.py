"""What a user of a notebook sees: tables, frames, a map, and names to complete."""

import pickle
import urllib.request
from html import escape

import pytest

import hott
from hott import Corpus, Index, KNNClassifier, TextDistance
from hott.distances.topic import HOTT
from tests.themes import made_corpus, made_index


@pytest.fixture(scope="module")
def index():
    corpus = made_corpus()
    labelled = Corpus(corpus.texts, ids=corpus.ids, labels=[f"theme {i % 3}" for i in range(len(corpus))])
    return Index.build(labelled, n_topics=6, n_models=2, iterations=20, on_empty="nan")


RESULTS = {
    "topics": lambda index: index.topics,
    "clusters": lambda index: index.clusters(min_size=2),
    "subjects": lambda index: index.subjects(),
    "duplicates": lambda index: index.duplicates(likeness=0.5),
    "outliers": lambda index: index.outliers(3),
    "neighbors": lambda index: index.neighbors(2),
    "trends": lambda index: index.topics_over("label"),
    "subjects over a column": lambda index: index.subjects().over("label"),
    "hits": lambda index: index.search(id=index.documents.ids[0], k=3),
    "corpus": lambda index: made_corpus(),
    "contrast": lambda index: index.contrast({"label": "theme 1"}),
    "table": lambda index: index.table(),
}


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_is_a_frame_and_a_table(index, name):
    result = RESULTS[name](index)
    frame = result.to_frame()
    n = (
        result.indices.size
        if name == "neighbors"
        else len(result.topics)
        if name == "trends"
        else len(result.subjects)
        if name == "subjects over a column"
        else len(result.a) + len(result.b)
        if name == "contrast"
        else len(index)
        if name == "table"
        else len(result)
    )
    assert len(frame) == n
    if n:
        shown = result._repr_html_()
        assert shown.count("<table>") == shown.count("</table>") == 1
        assert shown.count("<tr>") >= min(n, 20)


def test_tables_show_what_people_need(index):
    shown = index.subjects()._repr_html_()
    assert "<th>parent</th>" not in shown
    assert "<th>is_chaff</th>" not in shown
    assert "parent" in index.subjects().to_frame()
    [first, *_] = index.clusters(granularity=1)
    assert f", {first.ids[9]} and {first.size - 10} more<" in index.clusters(granularity=1)._repr_html_()
    near = index.neighbors(1)
    assert near.to_frame()["near document"][0] == index.documents.ids[near.indices[0, 0]]
    assert f"<td style='text-align:left'>{escape(index.documents.ids[0])}</td>" in near._repr_html_()
    assert "(none)" in type(index.duplicates())()._repr_html_()
    wide = type(index.table())({str(year): [0.1] * 30 for year in range(1990, 2005)})._repr_html_()
    assert wide.count("<th>") == 12
    assert "<p>10 more rows, 3 more columns: to_frame() has all of them.</p>" in wide


@pytest.mark.parametrize(
    "use",
    [
        lambda texts: Index.build(texts, n_topics=2, n_models=1, iterations=2),
        lambda texts: TextDistance(hott.TFIDF()).fit(texts),
        lambda texts: KNNClassifier(TextDistance(hott.TFIDF()), n_neighbors=1).fit(texts, range(9)),
    ],
)
def test_a_warning_names_the_line_that_gave_the_texts(use):
    german = ["Der Hund liegt auf dem Tisch, und die Katze schläft unter der Bank im Garten."] * 9
    with pytest.warns(UserWarning, match="taken to be German") as caught:
        use(german)
    assert [warning.filename for warning in caught] == [__file__] * len(caught)


def test_foreign_text_is_harmless_in_a_notebook():
    corpus = Corpus(["<script>alert(1)</script> stars"] * 2, titles=["<b>x</b>", "y"], ids=["<i>", "b"])
    assert "<script>" not in corpus._repr_html_()
    assert "&lt;i&gt;" in corpus._repr_html_()
    index = Index.build(corpus, n_topics=2, n_models=1)
    assert "&lt;b&gt;x&lt;/b&gt;" in index._repr_html_()


def test_the_card_of_an_index_says_what_is_in_it(index):
    card = index._repr_html_()
    assert f"<th>documents</th><td style='text-align:left'>{len(index):,}</td>" in card
    assert "English" in card
    assert all(subject.name in card for subject in index.subjects())
    assert card.count("<circle") == 58
    assert f"<title>{index.names[0]}</title>" in card
    assert "distances computed" not in repr(index.search("stars"))


def test_hits_show_their_passages_and_why_each_was_found(index):
    for hits in (index.search("stars", k=3), index.search(id=index.documents.ids[0], k=3)):
        reasons = index.reasons(hits)
        assert len(reasons) == 3
        assert hits.reasons == reasons
        assert hits[1:].reasons == reasons[1:]
        assert repr(hits[:3]) == repr(hits)
        page, printed = hits._repr_html_(), " ".join(repr(hits).split())
        for hit, reason in zip(hits, reasons):
            assert reason
            assert f"{hit.snippet.html()}<br><i>{escape(reason)}</i>" in page
            assert f"{hit.snippet.marked('[', ']')} {reason}" in printed
    assert "<mark>star" in index.search("stars")._repr_html_()
    assert "[star" in repr(index.search_many(["stars"])[0])


def test_hits_of_several_searches_are_one_table(index):
    found = index.search_many(["stars", "match"], k=3)
    assert found._repr_html_() == found[0]._repr_html_() + found[1]._repr_html_()
    frame = found.to_frame()
    assert frame["search"].tolist() == [0, 0, 0, 1, 1, 1]
    assert frame["rank"].tolist() == [1, 2, 3] * 2
    assert frame["id"].tolist() == [hit.id for hits in found for hit in hits]


def test_reasons_of_hits_are_those_of_when_they_were_found():
    index = made_index()
    hits = index.search("stars", k=3)
    before = hits.reasons
    index.remove(hits[0].id)
    assert hits.reasons == before
    again = pickle.loads(pickle.dumps(hits))
    assert (again, again.reasons) == (hits, [""] * 3)
    assert len(pickle.dumps(hits)) < 10_000


def test_reasons_in_a_notebook_are_harmless():
    corpus = Corpus(["<b>Stars</b> & <i>moons</i> \x1b[31m shine", "bread"], ids=["<u>", "b"])
    hits = Index.build(corpus, n_topics=2, n_models=1).search("stars shine b", k=2)
    page = hits._repr_html_()
    assert "&lt;u&gt;" in page
    assert "<b>Stars" not in page
    assert "<i>moons" not in page
    assert "\x1b" not in repr(hits)


def test_completion_offers_what_users_call(index):
    offered = dir(index)
    assert {"search", "compare", "topics", "clusters", "add", "save", "plot", "explore", "map"} <= {*offered}
    internals = {"snapshot", "model", "represented", "postings", "searcher", "term_statistics", "_searcher"}
    assert internals.isdisjoint(offered)


def test_the_map_is_a_figure_of_all_documents_with_known_words(index):
    pytest.importorskip("plotly")
    figure = index.plot()
    assert sum(len(trace.x) for trace in figure.data if trace.mode == "markers") == 58


def test_the_explorer_opens_in_a_frame(index):
    pytest.importorskip("fastapi")
    shown = index.explore(height=500)
    try:
        with urllib.request.urlopen(shown.address, timeout=20) as answer:
            policy = answer.headers["content-security-policy"]
            assert "frame-ancestors http://localhost:*" in policy
            assert "x-frame-options" not in answer.headers
        assert f"<iframe src='{shown.address}'" in shown._repr_html_()
    finally:
        shown.close()


def test_adding_says_what_was_added():
    index = made_index()
    before = len(index)
    changes = index.add(Corpus(["planets and stars", "bread"], ids=["new", "newer"]))
    assert (changes.added, changes.unchanged) == (("new", "newer"), before)


def test_mistakes_are_answered_with_what_was_meant(index):
    with pytest.raises(ValueError, match=r"hott\.TextDistance\(HOTT\(\)\)"):
        KNNClassifier(HOTT()).fit(["a star", "bread"], ["sky", "food"])
    for wrong in (KNNClassifier("tfidf"), TextDistance("tfidf"), KNNClassifier(hott.Blend(["tfidf"]))):
        with pytest.raises(ValueError, match=r"distance must be one of the library, .* got 'tfidf'"):
            wrong.fit([[1, 2], [2, 1]] if isinstance(wrong.distance, hott.Blend) else ["a star"] * 9, [0, 1])
    with pytest.raises(ValueError, match=r"Corpus\(d\.values\(\), ids=d\)"):
        Corpus({"sky": "a star"})
    with pytest.raises(ValueError, match=r"ids must be strings, got 0 \(int\)"):
        index.remove([0])
    with pytest.raises(ValueError, match=r"Open it first: hott\.open\(path\)"):
        index.merge("other.hott")
    with pytest.raises(ValueError, match="by must be 'year', 'month' or 'day', got 'decade'"):
        index.topics_over("label", by="decade")
    with pytest.raises(TypeError, match="Did you mean 'n_topics'"):
        Index.build(["a star"], n_topic=3)
    with pytest.raises(TypeError, match=r"learns its own topics .* hott\.HOTT\(word_vectors, topic_model="):
        Index.build(["a star"], topic_model=hott.topics)
    with pytest.raises(TypeError, match="Did you mean 'where'"):
        index.search("stars", wher={"label": "theme 1"})
    with pytest.raises(TypeError, match="Did you mean 'granularity'"):
        index.clusters(granularty=2)
    with pytest.raises(ValueError, match=r"index\.search\(id='doc'\)"):
        index.neighbors("doc")


def test_an_empty_text_is_left_out_and_named():
    with pytest.warns(
        UserWarning, match=r"1 of 3 documents have no word in the vocabulary, and are left out: '1'"
    ):
        index = Index.build(["Stars shine.", "", "Bread is baked."], n_topics=2, n_models=1)
    assert (len(index), index.dropped) == (2, ("1",))


def test_an_index_with_an_encoder_warns_without_it(tmp_path):
    def encode(texts):
        return [[len(text), 1.0] for text in texts]

    Index.build(["Stars shine.", "Bread."], n_topics=2, n_models=1, encoder=encode).save(tmp_path / "a.hott")
    with pytest.warns(UserWarning, match="encoder of your own"):
        hott.open(tmp_path / "a.hott")
    assert hott.open(tmp_path / "a.hott", encoder=encode).encoder is encode


def test_texts_are_classified_by_their_own_words():
    texts = ["stars and planets", "a planet and a star", "bread and butter", "butter on bread"]
    model = KNNClassifier(TextDistance(hott.TFIDF()), n_neighbors=1).fit(
        texts, ["sky", "sky", "food", "food"]
    )
    assert model.predict(["the bread"]).tolist() == ["food"]


def test_names_that_moved_to_the_model_and_the_snapshot_say_where():
    index = Index.build(["Stars shine.", "Bread is baked."], n_topics=2, n_models=1)
    with pytest.warns(DeprecationWarning, match=r"index\.represented is now index\.snapshot\.topics"):
        assert index.represented is index.snapshot.topics
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        index.nothing  # noqa: B018
