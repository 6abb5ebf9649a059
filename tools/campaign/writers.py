"""What writes files, and what must be true of them whenever it is stopped."""

import json
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import hott
from hott.utils.atomic import atomic_create, atomic_write

QUERY = "word1 word2 word3"


@dataclass(frozen=True)
class Writer:
    """A way to write something into a folder.

    ``check`` is told whether a run has ended well since; what it finds must be complete either way.
    """

    name: str
    write: Callable[[Path], Any]
    check: Callable[[Path, bool], None]
    prepare: Callable[[Path], Any] = lambda folder: None
    durable: bool = False  # promised to survive a power cut, not only a kill
    alone: bool = True  # one process at a time: others are refused


@cache
def made_up(n_documents: int) -> hott.Index:
    """An index of documents of random words, with random vectors for these words."""
    rng = np.random.default_rng(n_documents)
    words = [f"word{i}" for i in range(60)]
    vectors = hott.embeddings.WordVectors(words, rng.normal(size=(len(words), 5)))
    texts = [" ".join(rng.choice(words, 30)) for _ in range(n_documents)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of so few documents many topics are alike
        return hott.Index.build(texts, n_topics=4, n_models=2, iterations=2, embeddings=vectors, threads=1)


def same_index(path: Path, allowed: list[hott.Index]) -> None:
    """The file is one of the indexes, in every byte and in its answers."""
    found = hott.open(path, verify=True)
    [saved] = [index for index in allowed if len(index) == len(found)]
    assert list(found.documents) == list(saved.documents)
    assert found.search(QUERY, threads=1) == saved.search(QUERY, threads=1)


def _only(folder: Path, *names: str) -> None:
    """Nothing is left over once a run has ended well."""
    there = sorted(path.name for path in folder.iterdir())
    assert there == sorted(names), f"left over: {there}"


# -- an index --------------------------------------------------------------------------------------------


def _check_replaced_index(folder: Path, done: bool) -> None:
    same_index(folder / "x.hott", [made_up(40)] if done else [made_up(20), made_up(40)])
    if done:
        _only(folder, "x.hott")


def _check_new_index(folder: Path, done: bool) -> None:
    if done or (folder / "x.hott").exists():
        same_index(folder / "x.hott", [made_up(40)])
    if done:
        _only(folder, "x.hott")


# -- the life of an index --------------------------------------------------------------------------------


def _texts(folder: Path, corpus: hott.Corpus) -> None:
    """A folder with a file for each document."""
    (folder / "texts").mkdir()
    for document in corpus:
        (folder / "texts" / f"{document.id}.txt").write_text(document.text)


@cache
def _of_folder(n: int) -> hott.Index:
    """The first documents of another index as files, some changed where there are more; its topics."""
    import tempfile

    base = made_up(40)
    with tempfile.TemporaryDirectory() as name:
        _texts(Path(name), _folder_corpus(n))
        return base.with_documents(hott.read(Path(name, "texts")), threads=1)


def _folder_corpus(n: int) -> hott.Corpus:
    documents = list(made_up(40).documents[:n])
    changed = [document.text + (" word1 word2" if n > 20 and i % 5 == 0 else "")
               for i, document in enumerate(documents)]  # fmt: skip
    return hott.Corpus(changed, ids=[f"d{i + n - 20}" for i in range(n)])


def _prepare_change(folder: Path) -> None:
    _of_folder(20).save(folder / "x.hott")
    _texts(folder, _folder_corpus(30))


def _sync(folder: Path) -> None:
    with hott.index.changing(folder / "x.hott") as index:
        index.sync(hott.read(folder / "texts"), threads=1)


def _remove(folder: Path) -> None:
    with hott.index.changing(folder / "x.hott") as index:
        gone = [id for id in index.documents.ids if int(id[1:-4]) >= 7]
        if gone:  # nothing to do a second time
            index.remove(gone)


def _check_change(change: Callable[[], hott.Index]) -> Callable[[Path, bool], None]:
    def check(folder: Path, done: bool) -> None:
        same_index(folder / "x.hott", [change()] if done else [_of_folder(20), change()])
        assert len(list((folder / "texts").iterdir())) == 30
        if done:
            _only(folder, "x.hott", "texts")

    return check


@cache
def _removed() -> hott.Index:
    index = _of_folder(20)
    left = [i for i, id in enumerate(index.documents.ids) if int(id[1:-4]) < 7]
    return index.with_documents(index.documents[left], threads=1)


# -- an index of shards ----------------------------------------------------------------------------------


def _prepare_shards(folder: Path) -> None:
    hott.Shards.of(made_up(40), folder / "x.hotts", shards=2)


def _make_shards(folder: Path) -> None:
    try:
        _prepare_shards(folder)
    except ValueError as error:
        if "already" not in str(error):  # another process has made it
            raise


def _replace_shard(folder: Path) -> None:
    hott.Shards.open(folder / "x.hotts").replace("00002", _folder_corpus(20), threads=1)


@cache
def _with_other_shard() -> hott.Index:
    documents = [*made_up(40).documents[:20], *_folder_corpus(20)]
    texts, ids = [document.text for document in documents], [document.id for document in documents]
    return made_up(40).with_documents(hott.Corpus(texts, ids=ids), threads=1)


def _check_shards(folder: Path, done: bool, allowed: list[hott.Index]) -> None:
    found = hott.Shards.open(folder / "x.hotts")
    found.verify()
    [saved] = [index for index in allowed if index.documents.ids == found.documents.ids]
    answers = ([(hit.id, hit.score) for hit in one.search(QUERY, threads=1)] for one in (found, saved))
    assert next(answers) == next(answers)
    if done:  # files of the state before the last are kept for those who read them
        there = {path.name for path in (folder / "x.hotts").iterdir()}
        assert there - {".shards.hott.lock"} == found._manifest.files, f"left over: {sorted(there)}"


def _check_replaced_shard(folder: Path, done: bool) -> None:
    _check_shards(folder, done, [_with_other_shard()] if done else [made_up(40), _with_other_shard()])


def _check_new_shards(folder: Path, done: bool) -> None:
    if done or hott.Shards.are_at(folder / "x.hotts"):
        _check_shards(folder, done, [made_up(40)])


# -- files and folders -----------------------------------------------------------------------------------

OLD, NEW = b"old " * 100_000, b"new! " * 300_000


def _replace_file(folder: Path) -> None:
    with atomic_write(folder / "x.bin") as file:
        for start in range(0, len(NEW), 400_000):
            file.write(NEW[start : start + 400_000])


def _check_file(folder: Path, done: bool) -> None:
    content = (folder / "x.bin").read_bytes()
    assert content == NEW if done else content in (OLD, NEW)
    if done:
        _only(folder, "x.bin")


def _create_folder(folder: Path) -> None:
    with atomic_create(folder / "store") as aside:
        if aside is not None:
            (aside / "inner").mkdir(parents=True)
            (aside / "about.json").write_text(json.dumps({"is": "complete"}))
            (aside / "inner" / "zeros").write_bytes(bytes(100_000))


def _check_folder(folder: Path, done: bool) -> None:
    if done or (folder / "store").exists():
        assert json.loads((folder / "store" / "about.json").read_text()) == {"is": "complete"}
        assert (folder / "store" / "inner" / "zeros").stat().st_size == 100_000
    if done:
        _only(folder, "store")


def _create_file(folder: Path) -> None:
    with atomic_create(folder / "store.bin") as aside:
        if aside is not None:
            aside.write_bytes(NEW)


def _check_created_file(folder: Path, done: bool) -> None:
    if done or (folder / "store.bin").exists():
        assert (folder / "store.bin").read_bytes() == NEW
    if done:
        _only(folder, "store.bin")


# -- stores that are filled block by block ---------------------------------------------------------------


def _check_distances(name: str, n: int = 40) -> Callable[[Path, bool], None]:
    def check(folder: Path, done: bool) -> None:
        if not done:
            return
        if name.endswith(".npy"):
            found = np.load(folder / name)
        else:
            import zarr

            found = zarr.open_array(folder / name, mode="r")[:]
        np.testing.assert_array_equal(found, made_up(n).distances(threads=1))
        _only(folder, name)

    return check


def _check_graph(name: str) -> Callable[[Path, bool], None]:
    def check(folder: Path, done: bool) -> None:
        if done:
            found = made_up(40).graph(3, out=folder / name, block=10, threads=1)
            assert (found != made_up(40).graph(3, threads=1)).nnz == 0
            _only(folder, name)

    return check


# -- the exported page -----------------------------------------------------------------------------------


def _export(index: hott.Index, folder: Path) -> None:
    from hott import explorer

    explorer.export_site(index, folder / "site", cache=_cache())


@cache
def _cache() -> Path:
    import tempfile

    return Path(tempfile.mkdtemp(prefix="hott-campaign-map-"))


@cache
def _site(n: int) -> dict[str, bytes]:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        _export(made_up(n), Path(folder))
        return _files(Path(folder, "site"))


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _prepare_site(folder: Path) -> None:
    _site(6)  # lays out the map, which is remembered
    _export(made_up(8), folder)
    (folder / "site" / "CNAME").write_text("example.org")


def _check_site(folder: Path, done: bool) -> None:
    assert (folder / "site" / "CNAME").read_text() == "example.org"
    found = {name: content for name, content in _files(folder / "site").items() if name != "CNAME"}
    if not done:  # a file may be half written aside
        found = {name: content for name, content in found.items() if "/." not in f"/{name}"}
    interrupted = b"This export was interrupted" in found["data/index.js"]  # then the page says so
    if not interrupted:
        assert found in ([_site(6)] if done else [_site(6), _site(8)])
    assert not [path for path in folder.iterdir() if path.is_dir() and path.name.startswith(".")]
    if done:
        assert not interrupted
        _only(folder, "site")


def _old_file(folder: Path) -> None:
    (folder / "x.bin").write_bytes(OLD)


def writers(only: tuple[str, ...] = ()) -> list[Writer]:
    """All of them, or those whose name begins with one of ``only``."""
    return [writer for writer in _all_writers() if writer.name.startswith(only or "")]


def _all_writers() -> list[Writer]:
    return [
        Writer(
            "index, replaced",
            lambda folder: made_up(40).save(folder / "x.hott"),
            _check_replaced_index,
            lambda folder: made_up(20).save(folder / "x.hott"),
            durable=True,
            alone=False,
        ),
        Writer(
            "index, new",
            lambda folder: made_up(40).save(folder / "x.hott"),
            _check_new_index,
            durable=True,
            alone=False,
        ),
        Writer(
            "sync",
            _sync,
            _check_change(lambda: _of_folder(30)),
            _prepare_change,
            durable=True,
            alone=False,
        ),
        Writer("remove", _remove, _check_change(_removed), _prepare_change, durable=True, alone=False),
        Writer(
            "shards, new",
            _make_shards,
            _check_new_shards,
        ),
        Writer("shard, replaced", _replace_shard, _check_replaced_shard, _prepare_shards),
        Writer("file, replaced", _replace_file, _check_file, _old_file, durable=True, alone=False),
        Writer("file, created", _create_file, _check_created_file, durable=True, alone=False),
        Writer("folder, created", _create_folder, _check_folder, durable=True, alone=False),
        Writer(
            "export, replaced",
            lambda folder: _export(made_up(6), folder),
            _check_site,
            _prepare_site,
            alone=False,
        ),
        *(
            Writer(
                name,
                lambda folder, name=name: made_up(40).distances(folder / name, block=15, threads=1),
                _check_distances(name),
            )
            for name in ("distances.npy", "distances.zarr")
        ),
        Writer(
            "tiny.npy",
            lambda folder: made_up(3).distances(folder / "tiny.npy", block=2, threads=1),
            _check_distances("tiny.npy", 3),
        ),
        *(
            Writer(
                name,
                lambda folder, name=name: made_up(40).graph(3, out=folder / name, block=10, threads=1),
                _check_graph(name),
            )
            for name in ("graph.zarr", "graph.parquet")
        ),
    ]
