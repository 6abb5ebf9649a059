"""A comparison as people meet it: by ids, texts, labels and groups; printed, as HTML and as data."""

import json
import pickle
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

import hott
from hott import Corpus, Index
from hott.corpus import Document
from hott.explain import Comparison, Side, compare, topic_moves
from hott.index import Label, Text
from hott.topics import named_topics
from tests.explain.models import WORDS, compared, documents, fitted

SPORT = "The ball crossed the net. A player hit the ball hard. The court was wet."
SPACE = "The planet has one moon. The moon circles the planet. A star is far."
MIXED = "The ball crossed the court. The planet has a moon. A player watched the star."
HOSTILE = '<script>alert(1)</script> & \x1b[2J\u202e"quoted"'


@pytest.fixture(scope="module")
def index():
    corpus = Corpus(
        [SPORT, SPACE, MIXED] * 5,
        ids=[f"d{i}" for i in range(15)],
        titles=["Sport", "Space", ""] * 5,
        labels=["sport", "space", None] * 5,
    )
    return Index.build(corpus, n_topics=2, n_models=3)


@pytest.fixture(scope="module")
def articles():
    return Index.build(hott.demo.corpus(), n_models=2)


def test_the_distance_is_that_of_the_index(articles):
    D = articles.distances()
    ids = list(articles.documents.ids)
    for i, j in ((0, 1), (3, 90), (17, 170)):
        c = articles.compare(ids[i], ids[j])
        assert c.distance == pytest.approx(D[i, j], abs=1e-9)
        assert sum(step.cost for step in c.flow) == pytest.approx(D[i, j], abs=1e-9)


PAIRS = (("tennis/grass-courts", "tennis/clay-courts"), ("medicine/malaria", "economics/inflation"))


@pytest.mark.parametrize("pair", PAIRS)
def test_told_terms_stand_in_the_texts_they_are_told_of_and_on_one_side(articles, pair):
    c = articles.compare(*pair)
    a, b = (articles.documents[articles.documents.position(id)].text for id in pair)
    assert all(term.a.lower() in a.lower() and term.b.lower() in b.lower() for term in c.both)
    assert all(near.a.text.lower() in a.lower() and near.b.text.lower() in b.lower() for near in c.near)
    for own, other, terms in ((a, b, c.only_a), (b, a, c.only_b)):
        assert terms
        for term in terms:
            assert term.text.lower() in own.lower()
            assert not re.search(rf"\b{re.escape(term.text)}\b", other, re.IGNORECASE)


def test_near_articles_share_and_far_ones_do_not(articles):
    near, far = (articles.compare(*pair) for pair in PAIRS)
    assert str(near).startswith("Both: courts")
    assert str(far).startswith("Little in common")
    assert near.closer_than > 0.95 > far.closer_than


def test_parts_of_terms_and_the_rest_add_up_to_the_distance(articles):
    for pair in PAIRS:
        c = articles.compare(*pair)
        part, n_words = c.rest
        assert sum(term.part for term in c.told) + part == pytest.approx(1, abs=1e-9)
        assert 0 < part < 1
        leaving = sum(step.cost for step in c.flow if step.source.startswith("grass")) / 2 / c.distance
        [grass] = [term.part for term in c.told if term.text == "grass"] or [leaving]
        assert grass == pytest.approx(leaving)
        words = {articles.term_statistics.key(word) for step in c.flow for word in (step.source, step.target)}
        assert 0 < n_words < len(words)


def test_the_other_direction_is_the_mirror_image(articles):
    for a, b in PAIRS:
        one, other = articles.compare(a, b), articles.compare(b, a)
        assert one.distance == pytest.approx(other.distance, abs=1e-12)
        assert [term.text for term in one.only_a] == [term.text for term in other.only_b]
        assert [(x.text, y.text) for x, y in one.quotes] == [(y.text, x.text) for x, y in other.quotes]
        assert one.rest == pytest.approx(other.rest)


def test_sentences_stand_side_by_side_with_their_terms_marked(articles):
    pair = PAIRS[0]
    c = articles.compare(*pair)
    texts = [articles.documents[articles.documents.position(id)].text for id in pair]
    assert c.quotes[0][0].text.startswith("A ball skids and stays low on grass")
    assert c.quotes[0][1].text.startswith("The gritty top slows the ball")
    for quotes in c.quotes:
        for quote, text in zip(quotes, texts):
            assert text[quote.start :].startswith(quote.text)
    assert "ball" in {c.quotes[0][0].text[start:end] for start, end, _ in c.quotes[0][0].marks}
    assert len({one.start for one, _ in c.quotes}) == len(c.quotes)  # none is quoted twice


def test_words_of_no_topic_of_their_own_are_compared_too():
    """Of a topic that very many words share, none carries a five-hundredth."""
    corpus = hott.demo.corpus()[:20]
    made_up = [" ".join(f"zq{k}x{i} " for i in range(4_000)) for k in range(2)]
    texts = [*corpus.texts, *(f"{text} {words}" for text, words in zip(corpus.texts, made_up))]
    padded = Index.build(Corpus(texts, ids=[f"d{i}" for i in range(22)]), n_topics=5, n_models=1, min_df=1)
    c = padded.compare("d3", "d20")
    assert sum(step.cost for step in c.flow) == pytest.approx(c.distance, abs=1e-9)
    assert len(padded.reasons(padded.search(id="d20", k=3))) == 3


def test_ids_documents_and_texts_are_compared_alike(index):
    index = index.without_meaning()  # which reads the title of a document, too, and these texts have none
    exact = index.compare("d0", "d2")
    for a in (Text(SPORT), Document("new", "", SPORT), ["d0"], [Text(SPORT), "d0"]):
        c = index.compare(a, "d2")
        assert c.distance == pytest.approx(exact.distance, abs=1e-9)
        assert sum(step.cost for step in c.flow) == pytest.approx(exact.distance, abs=1e-9)
    assert index.compare(Text(SPORT), Text(SPORT)).distance == 0
    assert index.compare(Text(SPORT), "d1").a == Side("A", Text(SPORT).document("A").title)


def test_a_string_of_several_words_that_is_no_id_is_a_text(index):
    assert index.compare(SPORT, "d2").distance == index.compare(Text(SPORT), "d2").distance
    assert index.compare(SPORT, "d2").a.title == Text(SPORT).document("A").title


def test_labels_and_lists_are_groups(index):
    c = index.compare(Label("sport"), Label("space"))
    assert (c.a.n_documents, c.a.name) == (5, "sport (5 documents)")
    assert c.distance == pytest.approx(index.compare("d0", "d1").distance, abs=1e-9)
    mixed = index.compare(["d0", "d1"], "d2")
    assert mixed.a.n_documents == 2
    p, q, r = (index.snapshot.topics.distributions[0].csr.toarray()[i] for i in range(3))
    found = index.compare(["d0", "d1"], ["d2", "d2"]).topics
    ground = index.hott.grounds
    exact = [
        hott.transport.solve(part.csr.toarray()[:2].mean(axis=0), part.csr.toarray()[2], g.cost).value
        for part, g in zip(index.snapshot.topics.distributions, ground)
    ]
    assert found == pytest.approx(np.mean(exact), abs=1e-9)
    assert p.shape == q.shape == r.shape


def test_what_cannot_be_compared_is_named(index):
    with pytest.raises(ValueError, match="No document has the id 'd99'"):
        index.compare("d99", "d0")
    with pytest.raises(ValueError, match="No document with a known word has the label 'art'"):
        index.compare(Label("art"), "d0")
    with pytest.raises(ValueError, match=r"ids, Documents, Texts, Labels or lists of them, got 3 \(int\)"):
        index.compare("d0", 3)
    with pytest.raises(ValueError, match=r"ids, Documents or Texts, got 3 \(int\)"):
        index.compare("d0", ["d1", 3])
    with pytest.raises(ValueError, match=r"lists of them, got \[\]"):
        index.compare([], "d0")
    with pytest.raises(ValueError, match="no known word"):
        index.compare(Text("?!"), "d0")
    english = hott.Index.build(hott.demo.corpus()[:20], n_topics=4, n_models=1, iterations=10)
    with pytest.raises(ValueError, match="no word of the documents"):
        english.compare(Text("zebra crossings"), "astronomy/venus")


def test_the_reason_of_a_document_like_another_is_what_a_comparison_says_first():
    index = hott.Index.build(hott.demo.corpus()[:60], n_topics=6, n_models=2, iterations=50)
    hits = index.search(id=index.documents.ids[0], k=5)
    itself, *reasons = index.reasons(hits)
    assert itself == "the document itself"
    assert reasons == [index.compare(index.documents.ids[0], hit.id).why for hit in hits[1:]]
    assert all(reason.startswith("Both: ") for reason in reasons)


def test_groups_are_told_by_what_is_special_to_them(articles):
    c = articles.compare(Label("tennis"), Label("football"))
    assert c.a.n_documents == 20
    assert c.lines[-4].startswith("More in A: ")
    assert {"court", "serve"} & {term.text for term in c.only_a}
    assert all(articles.term_statistics.document_frequency(term.text.split()[0]) > 2 for term in c.only_b)


def test_print_is_readable_at_any_width(articles):
    c = articles.compare("tennis/grass-courts", "tennis/clay-courts")
    for width in (60, 80, 110):
        assert max(map(len, c.text(width).splitlines())) <= width
    text = c.text(100)
    assert text.startswith(c.lines[0])
    for part in (
        "  A  Grass courts (tennis/grass-courts)",
        "Closer than 99",
        "of the distance; the rest in small",
    ):
        assert part in text
    assert repr(c).startswith("<Comparison of 'tennis/grass-courts' and 'tennis/clay-courts': distance ")


def test_print_drops_what_would_move_the_cursor():
    c = compared(fitted(0), *documents(1), sides=(Side("a", HOSTILE), Side("b", "two\nlines")))
    assert "\x1b" not in str(c)
    assert "\u202e" not in str(c)
    assert "two lines" in str(c)


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found, self.open = [], []

    def handle_starttag(self, tag, attributes):
        self.found.append(tag)


def test_html_is_whole_has_a_title_and_no_script(articles):
    c = articles.compare("tennis/grass-courts", "tennis/clay-courts")
    page = c.to_html()
    tags = Tags()
    tags.feed(page)
    assert "<title>Grass courts and Clay courts</title>" in page
    assert 'name="viewport"' in page
    assert {"svg", "mark", "table", "details"} <= set(tags.found)
    assert "script" not in tags.found
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
    assert c._repr_html_() in page
    for line in c.lines[:3]:
        assert line in page


def test_html_cannot_be_written_by_documents():
    hott = fitted(0)
    words = [f"<b>{word}&" for word in WORDS]
    c = compared(hott, *documents(1), words=words, sides=(Side("a", HOSTILE), Side("b", HOSTILE)))
    tags = Tags()
    tags.feed(c.to_html())
    assert "script" not in tags.found
    assert "<b>w" not in c.to_html()
    assert "&lt;b&gt;w" in c.to_html()
    assert "<script" not in c.plot().to_svg()


def test_sentences_are_escaped_around_their_marks(index):
    text = "The ball <i>crossed</i> & hit the net. A player hit the ball."
    c = index.compare(Text(text), "d0")
    page = c.to_html()
    assert "<i>crossed" not in page
    assert "&lt;i&gt;" in page


def test_dictionary_is_json_and_whole(articles):
    c = articles.compare("tennis/grass-courts", "tennis/clay-courts")
    d = json.loads(json.dumps(c.to_dict(steps=None)))
    assert d["distance"] == c.distance
    assert d["lines"] == list(c.lines)
    assert sum(term["part"] for term in d["terms"]) + d["rest"]["part"] == pytest.approx(1)
    assert sum(step["cost"] for step in d["flow"]) == pytest.approx(c.distance, abs=1e-9)
    text = articles.documents[articles.documents.position("tennis/grass-courts")].text
    quote = d["quotes"][0][0]
    assert text[quote["start"] :].startswith(quote["text"])
    assert len(c.to_dict(steps=3)["flow"]) == 3
    assert not c.to_dict(quotes=0)["quotes"]


def test_table_has_one_row_a_step(index, monkeypatch):
    c = index.compare("d0", "d2")
    frame = c.to_frame()
    assert frame["cost"].sum() == pytest.approx(c.distance, abs=1e-9)
    assert len(frame) == len(c.flow)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"pip install .hott\[pandas\]"):
        c.to_frame()


def test_a_comparison_can_be_pickled(index):
    comparison = index.compare("d0", "d2")
    again = pickle.loads(pickle.dumps(comparison))
    assert str(again) == str(comparison)
    assert again.without("ball") == comparison.without("ball") != comparison.distance
    assert again.topic_moves(1) == comparison.topic_moves(1)


def test_one_word_is_no_words(index):
    comparison = index.compare("d0", "d2")
    vars(comparison)["_parts"] = comparison.told, (0.1, 1)
    assert comparison.numbers[-1].endswith("in small parts over 1 word.")


def test_a_comparison_cannot_be_changed(index):
    with pytest.raises(AttributeError):
        index.compare("d0", "d2").distance = 0


def test_bad_input_is_named():
    hott, counts = fitted(0), documents(0)
    R = hott.represent(counts)
    with pytest.raises(ValueError, match="a must be documents as the distance represents them"):
        compare(hott, counts, R[1:], (counts[:1], counts[1:]))
    with pytest.raises(ValueError, match="counts must be those of the documents in b, 1 x 14; got 2 x 14"):
        compare(hott, R[:1], R[1:], (counts[:1], counts))
    with pytest.raises(ValueError, match="words must name the 14 columns of the counts, got 2"):
        compare(hott, R[:1], R[1:], (counts[:1], counts[1:]), words=["a", "b"])
    nobody = hott.represent(np.zeros((1, 14), int))
    with pytest.raises(ValueError, match="a has no document with a word that the topics know"):
        compare(hott, nobody, R[1:], (np.zeros((1, 14), int), counts[1:]))


def test_a_near_pair_without_a_shared_term_is_not_said_to_have_nothing_in_common(articles):
    c = articles.compare(Text("The comet has a tail."), Text("The striker scored a goal."))
    far, near = (replace(c, sample=np.full(9, c.distance + step)) for step in (-1, 1))
    assert far.why == "Nothing in common"
    assert near.lines[0] == "Near in meaning, with no special word in common."
    assert far.numbers[0] == "Farther apart than 99.9 % of pairs."
    assert near.numbers[0] == "Closer than 99.9 % of pairs."


def test_terms_and_sentences_do_not_depend_on_the_seed():
    """The distance, and the parts of it, do: topics are learned from a seed."""
    corpus = hott.demo.corpus()[:60]
    one, two = (Index.build(corpus, n_topics=6, n_models=1, iterations=20, random_state=k) for k in (0, 1))
    for a, b in (("astronomy/venus", "astronomy/asteroid-belt"), (corpus.ids[3], corpus.ids[50])):
        c, d = one.compare(a, b), two.compare(a, b)
        assert [(t.where, t.text) for t in c.told] == [(t.where, t.text) for t in d.told]
        assert c.quotes == d.quotes
        assert c.distance != d.distance


def test_the_distance_without_a_term_is_that_of_the_texts_without_it(articles):
    c = articles.compare("tennis/grass-courts", "tennis/clay-courts")
    assert c.without("zzzz") == pytest.approx(c.distance, abs=1e-9)
    texts = [
        Text(re.sub(r"(?i)\bcourts?\b", "", articles.documents[articles.documents.position(id)].text))
        for id in (c.a.id, c.b.id)
    ]
    plain = articles.without_meaning()
    pair = plain.compare(c.a.id, c.b.id)
    assert pair.without("court") == pytest.approx(plain.compare(*texts).distance, abs=1e-9)
    assert pair.without("courts", "ball") > pair.without("courts") > pair.distance
    there, back = c.without("clay"), articles.compare(c.b.id, c.a.id).without("Clay")
    assert there == pytest.approx(back, abs=1e-9)
    with pytest.raises(ValueError, match="needs the texts"):
        compared(fitted(0), *documents(0)).without("star")


def test_the_plan_between_topics_is_there_for_any_pair_and_model(articles):
    for sides in (("tennis/grass-courts", "tennis/clay-courts"), (Label("tennis"), Text("a ball game"))):
        c = articles.compare(*sides)
        for model in range(len(articles.hott.models_)):
            moves = c.topic_moves(model)
            assert sum(move.mass for move in moves) == pytest.approx(1, abs=1e-9)
            names = {topic.name for topic in articles.topics_by_number(model)}
            assert {move.source.name for move in moves} <= names
        assert c.plot_topics(0, width=390).width == 390
    with pytest.raises(ValueError, match="model must be one of 0, "):
        c.plot_topics(len(articles.hott.models_))


def test_moves_between_topics_of_one_model_add_up():
    hott, counts = fitted(4, n_models=2), documents(4)
    R = hott.represent(counts)
    for model, space in enumerate(hott.models_):
        topics = named_topics(space.topics.components, WORDS)
        moves = topic_moves(hott, R[:1], R[1:], topics, model)
        p, q = (R.distributions[model].csr.toarray()[i] for i in (0, 1))
        from hott import transport

        exact = transport.solve(p, q, hott.grounds[model].cost).value
        assert sum(move.cost for move in moves) == pytest.approx(exact, abs=1e-9)
        assert sum(m.mass for m in moves if m.stays) == pytest.approx(np.minimum(p, q).sum(), abs=1e-9)


def test_it_is_a_comparison(index):
    assert isinstance(index.compare("d0", "d1"), Comparison)
