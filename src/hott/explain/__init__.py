"""Explanations: why two documents are near or far, in their own words."""

from hott.explain.compare import compare
from hott.explain.comparison import Comparison, Mark, Quote, Side, ToldTerm, WordMove
from hott.explain.plan import TopicMove, topic_moves

__all__ = [
    "Comparison", "Mark", "Quote", "Side", "ToldTerm", "TopicMove", "WordMove", "compare", "topic_moves",
]  # fmt: skip
