"""The numbers that an exported page computes with: stated once, in Python, and handed to its scripts."""

# ruff: noqa: F401  (imported to be handed on)

import json

from hott.compute.ground import UNITS
from hott.embeddings.encoder.model import LEAD_WEIGHT, LEAD_WORDS
from hott.embeddings.nearest import SCALE
from hott.explain.comparison import CLOSE, MAX_TOLD
from hott.explain.flow import MAX_WORDS, MIN_SHARE
from hott.explain.plan import NO_MASS
from hott.explorer.answers.comparing import MAX_COMPARED
from hott.explorer.answers.searching import MAX_TERMS, PASSAGE
from hott.explorer.highlight import MAX_MET as MAX_MET_BY_WORD
from hott.explorer.highlight import MAX_SHARED, MIN_HITS, NEAR
from hott.explorer.selection import MAX_SPECIAL, MIN_PROPORTION
from hott.index.comparing import MAX_ABOUT, MAX_NAMED
from hott.index.meaning import MAX_CANDIDATES, MAX_MET, MIN_LIKENESS, MIN_MEETING, QUERY_CENTRE
from hott.index.meaning import MIN_SHARE as MIN_MET
from hott.index.query import MAX_ASKED, MAX_ENCODED
from hott.index.search import TOPICS, WORDS, WORDS_BESIDE_MEANING
from hott.lexical.frequencies import ELSEWHERE
from hott.lexical.matching import (
    LONG,
    MAX_LOOKED_UP,
    NEAR_IN_MEANING,
    SHORT,
    SOUNDS,
    SPELLED,
    SUBSTITUTES,
)
from hott.lexical.postings import K1, B
from hott.terms.comparison import (
    MAX_IN_LINE,
    MIN_NEAR,
    MIN_SAME,
    MIN_SHARED,
    MIN_STRONG,
)
from hott.terms.sets import MIN_COVER
from hott.topics.counts import UNSEEN
from hott.topics.neighborhood import MAX_MASS, MIN_RATIO, NEIGHBORS, TEMPERATURE


def constants_script() -> str:
    """Return the module ``constants.js``, which the other scripts of an exported page import from."""
    numbers = {name: value for name, value in sorted(globals().items()) if name.isupper()}
    return "".join(f"export const {name} = {json.dumps(value)};\n" for name, value in numbers.items())
