"""The bundled encoder in an index: kept, added to and searched exactly, and every match told."""

import re
from pathlib import Path

import numpy as np
import pytest

import hott
from hott import Corpus, Index, Shards, demo
from hott.distances.vector import MeaningVectors
from hott.embeddings.encoder import LEAD_WEIGHT, Encoder
from hott.index import comparing, query
from hott.index.meaning import MeetingFinder, pair_words

QUICK = {"n_models": 1, "iterations": 20}
OLD = Path(__file__).parents[1] / "data" / "index-format-2.hott"


@pytest.fixture(scope="module")
def articles():
    return Index.build(demo.corpus(), **QUICK)


def vectors_of(index):
    return index.snapshot.parts[index.model.distance_names[-1]].parts[0]


# -- vectors of documents --------------------------------------------------------------------------------


def test_distances_are_those_of_the_rounded_directions_and_the_same_in_pairs():
    texts = ["Stars and planets", "The moon at night", "", "Bread and butter", "Stars and planets", "12 345"]
    distance = MeaningVectors()
    documents = distance.fit_encode(texts)
    rows = documents.matrix()
    D = distance.between(documents)
    known = [0, 1, 3, 4]
    exact = np.linalg.norm(rows[known][:, None] - rows[known], axis=2)
    np.testing.assert_allclose(D[np.ix_(known, known)], exact, atol=1e-7)
    assert D[0, 4] == D[2, 5] == 0  # the same text; two texts of which nothing is known
    assert D[2, 0] == np.sqrt(2)
    left, right = np.indices(D.shape).reshape(2, -1)
    np.testing.assert_array_equal(distance.pairs(documents, documents, left, right), D.ravel())
    np.testing.assert_array_equal(distance.between(documents[1:3], documents), D[1:3])
    for row in range(len(texts)):  # one alone is computed in another way
        np.testing.assert_array_equal(distance.between(documents[row : row + 1], documents), D[row : row + 1])


def test_what_is_added_is_encoded_around_the_centre_that_was_learned(articles, tmp_path):
    corpus = demo.corpus()
    index = Index.build(corpus[:150], **QUICK)
    centre = index.model.vectors.centre_
    index.add(corpus[150:])
    assert index.model.vectors.centre_ is centre
    texts = [f"{title}\n{text}" for title, text in zip(corpus.titles, corpus.texts)]
    alone = MeaningVectors()
    alone.centre_ = centre
    np.testing.assert_array_equal(vectors_of(index).codes, alone.encode(texts).parts[0].codes)
    index.remove(index.documents.ids[:20])
    np.testing.assert_array_equal(vectors_of(index).codes, alone.encode(texts[20:]).parts[0].codes)
    index.save(tmp_path / "x.hott")
    opened = hott.open(tmp_path / "x.hott")
    np.testing.assert_array_equal(vectors_of(opened).codes, vectors_of(index).codes)
    assert opened.search("a fight for the crown").to_dict() == index.search("a fight for the crown").to_dict()
    np.testing.assert_array_equal(opened.distances(), index.distances())


@pytest.mark.parametrize("by", ["both", "words", "topics", "meaning"])
def test_shards_answer_as_one_index_by_every_part(articles, tmp_path, by):
    shards = Shards.of(articles, tmp_path / "x", shards=3)
    for text in ("insects turning into adults", 'the "central bank" and its money', "mosqito disease"):
        ours, theirs = (one.search(text, k=20, by=by) for one in (articles, shards))
        assert [hit.to_dict() for hit in theirs] == [hit.to_dict() for hit in ours]
    many = shards.search_many(["insects turning into adults", '"central bank"'], by=by)
    assert many[1].hits == articles.search('"central bank"', by=by).hits


def test_old_files_and_other_languages_are_searched_without_meaning():
    old = hott.open(OLD)
    assert old.info()["meaning"].startswith("none")
    with pytest.raises(ValueError, match="needs vectors of the documents"):
        old.search(old.documents[0].text, by="meaning")
    german = ["Der Mond scheint in der Nacht.", "Das Brot und die Butter sind auf dem Tisch."] * 3
    index = Index.build(german, language="german", n_topics=2, **QUICK)
    assert not index.model.has_vectors
    assert index.search("Brot")[0].meaning == 0
    plain = Index.build(demo.corpus()[:20], encoder=None, **QUICK)
    assert plain.info()["meaning"].startswith("none")


def test_a_distance_that_was_chosen_stays_as_it_is():
    """Vectors serve search then, and no distance."""
    index = Index.build(demo.corpus()[:30], distance="hott", **QUICK)
    np.testing.assert_array_equal(index.distances(), index.hott.between(index.snapshot.topics))
    assert index.search("what the sun will become", by="meaning")[0].meaning > 0
    assert index.refit().model.factors == index.model.factors


# -- search ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "article"),
    [
        ("insects turning into adults", "biology/metamorphosis-butterfly"),
        ("how birds know where to go", "biology/bird-migration"),
        ("a shot that the opponent cannot reach", "tennis/drop-shots-and-lobs"),
        ("keeping a wound from becoming infected", "medicine/penicillin"),
    ],
)
def test_questions_in_other_words_find_their_article(articles, question, article):
    assert articles.search(question, k=1)[0].id == article


def test_a_name_in_one_document_finds_it(articles):
    for name in ("Paganini", "Callisto", "Petrograd"):
        has = [one.id for one in articles.documents[:] if name in f"{one.title} {one.text}"]
        assert len(has) == 1
        assert articles.search(name, k=1)[0].id == has[0]


def test_a_word_that_is_rare_in_the_documents_counts_more_in_the_vector_of_a_query(articles):
    parser = articles._searcher.parser
    read = Encoder.load().words_in_context("the comet of a player", threads=1)
    weighed = parser.read_in_context("the comet of a player")
    ratio = dict(zip(read.words, np.linalg.norm(weighed.rows, axis=1) / np.linalg.norm(read.rows, axis=1)))
    assert parser.rarity("comet") > parser.rarity("player")
    assert ratio["comet"] == ratio["the"] == pytest.approx(1)
    assert ratio["player"] == pytest.approx(parser.rarity("player") / parser.rarity("comet"))


def test_of_a_long_query_the_encoder_reads_the_beginning(articles, monkeypatch):
    """Words in context take a thousand bytes each."""
    monkeypatch.setattr(query, "MAX_ENCODED", 30)
    vector = articles._searcher.parser.parse("moons and planets and stars, " + "bread and butter " * 9).vector
    assert np.array_equal(vector, articles._searcher.parser.parse("moons and planets and stars").vector)


def test_misspelt_words_are_corrected_before_the_encoder_reads_them(articles):
    wrong, right = (articles.search(text, by="meaning") for text in ("mosqito bites", "mosquito bites"))
    assert [(hit.id, hit.meaning) for hit in wrong] == [(hit.id, hit.meaning) for hit in right]


@pytest.mark.parametrize("by", ["both", "words", "topics", "meaning"])
def test_every_document_that_is_found_has_the_phrase(articles, by):
    for phrase in ("central bank", "the first", "Natural  selection", "of the sun"):
        pattern = re.compile(rf"\b{phrase.replace('  ', ' ')}\b", re.IGNORECASE)
        texts = [" ".join(f"{one.title}\n{one.text}".split()) for one in articles.documents[:]]
        wanted = {one.id for one, text in zip(articles.documents[:], texts) if pattern.search(text)}
        assert wanted
        hits = articles.search(f'money, life and light "{phrase}"', k=200, by=by)
        assert {hit.id for hit in hits} == wanted if by != "words" else {hit.id for hit in hits} <= wanted
    none = articles.search('"money of the sun"', by=by)
    assert not none.hits
    assert none.notes == ("No document has “money of the sun”, word for word",)


@pytest.mark.parametrize("by", ["both", "words", "topics", "meaning"])
def test_numbers_and_phrases_of_stop_words_find_the_documents_that_have_them(articles, by):
    """Though they are no words: the passage shows them, and the reason names them."""
    for asked in ("1966", "1966 zzzqq", '"1966"', '"of the"'):
        phrase = "of the" if "of" in asked else "1966"
        pattern = re.compile(rf"(?<!\w){phrase}(?!\w)", re.IGNORECASE)
        has = {d.id for d in articles.documents if pattern.search(f"{d.title}\n{d.text}")}
        hits = articles.search(asked, k=200, by=by)
        assert {hit.id for hit in hits} == has != set()
        assert all(reason.startswith(f"has “{phrase}”") for reason in hits.reasons)
    assert "[1966]" in articles.search("1966", k=1, by=by)[0].snippet.marked("[", "]")
    nowhere = articles.search("7777", by=by)
    assert len(nowhere) == 0
    assert nowhere.notes == ("No document has “7777”, word for word",)
    assert articles.search("7777 football", by=by)  # beside words a number demands nothing


# -- what is told ----------------------------------------------------------------------------------------


def test_pairs_of_words_add_up_to_the_cosine(articles):
    encoder, centre = Encoder.load(), articles.model.vectors.centre_
    question, document = "getting well again after a fever", articles.documents[7]
    asked = articles._searcher.parser.read_in_context(question)
    there = encoder.words_in_context(f"{document.title}\n{document.text}", LEAD_WEIGHT)
    [hit] = [hit for hit in articles.search(question, k=200, by="meaning") if hit.id == document.id]
    cosine = hit.meaning * articles.model.vector_deviation
    assert pair_words(asked, there, centre).sum() == pytest.approx(cosine, abs=2e-3)  # of vectors in bytes


def test_hits_tell_by_which_words_they_were_met_and_leave_out_those_that_all_meet(articles):
    hits = articles.search("getting sick from tainted wells", k=200)
    [(hit, meetings)] = [
        (hit, meetings) for hit, meetings in zip(hits, articles.meetings(hits)) if "cholera" in hit.id
    ]
    met = {meeting.word: meeting.met for meeting in meetings}
    assert {"cholera", "contagion"} & set(met["sick"])
    assert not {"getting", "from"} & met.keys()
    reason = articles.reasons(hits)[hits.hits.index(hit)]
    assert any(f"sick ~ {word}" in reason for word in met["sick"])
    text = articles.documents[articles.documents.position(hit.id)].text.lower()
    assert all(word in text for words in met.values() for word in words)


def test_a_reason_tells_no_word_beside_its_plural(articles):
    hits = articles.search("when the sky turns dark at noon", k=20)
    met = {word for meetings in articles.meetings(hits) for one in meetings for word in one.met}
    assert {"eclipse", "eclipses"} <= met
    for reason in articles.reasons(hits):
        told = set(re.findall(r"\w+", reason.casefold()))
        assert told.isdisjoint({f"{word}s" for word in told})


def test_a_word_that_a_document_has_is_not_told_as_met_by_others():
    """The encoder reads the letters of MP3, and for biografy what it is a misspelling of."""
    texts = ["A player for MP3 files, music on headphones and an earphone.", "The life of a president."]
    texts += ["A biography of the president, his memoirs and the diary of his life.", "Bread and butter."] * 3
    index = Index.build(texts, n_topics=2, **QUICK)
    hits = index.search("MP3 player", k=1)
    [meetings] = index.meetings(hits)
    assert {one.word for one in meetings} <= {"mp3", "player"}
    assert "mp ~" not in index.reasons(hits)[0].lower()
    assert index.reasons(hits)[0].startswith("has MP3, player")
    hits = index.search("biografy of a president", k=1)
    [meetings] = index.meetings(hits)
    assert "biografy" in {one.word for one in meetings}
    [reason] = index.reasons(hits)
    assert reason.startswith("has biography for “biografy”, president")
    assert not {"biography ~", "biografy ~"} & set(re.findall(r"\w+ ~", reason))


def test_a_word_of_the_query_is_told_with_its_capitals(articles):
    reasons = articles.reasons(articles.search("Darwin and the finches of a voyage", k=10))
    assert any("Darwin ~ " in reason for reason in reasons)
    assert not any("darwin ~ " in reason for reason in reasons)
    reasons = articles.reasons(articles.search("Darwjn and the voyage of finches", k=10))
    assert any("Darwin ~ " in reason for reason in reasons)


def test_no_form_of_a_word_that_was_told_is_what_a_document_is_about(articles):
    form = articles.model.analyzer.form
    for text in ("comets", "a goalkeeper", "inflations", "pianos", "enzyme", "symphony", "vaccines"):
        for reason in articles.reasons(articles.search(text, k=3)):
            has, _, about = reason.partition("; about ")
            told = {form(word) for word in has.removeprefix("has ").lower().split(", ")}
            assert told.isdisjoint(form(word) for word in re.findall(r"\w+", about.lower())), reason


def test_a_reason_writes_names_that_only_begin_sentences_or_stand_in_the_title_with_their_capital(articles):
    told = " ".join(articles.reasons(articles.search("composer of piano music", k=10)))
    assert re.search("Debussy|Haydn|Beethoven", told)
    assert not re.search("debussy|haydn|beethoven|nijinsky", told)


def test_a_reason_is_looked_for_in_the_beginning_of_a_long_document(articles, monkeypatch):
    """Words of 10 MB in their context took 12 GB."""
    hits, seen = articles.search("how the wells made people sick", k=10), []
    whole = articles.reasons(hits)
    monkeypatch.setattr(comparing, "MAX_EXPLAINED", 300)
    in_context = Encoder.words_in_context
    monkeypatch.setattr(
        Encoder,
        "words_in_context",
        lambda self, text, *a, **b: seen.append(text) or in_context(self, text, *a, **b),
    )
    reasons = articles.reasons(hits)
    assert max(map(len, seen)) < 400
    for before, after in zip(whole, reasons):  # words of the query are found wherever they stand
        assert ("has " in before) == ("has " in after)


def test_costs_of_a_comparison_add_up_with_what_meaning_adds(articles):
    a, b = articles.documents.ids[3], articles.documents.ids[9]
    comparison = articles.compare(a, b)
    assert comparison.distance == pytest.approx(articles.distances()[3, 9], abs=1e-9)
    assert sum(step.cost for step in comparison.flow) == pytest.approx(comparison.distance, abs=1e-9)
    assert 0 < comparison.meaning < comparison.distance
    same_words = Corpus(["a star and a planet", "a planet and a star", "bread", "butter"])
    swapped = Index.build(same_words, n_topics=2, **QUICK)
    comparison = swapped.compare("0", "1")
    assert comparison.distance == pytest.approx(comparison.meaning) == swapped.distances()[0, 1]
    assert sum(step.cost for step in comparison.flow) == pytest.approx(comparison.distance)


def test_a_word_that_is_near_by_its_company_alone_is_not_told():
    """In context every word of a text takes on something of the others: "noisy" in a text about coffee."""
    text = "I love my Keurig coffee maker but missed some of my very special coffees and espressos."
    asked, centre = Encoder.load().words_in_context("noisy coffee maker"), np.zeros(256, np.float32)
    meetings = MeetingFinder(asked, centre, {"i", "my", "of", "and", "but"}, str).find(text)
    assert "noisy" not in {meeting.word for meeting in meetings}
    assert "espressos" in {word for meeting in meetings if meeting.word == "coffee" for word in meeting.met}
