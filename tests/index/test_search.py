"""Search: the answer of brute force for every mode, and something to say for every query."""

import re

import numpy as np
import pytest

import hott
from hott import Corpus, Index, embeddings
from hott.corpus import demo
from hott.index import EmptyQuery
from hott.index.search import TOPICS, WORDS, WORDS_BESIDE_MEANING
from hott.text.tokens import tokenize


@pytest.fixture(scope="module")
def articles():
    return Index.build(demo.corpus(), n_models=2, iterations=40)


def has(index, form):
    """Which documents have a word of a form."""
    postings = index.snapshot.postings
    place = postings.words.tolist().index(form)
    return np.isin(np.arange(len(index)), postings.documents[slice(*postings.starts[place : place + 2])])


def by_brute_force(index, text, by):
    """Scores of all documents from the parts of the formula, with every distance solved."""
    query = index._searcher.parser.parse(text, by)
    bm25 = index.snapshot.postings.bm25(query.words)
    total = query.words.total
    words = WORDS * bm25 / total
    if query.vector is not None:
        shares = sum(
            (weight * has(index, word) for word, weight in query.words.words.items()), np.zeros(len(index))
        )
        words = WORDS_BESIDE_MEANING * bm25 / total * np.minimum(shares / total, 1) ** 2
        rows = index.snapshot.parts["other.1"].parts[0].rows.astype(float)
        asked = query.vector - index.model.vectors.centre_.astype(float)
        words = words + rows @ (asked / np.linalg.norm(asked)) / index.model.vector_deviation
    if by in ("words", "meaning") or query.document is None:
        return words
    return (
        words
        - TOPICS / index.model.topic_deviation * index.hott.between(query.document, index.snapshot.topics)[0]
    )


QUERIES = [
    "mosquito disease",
    "penalty kicks",
    "bread and yeast",
    "light of distant stars",
    "plague",
    "the tie-break",
]


@pytest.mark.parametrize("by", ["both", "words", "topics", "meaning"])
@pytest.mark.parametrize("text", QUERIES)
def test_the_pruned_answer_is_that_of_brute_force(articles, text, by):
    scores = by_brute_force(articles, text, by)
    hits = articles.search(text, k=10, by=by)
    # A cosine is rounded to 16 bits of the query, and divided by a deviation of 0.1.
    assert [hit.score for hit in hits] == pytest.approx(np.sort(scores)[::-1][: len(hits)], abs=1e-3)
    for hit in hits:
        exact = 1e-3 if by in ("both", "meaning") else 1e-9
        assert hit.score == pytest.approx(scores[articles.documents.position(hit.id)], abs=exact)
        assert hit.score == pytest.approx(hit.words + hit.topics + hit.meaning)
    if by != "words":
        assert hits.computed + hits.pruned == len(articles)
        assert hits.computed < len(articles)


def test_every_document_that_has_a_word_is_found_by_words(articles):
    scores = by_brute_force(articles, "light of distant stars", "words")
    hits = articles.search("light of distant stars", k=len(articles), by="words")
    assert {articles.documents.position(hit.id) for hit in hits} == {*np.flatnonzero(scores > 0).tolist()}
    assert hits[-1].score < hits[0].score / 4


@pytest.mark.parametrize(
    ("text", "id"),
    [
        ("mosquito disease", "medicine/malaria"),
        ("mosquitoes", "medicine/malaria"),
        ("how does a violin make sound", "music/violin"),
        ("insulin", "medicine/diabetes"),
        ("plague", "history/black-death"),
        ("chocolate", "cooking/chocolate-tempering"),
        ("penalty kicks", "football/penalty-shoot-out"),
    ],
)
def test_what_a_person_would_look_for(articles, text, id):
    assert id in [hit.id for hit in articles.search(text, k=3)]


def test_titles_find_their_own_articles(articles):
    first = in_ten = 0
    for id, title in zip(articles.documents.ids, articles.documents.titles):
        found = [hit.id for hit in articles.search(text=title, k=10)]
        first, in_ten = first + (found[0] == id), in_ten + (id in found)
    assert first >= 0.95 * len(articles)
    assert in_ten >= 0.99 * len(articles)


def test_nothing_is_dropped_silently(articles):
    hits = articles.search("mosqito xqzzyk")
    assert hits.notes == (
        "“mosqito” is in no document: searched by mosquito, spelled like it",
        "“xqzzyk” is in no document",
    )
    assert "medicine/malaria" in [hit.id for hit in hits[:3]]


@pytest.mark.parametrize("text", ["", " ", "...", "the", "xqzzyk", "q", "蚊", "\x1b[31m", "<b>"])
def test_a_query_with_nothing_to_go_on_is_an_error_with_suggestions(articles, text):
    with pytest.raises(ValueError, match=r"nothing to search by.*Words that many documents have: \w+"):
        articles.search(text=text)


def test_hostile_and_very_long_queries(articles):
    long = "mosquito " * 50_000
    assert articles.search(text=long, k=1)[0].id == "medicine/malaria"
    assert articles.search(text="mosquito\0 <script>\u202e disease", k=1)[0].id == "medicine/malaria"
    assert articles.search(text="die Mücke und der mosquito", k=1)[0].id == "medicine/malaria"


def test_a_text_that_is_a_document_finds_it_first(articles):
    document = articles.documents[17]
    assert articles.search(text=document.text, k=3)[0].id == document.id


def test_batches_are_searched_alike(articles):
    for text, hits in zip(QUERIES, articles.search_many(QUERIES, k=5)):
        alone = articles.search(text, k=5)
        assert [(hit.id, hit.score) for hit in hits] == [(hit.id, hit.score) for hit in alone]


def test_of_many_queries_the_one_without_words_is_named(articles):
    with pytest.raises(EmptyQuery, match=r"texts\[2\]: The query '\?!' has nothing to search by"):
        articles.search_many([*QUERIES[:2], "?!", QUERIES[3]])


def test_saved_opened_and_added_to(articles, tmp_path):
    articles.save(tmp_path / "articles.hott")
    opened = hott.open(tmp_path / "articles.hott")
    for text in QUERIES:
        found = [(hit.id, hit.score, hit.snippet) for hit in opened.search(text)]
        assert found == [(hit.id, hit.score, hit.snippet) for hit in articles.search(text)]
    opened.add(Corpus(["The zyxomma is a dragonfly of dusk."], ids=["zyxomma"], titles=["Zyxomma"]))
    assert opened.search(text="zyxomma", k=1)[0].id == "zyxomma"
    assert opened.search("a dragonfly at dusk", k=1)[0].id == "zyxomma"


def test_titles_alone_and_documents_without_words():
    corpus = Corpus(
        ["stars shine at night over the sea", "", "planets orbit their stars", "bread is baked in an oven"],
        ids=["a", "empty", "c", "d"],
        titles=["", "Quasar", "", ""],
    )
    index = Index.build(corpus, n_topics=2, n_models=1, on_empty="nan", iterations=10)
    hits = index.search("quasar", k=2)
    assert hits[0].id == "empty"
    assert np.isnan(hits[0].distance)
    assert hits[0].name == "Quasar"
    with pytest.raises(ValueError, match="no word that the index knows"):
        index.search(id="empty")


def test_the_reason_for_a_hit_is_in_its_words(articles):
    hits = articles.search("mosquito disease", k=3)
    reasons = articles.reasons(hits)
    assert len(reasons) == 3
    assert reasons[[hit.id for hit in hits].index("medicine/malaria")].startswith("has mosquito; near: ")
    comparison = articles.compare(hott.index.Text("mosquito disease"), hits[0].id)
    assert sum(step.cost for step in comparison.flow) == pytest.approx(comparison.distance, abs=1e-9)
    assert comparison.lines[0].startswith("Both: mosquito")


def test_a_mode_that_is_none_is_named(articles):
    with pytest.raises(ValueError, match="by must be"):
        articles.search("stars", by="sense")
    with pytest.raises(ValueError, match="k must be"):
        articles.search("stars", k=0)


def test_two_documents_are_enough_to_search():
    """All their distances are the same: the deviation is what rounding leaves, and measures nothing."""
    texts = ["\n  A star far away\nIt shines on a planet.", "Planet and moon", "Planet and moon"]
    for n in (2, 3):
        index = hott.Index.build(texts[:n], n_topics=2, n_models=1)
        hits = index.search("star")
        assert hits[0].id == "0"
        assert 0 < hits[0].score < 20


def test_a_document_without_a_title_goes_by_its_first_line():
    texts = ["\n  A star far away\nIt shines on a planet.", "x" * 100 + " planet and moon", "planet"]
    index = hott.Index.build(hott.Corpus(texts, titles=["", "", "Sky"]), n_topics=2, n_models=1)
    names = {hit.id: hit.name for hit in index.search("planet")}
    assert names == {"0": "A star far away", "1": "x" * 59 + "…", "2": "Sky"}
    assert "A star far away" in repr(index.search("star"))
    assert index.documents.names([2, 0]) == ["Sky", "A star far away"]


def test_a_misspelt_word_is_searched_by_the_topics_of_what_it_is_spelled_like(articles):
    hits = articles.search("plannet", 10)
    assert len(hits) == 10
    assert [hit.id for hit in hits] == [hit.id for hit in articles.search("planet", 10)]


def test_a_heading_counts_as_a_title():
    texts = [
        "Mars\n\nA planet of dust and ice.",
        "Venus and Mars\nThe planet of clouds and acid, hot.",
        "Mars",
    ]
    index = hott.Index.build(texts, n_topics=2, n_models=1)
    counts = dict(
        zip(index.snapshot.postings.words, index.snapshot.postings.counts_by_document().toarray().T.tolist())
    )
    assert counts["mar"] == [2, 2, 1]  # the last is all there is, and no heading
    assert counts["planet"] == [1, 1, 0]


def test_hits_of_a_word_in_no_document_have_a_reason():
    index = hott.Index.build(hott.demo.corpus()[:40], n_topics=4, n_models=1, iterations=10)
    hits = index.search(text="starrs", k=3)
    assert hits.notes
    assert index.reasons(hits)[0].startswith("has star")
    assert "for “starrs”" in index.reasons(hits)[0]


@pytest.mark.parametrize("text", ["puff pastry", "why does bread rise?", "mosqito disease", "cookery"])
def test_a_reason_names_the_words_that_the_document_has_and_no_others(articles, text):
    """Every word of a reason is in the document, as it is written there."""
    hits = articles.search(text=text, k=10)
    forms = articles.model.analyzer
    wanted = {form for match in hits.query.matches for form, _ in match.by}
    for hit, reason in zip(hits, articles.reasons(hits)):
        document = articles.documents[articles.documents.position(hit.id)]
        there = set(tokenize(f"{document.title}\n{document.text}"))
        shared = wanted & {forms.form(word) for word in there}
        whole = f"{document.title} {document.text}"
        told, _, met = re.sub(r" (for|near) “\w+”", "", reason).partition("near: ")
        has, _, about = told.partition("about ")
        assert has.startswith("has ") == bool(shared)
        assert {forms.form(word) for word in tokenize(has)[1:]} == shared
        assert all(word in whole or word.capitalize() in whole for word in re.findall(r"\w+", has)[1:])
        for meeting in met.split("; ") if met else ():
            word, _, words = meeting.partition(" ~ ")
            assert word in tokenize(hits.query.read)
            assert all(word.lower() in whole.lower() for word in words.split(", "))
        assert all(term.lower() in " ".join(whole.lower().split()) for term in about.split(", "))
        assert bool(met) != bool(about)


def test_the_reason_for_puff_pastry_is_pastry(articles):
    hits = articles.search(text="puff pastry", k=5)
    reasons = dict(zip([hit.id for hit in hits], articles.reasons(hits)))
    assert reasons["cooking/puff-pastry"].startswith("has Puff, pastry; about dough, ")
    assert reasons["cooking/eggs"].startswith("has pastry")


def test_no_word_stands_for_another_where_the_encoder_reads_the_query(articles):
    """The word vectors have "clean" near "dirty"."""
    hits = articles.search("getting sick from dirty water", k=5)
    assert hits.notes == ("“sick” is in no document", "“dirty” is in no document")
    assert "medicine/cholera-broad-street" in [hit.id for hit in hits]
    assert not any("near “" in reason for reason in articles.reasons(hits))


def test_a_word_like_no_other_is_not_searched_by_its_vector(articles):
    """The note says that no word is like it: topics must not read it, either."""
    assert "zzzz" in embeddings.default()
    with pytest.raises(ValueError, match="nothing to search by"):
        articles.search(text="zzzz")
    found, plain = (articles.search(text=text, by="topics") for text in ("zzzz plague", "plague"))
    assert found.notes == ("“zzzz” is in no document",)
    assert [(hit.id, hit.score) for hit in found] == [(hit.id, hit.score) for hit in plain]


def test_a_long_text_is_explained_by_its_rarest_words(articles):
    document = articles.documents[17]
    hits = articles.search(text=document.text, k=3)
    reason = articles.reasons(hits)[0]
    assert len(reason.partition(";")[0].split(", ")) == 5


def test_documents_without_topics_are_explained_by_their_words():
    texts = ["stars shine at night over the sea", "", "planets orbit their stars", "bread in an oven"]
    corpus = Corpus(texts, ids=list("abcd"), titles=["", "Quasar", "", ""])
    index = Index.build(corpus, n_topics=2, n_models=1, on_empty="nan", iterations=10)
    assert index.reasons(index.search("quasar", k=1)) == ["has Quasar"]
