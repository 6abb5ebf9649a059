"""Explanations: why two documents are near or far, by topics, words and sentences."""

from hott.explain.compare import compare
from hott.explain.comparison import Comparison, Move, Side, WordMove
from hott.explain.evidence import Carrier

__all__ = [
    "Carrier",
    "Comparison",
    "Move",
    "Side",
    "WordMove",
    "compare",
]
