import subprocess
import sys
from itertools import islice, product
from string import ascii_lowercase

import numpy as np
import pytest

from hott.embeddings import train, training
from hott.text.tokens import number

# Two worlds that never meet: words of one keep company with words of that one only.
RNG = np.random.default_rng(0)
WORLDS = [["cat", "dog", "cow", "pig", "hen", "goat"], ["bank", "loan", "bond", "share", "price", "trade"]]
TEXTS = [" ".join(RNG.choice(WORLDS[i % 2], size=12)) for i in range(200)]
METHODS = pytest.mark.parametrize("method", ["ppmi", "word2vec"])


def assert_worlds_lie_apart(vectors):
    animals, money = (vectors.matrix(world).mean(axis=0) for world in WORLDS)
    for world, own, other in ((WORLDS[0], animals, money), (WORLDS[1], money, animals)):
        for word in world:
            assert np.linalg.norm(vectors[word] - own) < np.linalg.norm(vectors[word] - other)


@METHODS
def test_words_that_keep_company_end_up_near(method):
    vectors = train(TEXTS, dimensions=8, method=method)
    assert vectors.dimensions == 8
    assert set(vectors) == {*WORLDS[0], *WORLDS[1]}
    assert_worlds_lie_apart(vectors)


@METHODS
def test_words_in_the_same_places_end_up_near_though_they_never_meet(method):
    sentences = [
        "the {} purrs softly at night",
        "my {} chases mice daily",
        "every {} sleeps near warm stoves",
    ]
    others = ["a {} pays interest yearly", "the {} lends money here", "each {} keeps accounts safely"]
    texts = [text.format(word) for word in ("cat", "kitten") for text in sentences]
    texts += [text.format(word) for word in ("bank", "lender") for text in others]
    vectors = train(texts * 20, dimensions=10, method=method, min_count=1)
    cat, kitten, bank, lender = vectors.matrix(["cat", "kitten", "bank", "lender"])
    assert np.linalg.norm(cat - kitten) < np.linalg.norm(cat - lender)
    assert np.linalg.norm(bank - lender) < np.linalg.norm(bank - kitten)


@METHODS
def test_the_seed_decides_the_numbers_in_every_process(method):
    def learn(seed):
        return train(TEXTS[:20], dimensions=4, seed=seed, method=method).vectors

    here = learn(1)
    assert np.array_equal(learn(1), here)
    if method != "ppmi":  # a small decomposition is accurate enough to forget its seed
        assert not np.array_equal(learn(2), here)
    call = f"hott.embeddings.train({TEXTS[:20]!r}, dimensions=4, seed=1, method={method!r})"
    code = f"import hott; print({call}.vectors.tobytes().hex())"
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert there.stdout.strip() == here.tobytes().hex()


@METHODS
def test_the_end_of_a_long_text_counts(method):
    """gensim by itself learns from the first 10,000 words of a text only."""
    start = " ".join("".join(letters) for letters in islice(product(ascii_lowercase, repeat=3), 11_000)) + " "
    texts = [start + " ".join(TEXTS[::2]), start + " ".join(TEXTS[1::2])]
    assert_worlds_lie_apart(train(texts, dimensions=20, method=method))


def test_company_is_counted_by_nearness():
    _, numbered = number(["one two three", "two two"])
    one, three, two = range(3)
    expected = np.zeros((3, 3))
    expected[one, two] = expected[two, one] = expected[two, three] = expected[three, two] = 1
    expected[one, three] = expected[three, one] = 0.5  # two apart in a window of two
    expected[two, two] = 2  # each of the pair is the other's company
    assert np.allclose(training._company(numbered, window=2).toarray(), expected)


def test_the_table_is_positive_pointwise_mutual_information():
    _, numbered = number(TEXTS[:30])
    company = training._company(numbered, 3).toarray()
    smoothed = company.sum(axis=0) ** 0.75
    chance = company.sum(axis=1)[:, None] * (smoothed / smoothed.sum())
    expected = np.where(company > 0, np.log(np.maximum(company, 1e-9) / chance), 0).clip(0)
    assert np.allclose(training._information(numbered, 3).toarray(), expected, atol=1e-5)


def test_learned_vectors_have_unit_length_and_lie_around_the_middle():
    vectors = train(TEXTS, dimensions=8)
    assert np.allclose(np.linalg.norm(vectors.vectors, axis=1), 1, atol=1e-5)
    assert np.linalg.norm(vectors.vectors.mean(axis=0)) < 0.1


def test_a_part_of_a_large_corpus_is_enough(monkeypatch):
    monkeypatch.setattr(training, "_MAX_TOKENS", 600)
    _, numbered = number(TEXTS)  # 2,400 tokens: every fourth text
    assert training._company(numbered, 1).sum() == 2 * 11 * 50


@METHODS
def test_rare_words_and_stop_words_get_no_vector(method):
    texts = ["cat dog the cow", "cat dog the pig", "cat the dog"]
    assert set(train(texts, dimensions=2, method=method, stop_words=["the"])) <= {"cat", "dog"}
    with pytest.raises(ValueError, match="no word occurs min_count=5 times in the 3 texts"):
        train(texts, min_count=5, method=method)


def test_a_word_that_is_never_near_another_gets_no_vector():
    vectors = train([*TEXTS, "hermit", "hermit"], dimensions=8)
    assert "hermit" not in vectors
    with pytest.raises(ValueError, match="nothing to learn from: no two of the 1 words"):
        train(["hermit", "hermit"])


def test_which_words_get_a_vector_does_not_depend_on_rounding(monkeypatch):
    """Two pairs that never meet have equal weight: a processor may see either pair in the first axes."""
    texts = ["cats chase mice", "cats eat mice", "banks lend money", "banks save money"]
    assert set(train(texts, dimensions=2)) == {"cats", "mice", "banks", "money"}

    def sees_one_pair(table, n, **settings):
        return np.eye(table.shape[0], n), np.ones(n), None

    monkeypatch.setattr("sklearn.utils.extmath.randomized_svd", sees_one_pair)
    blind = train(texts, dimensions=2)
    assert set(blind) == {"cats", "mice", "banks", "money"}
    assert np.isfinite(blind.vectors).all()


def test_learning_needs_no_gensim():
    code = "import sys; sys.modules['gensim'] = None; import hott; print(hott.embeddings.train(['a b'] * 3))"
    code = code.replace("a b", "cats mice banks money")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "WordVectors(4 words, 4 dimensions)"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"texts": "one text"}, "texts must"),
        ({"texts": [5]}, "texts must"),
        ({"texts": TEXTS, "dimensions": 0}, "dimensions must be a whole number of at least 1, got 0"),
        ({"texts": TEXTS, "window": 1.5}, "window must be a whole number of at least 1, got 1.5"),
        ({"texts": TEXTS, "method": "glove"}, "method must be 'ppmi' or 'word2vec', got 'glove'"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(ValueError, match=message):
        train(**arguments)
