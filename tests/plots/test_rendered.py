"""The pictures as a browser draws them: nothing clipped, no text on text, labels beside what they name."""

import json
from itertools import combinations

import numpy as np
import pytest

from hott.plots import corpus_map

plotly = pytest.importorskip("plotly.offline")
playwright = pytest.importorskip("playwright.sync_api")

pytestmark = pytest.mark.browser

NAMES = [
    f"{w}, kilometres, temperature" for w in ("planet", "court", "energy", "butter", "cell", "war", "song")
]
DRAW = """figure => { document.body.innerHTML = '<div id="figure"></div>';
    return Plotly.newPlot("figure", figure.data, figure.layout, {displayModeBar: false}).then(() => 0) }"""
BOXES = """selector => [...document.querySelectorAll(selector)].map(e => {
    const b = e.getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom, e.textContent] })"""


@pytest.fixture(scope="module")
def page(browser):
    page = browser.new_page()
    page.set_content('<body style="margin:0"></body>')
    page.add_script_tag(content=plotly.get_plotlyjs())
    return page


@pytest.fixture
def draw(page):
    """Draw a figure; give a function from a CSS selector to the boxes that it finds, each with its text."""

    def drawn(figure):
        page.set_viewport_size({"width": int(figure.layout.width), "height": int(figure.layout.height)})
        page.evaluate(
            DRAW,
            json.loads(figure.to_json()),
        )
        return lambda selector: page.evaluate(BOXES, selector)

    return drawn


def check_texts(boxes, figure):
    """Every text is inside the picture, and no two texts touch."""
    boxes = [box for box in boxes if box[4].strip()]
    assert boxes
    for left, top, right, bottom, text in boxes:
        assert min(left, top) >= -1, text
        assert right <= figure.layout.width + 1, text
        assert bottom <= figure.layout.height + 1, text
    for a, b in combinations(boxes, 2):
        apart = a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
        assert apart, (a[4], b[4])


def test_corpus_map(draw):
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(size=(30, 2)) + center for center in rng.normal(size=(12, 2)) * 9])
    figure = corpus_map(points, labels=[f"{NAMES[i % 7]} {i}" for i in range(12) for _ in range(30)])
    find = draw(figure)
    check_texts(find(".annotation text"), figure)
    check_texts(find(".legendtext"), figure)
    legend = min(box[0] for box in find(".legendtext"))
    assert max(box[2] for box in find(".scatterlayer .point")) < legend
