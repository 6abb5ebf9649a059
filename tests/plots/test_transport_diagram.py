"""The diagrams of terms and of topics: their numbers, and labels that never touch each other or the edge."""

from itertools import combinations, pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hott.plots import term_diagram, transport_diagram
from hott.plots._paint import Bar, Label, Ribbon, columns_in, text_width
from tests.plots.comparisons import comparison, moves

MIXED = ({0: 0.5, 1: 0.3, 2: 0.2}, {0: 0.4, 2: 0.1, 3: 0.5})
LONG = "A title about the rules, the equipment and the players of lawn tennis, told in far too many words"


def of_kind(diagram, kind):
    return [shape for shape in diagram.shapes if isinstance(shape, kind)]


def check_labels(diagram):
    """Every label is inside the picture, and no two touch, by generous estimates of their widths."""
    for label in diagram.labels:
        left, top, right, bottom = label.box
        assert min(left, top) >= 0, label
        assert right <= diagram.width + 1, label
        assert bottom <= diagram.height + 1, label
    for one, other in combinations(diagram.labels, 2):
        a, b = one.box, other.box
        apart = a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] + 0.5 or b[3] <= a[1] + 0.5
        assert apart, (one.text, other.text)


masses = st.lists(st.floats(0.001, 1), min_size=7, max_size=7)


@settings(deadline=None, max_examples=80)
@given(
    a=masses,
    b=masses,
    gone=st.sets(st.tuples(st.booleans(), st.integers(0, 5))),
    width=st.sampled_from([320, 390, 700, 980]),
)
def test_labels_never_overlap(a, b, gone, width):
    sides = []
    for first, row in ((True, a), (False, b)):
        kept = {k: mass for k, mass in enumerate(row) if (first, k) not in gone}
        sides.append({k: mass / sum(kept.values()) for k, mass in kept.items()})
    words = [[f"extraordinarily{k}", "long", "words", f"like{k}", "wimbledon"] for k in range(7)]
    check_labels(transport_diagram(moves(*sides, words=words), (LONG, LONG), width=width))


@settings(deadline=None, max_examples=3)
@given(width=st.sampled_from([390, 980]))
def test_matplotlib_writes_inside_the_estimated_boxes(width):
    diagram = transport_diagram(moves(*MIXED), (LONG, "B"), width=width)
    figure = diagram._paint()
    figure.set_dpi(72)
    renderer = figure.canvas.get_renderer()
    texts = [text for axes in figure.axes for text in axes.texts]
    assert len(texts) == len(diagram.labels)
    for text, label in zip(texts, diagram.labels):
        box = text.get_window_extent(renderer)
        left, _, right, _ = label.box
        assert box.x0 >= left - 2, label
        assert box.x1 <= right + 2, label


@pytest.mark.parametrize(("width", "unit"), [(980, 340), (390, 260)])
def test_heights_are_masses_and_bands_are_moves(width, unit):
    c = moves(*MIXED)
    diagram = transport_diagram(c, width=width)
    bars, ribbons = of_kind(diagram, Bar), of_kind(diagram, Ribbon)
    assert len(bars) == 6
    assert sum(bar.height for bar in bars) == pytest.approx(2 * unit)
    assert sorted(r.thickness / unit for r in ribbons) == pytest.approx(sorted(m.mass for m in c))
    titles = {ribbon.title for ribbon in ribbons}
    assert any(title.startswith("40 % stays in word0a") for title in titles)
    assert any("moves from" in title for title in titles)
    assert any(label.text == "both 40 %" for label in diagram.labels)


def test_a_topic_has_one_colour_and_what_moves_is_grey():
    diagram = transport_diagram(moves(*MIXED))
    ribbons = of_kind(diagram, Ribbon)
    stays = {r.color for r in ribbons if "stays" in r.title}
    assert {r.color for r in ribbons if "moves" in r.title} == {"#8C8C8C"}
    assert len(stays) == 2
    assert stays < {bar.color for bar in of_kind(diagram, Bar)}


def test_what_is_shared_stands_on_top():
    diagram = transport_diagram(moves({0: 0.2, 1: 0.5, 2: 0.3}, {1: 0.6, 2: 0.4}))
    bold = [label.text for label in diagram.labels if label.bold and label.anchor == "end"]
    assert bold[0].startswith("word1")


TERMS = ({"ball": 9.0, "turf": 8.0, "lawn": 7.0, "net": 2.0}, {"ball": 9.0, "clay": 8.0, "gravel": 7.0})


def test_terms_stand_in_three_columns_with_bars_for_their_parts():
    c = comparison(*TERMS, titles=("Grass", "Clay"))
    diagram = term_diagram(c)
    texts = [label.text for label in diagram.labels]
    assert texts[:3] == ["A Grass", "B Clay", "Only A"]
    assert texts.index("turf") < texts.index("Both") < texts.index("ball") < texts.index("Only B")
    assert texts.index("Only B") < texts.index("clay")
    longest = max(of_kind(diagram, Bar), key=lambda bar: bar.width)
    parts = {term.text: term.part for term in c.told}
    assert longest.width == pytest.approx(max(parts.values()) / max(parts.values()) * longest.width)
    assert sum(parts.values()) + c.rest[0] == pytest.approx(1)
    narrow = term_diagram(c, width=390, story=False)
    assert narrow.labels[0].text == "Both"  # what both have comes first
    assert narrow.height > term_diagram(c, story=False).height


@pytest.mark.parametrize("width", [320, 390, 700, 980])
def test_labels_of_terms_never_overlap(width):
    long = {f"extraordinarily-long-term-{k} of four words": 9.0 - k for k in range(9)}
    check_labels(term_diagram(comparison(long, {**TERMS[1], "ball": 3.0}, titles=(LONG, LONG)), width=width))
    nothing = comparison({"a": 5.0}, {"b": 5.0})
    assert "nothing special" in [label.text for label in term_diagram(nothing, width=width).labels]


def test_svg_is_well_formed_and_holds_no_foreign_tags():
    hostile = "<a href='x'>click</a> & \x00\x1b[2J\u202e"
    c = moves(*MIXED, words=[[hostile, "b", "c"]] * 4)
    svg = ElementTree.fromstring(transport_diagram(c, (hostile, "B")).to_svg())
    assert ElementTree.fromstring(term_diagram(comparison({hostile: 5.0}, {"b": 5.0})).to_svg()) is not None
    tags = {element.tag.split("}")[1] for element in svg.iter()}
    assert tags == {"svg", "title", "rect", "path", "text"}
    assert svg.attrib["viewBox"].startswith("0 0 980 ")
    assert svg[0].text == "<a href='x'>click</a> & [2J and B: distance 1.000"


def test_files(tmp_path):
    diagram = transport_diagram(moves(*MIXED), ("costs $5 and $6", "B"))
    diagram.save(tmp_path / "d.svg")
    diagram.save(tmp_path / "d.png")
    assert (tmp_path / "d.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "d.svg").read_text().startswith("<svg")
    assert diagram._repr_svg_() == diagram.to_svg()
    with pytest.raises(ValueError, match=r"path must end in .svg or .png, got '.*d.pdf'"):
        diagram.save(tmp_path / "d.pdf")


def test_looks():
    light, dark = (transport_diagram(moves(*MIXED), theme=theme) for theme in ("light", "dark"))
    assert light.background != dark.background
    assert {label.color for label in light.labels}.isdisjoint({label.color for label in dark.labels})
    assert transport_diagram(moves(*MIXED), transparent=True).background is None
    with pytest.raises(ValueError, match="theme must be one of 'light', 'dark'"):
        transport_diagram(moves(*MIXED), theme="pink")
    with pytest.raises(ValueError, match="width must be at least 320"):
        transport_diagram(moves(*MIXED), width=100)


def test_bands_that_stay_run_straight():
    diagram = transport_diagram(moves({0: 0.5, 1: 0.4, 2: 0.1}, {0: 0.4, 1: 0.6}))
    ribbons, bars = of_kind(diagram, Ribbon), of_kind(diagram, Bar)
    for ribbon in ribbons:
        assert ribbon.y1 == pytest.approx(ribbon.y2) or "moves" in ribbon.title
    assert sum("stays" in ribbon.title for ribbon in ribbons) == 2
    for x in {bar.x for bar in bars}:
        column = [bar for bar in bars if bar.x == x]
        for bar, following in pairwise(column):
            assert following.y >= bar.y + bar.height
        assert column[-1].y + column[-1].height <= diagram.height
        ends = [(r.y1 if r.x1 == x + 14 else r.y2, r.thickness) for r in ribbons if x in (r.x1 - 14, r.x2)]
        for y, thickness in ends:  # each begins and ends at a bar
            assert any(
                b.y - 1e-9 <= y - thickness / 2 and y + thickness / 2 <= b.y + b.height + 1e-9 for b in column
            )


def test_bars_stand_close_unless_their_labels_need_room():
    diagram = transport_diagram(moves({0: 0.5, 1: 0.4, 2: 0.06, 3: 0.04}, {4: 1.0}))
    tall, next_tall, low, lower = (bar for bar in of_kind(diagram, Bar) if bar.x < diagram.width / 2)
    assert next_tall.y == pytest.approx(tall.y + tall.height + 10)
    middles = [bar.y + bar.height / 2 for bar in (low, lower)]
    assert middles[1] - middles[0] == pytest.approx(38 + 10)  # of two labels of two lines


@pytest.mark.parametrize("bold", [True, False])
def test_as_much_text_fits_as_there_is_room_for(bold):
    fits = columns_in(200, 12, bold)
    assert text_width("x" * fits, 12, bold) <= 200 < text_width("x" * (fits + 1), 12, bold)


def test_labels_know_their_boxes():
    left, top, right, bottom = Label("four", 100, 50, 10, "#000", "middle").box
    assert (left + right) / 2 == pytest.approx(100)
    assert (top + bottom) / 2 == pytest.approx(50)
