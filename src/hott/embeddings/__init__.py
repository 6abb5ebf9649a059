"""Word vectors: load them from a file, learn them from a corpus, or use the bundled ones."""

from hott.embeddings.bundled import default
from hott.embeddings.choice import Choice, choose
from hott.embeddings.contexts import from_contexts
from hott.embeddings.files import load
from hott.embeddings.training import train
from hott.embeddings.vectors import WordVectors

__all__ = ["Choice", "WordVectors", "choose", "default", "from_contexts", "load", "train"]
