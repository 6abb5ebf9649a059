import gzip
import warnings

import numpy as np
import pytest
from gensim.models import KeyedVectors
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hott.embeddings import load

WORDS = ["the", "naïve", "我们", "cat"]
VECTORS = np.arange(12, dtype=np.float32).reshape(4, 3) / 8 - 0.5


def text(separator: str = " ", end: str = "\n") -> str:
    return "".join(separator.join([word, *map(str, row)]) + end for word, row in zip(WORDS, VECTORS))


def binary(end: bytes = b"") -> bytes:
    return b"4 3\n" + b"".join(
        word.encode() + b" " + row.tobytes() + end for word, row in zip(WORDS, VECTORS)
    )


FORMATS = {
    "GloVe": text().encode(),
    "GloVe with tabs and Windows line ends": text("\t", "\r\n").encode(),
    "word2vec text": b"4 3\n" + text().encode(),
    "fastText .vec": b"4 3\n" + text(end=" \n").encode(),
    "word2vec binary": binary(b"\n"),
    "gensim binary": binary(),
}


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("packed", [False, True])
def test_formats_are_recognised(tmp_path, name, packed):
    path = tmp_path / "my vectors"
    path.write_bytes(gzip.compress(FORMATS[name], mtime=0) if packed else FORMATS[name])
    vectors = load(path)
    assert vectors.words == tuple(WORDS)
    assert np.array_equal(vectors.vectors, VECTORS)


@pytest.mark.parametrize("name", FORMATS)
def test_only_the_words_asked_for_are_kept(tmp_path, name):
    (tmp_path / "v").write_bytes(FORMATS[name])
    vectors = load(tmp_path / "v", words=["cat", "unicorn", "naïve"])
    assert vectors.words == ("naïve", "cat")
    assert np.array_equal(vectors.vectors, VECTORS[[1, 3]])
    assert load(tmp_path / "v", limit=2).words == ("the", "naïve")
    with pytest.raises(ValueError, match="holds none of the 1 words asked for, among its 4"):
        load(tmp_path / "v", words=["unicorn"])


@pytest.mark.parametrize("is_binary", [False, True])
def test_what_gensim_writes(tmp_path, is_binary):
    theirs = KeyedVectors(300)
    rng = np.random.default_rng(0)
    theirs.add_vectors([f"word{i}" for i in range(2000)], rng.normal(size=(2000, 300)).astype(np.float32))
    theirs.save_word2vec_format(str(tmp_path / "v"), binary=is_binary)
    ours = load(tmp_path / "v")
    assert list(ours.words) == theirs.index_to_key
    assert np.array_equal(ours.vectors, theirs.vectors)


def test_words_with_spaces_as_in_the_large_glove_files(tmp_path):
    (tmp_path / "v").write_text("the 1 2 3\n. . . 4 5 6\nat name@domain.com 7 8 9\n")
    vectors = load(tmp_path / "v")
    assert vectors.words == ("the", ". . .", "at name@domain.com")
    assert vectors[". . ."].tolist() == [4, 5, 6]


def test_of_a_word_that_occurs_again_the_first_vector_is_kept(tmp_path):
    (tmp_path / "v").write_text("a 1 2\nb 3 4\na 5 6\na 7 8\n")
    with pytest.warns(UserWarning, match="2 words occur again; the first vector of each was kept") as caught:
        assert load(tmp_path / "v")["a"].tolist() == [1, 2]
    assert caught[0].filename == __file__


def test_words_that_are_not_utf_8(tmp_path):
    (tmp_path / "v").write_bytes(b"caf\xe9 1 2\ncaf\xc3\xa9 3 4\n")
    assert load(tmp_path / "v").words == ("caf\\xe9", "café")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"0 5\n", "is empty: line 1 promises 0 words"),
        (
            b"a 1 2\nb 1\n",
            r"line 2 has 1 numbers after its word, expected 2: the file is cut short, or mixes",
        ),
        (b"a 1 2\nb 1 2 3\n", r"line 2 has 3 numbers after its word, expected 2"),
        (b"2 3\na 1 2 3\nb 1 2\n", r"line 3 has 2 numbers after its word, expected 3"),
        (b"3 2\na 1 2\nb 3 4\n", "is cut short: line 1 promises 3 words, it holds 2"),
        (binary()[:-2], "is cut short: line 1 promises 4 words, it ends in word 4"),
        (b"9 300\nthe " + bytes(40), "is cut short: line 1 promises 9 words, it ends in word 1"),
        (b"a 1 2\nb 1 two\n", r"line 2 holds something that is not a number: .*two"),
        (b"2 2\na 1 two\nb 1 2\n", r"line 2 holds something that is not a number: .*two"),
        (b"a 1 2\nb 1 nan\n", "line 2 holds a number that is not finite: nan"),
        (
            b"1 2\na " + np.array([1, np.inf], "<f4").tobytes(),
            "word 1 holds a number that is not finite: inf",
        ),
        (b"once upon a time\n", r"is not a word vector file .*: line 1 is 'once upon a time\\n'"),
        (b"\x80\x04\x95pickle", "is not a word vector file"),
        (b"\xba\x16\x4f\x2f\x0c\0\0\0", "is a fastText model. Its vectors come beside it in a .vec file"),
        (gzip.compress(text().encode(), mtime=0)[:-9], "gzip data is damaged or cut short after 89 bytes"),
        (b"a 1 2 3\nb 1  3\n", "line 2 has 2 numbers after its word, expected 3"),
        (b"a 1 2 3\nb 1  3\nc 1\t2 3 4\n", "line 2 has 2 numbers after its word, expected 3"),
        (b"3 99999999\na " + bytes(4000), "line 1 promises 99,999,999 numbers for each word"),
        (b"9 3\nthe " + bytes(12) + b"x" * 100_000, "word 2 does not end"),
        (b"1 3\na 1 2 1e99\n", "line 2 holds a number that is not finite: inf"),
    ],
)
def test_broken_files_are_named(tmp_path, content, message):
    (tmp_path / "broken.vec").write_bytes(content)
    with pytest.raises(ValueError, match=f"broken.vec.*{message}"):
        load(tmp_path / "broken.vec")


def test_bad_arguments(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no such word vector file: .*nowhere"):
        load(tmp_path / "nowhere")
    (tmp_path / "v").write_text("a 1\n")
    with pytest.raises(ValueError, match="limit must be at least 1 word, got 0"):
        load(tmp_path / "v", limit=0)
    with pytest.raises(ValueError, match="words must be a list of words, got one string"):
        load(tmp_path / "v", words="cat")


@given(
    cut=st.integers(0, len(FORMATS["word2vec binary"])),
    name=st.sampled_from(list(FORMATS)),
    tail=st.binary(max_size=30),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_a_damaged_file_gives_vectors_or_a_value_error(tmp_path, cut, name, tail):
    (tmp_path / "v").write_bytes(FORMATS[name][:cut] + tail)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            vectors = load(tmp_path / "v")
        except ValueError:
            return
    assert len(vectors) >= 1
