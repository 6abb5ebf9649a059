"""How far apart two spellings are, against the table that textbooks fill."""

from hypothesis import given
from hypothesis import strategies as st

from hott.lexical.spelling import edits

WORDS = st.text("abc", max_size=7)


def by_table(a, b):
    """Letters put in, left out, changed, or swapped with the next one: optimal string alignment."""
    table = [[i + j for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            ways = [
                table[i - 1][j] + 1,
                table[i][j - 1] + 1,
                table[i - 1][j - 1] + (a[i - 1] != b[j - 1]),
            ]
            if i > 1 and j > 1 and a[i - 2 : i] == b[j - 1] + b[j - 2]:
                ways.append(table[i - 2][j - 2] + 1)
            table[i][j] = min(ways)
    return table[-1][-1]


@given(WORDS, WORDS, st.integers(0, 3))
def test_edits_are_the_fewest(a, b, at_most):
    expected = by_table(a, b)
    assert edits(a, b, at_most) == (expected if expected <= at_most else None)
