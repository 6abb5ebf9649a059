"""Shards on a real Dask cluster of separate processes: the answers of one index, whatever happens."""

import json
import threading
import warnings

import numpy as np
import pytest

from hott import Corpus, Shards
from hott.index import shards as shards_module
from hott.storage import StorageError
from tests.themes import made_corpus

dask = pytest.importorskip("dask")
pytest.importorskip("distributed")
pytestmark = pytest.mark.cluster

QUERIES = ["planet orbit", "a football team in the oven", "recipe for a referree"] * 30


def told(hits):
    return [hit.to_dict() for hit in hits], hits.notes


@pytest.fixture
def shards(index, tmp_path):
    return Shards.of(index, tmp_path / "a.hotts", shards=4)


def test_answers_are_those_of_one_process_to_the_bit(index, shards, client):
    for query in ("planet orbit", "d3"):
        assert told(shards.search(query, k=20, client=client)) == told(index.search(query, k=20))
    found, here = shards.search_many(QUERIES, client=client), index.search_many(QUERIES)
    assert list(map(told, found)) == list(map(told, here))
    found, here = shards.neighbors(5, block=7, client=client), index.neighbors(5)
    np.testing.assert_array_equal(found.indices, here.indices)
    np.testing.assert_array_equal(found.distances, here.distances)


def test_workers_bring_together_what_is_explained(index, shards, client):
    hits = shards.search("planet orbit", k=9, client=client)
    assert shards.reasons(hits, client=client) == index.reasons(index.search("planet orbit", k=9))
    a, b = index.documents.ids[0], index.documents.ids[-1]
    assert shards.compare(a, b, client=client).to_dict() == index.compare(a, b).to_dict()


def test_workers_write_the_shards(client, tmp_path):
    how = {"n_topics": 6, "n_models": 2, "iterations": 20, "on_empty": "nan", "fit_sample": 40}
    there = Shards.build(made_corpus(), tmp_path / "a.hotts", shards=5, client=client, **how)
    here = Shards.build(made_corpus(), tmp_path / "b.hotts", shards=5, **how)
    assert there.names == here.names
    for query in QUERIES[:3]:
        assert told(there.search(query, k=60)) == told(here.search(query, k=60))
    more = Corpus(["star and moon", "cake and bread"], ids=["x", "y"])
    there.add(more, client=client)
    here.add(more)
    assert told(there.search("moon", k=60)) == told(here.search("moon", k=60))


def test_workers_read_the_files_of_their_shards(client, tmp_path, monkeypatch):
    """The one who asks for the shards reads the files that topics are learned from, and no others."""
    texts = made_corpus().texts
    for number in range(6):
        rows = [json.dumps({"text": text}) for text in texts[10 * number : 10 * number + 10]]
        (tmp_path / f"part-{number}.jsonl").write_text("\n".join(rows))
    files, here = sorted(tmp_path.glob("*.jsonl")), []
    read = shards_module.read
    monkeypatch.setattr(shards_module, "read", lambda path, **how: here.append(path) or read(path, **how))
    how = {"n_topics": 6, "n_models": 2, "iterations": 20, "on_empty": "nan", "fit_sample": 15}
    there = Shards.build(files, tmp_path / "a.hotts", shards=3, client=client, **how)
    assert len(here) == 2
    alone = Shards.build(files, tmp_path / "b.hotts", shards=3, **how)
    for query in QUERIES[:3]:
        assert told(there.search(query, k=60)) == told(alone.search(query, k=60))


def test_texts_do_not_go_through_the_scheduler(client, tmp_path):
    """Dask warns of tasks that carry much: here from 50 kB on, and each shard has 120 kB of texts."""
    texts = [f"star {'orbit moon planet ' * 330}{n}" for n in range(60)]
    how = {"n_topics": 3, "n_models": 1, "iterations": 5, "fit_sample": 10, "encoder": None}
    with (
        dask.config.set({"distributed.admin.large-graph-warning-threshold": "50kB"}),
        warnings.catch_warnings(record=True) as given,
    ):
        warnings.simplefilter("always")
        shards = Shards.build(Corpus(texts), tmp_path / "a.hotts", shards=3, client=client, **how)
    assert len(shards) == 60
    assert not [str(one.message) for one in given if "large graph" in str(one.message)]


def test_a_lost_shard_is_named_by_the_worker_that_misses_it(shards, client, tmp_path):
    [path] = (tmp_path / "a.hotts").glob("00003-*.hott")
    path.unlink()
    for ask in (lambda: shards.search("planet", client=client), lambda: shards.neighbors(2, client=client)):
        with pytest.raises(StorageError, match=r"The shard '00003' of .*a.hotts is lost"):
            ask()


def test_a_shard_that_is_replaced_while_others_are_searched(shards, client, tmp_path):
    first, second = (
        Corpus([f"The {word} of the planet." for word in words], ids=["x", "y"])
        for words in (("moon", "comet"), ("dough", "referee"))
    )
    shards.add(first, name="news")
    before = told(shards.search("planet and moon", k=62))
    shards.replace("news", second)
    states = (before, told(shards.search("planet and moon", k=62)))
    assert states[0] != states[1]
    done = threading.Event()

    def change():
        for round in range(6):
            shards.replace("news", second if round % 2 else first)
        done.set()

    changing = threading.Thread(target=change)
    changing.start()
    seen = []
    while not done.is_set():
        opened = Shards.open(tmp_path / "a.hotts")
        seen.append(told(opened.search("planet and moon", k=62, client=client)))
    changing.join()
    assert seen
    assert all(one in states for one in seen)
