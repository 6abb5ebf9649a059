"""How rare words are, in a collection and in its language."""

import math

import numpy as np
import pytest

from hott.lexical import Frequencies, Language, WordForms
from hott.text.languages import stop_words_of

ENGLISH = WordForms(stop_words_of("english", "english"), "english")


def collection(n):
    """So many documents of a hundred words; one in a hundred has each of the two words."""
    return Frequencies(np.array(["make", "violin"], object), np.array([n // 100] * 2), n, 100 * n)


def test_a_word_is_as_rare_as_it_is_here_and_in_300_documents_elsewhere():
    words, language = collection(200), Language({"make": 0.01, "violin": 0.0001})
    weighed = words.weigh({"make": 1.0, "violin": 3.0, "unknown": 1.0}, language)
    elsewhere = {word: 300 * (1 - math.exp(-100 * chance)) for word, chance in language.chances.items()}
    expected = {
        word: times * math.log(1 + (500 - 2 - elsewhere[word] + 0.5) / (2 + elsewhere[word] + 0.5))
        for word, times in (("make", 1), ("violin", 3))
    }
    assert weighed.words == pytest.approx(expected)
    assert weighed.mean_length == 100


def test_chances_follow_ranks_and_add_up_over_the_forms_of_a_word():
    language = Language.of(["the", "make", "violin", "makes"], ENGLISH)
    weights = {"make": 1 / 4.7 + 1 / 6.7, "violin": 1 / 5.7}
    total = sum(weights.values())
    assert language.chances == pytest.approx({word: weight / total for word, weight in weights.items()})


def test_what_is_common_in_the_language_counts_less_in_few_documents_and_the_same_in_many():
    language = Language.at_large(ENGLISH)
    query = {"make": 1.0, "violin": 1.0}
    few, many = (collection(n).weigh(query, language).words for n in (200, 1_000_000))
    assert few["make"] < 0.5 * few["violin"]
    assert many["make"] == pytest.approx(many["violin"], rel=0.01)
    alone = collection(200).weigh(query).words
    assert alone == pytest.approx(dict.fromkeys(query, math.log(1 + 198.5 / 2.5)))
