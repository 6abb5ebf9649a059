"""Explanations: why two documents are near or far, in their own words."""

from hott.explain.compare import compare
from hott.explain.comparison import Comparison, Mark, Quote, Side, ToldTerm, WordMove
from hott.explain.reason import Background, Reason, far_apart
from hott.explain.reason import SoughtText as SoughtText
from hott.explain.reason import standing_for as standing_for
from hott.explain.topic_moves import TopicMove, topic_moves

__all__ = [
    "Background",
    "Comparison",
    "Mark",
    "Quote",
    "Reason",
    "Side",
    "ToldTerm",
    "TopicMove",
    "WordMove",
    "compare",
    "far_apart",
    "topic_moves",
]
