from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hott.terms.prose import sentences


def pieces(text):
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Pi is 3.14, and version 1.2 is out... Well.", ["Pi is 3.14, and version 1.2 is out...", "Well."]),
        ("J. R. R. Tolkien wrote, e.g. at night.", ["J. R. R. Tolkien wrote, e.g. at night."]),
        ("It was Mrs. O'Leary's cow. Dr. Who?", ["It was Mrs. O'Leary's cow.", "Dr. Who?"]),
        ("“Really?” Yes.", ["“Really?”", "Yes."]),
        ("A heading\n\nA line\nthat goes on.", ["A heading", "A line\nthat goes on."]),
        ("東京は大きい。人が多い！「はい。」", ["東京は大きい。", "人が多い！", "「はい。」"]),
        ("क्या? हाँ। ठीक।", ["क्या?", "हाँ।", "ठीक।"]),
        ("مرحبا؟ نعم.", ["مرحبا؟", "نعم."]),
        ("the flow is laminar . see e.g. there .", ["the flow is laminar .", "see e.g. there ."]),
        ("", []),
        (" \n ", []),
    ],
)
def test_sentences(text, expected):
    assert pieces(text) == expected


def test_what_has_no_end_is_cut_after_400_characters():
    assert list(map(len, pieces("x" * 900))) == [400, 400, 100]


@given(
    st.text(alphabet="ab .!?\n。A", max_size=60)
    | st.text(max_size=60)
    | st.text("x ", min_size=900, max_size=1500)
)
def test_nothing_is_lost_and_nothing_is_long(text):
    spans = sentences(text)
    assert "".join("".join(pieces(text)).split()) == "".join(text.split())
    assert all(0 <= a < b <= len(text) and b - a <= 400 for a, b in spans)
    assert all(first[1] <= second[0] for first, second in pairwise(spans))


def test_a_run_of_full_stops_is_read_once():
    """Looked at from each of its full stops, this would take hours."""
    assert sum(end - start for start, end in sentences("." * 1_000_000 + "x")) == 1_000_001
