"""BM25 against its definition, against bm25s, and unchanged by the order in which documents came."""

import bm25s
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hott.lexical import Postings

WORDS = st.sampled_from(["star", "moon", "goal", "bread", "oven", "comet", "ball"])
TEXTS = st.lists(st.lists(WORDS, max_size=12).map(" ".join), min_size=1, max_size=12)
QUERIES = st.dictionaries(WORDS, st.floats(0.1, 3), min_size=1, max_size=4)


def by_definition(texts, query, k1=1.2, b=0.75):
    """Robertson and Walker's formula, document by document and word by word."""
    documents = [text.split() for text in texts]
    mean = max(sum(map(len, documents)) / len(documents), 1)
    scores = []
    for words in documents:
        total = 0.0
        for word, weight in query.items():
            having = sum(word in other for other in documents)
            idf = np.log(1 + (len(documents) - having + 0.5) / (having + 0.5)) if having else 0.0
            times = words.count(word)
            total += weight * idf * times * (k1 + 1) / (times + k1 * (1 - b + b * len(words) / mean))
        scores.append(total)
    return scores


@given(TEXTS, QUERIES)
@example(["star", "moon"], {"star": 1.0})  # texts of one word, on average
@example(["", "star", ""], {"star": 1.0})  # and of less
def test_scores_follow_the_definition(texts, query):
    assert Postings.of(texts, str.split).scores(query) == pytest.approx(by_definition(texts, query))


def test_scores_are_those_of_bm25s():
    rng = np.random.default_rng(0)
    words = [f"word{i}" for i in range(300)]
    texts = [" ".join(rng.choice(words, rng.integers(1, 60))) for _ in range(200)]
    peer = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    peer.index([text.split() for text in texts], show_progress=False)
    postings = Postings.of(texts, str.split)
    for _ in range(20):
        query = rng.choice(words, 5, replace=False).tolist()
        theirs = peer.get_scores(query)
        # Lucene leaves out the constant factor k1 + 1, and bm25s computes in single precision.
        ours = postings.scores(dict.fromkeys(query, 1.0)) / 2.2
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


@given(TEXTS, TEXTS, QUERIES)
def test_documents_that_come_later_count_the_same(first, later, query):
    grown = Postings.concat([Postings.of(first, str.split), Postings.of(later, str.split)])
    at_once = Postings.of([*first, *later], str.split)
    assert grown.words.tolist() == at_once.words.tolist()
    np.testing.assert_array_equal(grown.scores(query), at_once.scores(query))


def test_words_that_are_nowhere_and_documents_without_words():
    postings = Postings.of(["", "star star", "moon"], str.split)
    assert len(postings) == 3
    assert postings.scores({"sun": 1.0}).tolist() == [0, 0, 0]
    assert postings.scores({"star": 1.0})[0] == 0
    assert postings.frequencies.document_frequency("star") == 1
    assert Postings.of([], str.split).scores({"star": 1.0}).tolist() == []


def test_counts_take_no_more_bytes_than_they_need():
    for times, kept in [(255, np.uint8), (256, np.uint16), (65_535, np.uint16), (65_536, np.int32)]:
        postings = Postings.of(["star " * times, "moon"], str.split)
        assert postings.counts.dtype == kept
        assert postings.counts_by_document().toarray().tolist() == [[0, times], [1, 0]]
