import subprocess
import sys
from itertools import islice, product
from string import ascii_lowercase

import numpy as np
import pytest

from hott.embeddings import train

# Two worlds that never meet: words of one keep company with words of that one only.
RNG = np.random.default_rng(0)
WORLDS = [["cat", "dog", "cow", "pig", "hen", "goat"], ["bank", "loan", "bond", "share", "price", "trade"]]
TEXTS = [" ".join(RNG.choice(WORLDS[i % 2], size=12)) for i in range(200)]


def assert_worlds_lie_apart(vectors):
    animals, money = (vectors.matrix(world).mean(axis=0) for world in WORLDS)
    for world, own, other in ((WORLDS[0], animals, money), (WORLDS[1], money, animals)):
        for word in world:
            assert np.linalg.norm(vectors[word] - own) < np.linalg.norm(vectors[word] - other)


def test_words_that_keep_company_end_up_near():
    vectors = train(TEXTS, dimensions=20)
    assert vectors.dimensions == 20
    assert set(vectors) == {*WORLDS[0], *WORLDS[1]}
    assert_worlds_lie_apart(vectors)


def test_the_seed_decides_the_numbers_in_every_process():
    here = train(TEXTS[:20], dimensions=8, seed=1)
    assert np.array_equal(train(TEXTS[:20], dimensions=8, seed=1).vectors, here.vectors)
    assert not np.array_equal(train(TEXTS[:20], dimensions=8, seed=2).vectors, here.vectors)
    call = f"hott.embeddings.train({TEXTS[:20]!r}, dimensions=8, seed=1)"
    code = f"import hott; print({call}.vectors.tobytes().hex())"
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert there.stdout.strip() == here.vectors.tobytes().hex()


def test_the_end_of_a_long_text_counts():
    """gensim by itself learns from the first 10,000 words of a text only."""
    start = " ".join("".join(letters) for letters in islice(product(ascii_lowercase, repeat=3), 11_000)) + " "
    texts = [start + " ".join(TEXTS[::2]), start + " ".join(TEXTS[1::2])]
    assert_worlds_lie_apart(train(texts, dimensions=20))


def test_rare_words_get_no_vector():
    assert set(train(["cat cat dog"], dimensions=2)) == {"cat"}
    with pytest.raises(ValueError, match="no word occurs min_count=5 times in the 1 texts"):
        train(["cat cat dog"], min_count=5)


@pytest.mark.parametrize("texts", ["one text", [5]])
def test_bad_input(texts):
    with pytest.raises(ValueError, match="texts must"):
        train(texts)
