"""Terms: words and phrases that are special to a document or a set of documents, and what is said in them."""

from hott.terms.alignment import SentenceSpace
from hott.terms.comparison import NearTerms, SharedTerm, TermComparison, TermGroup, compare_terms
from hott.terms.document import DocumentTerms, Term, find_terms
from hott.terms.sets import Contrast, DocumentSet, SetName, SpecialTerm, contrast, name_sets
from hott.terms.statistics import TermStatistics

__all__ = [
    "Contrast",
    "DocumentSet",
    "DocumentTerms",
    "NearTerms",
    "SentenceSpace",
    "SetName",
    "SharedTerm",
    "SpecialTerm",
    "Term",
    "TermComparison",
    "TermGroup",
    "TermStatistics",
    "compare_terms",
    "contrast",
    "find_terms",
    "name_sets",
]
