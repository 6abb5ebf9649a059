import numpy as np
import pytest
from scipy.spatial.distance import cdist

from hott.plots import topic_heatmap
from hott.plots.style import look_of

pytest.importorskip("plotly")


def test_similar_topics_are_neighbours_and_no_value_is_changed():
    line = np.array([5.0, 0.0, 3.0, 1.0, 4.0, 2.0])[:, None]
    distances = cdist(line, line)
    names = [f"at {int(x)}" for x in line[:, 0]]
    figure = topic_heatmap(distances, names)
    order = [names.index(label) for label in figure.layout.xaxis.ticktext]
    assert line[order, 0].tolist() in ([0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0])
    assert np.array_equal(figure.data[0].z, distances[np.ix_(order, order)])
    assert list(figure.layout.yaxis.ticktext) == list(figure.layout.xaxis.ticktext)


def test_the_colours_span_the_distances_between_different_topics():
    figure = topic_heatmap([[0, 8, 9], [8, 0, 10], [9, 10, 0]])
    assert (figure.data[0].zmin, figure.data[0].zmax) == (8, 10)
    assert topic_heatmap([[0, 8], [8, 0]]).data[0].zmax == 8


def test_the_background_is_that_of_the_theme_unless_it_is_left_out():
    dark = topic_heatmap([[0, 8], [8, 0]], theme="dark")
    assert dark.layout.paper_bgcolor == look_of("dark").background
    assert topic_heatmap([[0, 8], [8, 0]], transparent=True).layout.paper_bgcolor == "rgba(0,0,0,0)"


@pytest.mark.parametrize("n", [0, 1, 2, 70])
def test_any_number_of_topics_has_room_for_its_names(n):
    places = np.random.default_rng(0).normal(size=(n, 3))
    figure = topic_heatmap(cdist(places, places), [f"a rather long name of topic {k}" for k in range(n)])
    layout = figure.layout
    inner = layout.height - layout.margin.t - layout.margin.b
    assert len(layout.xaxis.ticktext) == n
    if n:
        assert inner / n >= layout.yaxis.tickfont.size
        assert layout.margin.l >= 0.5 * layout.yaxis.tickfont.size * 30


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="square"):
        topic_heatmap([[0, 1]])
    with pytest.raises(ValueError, match="symmetric"):
        topic_heatmap([[0, 1], [2, 0]])
    with pytest.raises(ValueError, match="names must name the 2 topics"):
        topic_heatmap([[0, 1], [1, 0]], ["a"])
