"""From an index to what the API answers. The server and the static export both ask here."""

from hott.explorer.map_answers import MapAnswers
from hott.explorer.shown import UnknownDocument
from hott.explorer.topic_answers import IndexChanged, TopicAnswers
from hott.explorer.transport_answers import TransportAnswers

__all__ = ["Answers", "IndexChanged", "UnknownDocument"]


class Answers(MapAnswers, TopicAnswers, TransportAnswers):
    """All answers about one index."""
