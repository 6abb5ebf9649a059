"""The large parts of a model take few bytes in a file, and come back to the last bit."""

import hashlib
import re

import numpy as np
import pytest
from scipy import sparse

import hott
from hott import embeddings, storage
from hott.embeddings import bundled
from hott.index import compact
from hott.storage import StorageError
from hott.topics.counts import TopicCounts
from hott.topics.neighborhood import Neighborhood
from tests.index.test_index import DATA
from tests.storage.files import rewrite_header

TEXTS = [
    "The planet orbits a star, and the moon orbits the planet zorblax.",
    "A telescope shows the light of a distant star and of planet zorblax.",
    "The team won the match with a late goal by zorblax.",
    "A goal decides the match; the team and the referee cheer.",
    "Stars and planets form a galaxy that astronomers observe.",
    "The striker scored a penalty and the football club celebrates.",
]


@pytest.fixture(scope="module")
def index():
    return hott.Index.build(TEXTS, n_topics=4, n_models=3, iterations=30)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "small.hott"


def same_bits(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and np.array_equal(a.view(np.uint8), b.view(np.uint8))


def test_topics_and_vectors_come_back_to_the_last_bit(index, path):
    index.save(path)
    opened = hott.open(path)
    names = storage.read(path).arrays
    assert not [name for name in names if re.match(r"topics\.|word_vectors", name)]
    for ours, theirs in zip(index.hott.models_, opened.hott.models_):
        assert same_bits(ours.topics.components, theirs.topics.components)
        assert ours.topics.known_words.tolist() == theirs.topics.known_words.tolist()
    assert same_bits(index.vocabulary.vectors_, opened.vocabulary.vectors_)
    assert same_bits(index.distances(), opened.distances())
    query = "astronomers saw the referee of zorblax"
    assert [(hit.id, hit.score) for hit in index.search(query)] == [
        (hit.id, hit.score) for hit in opened.search(query)
    ]


def test_only_words_that_hott_does_not_know_have_their_vectors_in_the_file(index, path):
    index.save(path)
    stored = storage.read(path)
    words = index.vocabulary.words_.tolist()
    assert [words[place] for place in stored.arrays["own_vectors.words"]] == ["zorblax"]
    assert stored.header["word_vectors"] == {"name": bundled.NAME, "checksum": bundled.CHECKSUM}


def test_saving_what_was_opened_gives_the_same_file(index, path, tmp_path):
    index.save(path)
    hott.open(path).save(tmp_path / "again.hott")
    assert path.read_bytes() == (tmp_path / "again.hott").read_bytes()


def test_opening_decodes_neither_topics_nor_vectors(index, path, monkeypatch):
    index.save(path)
    monkeypatch.setattr(bundled, "default", lambda: pytest.fail("the table was read"))
    opened = hott.open(path)
    assert not any("components" in vars(space.topics) for space in opened.hott.models_)
    assert opened.hott.n_features_in_ == len(index.vocabulary.words_)


@pytest.mark.parametrize("change", [{"checksum": "0" * 32}, {"name": "all-MiniLM-L12"}])
def test_a_table_that_is_not_that_of_this_version_is_refused_when_the_file_is_opened(index, path, change):
    index.save(path)
    rewrite_header(path, lambda header: header["header"]["word_vectors"].update(change))
    with pytest.raises(StorageError, match=r"word vectors that this version does not have.*make it again"):
        hott.open(path)


def test_the_checksum_is_that_of_the_table():
    files = bundled.WORDS.read_bytes() + bundled.VECTORS.read_bytes()
    assert hashlib.sha256(files).hexdigest()[:32] == bundled.CHECKSUM
    assert embeddings.default().dimensions == bundled.DIMENSIONS


def test_vectors_that_are_not_the_bundled_ones_are_copied(path):
    words = sorted({word.strip(".,;").lower() for text in TEXTS for word in text.split()})
    vectors = embeddings.WordVectors(words, np.random.default_rng(0).normal(size=(len(words), 5)))
    made = hott.Index.build(TEXTS, n_topics=2, n_models=1, iterations=5, embeddings=vectors)
    made.save(path)
    assert same_bits(storage.read(path).arrays["word_vectors"], made.vocabulary.vectors_)
    assert same_bits(hott.open(path).vocabulary.vectors_, made.vocabulary.vectors_)


def test_a_vector_that_differs_in_one_bit_is_kept():
    words = ["cat", "dog"]
    vectors = embeddings.default().matrix(words)
    assert bundled.BundledVectors.of(words, vectors).own.tolist() == []
    vectors.view(np.uint32)[1, 7] ^= 1
    kept = bundled.BundledVectors.of(words, vectors)
    assert kept.own.tolist() == [1]
    assert same_bits(np.asarray(kept), vectors)
    assert bundled.BundledVectors.of(words, vectors[:, :9]) is None


def test_topics_of_another_prior_are_stored_as_they_are():
    """Neighbours are stored once: models that do not share them keep their components."""
    drawn = sparse.csr_array(np.array([[3, 0], [1, 1], [0, 2]], np.int32))
    near = Neighborhood(np.array([[1], [0], [1]], np.int32), np.full((3, 1), 0.5, np.float32))
    other = Neighborhood(near.words, np.full((3, 1), 0.3, np.float32))  # no number of half precision
    first, second = (
        hott.topics.FittedTopics(TopicCounts.of(drawn, n, eta=0.1, strength=4.0)) for n in (near, other)
    )
    plain = hott.topics.FittedTopics(first.components)
    header, arrays = compact.topics_to_arrays([plain, first, second])
    assert header == {"topic_prior": {"eta": 0.1, "strength": 4.0}}
    assert {name for name in arrays if name.startswith("topic")} == {
        "topics.0", "topic_counts.1", "topic_sums.1", "topics.2"
    }  # fmt: skip
    assert compact.topics_to_arrays([second])[0] == {}


def forge(path, name, change):
    """Write the file anew with one of its arrays changed."""
    stored = storage.read(path)
    arrays = {key: stored.arrays[key] for key in stored.arrays}
    arrays[name] = change(arrays[name].copy())
    tables = {key: stored.tables[key].read() for key in stored.tables}
    storage.write(path, stored.header, arrays, tables)


def set_first(value):
    def change(values):
        (values.data if sparse.issparse(values) else values).flat[0] = value
        return values

    return change


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("neighbors.words", set_first(10**6)),
        ("neighbors.words", set_first(-1)),
        ("neighbors.words", lambda values: values.astype(np.int64)),
        ("neighbors.words", lambda values: values[:-1]),
        ("neighbors.weights", set_first(0x7C00)),  # infinite
        ("neighbors.weights", set_first(0xBC00)),  # -1
        ("neighbors.weights", lambda values: values[:, 1:]),
        ("topic_counts.0", set_first(-1)),
        ("topic_counts.0", lambda values: values.astype(np.float32)),
        ("topic_counts.0", lambda values: values[:, :-1]),
        ("topic_counts.0", lambda values: values[:-1]),
        ("topic_counts.0", lambda values: sparse.csr_array(values.shape, dtype=np.int32)),
        ("topic_sums.0", set_first(0.0)),
        ("topic_sums.0", set_first(np.nan)),
        ("own_vectors.words", set_first(10**6)),
        ("own_vectors.rows", set_first(np.nan)),
        ("own_vectors.rows", lambda values: values[:, 1:]),
    ],
)
def test_forged_parts_do_not_reach_compiled_code(index, path, name, change):
    index.save(path)
    forge(path, name, lambda values: values)
    hott.open(path)  # the forger's hand alone changes nothing
    forge(path, name, change)
    with pytest.raises(StorageError, match=path.name):
        hott.open(path)


@pytest.mark.parametrize("prior", [{"eta": -1.0}, {"strength": float("1e300")}, {"eta": "x"}])
def test_a_prior_that_cannot_be_is_refused(index, path, prior):
    index.save(path)
    rewrite_header(path, lambda header: header["header"]["topic_prior"].update(prior))
    with pytest.raises(StorageError, match=path.name):
        hott.open(path)


def test_an_index_of_the_format_before_keeps_its_topics(path):
    old = hott.open(DATA / "index-format-2.hott")
    old.save(path)
    again = hott.open(path)
    assert same_bits(old.hott.models_[1].topics.components, again.hott.models_[1].topics.components)
    assert same_bits(old.distances(), again.distances())


@pytest.mark.parametrize("change", [lambda topics: topics[:2], lambda topics: -topics])
def test_forged_topics_that_are_stored_as_they_are(path, change):
    hott.open(DATA / "index-format-2.hott").save(path)
    forge(path, "topics.0", change)
    with pytest.raises(StorageError, match=path.name):
        hott.open(path)
