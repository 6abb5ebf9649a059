"""Explanations: why two documents are near or far, in their own words."""

from hott.explain.compare import compare, far_apart
from hott.explain.comparison import Comparison, Move, Side, Theme, Word, WordMove
from hott.explain.evidence import Evidence, Mark, Sentence
from hott.explain.reason import Reason
from hott.explain.reason import SoughtText as SoughtText
from hott.explain.reason import standing_for as standing_for
from hott.explain.themes import Background
from hott.explain.topic_moves import TopicMove, topic_moves

__all__ = [
    "Background",
    "Comparison",
    "Evidence",
    "Mark",
    "Move",
    "Reason",
    "Sentence",
    "Side",
    "Theme",
    "TopicMove",
    "Word",
    "WordMove",
    "compare",
    "far_apart",
    "topic_moves",
]
