"""Statistics of terms add up: parts, additions and removals give what the whole gives."""

import numpy as np
import pytest

import hott
from hott.terms import TermStatistics, find_terms
from hott.terms.lexicon import lexicon_of

TEXTS = [document.text for document in hott.demo.corpus()][:60]
WHOLE = TermStatistics.of(TEXTS, "english")


def equal(a: TermStatistics, b: TermStatistics) -> bool:
    left, right = a.to_arrays(), b.to_arrays()
    return left.keys() == right.keys() and all(np.array_equal(left[name], right[name]) for name in left)


def test_parts_add_up_to_the_whole():
    parts = [TermStatistics.of(TEXTS[k::3], "english") for k in range(3)]
    assert equal(parts[0].merge(*parts[1:]), WHOLE)
    assert equal(parts[2].merge(parts[0]).merge(parts[1]), WHOLE)


def test_removing_documents_leaves_those_that_stay():
    assert equal(
        WHOLE.subtract(TermStatistics.of(TEXTS[:17], "english")), TermStatistics.of(TEXTS[17:], "english")
    )
    assert equal(WHOLE.subtract(WHOLE), TermStatistics("english"))


def test_what_is_not_there_cannot_be_removed():
    with pytest.raises(ValueError, match="not among those"):
        WHOLE.subtract(TermStatistics.of(["Xylophone quartets."], "english"))


def test_languages_do_not_add_up():
    with pytest.raises(ValueError, match="english"):
        WHOLE.merge(TermStatistics("german"))


def test_arrays_bring_everything_back():
    assert equal(TermStatistics.from_arrays("english", WHOLE.to_arrays()), WHOLE)


@pytest.mark.parametrize("count", [-1, 2**31])
def test_counts_of_a_forged_file_are_refused(count):
    arrays = TermStatistics.of(TEXTS, "english").to_arrays()
    forged = arrays["word_counts"].astype(np.int64)
    forged[0, 0] = count
    with pytest.raises(ValueError, match="counts of terms"):
        TermStatistics.from_arrays("english", arrays | {"word_counts": forged})


def test_document_frequencies_are_counted_once_a_document():
    statistics = TermStatistics.of(["A comet. The comets!", "No comet here, a star.", "Nothing."], "english")
    assert statistics.document_frequency("comet") == 2
    assert statistics.document_frequency("goal") == 0
    assert statistics.n_documents == 3


def test_a_word_of_the_language_is_less_special_than_a_rare_one_of_the_same_count():
    lexicon = lexicon_of("english")
    keys = np.array([lexicon.key("bare"), lexicon.key("ryegrass")], np.uint64)
    common, rare = TermStatistics.of(["Bare ryegrass. " + "the " * 200], "english").idf(keys)
    assert common < rare - 0.7


def test_what_nearly_all_documents_of_a_collection_have_says_next_to_nothing():
    texts = [f"Synopsis: the tool reads {name}." for name in ("mail", "news", "tar", "zip")] * 50
    statistics = TermStatistics.of([*texts, "The zither has strings."], "english")
    keys = np.array([statistics.key(word) for word in ("synopsis", "zither")], np.uint64)
    often, once = statistics.idf(keys)
    assert often < 0.3 < 3 < once


def test_phrases_come_from_the_collection():
    texts = ["The sudden death of a king.", "It ended by sudden death.", "Her sudden laugh.", "His death."]
    statistics = TermStatistics.of(texts * 3, "english")
    assert [term.text for term in find_terms(texts[1], statistics).terms] == ["sudden death", "ended"]


def test_a_language_without_a_list_uses_the_collection_alone():
    texts = ["Der Hund liegt unter dem Tisch.", "Die Katze liegt unter dem Bett.", "Die Bank liegt am See."]
    statistics = TermStatistics.of(texts, "german")
    assert [term.text for term in find_terms(texts[0], statistics).terms] == ["Hund", "Tisch", "liegt"]
