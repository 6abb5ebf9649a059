"""From an index to what the API answers. The server and the static export both ask here."""

from hott.explorer.map_answers import MapAnswers
from hott.explorer.shown import UnknownDocument
from hott.explorer.topic_answers import TopicAnswers
from hott.explorer.transport_answers import TransportAnswers

__all__ = ["Answers", "UnknownDocument"]


class Answers(MapAnswers, TopicAnswers, TransportAnswers):
    """All answers about one index."""
