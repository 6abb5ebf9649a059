"""Terms: words and phrases that are special to a document or a set of documents, and what is said in them."""

from hott.terms.alignment import SentencePair, SentenceSpace, SentenceVectors, sum_word_vectors
from hott.terms.comparison import NearTerms, SharedTerm, TermComparison, TermGroup, compare_terms
from hott.terms.document import DocumentTerms, Term, find_terms
from hott.terms.sets import (
    Contrast,
    DocumentSet,
    SetName,
    SpecialTerm,
    TermTable,
    contrast,
    describe_set,
    name_sets,
    quote_sentences,
    special_terms,
)
from hott.terms.statistics import TermStatistics

__all__ = [
    "Contrast",
    "DocumentSet",
    "DocumentTerms",
    "NearTerms",
    "SentencePair",
    "SentenceSpace",
    "SentenceVectors",
    "SetName",
    "SharedTerm",
    "SpecialTerm",
    "Term",
    "TermComparison",
    "TermGroup",
    "TermStatistics",
    "TermTable",
    "compare_terms",
    "contrast",
    "describe_set",
    "find_terms",
    "name_sets",
    "quote_sentences",
    "special_terms",
    "sum_word_vectors",
]
