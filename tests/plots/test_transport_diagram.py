import re
from collections import defaultdict
from itertools import pairwise

import numpy as np
import pytest

from hott.plots import transport_diagram
from hott.plots._bands import Band, label_points, place
from tests.plots.comparisons import comparison

pytest.importorskip("plotly")

MIXED = {0: 0.3, 1: 0.25, 2: 0.2, 3: 0.15, 4: 0.1}, {2: 0.4, 3: 0.25, 0: 0.1, 5: 0.15, 6: 0.1}


def columns(figure):
    """The nodes of both columns as {label: mass that leaves or reaches it}."""
    node, link = figure.data[0].node, figure.data[0].link
    mass = defaultdict(float)
    for ends in (link.source, link.target):
        for end, value in zip(ends, link.value):
            mass[end] += value
    split = len(set(link.source))
    label = list(node.label)
    return (
        {label[i]: mass[i] for i in range(split)},
        {label[i]: mass[i] for i in range(split, len(label))},
    )


def test_nodes_have_the_proportions_of_the_documents():
    left, right = columns(transport_diagram(comparison(*MIXED)))
    assert left == pytest.approx({f"topic {k}": mass for k, mass in MIXED[0].items()})
    assert right == pytest.approx({f"topic {k}": mass for k, mass in MIXED[1].items()})


def test_bands_are_the_moves_of_the_plan():
    c = comparison(*MIXED)
    link, label = transport_diagram(c).data[0].link, transport_diagram(c).data[0].node.label
    drawn = {(label[i], label[j]): value for i, j, value in zip(link.source, link.target, link.value)}
    assert drawn == pytest.approx({(move.source.name, move.target.name): move.mass for move in c.plan})


def test_percentages_are_written_beside_the_nodes_and_on_the_bands():
    texts = [
        note.text for note in transport_diagram(comparison({0: 0.6, 1: 0.4}, {0: 1.0})).layout.annotations
    ]
    assert "<b>topic 0</b><br>60 %" in texts
    assert "<b>topic 0</b><br>100 %" in texts
    assert "60 %" in texts
    assert "40 %" in texts
    assert any("60 % in common, 40 % moved" in text for text in texts)


def test_what_stays_is_pale_and_straight_and_what_moves_has_the_colour_of_its_source():
    c = comparison(*MIXED)
    trace = transport_diagram(c).data[0]
    node, link = trace.node, trace.link
    for i, j, color in zip(link.source, link.target, link.color):
        stays = node.label[i] == node.label[j]
        red, green, blue, opacity = map(float, re.findall(r"[\d.]+", color))
        own = tuple(int(node.color[i][k : k + 2], 16) for k in (1, 3, 5))
        assert ((red, green, blue) == own) is not stays
        assert (opacity < 0.3) is stays


def test_a_topic_has_one_colour_and_different_topics_differ():
    node = transport_diagram(comparison(*MIXED)).data[0].node
    colors = defaultdict(set)
    for label, color in zip(node.label, node.color):
        colors[label].add(color)
    assert all(len(used) == 1 for used in colors.values())
    assert len(set.union(*colors.values())) == len(colors)


def test_lesser_topics_are_folded_and_no_mass_is_lost():
    n = 15
    a, b = dict.fromkeys(range(n), 1 / n), {k: (k + 1) / 120 for k in range(n)}
    left, right = columns(transport_diagram(comparison(a, b), topics=5))
    assert len(left) == len(right) == 6
    assert left["10 other topics"] == pytest.approx(10 / n)
    assert sum(left.values()) == pytest.approx(1)
    assert sum(right.values()) == pytest.approx(1)


def test_a_single_lesser_topic_keeps_its_name():
    left, right = columns(transport_diagram(comparison({0: 0.7, 1: 0.2, 2: 0.1}, {0: 0.9, 3: 0.1}), topics=2))
    assert "topic 2" in left
    assert "topic 3" in right


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ({0: 1.0}, {1: 1.0}),
        ({0: 1.0}, {0: 1.0}),
        ({0: 0.5, 1: 0.5}, {2: 0.5, 3: 0.5}),
        ({0: 0.97, 1: 0.01, 2: 0.01, 3: 0.01}, {4: 0.97, 5: 0.01, 6: 0.01, 7: 0.01}),
        MIXED,
    ],
)
def test_nothing_overlaps_and_nothing_is_clipped(a, b):
    figure = transport_diagram(comparison(a, b))
    trace, layout = figure.data[0], figure.layout
    inner = layout.height - layout.margin.t - layout.margin.b
    y, x = np.array(trace.node.y), np.array(trace.node.x)
    assert np.isfinite(y).all()
    assert ((y > 0) & (y < 1)).all()
    for side in (x < 0.5, x > 0.5):
        assert (np.diff(np.sort(y[side])) * inner > 34).all()  # two lines of text beside each node
        assert (y[side] * inner > 15).all()
        assert ((1 - y[side]) * inner > 15).all()
    assert layout.annotations


def test_bands_that_stay_run_straight():
    bands = [Band(0, 0, 0.3, True), Band(0, 1, 0.2, False), Band(1, 1, 0.4, True), Band(2, 0, 0.1, False)]
    places = place([0.5, 0.4, 0.1], [0.4, 0.6], bands)
    for band, curve in zip(bands, places.curves):
        if band.stays:
            assert curve.start == pytest.approx(curve.end)
        assert curve.thickness == pytest.approx(places.unit * band.mass)
    for column in (places.left, places.right):
        for (top, height), (following, _) in pairwise(column):
            assert following >= top + height
        assert column[-1][0] + column[-1][1] <= places.height + 1e-9


def test_labels_of_bands_keep_apart():
    bands = [Band(i, j, 1 / 16, False) for i in range(4) for j in range(4)]
    places = place([0.25] * 4, [0.25] * 4, bands)
    spots = label_points(places.curves, width=500)
    assert len(spots) >= 8
    points = [(i, t, places.curves[i].height_at(t)) for i, t in spots.items()]
    for n, (_, t, y) in enumerate(points):
        for _, u, z in points[:n]:
            assert abs(y - z) >= 15 or abs(t - u) > 0.02


def test_titles_cannot_write_tags_and_long_ones_are_cut():
    c = comparison({0: 1.0}, {1: 1.0}, titles=("<a href='x'>click</a>", "long " * 80), names=["n" * 90, "m"])
    notes = [note.text for note in transport_diagram(c).layout.annotations]
    assert not any("<a" in text for text in notes)
    assert all(len(line) <= 70 for text in notes for line in text.split("<br>") if "span" not in line)
    assert any("…" in text for text in notes)


def test_the_model_is_named_when_there_are_several():
    notes = [n.text for n in transport_diagram(comparison(*MIXED, n_models=8)).layout.annotations]
    assert any("Topic model 1 of 8" in text for text in notes)


def test_themes():
    light, dark = (transport_diagram(comparison(*MIXED), theme=theme) for theme in ("light", "dark"))
    assert light.layout.paper_bgcolor != dark.layout.paper_bgcolor
    assert light.layout.font.color != dark.layout.font.color
    clear = transport_diagram(comparison(*MIXED), transparent=True)
    assert clear.layout.paper_bgcolor == "rgba(0,0,0,0)"
    with pytest.raises(ValueError, match="theme must be one of 'light', 'dark'"):
        transport_diagram(comparison(*MIXED), theme="pink")
    with pytest.raises(ValueError, match="topics must be at least 1"):
        transport_diagram(comparison(*MIXED), topics=0)
