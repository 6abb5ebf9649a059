"""Pictures: each function takes results and returns a figure; none shows, saves or computes a distance."""

from hott.plots._paint import Diagram
from hott.plots.corpus_map import corpus_map
from hott.plots.term_diagram import term_diagram
from hott.plots.transport_diagram import transport_diagram

__all__ = ["Diagram", "corpus_map", "term_diagram", "transport_diagram"]
