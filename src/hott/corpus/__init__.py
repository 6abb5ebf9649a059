"""Documents: what a document is, a corpus of them held compactly, and reading them from files and frames."""

from hott.corpus._corpus import FIELDS, Corpus, Document
from hott.corpus._corpus import HEAD as HEAD
from hott.corpus._corpus import explain_missing as explain_missing
from hott.corpus._corpus import name_of as name_of
from hott.corpus._corpus import texts_of as texts_of
from hott.corpus._reading import read, stream

__all__ = ["FIELDS", "Corpus", "Document", "read", "stream"]
