"""From an index to what the API answers: each method is an operation. The static export asks here, too."""

from hott.explorer.answers.base import UnknownDocument
from hott.explorer.answers.comparing import Comparisons
from hott.explorer.answers.documents import LIKENESS
from hott.explorer.answers.searching import Searches
from hott.explorer.answers.topics import IndexChanged

__all__ = ["LIKENESS", "Answers", "IndexChanged", "UnknownDocument"]


class Answers(Searches, Comparisons):
    """An index whose documents must not change meanwhile, with the map of it. Any number of threads may ask.

    With a ``file``, what people change about the topics is kept there.
    """
