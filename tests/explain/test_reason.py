"""Words of a document that relate it to what was searched for."""

import numpy as np
import pytest
from scipy import sparse

from hott import HOTT, Index
from hott.embeddings import WordVectors
from hott.explain import Background, SoughtText, far_apart

NAMES = ["orbit", "planet", "moon", "comet", "planit", "goal", "match", "team"]
COUNTS = np.array([[3, 4, 2, 2, 1, 0, 0, 0], [2, 3, 3, 1, 0, 0, 0, 0], [0, 0, 0, 0, 0, 4, 3, 2]])
MANY = 200_000


@pytest.mark.parametrize(
    ("times", "named"),
    [
        ([5, 7, 5, 3, 1, 4, 3, MANY], ("comet", "moon", "planet")),  # the rarest first, but for once or twice
        ([5, 7, 5, 2, 3, 4, 3, MANY], ("planit", "moon", "planet")),
        ([5, 2, 2, 2, 1, 4, 3, MANY], ("planit", "planet", "moon")),  # where there is nothing else
        ([5, 7, 5, 3, 1, 4, 3, 2], ("planit", "comet", "moon")),  # in a small corpus most words are rare
    ],
)
def test_words_that_a_large_corpus_hardly_has_come_last(times, named):
    hott = HOTT(n_topics=2, random_state=0).fit(COUNTS)
    counts = sparse.csr_array([[1, 1, 1, 1, 1, 0, 0, 0]])
    documents = hott.represent(counts)
    sought = SoughtText(hott, documents, np.array([0]), NAMES, Background(np.array(times)), far_apart(hott))
    related, alike = sought.find_related(documents, counts, ["orbit"])
    assert alike == pytest.approx(1)
    assert related == named


def test_a_word_that_means_something_else_is_no_reason_however_much_it_says():
    vectors = {"star": 0.1, "galaxy": 0.2, "comet": -0.1, "moon": 0.0, "orbit": -0.2}
    opposite = {"bread": 0.1, "flour": -0.1, "oven": 0.2, "dough": 0.0, "yeast": -0.2}
    places = [[1, y] for y in vectors.values()] + [[-1, y] for y in opposite.values()]
    texts = 2 * [
        *("star galaxy star moon", "galaxy comet oven", "comet orbit galaxy", "moon orbit comet star"),
        *("bread flour oven", "dough yeast bread", "oven flour dough", "yeast bread flour"),
    ]
    index = Index.build(texts, n_topics=2, n_models=2, embeddings=WordVectors([*vectors, *opposite], places))
    hits = index.search(text="star", k=16, by="topics")
    why = dict(zip([hit.id for hit in hits], index.reasons(hits)))
    assert why["1"].startswith("related: galaxy, comet (")
