import numpy as np
import pytest

from hott.plots import corpus_map

pytest.importorskip("plotly")


def points(n, seed=0):
    return np.random.default_rng(seed).normal(size=(n, 2))


def test_each_class_is_a_trace_with_its_points_and_titles():
    places = points(6)
    figure = corpus_map(places, labels=["a", "b", "a", None, "a", "b"], titles=list("uvwxyz"))
    traces = {trace.name: trace for trace in figure.data}
    assert list(traces) == ["a", "b", "no label"]  # the largest first
    assert np.array_equal(np.column_stack([traces["a"].x, traces["a"].y]), places[[0, 2, 4]])
    assert [title for title, _ in traces["b"].customdata] == ["v", "z"]
    assert len({trace.marker.color for trace in figure.data}) == 3
    assert figure.layout.showlegend


def test_without_labels_there_is_one_class_and_no_legend():
    figure = corpus_map(points(4))
    assert len(figure.data) == 1
    assert not figure.layout.showlegend
    assert len(corpus_map(np.zeros((0, 2))).data) == 0


def test_every_point_is_inside_the_axes():
    places = points(50) * [1, 100]
    layout = corpus_map(places).layout
    for axis, values in ((layout.xaxis, places[:, 0]), (layout.yaxis, places[:, 1])):
        assert axis.range[0] < values.min()
        assert axis.range[1] > values.max()
        assert np.ptp(values) > 0.85 * np.ptp(axis.range)  # and little else
    low, high = corpus_map([[2.0, 3.0]]).layout.xaxis.range
    assert low < 2 < high


def test_twenty_classes_are_told_apart_by_colour_and_small_ones_are_grey_together():
    labels = [f"class {i // 3}" for i in range(150)]
    twenty = corpus_map(points(60), labels=labels[:60])
    assert len({trace.marker.color for trace in twenty.data}) == 20
    fifty = corpus_map(points(150), labels=labels)
    assert len({(trace.marker.color, trace.marker.symbol) for trace in fifty.data}) == len(fifty.data) == 24
    assert fifty.data[-1].name == "27 other classes"
    assert sum(len(trace.x) for trace in fifty.data) == 150


def test_the_legend_has_room():
    assert (
        corpus_map(points(60), labels=[f"class {i}" for i in range(60)], height=300).layout.height > 20 * 24
    )


def test_names_on_the_map_keep_apart_and_lie_on_their_class():
    centers = np.array([[0.0, 0.0], [0.02, 0.0], [50.0, 0.0], [0.0, 50.0]])
    places = np.concatenate([center + 0.01 * points(20, seed) for seed, center in enumerate(centers)])
    figure = corpus_map(places, labels=[f"class {i // 20}" for i in range(80)])
    names = {note.text: (note.x, note.y) for note in figure.layout.annotations}
    assert list(names) == [
        "<b>class 0</b>",
        "<b>class 2</b>",
        "<b>class 3</b>",
    ]  # 1 would cover 0
    assert names["<b>class 2</b>"] == pytest.approx((50, 0), abs=0.1)


def test_a_long_name_is_left_out_where_it_would_cover_one_beside_it():
    """The first two are 90 pixels apart; a name of 20 letters is 160 long."""
    places = np.repeat([[0.2, 0.0], [0.3, 0.0], [0.0, 1.0], [1.0, -1.0]], 3, axis=0)
    for letters, named in ((20, ["a", "c", "d"]), (2, ["a", "b", "c", "d"])):
        figure = corpus_map(places, labels=np.repeat([letters * name for name in "abcd"], 3), width=980)
        assert [note.text[3] for note in figure.layout.annotations] == named


def test_titles_cannot_write_tags():
    figure = corpus_map([[0, 0], [1, 1]], labels=["<b>", "x"], titles=["<img src=x>", "y"])
    assert figure.data[0].customdata[0][0] == "&lt;img src=x&gt;"
    assert figure.data[0].name == "&lt;b&gt;"


def test_documents_without_a_place_are_left_out_and_counted():
    figure = corpus_map([[0, 1], [np.nan, np.nan], [2, 3]], labels=["a", "b", "a"], titles=["x", "y", "z"])
    assert [title for trace in figure.data for title, _ in trace.customdata] == ["x", "z"]
    assert figure.layout.annotations[-1].text == "1 document without a known word is not on the map"


def test_bad_input_is_named():
    with pytest.raises(ValueError, match=r"points must be.*got an array of shape \(1, 3\)"):
        corpus_map([[0, 1, 2]])
    with pytest.raises(ValueError, match="labels must have one entry a document: 1 for 2"):
        corpus_map(points(2), labels=["a"])
