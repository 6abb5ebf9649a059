import numpy as np
import pytest

from hott.plots import topic_cards

pytest.importorskip("plotly")

TOPICS = np.array([[0.5, 0.3, 0.2, 0.0], [0.0, 0.1, 0.2, 0.7], [0.25, 0.25, 0.25, 0.25]])
WORDS = ["ball", "court", "year", "moon"]


def test_bars_are_the_heaviest_words_with_their_probabilities():
    figure = topic_cards(TOPICS, WORDS, n_words=3)
    assert [list(trace.customdata) for trace in figure.data] == [
        ["ball", "court", "year"],
        ["moon", "year", "court"],
        ["ball", "court", "year"],
    ]
    assert figure.data[1].x.tolist() == [0.7, 0.2, 0.1]
    assert len(topic_cards(TOPICS, WORDS, n_words=4).data[0].x) == 3  # words of no weight are left out


def test_cards_are_sorted_by_their_part_of_the_corpus():
    figure = topic_cards(TOPICS, WORDS, names=["one", "two", "three"], proportions=[0.2, 0.5, 0.3])
    headings = [note.text for note in figure.layout.annotations if "of the corpus" in note.text]
    assert [heading[:12] for heading in headings] == ["<b>two</b><b", "<b>three</b>", "<b>one</b><b"]
    assert "50 %" in headings[0]


@pytest.mark.parametrize("n", [1, 4, 9, 70])
def test_cards_do_not_overlap(n):
    topics = np.random.default_rng(0).dirichlet(np.ones(30), n)
    layout = topic_cards(topics, [f"word{j}" for j in range(30)]).layout
    boxes = []
    for k in range(n):
        suffix = str(k + 1) if k else ""
        x, y = layout[f"xaxis{suffix}"].domain, layout[f"yaxis{suffix}"].domain
        assert 0 <= x[0] < x[1] <= 1
        assert 0 <= y[0] < y[1] <= 1
        boxes.append((*x, *y))
    for i, (a, b, c, d) in enumerate(boxes):
        for e, f, g, h in boxes[:i]:
            assert b < e or f < a or d < g or h < c


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="names must name the 3 topics"):
        topic_cards(TOPICS, WORDS, names=["one"])
    with pytest.raises(ValueError, match="proportions must be one number for each of the 3 topics"):
        topic_cards(TOPICS, WORDS, proportions=[1.0])
