import json
import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from hott import HOFTT, HOTT, Corpus, Vocabulary
from hott.distances.topic_space import TopicSpace
from hott.explain import Comparison, compare
from hott.ground import Order
from hott.topics import FittedTopics

WORDS = [f"w{j}" for j in range(14)]


def fitted(seed, *, p=1, n_models=1, n_words=6, vectors=True, kind=HOTT):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(14, 3)) if vectors else None
    spaces = [
        TopicSpace.of(FittedTopics(rng.dirichlet(np.full(14, 0.3), 5), alpha=0.1), points, n_words, Order(p))
        for _ in range(n_models)
    ]
    return kind.from_models(spaces, word_vectors=points, n_words=n_words, p=p)


def two_documents(seed):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 4, (2, 14)) + np.eye(14, dtype=int)[:2]


def compared(hott, counts, **more) -> Comparison:
    rows = hott.represent(counts)
    return compare(hott, rows[:1], rows[1:], words=WORDS, counts=tuple(counts), **more)


@settings(deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 10_000),
    p=st.sampled_from([1, 2]),
    n_models=st.integers(1, 3),
    n_words=st.sampled_from([1, 6, None]),
    vectors=st.booleans(),
    kind=st.sampled_from([HOTT, HOFTT]),
)
def test_everything_adds_up_to_the_distance(seed, p, n_models, n_words, vectors, kind):
    hott = fitted(seed, p=p, n_models=n_models, n_words=n_words, vectors=vectors, kind=kind)
    counts = two_documents(seed)
    c = compared(hott, counts)
    assert c.distance == pytest.approx(hott.paired(counts[:1], counts[1:])[0], abs=1e-12)

    total = sum(move.mass * move.cost for move in c.plan)
    assert total ** (1 / p) == pytest.approx(c.model_distance, abs=1e-12)
    assert c.shared_mass + c.moved_mass == pytest.approx(1, abs=1e-12)
    assert sum(move.share for move in c.plan) == pytest.approx(1 if total else 0, abs=1e-12)
    for side, end in ((c.a, "source"), (c.b, "target")):
        for topic, proportion in side.proportions.items():
            mass = sum(move.mass for move in c.plan if getattr(move, end) == topic)
            assert mass == pytest.approx(proportion, abs=1e-12)

    for move in c.moved:  # one level down it adds up as well
        steps = c.word_plan(move)
        assert sum(step.mass for step in steps) == pytest.approx(move.mass, abs=1e-12)
        assert sum(step.mass * step.cost for step in steps) == pytest.approx(move.mass * move.cost, abs=1e-9)


def test_the_model_closest_to_the_mean_explains():
    hott = fitted(3, n_models=5)
    counts = two_documents(3)
    c = compared(hott, counts)
    alone = [
        HOTT.from_models([space], word_vectors=hott.word_vectors, n_words=6).pairwise(counts)[0, 1]
        for space in hott.models_
    ]
    assert c.model == np.argmin(np.abs(np.array(alone) - np.mean(alone)))
    assert c.model_distance == pytest.approx(alone[c.model], abs=1e-12)
    assert c.distance == pytest.approx(np.mean(alone), abs=1e-12)
    assert f"topic model {c.model + 1} of 5" in str(c)


def test_what_is_shared_is_the_common_mass():
    hott = fitted(0)
    counts = two_documents(1)
    c = compared(hott, counts)
    a, b = hott.transform(counts).toarray()
    assert c.shared_mass == pytest.approx(np.minimum(a, b).sum(), abs=1e-12)
    assert all(move.cost == 0 and move.stays for move in c.shared)
    assert all(move.cost > 0 for move in c.moved)
    assert list(c.moved) == sorted(c.moved, key=lambda move: -move.share)


def test_identical_documents():
    hott = fitted(0)
    counts = two_documents(1)[[0, 0]]
    c = compared(hott, counts)
    assert (c.distance, c.moved, c.shared_mass) == (0.0, (), pytest.approx(1))
    assert "Moved: nothing" in str(c)


def test_documents_with_nothing_in_common():
    topics = FittedTopics([[0.5, 0.5, 0, 0], [0, 0, 0.5, 0.5]], alpha=0.0)
    hott = HOTT.from_models([TopicSpace.of(topics, None, 20, Order(1))])
    rows = hott.represent([[3, 1, 0, 0], [0, 0, 1, 3]])
    c = compare(hott, rows[:1], rows[1:])
    assert (c.distance, c.shared, len(c.moved)) == (1.0, (), 1)
    assert c.moved[0].share == 1
    assert c.moved[0].source.name == "word 0, word 1"
    assert "In common: nothing" in str(c)


@pytest.fixture(scope="module")
def texts():
    sport = "The ball crossed the net. A player hit the ball hard. The court was wet."
    space = "The planet has one moon. The moon circles the planet. A star is far."
    mixed = "The ball crossed the court. The planet has a moon. A player watched the star."
    corpus = Corpus(
        [sport, space, mixed] * 5, ids=[f"d{i}" for i in range(15)], titles=["Sport", "Space", ""] * 5
    )
    vocabulary = Vocabulary()
    counts = vocabulary.fit_transform(corpus)
    hott = HOTT(n_topics=2, n_words=4).fit(counts)
    return corpus, vocabulary, counts, hott


def of_texts(texts, i, j):
    corpus, vocabulary, counts, hott = texts
    rows = hott.represent(counts)
    a, b = rows[i : i + 1], rows[j : j + 1]
    documents = corpus[i], corpus[j]
    return compare(hott, a, b, words=vocabulary.words_, documents=documents, count=vocabulary.transform)


def test_topics_are_carried_by_the_sentences_about_them(texts):
    c = of_texts(texts, 2, 1)
    by_name = {topic.name: topic for topic in c.a.proportions}
    (space,) = (topic for name, topic in by_name.items() if "moon" in name or "planet" in name)
    assert c.a.sentences(space)[0].text == "The planet has a moon."
    assert {word.text for word in c.a.words(space, 2)} <= {"planet", "moon", "star"}
    assert c.shared[0].source == space
    assert (c.a.id, c.a.name, c.b.name) == ("d2", "d2", "Space")


def test_print_is_readable_at_any_width(texts):
    c = of_texts(texts, 0, 2)
    for width in (60, 80, 110):
        lines = c.text(width).splitlines()
        assert max(map(len, lines)) <= width
    text = c.text(80)
    assert text.startswith(f"Distance {c.distance:.4f}\n  A  Sport (d0)\n  B  d2\n")
    for part in (
        "In common: ",
        "Moved: ",
        "mass",
        "cost",
        "share",
        "Carried in A by",
        "“A player hit the ball hard.”",
    ):
        assert part in text
    assert c.moved[0].source.name in text
    assert repr(c).startswith("<Comparison of 'd0' and 'd2': distance ")


def test_print_drops_what_would_move_the_cursor():
    hott = fitted(0)
    c = compared(
        hott, two_documents(1), documents=Corpus(["a", "b"], titles=["\x1b[2Jgone\u202e", "two\nlines"])
    )
    assert "\x1b" not in str(c)
    assert "\u202e" not in str(c)
    assert "two lines" in str(c)


def test_dictionary_is_json_and_whole(texts):
    c = of_texts(texts, 0, 2)
    d = json.loads(json.dumps(c.to_dict()))
    assert d["distance"] == c.distance
    assert [move["mass"] for move in d["moved"]] == [move.mass for move in c.moved]
    assert d["a"]["title"] == "Sport"
    assert sum(topic["proportion"] for topic in d["b"]["topics"]) == pytest.approx(1)
    assert d["moved"][0]["words"][0].keys() == {"from", "to", "mass", "cost", "share"}
    assert d["a"]["topics"][0]["sentences"][0]["text"] in texts[0][0].text
    assert not c.to_dict(words=0)["moved"][0]["words"]


def test_frame_has_one_row_a_move(texts):
    c = of_texts(texts, 0, 2)
    frame = c.to_frame()
    assert len(frame) == len(c.plan)
    assert (frame["mass"] * frame["cost"]).sum() == pytest.approx(c.distance, abs=1e-12)
    assert list(frame["stays"]) == [move.stays for move in c.plan]
    assert isinstance(c.to_table(), pa.Table)


def test_frame_says_what_to_do_without_pandas(texts, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"pip install pandas.*to_table"):
        of_texts(texts, 0, 2).to_frame()


def test_plot_is_the_transport_diagram(texts):
    c = of_texts(texts, 0, 2)
    figure = c.plot()
    assert sum(figure.data[0].link.value) == pytest.approx(1)


def test_a_comparison_cannot_be_changed(texts):
    with pytest.raises(AttributeError):
        of_texts(texts, 0, 2).distance = 0


def test_bad_input_is_named():
    hott = fitted(0)
    counts = two_documents(0)
    rows = hott.represent(counts)
    with pytest.raises(
        ValueError, match=r"a must be one document as the distance represents it.*2 documents"
    ):
        compare(hott, rows, rows[1:])
    wordless = hott.set_params(on_empty="nan").represent(0 * counts[:1])
    for wrong in (sparse.csr_array([[0.2] * 5]), wordless, fitted(0, n_models=2).represent(counts[:1])):
        with pytest.raises(ValueError, match="b must be one document"):
            compare(hott, rows[:1], wrong)
    with pytest.raises(ValueError, match="words must name the 14 columns of the counts, got 2"):
        compare(hott, rows[:1], rows[1:], words=["a", "b"])
