import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hott.corpus import Corpus, Document

LETTERS = Corpus(
    ["aa", "bb", "cc", "dd"], ids=list("abcd"), titles=list("ABCD"), labels=["x", None, "y", "x"]
)


def test_documents_come_back_as_they_went_in():
    assert list(LETTERS) == [
        Document("a", "A", "aa", "x"),
        Document("b", "B", "bb", None),
        Document("c", "C", "cc", "y"),
        Document("d", "D", "dd", "x"),
    ]
    assert LETTERS[-1] == Document("d", "D", "dd", "x")
    assert len(LETTERS) == 4


def test_what_is_not_given_is_filled_in():
    corpus = Corpus(["one", ""])
    assert list(corpus) == [Document("0", "", "one", None), Document("1", "", "", None)]


def test_numbers_become_strings_as_ids_and_labels():
    corpus = Corpus(["one", "two"], ids=np.array([7, 8]), labels=[0, float("nan")])
    assert corpus.ids == ["7", "8"]
    assert corpus.labels == ["0", None]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
def test_any_text_survives(texts):
    corpus = Corpus(texts)
    assert corpus.texts == texts
    assert [document.text for document in corpus] == texts


def test_half_a_surrogate_pair_is_replaced():
    assert Corpus(["cat \ud83d!"]).texts == ["cat ?!"]


@pytest.mark.parametrize(
    ("item", "ids"),
    [
        (slice(1, 3), "bc"),
        (slice(None, None, -1), "dcba"),
        (slice(3, 1), ""),
        ([2, 0, -1], "cad"),
        (np.array([True, False, False, True]), "ad"),
        ([], ""),
    ],
)
def test_selection(item, ids):
    assert LETTERS[item].ids == list(ids)
    assert LETTERS[item].texts == [2 * id for id in ids]


@pytest.mark.parametrize(
    ("item", "error"),
    [(4, IndexError), ([0, 9], IndexError), ([True], IndexError), ("a", TypeError), ([0.5], TypeError)],
)
def test_selection_of_what_is_not_there(item, error):
    with pytest.raises(error):
        LETTERS[item]


def test_columns_read_like_lists():
    labels = LETTERS.labels
    assert labels == ["x", None, "y", "x"]
    assert labels != ["x", None, "y"]
    assert labels[1:3] == [None, "y"]
    assert labels.count("x") == 2
    assert np.asarray(labels).tolist() == ["x", None, "y", "x"]
    assert np.unique(LETTERS.titles).tolist() == list("ABCD")
    assert repr(LETTERS.ids) == "['a', 'b', 'c', ...] (4 values)"


def test_position_suggests_the_ids_that_are_near():
    corpus = Corpus(["a", "b"], ids=["sport/one.txt", "news/two.txt"])
    assert corpus.position("news/two.txt") == 1
    with pytest.raises(
        ValueError, match=r"No document has the id 'sport/one'. Did you mean 'sport/one.txt'\?"
    ):
        corpus.position("sport/one")


def test_two_corpora_add_up():
    both = LETTERS + Corpus(["ee"], ids=["e"])
    assert both.ids == list("abcde")
    with pytest.raises(ValueError, match="ids must be unique: 1 of them occur more than once \\('a'\\)"):
        LETTERS + Corpus(["again"], ids=["a"])


def test_a_table_holds_everything():
    assert Corpus.from_table(LETTERS.to_table()) == LETTERS
    assert Corpus.from_table(LETTERS[1:].to_table()) != LETTERS


def test_a_table_of_another_type_is_taken_too():
    table = pa.table(
        {"label": pa.array(["x", None]).dictionary_encode(), "id": [1, 2], "text": ["one", "two"]}
    )
    assert list(Corpus.from_table(table)) == [Document("1", "", "one", "x"), Document("2", "", "two", None)]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"body": ["a"]}, r"must have a column 'text', got the columns \['body'\]"),
        (
            {"id": ["a", None], "title": ["", ""], "text": ["", ""], "label": ["", ""]},
            "'id' must not hold nulls",
        ),
    ],
)
def test_a_table_that_is_no_corpus(table, message):
    with pytest.raises(ValueError, match=message):
        Corpus.from_table(pa.table(table))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"texts": "one text"}, "texts must be a sequence of strings, got one string"),
        ({"texts": ["a", None]}, r"texts\[1\] is None \(NoneType\)"),
        ({"texts": ["a", b"b"]}, r"texts\[1\] is b'b' \(bytes\)"),
        ({"texts": ["a"], "ids": [1.5]}, r"ids\[0\] is 1.5 \(float\)"),
        ({"texts": ["a"], "titles": [3]}, r"titles\[0\] is 3 \(int\)"),
        ({"texts": ["a", "b"], "labels": ["x"]}, "the same length: 2 texts, 1 labels"),
        ({"texts": list("abcd"), "ids": list("xyyx")}, r"2 of them occur more than once \('x', 'y'\)"),
    ],
)
def test_bad_input_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        Corpus(**arguments)


def test_repr():
    assert repr(LETTERS) == "Corpus of 4 documents, 2 labels: 'a', 'b', 'c', ..."
    assert repr(Corpus(["a"])) == "Corpus of 1 document: '0'"
    assert repr(Corpus([])) == "Corpus of 0 documents"


def test_memory_is_little_more_than_the_text():
    corpus = Corpus(["x" * 100] * 10_000)
    assert corpus.table.nbytes < 1.4 * 100 * 10_000


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("\n\n  Mars\nThe fourth planet.", "Mars"),
        (":\n: >The single launch core station\n", "The single launch core station"),
        ("-----\n## A heading", "A heading"),
        ('"No," she said. #3', '"No," she said. #3'),
        ("-5 degrees", "-5 degrees"),
        ("->\n->", "x1"),
        ("> >\n", "x1"),
        ("Hello,\n\n001\n[deleted]\nHow do pumps work?", "How do pumps work?"),
        ("Hi all!\nPros:\nIt is cheap", "It is cheap"),
        ("Hi, does anyone know how pumps work", "Hi, does anyone know how pumps work"),
        ("[deleted]", "x1"),
        ("Lead.\nA metal.", "Lead."),
        ("MAP\n", "MAP"),
        ("月の光", "月の光"),
        (" \n ", "x1"),
        ("", "x1"),
        ("GB> From: geb@pitt.edu (Gordon)\n\nFeed a cold.", "Feed a cold."),
        ("+>and since the laws\n+>say so\nThey do not.", "They do not."),
        ("<Wrong. The US does NOT\n<have such laws.\nIt has them.", "It has them."),
        ("<p>\nIt is red.", "It is red."),
        ("From article <C5sEGz@a.edu>, by hallam@b.ch (Phill):\nIt is legal.", "It is legal."),
        ("In article <1@a.org> Ann\n(a@a.org) writes:\n> Is it red?\nIt is.", "It is."),
        ("\\input amstex\n\\documentstyle{amsppt}\nWe prove a bound.", "We prove a bound."),
        ("[Joe, why don't you put this\ninto the list? - mod]\nI read Acts.", "I read Acts."),
        ("Boston Globe, Wednesday April 21 1993\nArms talks fail", "Arms talks fail"),
        ("From: Ann <a@a.org>\nSubject: Re: Torture\n\nSeveral times", "Torture"),
        ("Archive-name: space/groups\nLast-modified: 1 May\n\nGROUPS", "GROUPS"),
        ("> all of it\n> is quoted", "all of it"),
        ("May I ask why?", "May I ask why?"),
        ("Mail me at a@a.org: it is free", "Mail me at a@a.org: it is free"),
        (
            "The only ether that one can see here is a\ngas.",
            "The only ether that one can see here is a gas.",
        ),
        ("Countersteering is how to lean. Another way is not.", "Countersteering is how to lean."),
        ("I asked Mr. Clinton of St. Louis.", "I asked Mr. Clinton of St. Louis."),
        ("Fact! A big deal! It was told here.", "Fact! A big deal!"),
        ("Yes.\n\nIt is so.", "It is so."),
        ("word " * 20, "word " * 11 + "word…"),
        ("x" * 80, "x" * 59 + "…"),
        ("\n...stuff deleted...\nIt is so.", "It is so."),
    ],
)
def test_a_document_without_a_title_is_called_by_its_first_sentence_that_says_something(text, name):
    assert Document("x1", "", text).name == name
