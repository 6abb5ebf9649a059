"""Words of a document that relate it to what was searched for."""

import numpy as np
import pytest
from scipy import sparse

from hott import HOTT
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
    related, alike = sought.related(documents, counts, ["orbit"])
    assert alike == pytest.approx(1)
    assert related == named
