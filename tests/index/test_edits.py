"""What people change about topics: names, merging, hiding, undoing; kept with the index."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hott
from hott.index import Curation, Edit

N = 6
NUMBER = st.integers(0, N - 1)
EDITS = st.lists(
    st.one_of(
        st.builds(Edit, st.just("rename"), st.tuples(NUMBER), st.sampled_from(["one", "other"])),
        st.builds(Edit, st.just("merge"), st.lists(NUMBER, min_size=2, max_size=3, unique=True).map(tuple)),
        st.builds(Edit, st.sampled_from(["hide", "show"]), st.tuples(NUMBER)),
    ),
    max_size=8,
)


@pytest.fixture(scope="module")
def built():
    return hott.Index.build(hott.demo.corpus()[:60], n_topics=N, n_models=2, iterations=30)


@pytest.fixture
def index(built):
    built.edits = ()
    return built


@given(EDITS)
def test_every_topic_has_one_that_stands_for_it(edits):
    curation = Curation.of(edits, 0, N)
    assert (curation.leader[curation.leader] == curation.leader).all()
    members = [member for leader in np.unique(curation.leader) for member in curation.members(int(leader))]
    assert sorted(members) == list(range(N))


@given(EDITS)
def test_edits_of_one_model_say_nothing_of_another(edits):
    other = Curation.of(edits, 1, N)
    assert (other.leader == np.arange(N)).all()
    assert (other.names, other.hidden) == ({}, frozenset())


def test_merged_topics_are_one_with_the_share_of_all(index):
    a, b = index.topics[0], index.topics[1]
    total = sum(topic.share for topic in index.topics)
    index.edit_topics("merge", [a.number, b.number])
    merged = next(topic for topic in index.topics if topic.number == a.number)
    assert merged.share == pytest.approx(a.share + b.share)
    assert sum(topic.share for topic in index.topics) == pytest.approx(total)
    assert merged.name == max(a, b, key=lambda topic: topic.share).name  # in terms, as all names
    assert set(merged.words) & set(a.words)
    assert set(merged.words) & set(b.words)
    assert index.curation().leader[b.number] == index.curation(0).leader[b.number] == a.number
    assert index.curation(1).leader.tolist() == list(range(N))
    over = index.topics_over("label")
    assert over.shares.sum(axis=0) == pytest.approx(1)
    index.undo_edit()
    assert index.topics[0] == a


def test_names_are_the_same_wherever_topics_are_shown(index):
    number = index.topics[0].number
    index.edit_topics("rename", number, "  my topic ")
    assert index.topics[0].name == "my topic"
    assert "my topic" in index.colors("topic")
    assert "my topic" in index.topics_over("label").topics
    assert f"topic {number}: my topic" in index.table()


@pytest.mark.parametrize("renamed", [0, 1])
def test_a_name_that_was_typed_outlives_a_merge(index, renamed):
    numbers = [topic.number for topic in index.topics[:2]]
    index.edit_topics("rename", numbers[renamed], "my topic")
    index.edit_topics("merge", numbers)
    assert {topic.number: topic.name for topic in index.topics}[numbers[0]] == "my topic"
    index.edit_topics("merge", [numbers[0], index.topics[-1].number], "another")
    assert "another" in [topic.name for topic in index.topics]


def test_hidden_topics_are_not_listed_and_come_back(index):
    number = index.topics[0].number
    index.edit_topics("hide", number)
    assert number not in [topic.number for topic in index.topics]
    assert len(index.topics_of(1)) == N  # the other model is as it was
    index.edit_topics("show", number)
    assert number in [topic.number for topic in index.topics]


def test_distances_do_not_change(index):
    before = index.distances()
    index.edit_topics("merge", [0, 1], "both")
    assert (index.distances() == before).all()


def test_edits_are_kept_in_the_file(index, tmp_path):
    index.save(tmp_path / "index.hott")
    with hott.index.changing(tmp_path / "index.hott") as stored:
        stored.edit_topics("rename", 2, "two", model=1)
    opened = hott.open(tmp_path / "index.hott")
    assert opened.edits == (Edit("rename", (2,), "two", 1),)
    assert "two" in [topic.name for topic in opened.topics_of(1)]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("rename", 0, " "), "wants one topic and a name"),
        (("rename", N, "x"), "from 0 to 5"),
        (("merge", [1, 1]), "two topics or more"),
        (("turn", 1), "kind must be one of"),
        (("rename", 0, "x" * 201), "at most 200"),
    ],
)
def test_what_cannot_be_is_refused(index, given, message):
    with pytest.raises(ValueError, match=message):
        index.edit_topics(*given)
    assert index.edits == ()


def test_nothing_to_undo_is_said(index):
    with pytest.raises(ValueError, match="nothing can be undone"):
        index.undo_edit()
