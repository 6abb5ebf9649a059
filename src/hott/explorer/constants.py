"""The numbers that an exported page computes with: stated once, in Python, and handed to its scripts."""

import json

from hott.compute.ground import UNITS
from hott.explain.compare import (
    IN_BOTH_GROUPS,
    MAX_READ,
    MAX_SHOWN,
    MIN_SHOWN,
    TELLING_WHEN_FAR,
    WORTH_SHOWING,
)
from hott.explain.flow import MAX_WORDS, MIN_SHARE
from hott.explain.plan import NO_MASS
from hott.explain.reason import MAX_IN_REASON, MAX_STANDING, WORTH_SAYING
from hott.explain.story import FAR, MAX_MENTIONED, MAX_NAMED, MIN_MENTIONED, NEAR, TELLING
from hott.explain.themes import (
    ALIKE,
    CUTS,
    LARGE,
    MAX_GROUPED,
    MAX_THEMES,
    MIN_DENSE,
    MIN_MASS,
    MIN_SAID,
    OFTEN,
    STRICT,
)
from hott.explorer.packing import POWER
from hott.explorer.selection import IN_DOCUMENTS, MAX_SELECTED, MAX_SPECIAL, MIN_PROPORTION
from hott.explorer.transport_answers import MAX_COMPARED
from hott.index.search import BEST, TOPICS, WORDS
from hott.lexical.frequencies import ELSEWHERE
from hott.lexical.matching import LONG, NEAR_IN_MEANING, SUBSTITUTES
from hott.lexical.postings import K1, B
from hott.topics.unseen import MAX_MASS, NEIGHBORS, TEMPERATURE

__all__ = [
    "ALIKE", "BEST", "ELSEWHERE", "FAR", "IN_BOTH_GROUPS", "IN_DOCUMENTS", "K1", "LARGE", "LONG",
    "MAX_COMPARED", "MAX_GROUPED", "MAX_IN_REASON", "MAX_MASS", "MAX_MENTIONED", "MAX_NAMED",
    "MAX_READ", "MAX_SELECTED", "MAX_SHOWN", "MAX_SPECIAL", "MAX_STANDING", "MAX_THEMES", "MAX_WORDS",
    "MIN_DENSE", "MIN_MASS", "MIN_MENTIONED", "MIN_PROPORTION", "MIN_SAID", "MIN_SHARE", "MIN_SHOWN",
    "NEAR", "NEAR_IN_MEANING", "NEIGHBORS", "NO_MASS", "OFTEN", "POWER", "STRICT", "SUBSTITUTES",
    "TELLING", "TELLING_WHEN_FAR", "TEMPERATURE", "TOPICS", "UNITS", "WORDS", "WORTH_SAYING",
    "WORTH_SHOWING", "B",
]  # fmt: skip


def constants_script() -> str:
    """Return the module ``constants.js``, which the other scripts of an exported page import from."""
    numbers = [f"export const {name} = {json.dumps(globals()[name])};\n" for name in __all__]
    return "".join([*numbers, f"export const CUTS = new Set({sorted(CUTS)});\n"])
