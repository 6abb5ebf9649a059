import copy
import os
import pickle
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from hott import _core
from hott.corpus import demo
from hott.embeddings.encoder import Encoder
from hott.embeddings.encoder.model import BUNDLED
from hott.embeddings.encoder.packed import SIZE, WINDOW, Linear, PackedEncoder
from tests.embeddings.encoder import reference


@pytest.fixture(scope="module")
def packed() -> PackedEncoder:
    return PackedEncoder.load(BUNDLED)


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return Encoder.load()


def some_words(encoder: Encoder, n: int, seed: int = 0) -> list[str]:
    """Words as frequent as ranks drawn by Zipf's law, so that most are common."""
    ranks = np.exp(np.random.default_rng(seed).uniform(0, np.log(len(encoder.words)), n)).astype(int) - 1
    return [encoder.words[rank] for rank in ranks]


@pytest.mark.parametrize("n", [1, 2, 7, 16, 17, 41, 127, WINDOW])
def test_the_compiled_encoder_says_what_numpy_says(encoder, packed, n):
    """Factors are rounded to 8 bits: words come within 3 % of their length on average, texts within .0005."""
    errors, cosines = [], []
    for document in list(demo.corpus())[::40]:
        words = encoder.words_in_context(document.text).words[:n]
        numbers = np.array([packed.words.index(word) for word in words], np.int32)
        expected = reference.words_in_context(packed, numbers)
        rows = encoder.words_in_context(" ".join(words)).rows
        errors.extend(np.linalg.norm(rows - expected, axis=1) / np.linalg.norm(expected, axis=1))
        text = expected.sum(axis=0)
        cosines.append(encoder.encode([" ".join(words)])[0] @ text / np.linalg.norm(text))
    assert np.mean(errors) < 0.03
    assert np.max(errors) < 0.15
    assert np.mean(cosines) > 0.9995
    assert np.min(cosines) > 0.998


def test_rows_add_up_to_the_text_and_pairs_of_words_to_the_cosine(encoder):
    first, second = " ".join(some_words(encoder, 300, 1)), "Getting sick from dirty water."
    a, b = encoder.words_in_context(first), encoder.words_in_context(second)
    x, y = encoder.encode([first, second])
    assert np.linalg.norm(x) == pytest.approx(1, abs=1e-6)
    assert a.shares.sum(axis=0) == pytest.approx(x, abs=1e-6)
    assert (a.shares @ b.shares.T).sum() == pytest.approx(x @ y, abs=1e-6)


def test_the_first_twelve_words_weigh_once_more(encoder):
    words = some_words(encoder, 18, 4)
    texts = [" ".join(words), "moon", "", " ".join(words[3:] * 20)]
    leads = [" ".join(text.split()[:12]) for text in texts]
    sums = encoder.encode(texts) + np.float32(0.3) * encoder.encode(leads)
    expected = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12)
    assert encoder.encode(texts, lead=0.3) == pytest.approx(expected, abs=1e-6)
    for text, row in zip(texts, expected):
        shares = encoder.words_in_context(text, lead=0.3).shares
        assert shares.sum(axis=0) == pytest.approx(row, abs=1e-5)


def test_windows_know_nothing_of_each_other(encoder):
    words = some_words(encoder, 2 * WINDOW + 30, 2)
    whole = encoder.words_in_context(" ".join(words)).rows
    for start in range(0, len(words), WINDOW):
        part = encoder.words_in_context(" ".join(words[start : start + WINDOW])).rows
        assert (whole[start : start + WINDOW] == part).all()


def test_a_word_depends_on_its_context(encoder):
    tree, computer = (
        encoder.words_in_context(text)
        for text in ("the apple fell from the tree", "apple released a new computer")
    )
    by_tree, by_computer = (
        found.rows[found.words.index("apple")] / np.linalg.norm(found.rows[found.words.index("apple")])
        for found in (tree, computer)
    )
    assert by_tree @ by_computer < 0.97
    [fruit] = encoder.encode(["a fruit orchard"])
    assert by_tree @ fruit > by_computer @ fruit + 0.05


def test_any_number_of_threads_and_any_company_give_the_same_bits(encoder):
    texts = [" ".join(some_words(encoder, n, n)) for n in (3, 400, 0, 129, 50)]
    alone = np.vstack([encoder.encode([text], threads=1) for text in texts])
    assert (encoder.encode(texts, threads=3) == alone).all()
    rows = [rows for _, _, rows in encoder.rows_in_context(texts, threads=3)]
    assert (np.vstack(rows) == np.vstack([encoder.words_in_context(text).rows for text in texts])).all()


PROGRAM = """
import sys
import hott
loaded = any(name.startswith("hott.embeddings.encoder") for name in sys.modules)
assert not loaded, "import hott loads the encoder"
import hashlib
import numpy as np
from hott import _core
from hott.corpus import demo
from hott.embeddings.encoder import DocumentVectors, Encoder
encoder = Encoder.load()
words = np.array(encoder.words)
texts = [" ".join(words[np.random.default_rng(n).integers(20_000, size=n)]) for n in (1, 9, 300, 40)]
rows = [encoder.words_in_context(text).rows for text in texts]
encoded = encoder.encode(texts)
scores = DocumentVectors.from_rows(encoded).scores(encoded[1])
numbers = b"".join(x.tobytes() for x in [*rows, encoded, scores])
print(_core.ENCODER_INSTRUCTIONS, hashlib.sha256(numbers).hexdigest())
"""


def test_every_instruction_set_gives_the_same_bits():
    def run(instructions: str) -> list[str]:
        environment = os.environ | {"HOTT_INSTRUCTIONS": instructions}
        return subprocess.check_output([sys.executable, "-c", PROGRAM], text=True, env=environment).split()

    chosen = _core.ENCODER_INSTRUCTIONS
    sets = ["neon"] if chosen == "neon" else ["baseline", "avx2", "avx512", "avx512vnni"]
    expected = run(chosen)
    assert expected[0] == chosen
    for other in sets[: sets.index(chosen)]:
        assert run(other) == [other, expected[1]]


@pytest.mark.parametrize("text", ["", "  \n", "1234 %%", "qqxzzy wxyzzyq", "\ud800\udfff", "漢字"])
def test_texts_without_a_known_word_are_zero(encoder, text):
    assert not encoder.encode([text]).any()
    found = encoder.words_in_context(text)
    assert found.words == ()
    assert found.spans.shape == (0, 2)
    assert found.rows.shape == found.shares.shape == (0, SIZE)


def test_unknown_words_leave_no_trace(encoder):
    known, mixed = encoder.encode(["The cat sat.", "The \ud800 cat qqxzzy 99 sat_"])
    assert (known == mixed).all()


def test_no_texts(encoder):
    assert encoder.encode([]).shape == (0, SIZE)


def test_spans_lead_back_to_the_text(encoder):
    text = "Ünknown? The WORLD’s ﬁre — naïve café, \ud83d fire."
    found = encoder.words_in_context(text)
    assert [text[start:end] for start, end in found.spans] == ["The", "WORLD", "ﬁre", "naïve", "café", "fire"]
    assert found.words == ("the", "world", "fire", "naïve", "café", "fire")


def test_a_megabyte_of_text(encoder):
    text = ("Rain fell. " + "x" * 80 + " ") * 11_000
    assert len(text) > 1_000_000
    assert encoder.encode([text])[0] @ encoder.encode(["Rain fell. " * 64])[0] > 0.999


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ("one text", "Put a single text in a list"),
        (["fine", None], r"texts\[1\] is None"),
        ([b"bytes"], r"texts\[0\]"),
        (7, "got int"),
    ],
)
def test_what_is_no_text_is_named(encoder, texts, message):
    with pytest.raises(ValueError, match=message):
        encoder.encode(texts)


def test_one_text_that_is_none(encoder):
    with pytest.raises(ValueError, match="text must be a string, got float"):
        encoder.words_in_context(1.5)


def small(packed: PackedEncoder) -> PackedEncoder:
    return replace(
        packed, words=packed.words[:50], table=packed.table[:50],
        table_scale=packed.table_scale[:50], word_weight=packed.word_weight[:50],
    )  # fmt: skip


def test_a_file_gives_back_the_same_encoder(tmp_path, packed, encoder):
    small(packed).save(tmp_path / "small.npz")
    again = Encoder.load(tmp_path / "small.npz")
    assert repr(again) == "Encoder(50 words, 256 dimensions)"
    assert "the" in again
    assert (again.encode(["the and of in"]) == encoder.encode(["the and of in"])).all()


def test_it_can_be_copied_and_sent_to_another_process(packed, encoder):
    own = Encoder(small(packed))
    again = pickle.loads(pickle.dumps(own))
    assert (again.encode(["the and of"]) == own.encode(["the and of"])).all()
    assert len(pickle.dumps(encoder)) < 1000
    assert pickle.loads(pickle.dumps(encoder)) is encoder
    assert copy.deepcopy(own) is own


def test_damaged_files_are_told(tmp_path, packed):
    path = tmp_path / "encoder.npz"
    small(packed).save(path)
    whole = path.read_bytes()
    with np.load(path) as file:
        arrays = dict(file)
    middle = len(whole) // 2

    def refused() -> None:
        with pytest.raises(ValueError, match=r"encoder.npz is no packed encoder of hott, or it is damaged"):
            Encoder.load(path)

    for damaged in (b"", b"nothing", whole[:-500], whole[:middle] + b"\0\1\2\3" + whole[middle + 4 :]):
        path.write_bytes(damaged)
        refused()
    changes = {
        "table": arrays["table"][:-9],
        "words": arrays["words"][5:],
        "left": arrays["left"][1:],
        "gate": np.full_like(arrays["gate"], np.nan),
        "layer1_up_weight": arrays["layer1_up_weight"].T,
        "layer0_down_weight": arrays["layer0_down_weight"].astype(np.float32),
        "layer0_attention_scale": arrays["layer0_attention_scale"][:1],
    }
    for name, value in changes.items():
        np.savez(path, **arrays | {name: value})
        refused()
        np.savez(path, **{other: array for other, array in arrays.items() if other != name})
        refused()
    np.savez(path, **arrays | {"words": np.frombuffer(b"\xff\xfe", np.uint8)})
    refused()


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        Encoder.load(tmp_path / "none.npz")


def test_matrices_are_rounded_by_rows():
    weight = np.array([[1.0, -0.5, 0.0], [0.0, 0.0, 0.0]])
    linear = Linear.of(weight, np.array([0.5, 0.25]))
    assert linear.weight.tolist() == [[127, -64, 0], [0, 0, 0]]
    assert linear.weight * linear.scale[:, None] == pytest.approx(weight, abs=0.005)
