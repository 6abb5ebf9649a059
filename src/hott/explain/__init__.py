"""Explanations: why two documents are near or far, by topics, words and sentences."""

from hott.explain.compare import compare, named_topics
from hott.explain.comparison import Comparison, Move, Side, Topic, WordMove
from hott.explain.evidence import Carrier
from hott.explain.names import distinctive_words, topic_names

__all__ = [
    "Carrier", "Comparison", "Move", "Side", "Topic", "WordMove",
    "compare", "distinctive_words", "named_topics", "topic_names",
]  # fmt: skip
