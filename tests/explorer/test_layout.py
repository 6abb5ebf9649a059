"""The map is laid out in a thread, which a program that ends does not leave in the middle of something."""

import subprocess
import threading
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("fastapi")
pytest.importorskip("openTSNE")

import hott
from hott.explorer.layout import Layout, principal_axes


class Endless:
    """An index whose map is never done."""

    def __init__(self, index):
        self.index, self.begun = index, threading.Event()

    def __getattr__(self, name):
        return getattr(self.index, name)

    def map(self, *, threads, progress):
        while True:
            progress(0, 1)
            self.begun.set()


def test_laying_out_can_be_given_up(index):
    endless = Endless(index)
    layout = Layout(endless)
    layout.start()
    assert endless.begun.wait(60)
    assert not layout.final
    layout.stop()
    np.testing.assert_array_equal(layout.wait(), principal_axes(index.proportions_of(0)))


def test_a_map_that_was_given_up_is_not_remembered(index, tmp_path):
    layout = Layout(Endless(index), cache=tmp_path)
    layout.start()
    layout.stop()
    assert list(tmp_path.iterdir()) == []
    np.testing.assert_array_equal(Layout(index, cache=tmp_path).wait(), index.map())


def test_stopping_what_never_began_or_is_done_changes_nothing(index):
    Layout(index).stop()
    layout = Layout(index)
    points = layout.wait()
    layout.stop()
    np.testing.assert_array_equal(layout.wait(), points)


def test_a_program_may_end_while_the_map_is_laid_out(tmp_path, python):
    """It was aborted: compiled code came back from its work to a Python that was gone."""
    code = """
import pathlib, sys, threading
import numpy as np
import hott
from hott.explorer import create_app
rng = np.random.default_rng(0)
words = [f"word{i}" for i in range(60)]
vectors = hott.embeddings.WordVectors(words, rng.normal(size=(60, 5)))
texts = [" ".join(rng.choice(words, 30)) for _ in range(600)]
index = hott.Index.build(texts, n_topics=4, n_models=1, iterations=2, embeddings=vectors)
begun = threading.Event()
def map_(threads, progress):
    def told(done, total):
        if total == 750:  # steps of the layout
            begun.set()
        progress(done, total)
    return type(index).map(index, threads=threads, progress=told)
index.map = map_
app = create_app(index, cache=pathlib.Path(sys.argv[1]))
print("leaving" if begun.wait(100) else "not begun")
"""
    done = subprocess.run([python, "-c", code, tmp_path], capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "leaving", "")
    assert list(tmp_path.iterdir()) == []


def test_a_map_is_known_again_without_reading_the_documents_until_they_change(index, tmp_path):
    file, cache = tmp_path / "articles.hott", tmp_path / "cache"
    index.save(file)
    points = Layout(hott.open(file), cache=cache).wait()

    again = hott.open(file)
    again.edit_topics("rename", 0, "stars and planets")
    again.save(file)
    opened = hott.open(file)
    layout = Layout(opened, cache=cache)
    layout.start()
    assert layout.final
    np.testing.assert_array_equal(layout.points(), points)
    assert not opened.snapshot.parts

    opened.remove([opened.documents.ids[0]])
    opened.save(file)
    other = Layout(hott.open(file), cache=cache)
    other.start()
    other.stop()
    assert len(other.wait()) == len(points) - 1


def test_the_fingerprint_of_documents_is_of_their_numbers_and_of_the_distance(index, tmp_path):
    one, model, snapshot = index.fingerprint(), index.model, index.snapshot
    fewer = snapshot.take(np.arange(1, len(snapshot)))
    assert fewer.fingerprint(model) != one
    assert snapshot.fingerprint(replace(model, factors=(2.0, *model.factors[1:]))) != one
    assert replace(snapshot).fingerprint(model) == one
