"""Texts as vectors of their meaning, and every word as it is meant in its text.

A table of words, two small layers in which the words of a text see one another, and a sum: the vector of a
text is the sum of its words in context, so the likeness of two texts is a sum over pairs of words. It knows
99,910 English words and comes with the library.
"""

from hott.embeddings.encoder.documents import DocumentVectors
from hott.embeddings.encoder.model import LEAD_WEIGHT, Encoder, WordsInContext
from hott.embeddings.encoder.named import NamedEncoder

__all__ = ["LEAD_WEIGHT", "DocumentVectors", "Encoder", "NamedEncoder", "WordsInContext"]
