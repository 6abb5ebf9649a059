"""The whole life of an index against a plain list of documents, whatever is done in whichever order."""

import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import hott
from hott import Corpus, Index

WORDS = ["planet", "star", "moon", "comet", "bread", "yeast", "oven", "goal", "match", "team"]
SMALL = {"n_topics": 3, "n_models": 1, "iterations": 5}

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)
ids = st.sampled_from([f"d{number}" for number in range(9)])
documents = st.dictionaries(ids, texts, min_size=1, max_size=4)


def corpus_of(wanted):
    return Corpus(list(wanted.values()), ids=list(wanted))


@cache
def saved():
    path = Path(tempfile.mkdtemp()) / "first.hott"
    Index.build(Corpus(WORDS, ids=[f"w{number}" for number in range(10)]), **SMALL).save(path)
    return path


class Life(RuleBasedStateMachine):
    """An index, and what should be in it: texts by their ids, in order."""

    @initialize()
    def build(self):
        self.index = hott.open(saved())
        self.plain = {f"w{number}": word for number, word in enumerate(WORDS)}
        self.names = {}
        self.folder = Path(tempfile.mkdtemp())

    @rule(wanted=documents)
    def add(self, wanted):
        before = self.index.snapshot
        if wanted.keys() & self.plain.keys():
            with pytest.raises(ValueError, match="ids must be new"):
                self.index.add(corpus_of(wanted))
            assert self.index.snapshot is before
        else:
            self.index.add(corpus_of(wanted))
            self.plain |= wanted

    @rule(wanted=documents)
    def update(self, wanted):
        changes = self.index.update(corpus_of(wanted))
        assert set(changes.added) == wanted.keys() - self.plain.keys()
        assert set(changes.changed) == {
            id for id, text in wanted.items() if id in self.plain and self.plain[id] != text
        }
        self.plain |= wanted

    @rule(data=st.data())
    def remove(self, data):
        gone = data.draw(st.sets(st.sampled_from(sorted(self.plain)), min_size=1, max_size=3))
        if len(gone) == len(self.plain):
            with pytest.raises(ValueError, match="must keep a document"):
                self.index.remove(gone)
        else:
            assert set(self.index.remove(gone).removed) == gone
            self.plain = {id: text for id, text in self.plain.items() if id not in gone}

    @rule(wanted=documents, data=st.data())
    def sync(self, wanted, data):
        kept = data.draw(st.permutations(sorted(self.plain)))[:5]
        wanted = {id: self.plain[id] for id in kept} | wanted
        changes = self.index.sync(corpus_of(wanted))
        assert set(changes.removed) == self.plain.keys() - wanted.keys()
        assert changes.unchanged == sum(self.plain.get(id) == text for id, text in wanted.items())
        self.plain = wanted

    @rule(wanted=documents)
    def merge(self, wanted):
        other = self.index.with_documents(corpus_of(wanted))
        if wanted.keys() & self.plain.keys():
            with pytest.raises(ValueError, match="ids must be new"):
                self.index.merge(other)
        else:
            self.index.merge(other)
            self.plain |= wanted

    @rule(number=st.integers(0, 2), name=st.sampled_from(["the sky", "food"]))
    def rename(self, number, name):
        self.index.edit_topics("rename", number, name)
        self.names[number] = name

    @precondition(lambda self: len(self.plain) > 5)
    @rule()
    def refit(self):
        self.index, self.names = self.index.refit(), {}

    @rule()
    def save_and_open(self):
        self.index.save(self.folder / "a.hott")
        before = (self.folder / "a.hott").read_bytes()
        self.index = hott.open(self.folder / "a.hott", verify=True)
        self.index.save(self.folder / "a.hott")
        assert (self.folder / "a.hott").read_bytes() == before

    @rule(data=st.data())
    def search(self, data):
        word = data.draw(
            st.sampled_from(sorted({word for text in self.plain.values() for word in text.split()}))
        )
        having = {id for id, text in self.plain.items() if word in text.split()}
        hits = self.index.search(text=word, k=20)
        assert {hit.id for hit in hits} == self.plain.keys()
        assert {hit.id for hit in hits if hit.words > 0} == having
        assert {hit.id for hit in self.index.search(text=word, k=20, by="words")} == having
        assert [self.plain[hit.id] for hit in hits] == [hit.snippet.text for hit in hits]
        assert [self.index.documents.ids[hit.position] for hit in hits] == [hit.id for hit in hits]

    @rule(data=st.data())
    def search_like(self, data):
        id = data.draw(st.sampled_from(sorted(self.plain)))
        hits = self.index.search(id=id, k=20)
        assert hits[0].id == id
        assert {hit.id for hit in hits} == self.plain.keys()
        words = {*self.index.vocabulary.words_}
        for hit in hits[:3]:  # there is no flow between words where one side has new words alone
            if all(words & {*self.plain[one].split()} for one in (id, hit.id)):
                assert self.index.compare(id, hit.id).distance == pytest.approx(hit.distance, abs=1e-9)

    @invariant()
    def holds_what_it_should(self):
        assert dict(zip(self.index.documents.ids, self.index.documents.column("text"))) == self.plain
        assert [*self.index.documents.ids] == [*self.plain]
        assert len(self.index) == len(self.plain) == len(self.index.snapshot.added_after_fit)
        assert {topic.number: topic.name for topic in self.index.topics} | self.names == {
            topic.number: topic.name for topic in self.index.topics
        }

    def teardown(self):
        """All that was done gives the same numbers as making the index of its documents at once."""
        if hasattr(self, "index"):
            fresh = self.index.with_documents(corpus_of(self.plain))
            np.testing.assert_array_equal(self.index.distances(), fresh.distances())


Life.TestCase.settings = settings(max_examples=8, stateful_step_count=20, deadline=None)
TestLife = Life.TestCase


class LifeOfShards(RuleBasedStateMachine):
    """An index of shards, and what should be in each: it answers as one index of the same documents."""

    @initialize()
    def build(self):
        self.path = Path(tempfile.mkdtemp()) / "a.hotts"
        self.plain = {"00001": {f"w{number}": word for number, word in enumerate(WORDS)}}
        self.shards = hott.Shards.of(hott.open(saved()), self.path)
        assert [*self.shards.names] == [*self.plain]

    def texts(self):
        return {id: text for shard in self.plain.values() for id, text in shard.items()}

    @rule(wanted=documents)
    def add(self, wanted):
        if wanted.keys() & self.texts().keys():
            with pytest.raises(ValueError, match="ids must be new"):
                self.shards.add(corpus_of(wanted))
        else:
            name = self.shards.add(corpus_of(wanted))
            assert name not in self.plain
            self.plain[name] = wanted

    @rule(wanted=documents, data=st.data())
    def replace(self, wanted, data):
        name = data.draw(st.sampled_from(sorted(self.plain)))
        others = self.texts().keys() - self.plain[name].keys()
        if wanted.keys() & others:
            with pytest.raises(ValueError, match="ids must be new"):
                self.shards.replace(name, corpus_of(wanted))
        else:
            self.shards.replace(name, corpus_of(wanted))
            self.plain[name] = wanted

    @rule(data=st.data())
    def remove(self, data):
        name = data.draw(st.sampled_from(sorted(self.plain)))
        if len(self.plain) == 1:
            with pytest.raises(ValueError, match="must keep a document"):
                self.shards.remove(name)
        else:
            self.shards.remove(name)
            del self.plain[name]

    @rule()
    def open_again(self):
        self.shards = hott.Shards.open(self.path)
        self.shards.verify()

    @rule()
    def see_what_another_did(self):
        """Who has it open sees the shards of before, until it looks again."""
        name = hott.Shards.open(self.path).add(Corpus(["oven and comet"], ids=["other"]))
        assert name not in self.shards.names
        assert self.shards.refresh()
        assert self.shards.names[-1] == name
        self.shards.remove(name)

    @rule(word=st.sampled_from(WORDS))
    def answer_as_one_index(self, word):
        whole = hott.open(saved()).with_documents(corpus_of(self.texts()))
        for by in ("both", "words"):
            found, expected = (
                outcome(lambda one=one, by=by: [hit.to_dict() for hit in one.search(text=word, k=20, by=by)])
                for one in (self.shards, whole)
            )
            assert found == expected
        first, *_, last = [*self.texts(), *self.texts()]
        assert self.shards.compare(first, last).to_dict() == whole.compare(first, last).to_dict()

    @invariant()
    def holds_what_it_should(self):
        assert [*self.shards.names] == [*self.plain]
        assert dict(zip(self.shards.documents.ids, self.shards.documents.column("text"))) == self.texts()


def outcome(ask):
    try:
        return ask()
    except ValueError as error:
        return str(error)


LifeOfShards.TestCase.settings = settings(max_examples=6, stateful_step_count=15, deadline=None)
TestLifeOfShards = LifeOfShards.TestCase
