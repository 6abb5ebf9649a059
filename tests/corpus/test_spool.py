"""A corpus larger than memory: batches, kept on the disk."""

import io
import json
import subprocess
import textwrap

import pytest

from hott.corpus import Corpus
from hott.corpus.spool import spool
from hott.index import Index
from tests.themes import made_corpus, made_index


@pytest.mark.parametrize("fit_sample", [None, 25])
@pytest.mark.parametrize("on_empty", ["nan", "drop"])
def test_an_index_of_batches_is_that_of_the_whole(tmp_path, fit_sample, on_empty):
    corpus, how = made_corpus(), {"n_topics": 6, "n_models": 2, "iterations": 20}
    how |= {"fit_sample": fit_sample, "on_empty": on_empty}
    streamed = Index.build((corpus[start : start + 7] for start in range(0, 60, 7)), **how)
    whole = Index.build(corpus, **how)
    streamed.save(tmp_path / "a.hott")
    whole.save(tmp_path / "b.hott")
    assert (tmp_path / "a.hott").read_bytes() == (tmp_path / "b.hott").read_bytes()


def test_batches_are_checked(tmp_path):
    corpus = made_corpus()
    with pytest.raises(ValueError, match="ids must be unique"):
        Index.build(iter([corpus[:20], corpus[10:30]]))
    with pytest.raises(ValueError, match="batches must be Corpora, got 'a text'"):
        Index.build(iter([corpus[:20], "a text"]))
    with pytest.raises(ValueError, match="corpus is empty"):
        Index.build(iter([]))
    assert len(Index.build(iter(["a star and a planet", "the moon"]), n_topics=2, n_models=1)) == 2


@pytest.mark.parametrize(
    ("error", "said"),
    [(OSError(28, "No space left on device"), "No space left on device"), (OSError("no room"), "no room")],
)
def test_a_disk_that_cannot_take_the_batches_is_named(monkeypatch, error, said):
    class Full(io.BytesIO):
        def write(self, data):
            raise error

    monkeypatch.setattr("hott.corpus.spool.tempfile.TemporaryFile", Full)
    with pytest.raises(OSError, match=f"cannot keep the documents in .*: {said}. Set TMPDIR"):
        Index.build(iter([made_corpus()]))


def test_batches_can_be_added():
    base = made_index()
    more = Corpus(["star and moon", "cake and bread"], ids=["x", "y"])
    base.add(iter([more[:1], more[1:]]))
    assert len(base) == 62
    assert base.search(id="x", k=2)[0].id == "x"


def test_a_streamed_corpus_takes_little_memory(tmp_path, python):
    """Forty megabytes of text, of which the process may hold a few at a time."""
    code = textwrap.dedent("""
        import sys, tracemalloc
        from hott.corpus.spool import spool
        from hott.corpus import stream

        tracemalloc.start()
        corpus = spool(stream(sys.argv[1], 500))
        print(tracemalloc.get_traced_memory()[0], len(corpus), sum(map(len, corpus.texts)))
    """)
    path = tmp_path / "large.jsonl"
    line = json.dumps({"text": "word " * 2000})
    path.write_text("\n".join([line] * 4000))
    run = subprocess.run([python, "-c", code, path], capture_output=True, text=True)
    allocated, documents, characters = map(int, run.stdout.split())
    assert (documents, characters) == (4000, 40_000_000)
    assert allocated < 1_000_000


def test_batches_become_one_corpus():
    corpus = spool([Corpus(["a cat"], ids=["x"]), Corpus(["a dog"], ids=["y"])])
    assert repr(corpus) == "Corpus of 2 documents: 'x', 'y'"
    assert [*corpus.texts] == ["a cat", "a dog"]
