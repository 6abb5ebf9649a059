"""Index: text in, answers out; the same answers after saving and opening."""

import gc
import json
import subprocess
import sys
import textwrap
import weakref
from pathlib import Path

import numpy as np
import pytest

import hott
from hott import Corpus, Index, storage
from hott.corpus import Document
from hott.embeddings import WordVectors
from hott.storage import StorageError
from tests.themes import made_index

SPACE = ["star", "planet", "orbit", "moon", "telescope", "galaxy", "comet", "light", "gravity", "sky"]
SPORT = ["match", "goal", "team", "player", "ball", "score", "coach", "season", "referee", "stadium"]
FOOD = ["bread", "flour", "oven", "butter", "sugar", "recipe", "dough", "salt", "cook", "kitchen"]

DATA = Path(__file__).parents[1] / "data"


def made_up(n=30, seed=0, prefix="d"):
    """Documents of one theme each, a dozen words long, with a word or two from another theme."""
    rng = np.random.default_rng(seed)
    themes = [SPACE, SPORT, FOOD]
    texts = []
    for i in range(n):
        own, other = themes[i % 3], themes[(i + 1) % 3]
        texts.append(" ".join([*rng.choice(own, 12), *rng.choice(other, rng.integers(0, 3))]))
    ids = [f"{prefix}{i}" for i in range(n)]
    titles = [f"Document {i}" for i in range(n)]
    return Corpus(texts, ids, titles, [("space", "sport", "food")[i % 3] for i in range(n)])


@pytest.fixture(scope="module")
def corpus():
    return made_up()


@pytest.fixture(scope="module")
def index(corpus):
    return Index.build(corpus, n_topics=6, n_models=3, iterations=50)


@pytest.fixture
def fresh(corpus):
    return Index.build(corpus, n_topics=4, n_models=2, iterations=20)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "made up.hott"


# -- search ----------------------------------------------------------------------------------------------


def test_a_document_finds_itself_first_at_distance_zero_by_its_text_and_by_its_id(index, corpus):
    for document in corpus:
        for hits in (index.search(document.text), index.search(document.id)):
            assert hits[0].id == document.id
            assert hits[0].distance == 0.0


def test_hits_carry_what_a_person_wants_to_see(index):
    hits = index.search("d4", k=5)
    assert len(hits) == 5
    assert (hits[0].title, hits[0].label) == ("Document 4", "sport")
    assert [hit.distance for hit in hits] == sorted(hit.distance for hit in hits)
    assert hits.computed + hits.pruned == 30
    assert "Document 4" in str(hits)
    assert json.loads(json.dumps(hits.to_dict()))["hits"][0]["id"] == "d4"


def test_search_finds_documents_of_the_theme(index):
    hits = index.search("A telescope shows the moon and a comet in the sky.", k=5)
    assert {hit.label for hit in hits} == {"space"}


def test_search_agrees_with_all_distances(index):
    D = index.distances()
    for i, id in enumerate(index.documents.ids):
        hits = index.search(id, k=30)
        assert [hit.distance for hit in hits] == pytest.approx(np.sort(D[i]).tolist(), abs=1e-12)


def test_a_query_that_is_an_id_and_one_that_says_what_it_is(corpus):
    texts = Corpus(
        ["star planet orbit", "goal match team", "moon comet sky"], ids=["star planet orbit", "b", "moon"]
    )
    index = Index.build(texts, n_topics=2, n_models=1)
    assert index.search("moon", k=1)[0].id == "moon"
    assert index.search(id="moon", k=1)[0].id == "moon"
    assert len(index.search(text="moon", k=3)) == 3
    with pytest.raises(ValueError, match=r"No document has the id 'mon'. Did you mean 'moon'"):
        index.search(id="mon")
    with pytest.raises(ValueError, match="one thing to search for"):
        index.search("moon", text="moon")
    with pytest.raises(ValueError, match="one thing to search for"):
        index.search()
    with pytest.raises(ValueError, match="query must be a string, got 3"):
        index.search(3)


def test_of_documents_at_distance_zero_the_one_searched_for_is_first():
    """Four documents of one word each have the same proportions; only text and id tell them apart."""
    texts = ["star star", "star star star", "star", "goal goal", "star"]
    index = Index.build(texts, n_topics=2, n_models=2, embeddings=False, encoder=None)
    assert index.search("star star star", k=1)[0].id == "1"
    assert index.search(id="4", k=2)[0].id == "4"
    assert [hit.id for hit in index.search(id="2", k=4)] == ["2", "0", "1", "4"]


def test_a_query_without_a_known_word_says_so(index):
    with pytest.raises(ValueError, match=r"'qqxz vvkkq' has nothing to search by.*many documents have: "):
        index.search("qqxz vvkkq")
    with pytest.raises(ValueError, match="nothing to search by"):
        index.search("")


def test_asking_for_more_than_there_is_gives_all(index):
    assert len(index.search("d0", k=1000)) == 30
    for k in (0, -1, 2.5):
        with pytest.raises(ValueError, match="k must be a positive whole number"):
            index.search("d0", k=k)


# -- compare ---------------------------------------------------------------------------------------------


def test_compare_explains_the_distance_that_search_and_distances_give(index):
    comparison = index.compare("d0", "d1")
    D = index.distances()
    assert comparison.distance == pytest.approx(D[0, 1], abs=1e-9)
    assert (comparison.a.id, comparison.b.title) == ("d0", "Document 1")
    assert index.compare("d3", "d3").distance == 0.0


def test_compare_with_a_document_from_outside(index, corpus):
    assert index.compare(Document("mine", "My text", corpus[7].text), "d7").distance == 0.0
    outside = Document("mine", corpus[7].title, corpus[7].text)
    assert index.compare(outside, "d8").distance == pytest.approx(index.compare("d7", "d8").distance)


def test_compare_suggests_ids_that_are_near(index):
    with pytest.raises(ValueError, match=r"No document has the id 'd99'. Did you mean .*'d9'"):
        index.compare("d99", "d1")
    with pytest.raises(ValueError, match="ids, Documents, Texts, Labels or lists of them, got 3"):
        index.compare("d1", 3)


# -- distances, neighbours, graph ------------------------------------------------------------------------


def test_distances_form_a_metric(index):
    D = index.distances()
    np.testing.assert_array_equal(D, D.T)
    assert (np.diag(D) == 0).all()
    assert (D[:, None, :] <= D[:, :, None] + D[None, :, :] + 1e-9).all()


def test_distances_into_an_array_and_into_a_file(index, tmp_path):
    D = index.distances()
    out = np.empty_like(D)
    assert index.distances(out) is out
    np.testing.assert_array_equal(out, D)
    mapped = index.distances(tmp_path / "D.npy")
    assert isinstance(mapped, np.memmap)
    np.testing.assert_array_equal(np.load(tmp_path / "D.npy"), D)
    assert [file.name for file in tmp_path.iterdir()] == ["D.npy"]
    with pytest.raises(ValueError, match=r"name of an \.npy file, or that of a \.zarr folder"):
        index.distances(tmp_path / "D.csv")


@pytest.mark.skipif(sys.platform == "win32", reason="needs resource limits")
def test_distances_that_do_not_fit_on_the_disk(tmp_path, python):
    """A limit on the size of files stands in for the full disk."""
    code = textwrap.dedent("""
        import resource, sys
        from pathlib import Path
        from hott.blocks.stores import NpyFile
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))
        try:
            with NpyFile(Path(sys.argv[1]), 1000, 100, "fingerprint"):
                pass
        except OSError as error:
            print(error)
    """)
    (tmp_path / "D.npy").write_text("what was there")
    run = subprocess.run([python, "-c", code, tmp_path / "D.npy"], capture_output=True, text=True)
    assert "D.npy: File too large. The file that was there is unchanged." in run.stdout
    assert [file.read_text() for file in tmp_path.iterdir()] == ["what was there"]


def test_neighbors_and_graph_agree_with_the_distances(index):
    D = index.distances()
    found = index.neighbors(k=4)
    np.fill_diagonal(D, np.inf)
    np.testing.assert_allclose(found.distances, np.sort(D, axis=1)[:, :4], atol=1e-12)
    graph = index.graph(k=4)
    assert graph.shape == (30, 30)
    np.testing.assert_array_equal(np.diff(graph.indptr), 4)
    np.testing.assert_array_equal(graph.indices.reshape(30, 4), found.indices)


def test_the_map_has_a_place_for_every_document(index):
    pytest.importorskip("openTSNE")
    points = index.map()
    assert points.shape == (30, 2)
    assert np.isfinite(points).all()


def test_topics_and_info(index):
    topics = index.topics
    assert sorted(topic.number for topic in topics) == list(range(6))
    assert sum(topic.share for topic in topics) == pytest.approx(1)
    assert [topic.share for topic in topics] == sorted((topic.share for topic in topics), reverse=True)
    assert set(topics[0].words) <= set(SPACE + SPORT + FOOD)
    with pytest.raises(ValueError, match="model must be from 0 to 2"):
        index.topics_of(3)
    info = index.info()
    assert (info["documents"], info["models"], info["topics"]) == (30, 3, 6)
    assert json.loads(json.dumps(info)) == info
    assert repr(index) == f"Index of 30 documents, {info['words']} words, 6 topics in each of 3 models"
    assert repr(Index.build(["star", "bread"], n_topics=2, n_models=1)).endswith("2 words, 2 topics")


# -- saving and opening ----------------------------------------------------------------------------------


def test_answers_are_the_same_to_the_bit_after_saving_and_opening(index, path):
    index.save(path)
    opened = hott.open(path)
    assert repr(opened) == repr(index)
    assert list(opened.documents) == list(index.documents)
    assert opened.parameters == index.parameters
    np.testing.assert_array_equal(opened.distances(), index.distances())
    for query in ("d5", "a telescope and the match of the season", "bread"):
        assert opened.search(query) == index.search(query)
    assert str(opened.compare("d1", "d2")) == str(index.compare("d1", "d2"))
    assert opened.topics == index.topics


def test_saving_what_was_opened_gives_the_same_file(index, path):
    index.save(path)
    before = path.read_bytes()
    hott.open(path).save(path)
    assert path.read_bytes() == before


def test_arrays_are_mapped(index, path):
    index.save(path)
    assert not hott.open(path).proportions.data.flags.owndata


def test_a_flipped_byte_is_noticed_wherever_it_is(index, path):
    index.save(path)
    content = path.read_bytes()
    for place in range(0, len(content), len(content) // 50):
        damaged = bytearray(content)
        damaged[place] ^= 4
        path.write_bytes(damaged)
        with pytest.raises(StorageError):
            hott.open(path, verify=True)


def test_a_file_of_something_else_is_refused(path):
    from hott import storage

    storage.write(path, {"what": "squares"}, {"squares": np.arange(3)})
    with pytest.raises(StorageError, match="is not an index"):
        hott.open(path)


def test_an_index_saved_by_this_version_opens_and_answers_as_it_did():
    """Made by tools/make_golden.py. Later versions get files of their own; this one stays."""
    index = hott.open(DATA / "index-format-3.hott", verify=True)
    assert index.documents.ids == ["orbit", "stars", "match", "goal", "empty"]
    D = index.distances()
    assert D[0, :4] == pytest.approx([0.0, 1.2446191664614268, 2.023150995465498, 2.011651646158917])
    assert np.isnan(D[4]).all()
    hits = index.search("the light of the moon")
    assert [hit.id for hit in hits[:2]] == ["orbit", "stars"]
    assert [hit.distance for hit in hits[:2]] == pytest.approx([0.07625441862745935, 0.05782656809955203])


def test_an_index_saved_by_version_0_2_opens_and_answers_as_it_did():
    index = hott.open(DATA / "index-format-2.hott", verify=True)
    assert index.documents.ids == ["orbit", "stars", "match", "goal", "empty"]
    assert index.documents[4] == Document("empty", "Empty", "", None)
    D = index.distances()
    assert D[0, :4] == pytest.approx([0.0, 0.887958149094, 2.44107189315, 2.44107189315])
    assert np.isnan(D[4]).all()
    hits = index.search("the light of the moon")
    assert [hit.id for hit in hits] == ["stars", "orbit", "match", "goal"]
    assert [hit.distance for hit in hits[:2]] == pytest.approx([0.02479432769, 0.05153758233])
    assert index.compare("orbit", "match").distance == pytest.approx(D[0, 2])


@pytest.mark.parametrize("name", ["index-format-1.hott", "index-version-2.hott"])
def test_an_index_of_before_the_first_release_is_refused_clearly(name):
    with pytest.raises(hott.storage.StorageError, match=r"does not read\. Make it again from the documents"):
        hott.open(DATA / name)


def test_same_seed_same_numbers_in_another_process_and_for_any_number_of_threads(tmp_path):
    code = textwrap.dedent("""
        import sys, numpy as np, hott
        sys.path.insert(0, sys.argv[1])
        from tests.index.test_index import made_up
        index = hott.Index.build(made_up(), n_topics=4, n_models=2, iterations=20, threads=1)
        np.save(sys.argv[2], index.distances(threads=1))
    """)
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", code, root, tmp_path / "D.npy"], check=True)
    for threads in (2, None):
        index = Index.build(made_up(), n_topics=4, n_models=2, iterations=20, threads=threads)
        np.testing.assert_array_equal(index.distances(threads=threads), np.load(tmp_path / "D.npy"))


def test_another_seed_gives_other_topics(corpus):
    numbers = [
        Index.build(corpus, n_topics=4, n_models=1, iterations=20, random_state=seed).distances()
        for seed in (0, 1)
    ]
    assert not np.array_equal(*numbers)


# -- adding ----------------------------------------------------------------------------------------------


def test_added_documents_are_found_and_nothing_else_changes(fresh, path):
    before = fresh.distances()
    more = made_up(6, seed=1, prefix="new")
    fresh.add(more)
    assert len(fresh) == 36
    np.testing.assert_array_equal(fresh.distances()[:30, :30], before)
    for document in more:
        assert fresh.search(document.text, k=1)[0].id == document.id
    fresh.save(path)
    opened = hott.open(path)
    opened.add(made_up(3, seed=2, prefix="later"))
    assert opened.documents.ids[30:] == [f"new{i}" for i in range(6)] + [f"later{i}" for i in range(3)]
    np.testing.assert_array_equal(opened.distances()[:36, :36], fresh.distances())


def test_adding_is_the_same_as_having_been_there(fresh, corpus):
    """A document has the same proportions, whether the topics were learned from it or not."""
    fresh.add(Corpus([corpus[3].text], ids=["again"]))
    assert (fresh.proportions[[30]] != fresh.proportions[[3]]).nnz == 0


def test_ids_that_are_there_already_are_refused_and_nothing_changes(fresh):
    with pytest.raises(ValueError, match=r"ids must be new: 1 of the 2 documents.*'d3'"):
        fresh.add(Corpus(["star", "moon"], ids=["d3", "x"]))
    assert len(fresh) == fresh.proportions.shape[0] == 30
    with pytest.warns(UserWarning, match="left out: 'wordless'"):
        changes = fresh.add(Corpus(["star", "qqxz"], ids=["y", "wordless"]))
    assert changes.added == ("y",)
    assert len(fresh) == 31
    with pytest.warns(UserWarning, match="1 of 1 documents .* left out: 'blank'"):
        fresh.update(Corpus(["qqxz"], ids=["blank"]))


# -- documents without words -----------------------------------------------------------------------------


def with_empty():
    return Corpus(["star moon sky", "", "goal match ball", "12 34", "bread oven"], ids=list("abcde"))


def test_documents_without_words_are_named():
    with pytest.raises(
        ValueError, match=r"2 of 5 documents have no word in the vocabulary: 'b', 'd'\. .*on_empty"
    ):
        Index.build(with_empty(), n_topics=2, n_models=1, on_empty="error")


@pytest.mark.parametrize(("n", "end"), [(10, ", '10'. Remove"), (12, ", '10' and 2 more. Remove")])
def test_of_many_documents_without_words_ten_are_named(n, end):
    with pytest.raises(ValueError, match="no word in the vocabulary") as refused:
        Index.build(["star moon sky"] + n * ["12"], n_topics=2, n_models=1, on_empty="error")
    assert end in str(refused.value)


def test_documents_without_words_can_be_dropped(path):
    index = Index.build(with_empty(), n_topics=2, n_models=1, on_empty="drop")
    assert index.dropped == ("b", "d")
    assert index.documents.ids == ["a", "c", "e"]
    index.add(Corpus(["", "star"], ids=["f", "g"]))
    assert index.dropped == ("b", "d", "f")
    index.save(path)
    assert hott.open(path).dropped == ("b", "d", "f")


def test_gaps_for_documents_without_words_do_not_change_the_other_distances(corpus):
    """Many small blocks, as for a corpus that does not fit into one."""
    texts, ids, titles = list(corpus.texts), list(corpus.ids), list(corpus.titles)
    with_gaps = Corpus(
        ["", *texts[:10], "", *texts[10:]],
        ["x", *ids[:10], "y", *ids[10:]],
        titles=["", *titles[:10], "", *titles[10:]],
    )
    how = {"n_topics": 3, "n_models": 2, "iterations": 20}
    D = Index.build(with_gaps, on_empty="nan", **how).distances(block=7)
    kept = np.delete(np.arange(32), [0, 11])
    np.testing.assert_array_equal(D[np.ix_(kept, kept)], Index.build(corpus, **how).distances())


def test_documents_without_words_can_be_kept_at_no_distance(path):
    index = Index.build(with_empty(), n_topics=2, n_models=1, on_empty="nan")
    index.add(Corpus(["", "star"], ids=["f", "g"]))
    index.save(path)
    for either in (index, hott.open(path)):
        assert either.documents.ids == list("abcdefg")
        D = either.distances()
        np.testing.assert_array_equal(D, D.T)
        wordless = [1, 3, 5]
        assert np.isnan(D[wordless]).all()
        assert np.isnan(D[:, wordless]).all()
        assert np.isfinite(np.delete(np.delete(D, wordless, 0), wordless, 1)).all()
        assert {hit.id for hit in either.search("star", k=7)} == set("aceg")
        with pytest.raises(ValueError, match="No document that the filter leaves has a known word"):
            either.search(id="a", k=2, where={"id": ["b", "d"]})
        assert np.isnan(either.neighbors(k=2).distances[wordless]).all()
        assert (np.diff(either.graph(k=2).indptr) == [2, 0, 2, 0, 2, 0, 2]).all()
        with pytest.raises(ValueError, match="'b' has no word that the index knows"):
            either.compare("a", "b")
        with pytest.raises(ValueError, match="'b' has no word that the index knows"):
            either.search(id="b")


# -- unusual corpora and parameters ----------------------------------------------------------------------


def test_one_document(path):
    index = Index.build(["A star and a planet."], n_models=2)
    assert index.distances().tolist() == [[0.0]]
    index.save(path)
    assert hott.open(path).search("planet")[0].distance == 0.0


def test_more_topics_than_documents_works_and_warns():
    with pytest.warns(UserWarning, match="n_topics"):
        index = Index.build(["star moon", "goal match", "bread oven"], n_topics=20, n_models=1)
    assert index.distances().shape == (3, 3)


def test_corpora_that_cannot_be_indexed():
    with pytest.raises(ValueError, match="corpus is empty"):
        Index.build(Corpus([]))
    with pytest.raises(ValueError, match=r"hott\.read"):
        Index.build("articles.csv")
    with pytest.raises(ValueError, match="no word was found"):
        Index.build(["1", "2"])
    with pytest.raises(ValueError, match="on_empty must be one of"):
        Index.build(["star"], on_empty="ignore")
    with pytest.raises(ValueError, match="embeddings must be None"):
        Index.build(["star"], embeddings=3)
    for name in ("n_topics", "n_models", "iterations", "fit_sample"):
        with pytest.raises(ValueError, match=f"{name} must be a positive whole number, not 0"):
            Index.build(["star"], **{name: 0})
    with pytest.raises(ValueError, match="random_state must be a whole number, not None"):
        Index.build(["star"], random_state=None)
    with pytest.raises(FileNotFoundError):
        Index.build(["star"], embeddings="no such file")


def test_parameters_that_are_numpy_numbers_can_be_saved(path):
    numbers = {
        "n_topics": np.int64(2),
        "n_models": np.int32(1),
        "random_state": np.uint8(3),
        "min_df": np.int16(1),
    }
    Index.build(["star moon", "goal match"], **numbers).save(path)
    assert hott.open(path).parameters["n_topics"] == 2


def test_where_word_vectors_come_from(corpus, tmp_path):
    words = SPACE + SPORT + FOOD
    numbers = np.random.default_rng(0).normal(size=(len(words), 5)).astype(np.float32)
    file = tmp_path / "vectors.txt"
    file.write_text(
        "\n".join(f"{word} {' '.join(map(repr, row.tolist()))}" for word, row in zip(words, numbers))
    )
    how = {"n_topics": 4, "n_models": 1, "iterations": 20}
    given = Index.build(corpus, embeddings=WordVectors(words, numbers), **how)
    np.testing.assert_array_equal(Index.build(corpus, embeddings=file, **how).distances(), given.distances())
    without = Index.build(corpus, embeddings=False, distance="hott", **how)
    assert 0.9 < without.distances().max() <= 1
    without.save(tmp_path / "x.hott")
    np.testing.assert_array_equal(hott.open(tmp_path / "x.hott").distances(), without.distances())
    trained = Index.build(corpus, embeddings="train", **how)
    assert trained.vocabulary.has_vector_.all()
    assert not trained.parameters["bundled_vectors"]


def test_vectors_of_another_release_read_no_new_words(fresh, path):
    """Their axes are others: a new word would be placed at random among those of the index."""
    assert [hit.label for hit in fresh.search("goalkeeper", k=3)] == ["sport"] * 3
    fresh.model.parameters["bundled_vectors"] = True  # as files said before the vectors had a name
    fresh.save(path)
    old = hott.open(path)
    assert [hit.label for hit in old.search("goalkeeper kitchen", k=3)] == ["food"] * 3
    with pytest.raises(ValueError, match="no word of it is in the documents, or like one"):
        old.search("goalkeeper", k=3, by="topics")


def test_text_without_word_vectors_is_reported():
    german = [
        "Der Himmel über Hamburg ist heute grau und wolkenverhangen.",
        "Zwischen Regenwolken scheint Mondlicht.",
    ]
    with pytest.warns(UserWarning, match=r"know 43% of the words of texts.*German.*too short to learn"):
        assert Index.build(german, n_topics=2, n_models=1).parameters["language"] == "german"
    index = Index.build(german, n_topics=2, n_models=1, embeddings=False, stop_words=["der", "und"])
    assert index.search("Mondlicht über Hamburg", k=2).computed <= 2


def test_topics_learned_from_a_sample_serve_all_documents(corpus):
    index = Index.build(corpus, n_topics=4, n_models=1, fit_sample=15)
    assert len(index) == 30
    again = Index.build(corpus, n_topics=4, n_models=1, fit_sample=15)
    np.testing.assert_array_equal(index.distances(), again.distances())
    assert index.search(corpus[29].text, k=1)[0].id == "d29"


def test_the_number_of_topics_follows_the_number_of_documents():
    from hott.topics import topics_for

    numbers = [topics_for(n) for n in range(1, 3000)]
    assert numbers == sorted(numbers)
    assert numbers[0] == 1
    assert numbers[999] == numbers[-1] == 70


def test_progress_is_reported_stage_by_stage(corpus):
    seen = []
    Index.build(
        corpus, n_topics=2, n_models=1, iterations=5, progress=lambda done, total: seen.append((done, total))
    )
    assert all(0 <= done <= total for done, total in seen)
    assert (30, 30) in seen


def test_of_many_ids_few_are_compared_with_a_wrong_one(monkeypatch):
    """And none with a long one: the time grows with the square of the letters."""
    from hott.index import documents
    from hott.utils import wording

    corpus = hott.Corpus(["stars"] * 5000, ids=[f"{n:05}-{'x' * 50}" for n in range(5000)])
    held = documents.Documents.of(corpus)
    letters = []
    close = wording.difflib.get_close_matches
    monkeypatch.setattr(
        wording.difflib,
        "get_close_matches",
        lambda id, ids, n=3: letters.append(len(id) * sum(map(len, ids))) or close(id, ids, n),
    )
    with pytest.raises(ValueError, match="Did you mean"):
        held.position(f"00001-{'x' * 49}")
    with pytest.raises(ValueError, match="No document has the id"):
        held.position("0" * 100_000)
    assert [n > 0 for n in letters] == [True, False]
    assert letters[0] < 10_000_000


def test_a_dropped_index_lets_go_of_its_file_at_once(tmp_path):
    """Not when Python collects cycles, which may be after hundreds of indexes were opened."""
    path = tmp_path / "a.hott"
    made_index().save(path)
    gc.disable()
    try:
        others = [each for each in gc.get_objects() if isinstance(each, storage.Stored)]
        index = hott.open(path)
        index.search("planet orbit")
        index.search("d3")
        index.compare("d3", "d4")
        index.neighbors(2)
        everyone = (each for each in gc.get_objects() if isinstance(each, storage.Stored))
        stored = [weakref.ref(each) for each in everyone if each not in others]
        assert len(stored) == 1
        del index
        assert stored[0]() is None
    finally:
        gc.enable()
