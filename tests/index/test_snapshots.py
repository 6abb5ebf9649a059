"""Snapshots: a change is one step, whoever searches meanwhile; parts go with their documents."""

import pickle
import threading

import numpy as np
import pytest

from hott import Corpus, Index, Shards
from tests.index.test_filters import corpus_of

SMALL = {"n_topics": 4, "n_models": 2, "iterations": 10}


@pytest.fixture(scope="module")
def index():
    return Index.build(corpus_of(40), **SMALL)


def told(hits):
    return [(hit.id, hit.score, hit.distance, hit.position) for hit in hits]


def test_who_searches_while_others_change_sees_one_state_or_the_other(index):
    """Documents, words and topics were once replaced one after the other: most answers were mixed."""
    whole = corpus_of(40)
    index = Index(index.model, index.snapshot)
    first, gone = index.documents.ids[0], list(index.documents.ids[5:25])
    asks = [
        lambda: told(index.search(text="bread moon goal", k=40, threads=1)),
        lambda: told(index.search(id=first, k=40, threads=1)),
        lambda: [told(hits) for hits in index.search_many(["bread", "moon"], 40, threads=1)],
        lambda: index.compare(first, "the bread on the moon").distance,
        lambda: index.colors("topic"),
    ]
    possible = [[ask()] for ask in asks]
    index.remove(gone)
    for answers, ask in zip(possible, asks):
        answers.append(ask())
    states = [Index(index.model, index.snapshot)]
    index.sync(whole)
    states.append(Index(index.model, index.snapshot))
    assert [ask() for ask in asks] == [answers[0] for answers in possible]
    done, n_changes, wrong = threading.Event(), [0], []

    def change():
        while not done.is_set():
            if n_changes[0] % 10 == 9:
                index.sync(whole)
                index.remove(gone)
            index._replace(states[n_changes[0] % 2].snapshot)
            n_changes[0] += 1

    def search(number):
        for turn in range(60):
            which = (turn + number) % len(asks)
            try:
                if asks[which]() not in possible[which]:
                    wrong.append(which)
            except Exception as error:
                wrong.append(repr(error))

    changing = threading.Thread(target=change)
    searching = [threading.Thread(target=search, args=(number,)) for number in range(3)]
    for thread in (changing, *searching):
        thread.start()
    for thread in searching:
        thread.join()
    done.set()
    changing.join()
    assert n_changes[0] > 10
    assert wrong == []


def test_changes_by_several_threads_wait_for_one_another(index):
    """Each began from the documents of before: of those that two added at once, only one's were kept."""
    index, added, refused = Index(index.model, index.snapshot), [], []
    begin, first = threading.Barrier(4), list(index.documents.ids[:4])

    def change(number):
        begin.wait()
        for turn in range(6):
            id = f"{number}-{turn}"
            index.add(Corpus(["bread and moon"], ids=[id]))
            added.append(id)
            index.edit_topics("rename", turn % 4, id)
        index.remove(first[number])
        try:
            index.add(Corpus(["moon"], ids=["the same"]))
            added.append("the same")
        except ValueError as error:
            refused.append(str(error))

    threads = [threading.Thread(target=change, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(index.documents.ids[36:]) == sorted(added)
    assert not set(first) & set(index.documents.ids)
    assert len(index.edits) == 24
    assert len(refused) == 3
    again = pickle.loads(pickle.dumps(index))
    assert again.remove("the same").removed == ("the same",)


def test_reasons_go_by_the_document_and_not_by_where_it_was(index):
    index = Index(index.model, index.snapshot)
    hits = index.search(text="bread moon", k=5)
    assert [index.documents.ids[hit.position] for hit in hits] == [hit.id for hit in hits]
    found = {hit.id for hit in hits}
    index.remove([id for id in index.documents.ids if id not in found][:10])
    again = index.search(text="bread moon", k=20)
    now = dict(zip((hit.id for hit in again), index.reasons(again)))
    assert index.reasons(hits) == [now[hit.id] for hit in hits]
    index.remove(hits[0].id)
    with pytest.raises(ValueError, match=f"No document has the id '{hits[0].id}'"):
        index.reasons(hits)


def test_a_query_is_cut_into_words_once(index, monkeypatch):
    calls = []
    monkeypatch.setattr("hott.index.query.tokenize", lambda text: calls.append(text) or text.split())
    monkeypatch.setattr("hott.lexical.words.tokenize", lambda text: calls.append(text) or text.split())
    index.search(text="bread moon bred")
    assert calls == ["bread moon bred"]


def test_shards_of_a_sample_are_as_an_index_of_all(tmp_path):
    corpus, how = corpus_of(60), SMALL | {"fit_sample": 40, "distance": "blend"}
    index, shards = Index.build(corpus, **how), Shards.build(corpus, tmp_path / "a.hotts", shards=3, **how)
    assert shards.model.factors == index.model.factors
    assert told(shards.search("bread moon", k=60)) == told(index.search("bread moon", k=60))
    np.testing.assert_array_equal(shards.neighbors(5).indices, index.neighbors(5).indices)
    np.testing.assert_array_equal(shards.neighbors(5).distances, index.neighbors(5).distances)
