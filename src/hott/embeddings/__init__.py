"""Word vectors: load them from a file, train them on a corpus, or use the bundled ones."""

from hott.embeddings.bundled import default
from hott.embeddings.files import load
from hott.embeddings.training import train
from hott.embeddings.vectors import WordVectors

__all__ = ["WordVectors", "default", "load", "train"]
