"""Choosing the words of a vocabulary, with an account of what was left out and why."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from hott.embeddings.vectors import WordVectors
from hott.tokens import NumberedTexts

# What the report calls the words left out for each reason, and the way out if no word is left.
_REASONS = {
    "stop_words": ("stop words", "Give other stop words, or stop_words=None."),
    "common": ("words in too many documents", "Raise max_df."),
    "rare": ("words in too few documents", "Lower min_df, or keep_rare=True."),
    "without_vector": (
        "words without a vector",
        'Keep them with without_vector="contexts", use vectors for the language of the texts, learn them '
        "with hott.embeddings.train(texts), or do without: word_vectors=None.",
    ),
    "beyond_limit": ("words beyond the limit", "Raise max_words."),
}


@dataclass(frozen=True, slots=True)
class WordGroup:
    """Some of the words of the texts.

    Attributes
    ----------
    words, tokens : int
        How many there are, and how often they occur.
    examples : tuple of str
        The commonest.

    Examples
    --------
    >>> print(WordGroup(words=7, tokens=20, examples=("and", "the")))
    and, the, ...
    """

    words: int = 0
    tokens: int = 0
    examples: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, members: NDArray[np.bool_], words: NDArray[np.object_], totals: NDArray[np.int64]
    ) -> "WordGroup":
        """The words that a mask marks."""
        places = np.flatnonzero(members)
        commonest = places[np.argsort(-totals[places], kind="stable")[:5]]
        return cls(len(places), int(totals[places].sum()), tuple(words[commonest]))

    def __str__(self) -> str:
        return ", ".join(self.examples) + (", ..." * (self.words > len(self.examples)))


@dataclass(frozen=True, slots=True)
class VocabularyReport:
    """What a vocabulary kept of the texts it was fitted on, and what it left out.

    Attributes
    ----------
    documents : int
    tokens, kept_tokens : int
        Every occurrence of a word in the texts; of the words kept.
    words : int
        The different words kept.
    from_contexts, no_vector : WordGroup
        Of these, words that took their vector from the words around them, and words that have none.
    stop_words, common, rare, without_vector, beyond_limit : WordGroup
        Words left out, by reason.
    language, note : str
        The note is empty, or says that the language is not certain.

    Examples
    --------
    >>> from hott import Vocabulary
    >>> report = Vocabulary().fit(["The moon and the stars.", "A star."]).report_
    >>> report.words, report.stop_words.words, report.used
    (3, 2, 1.0)
    """

    documents: int
    tokens: int
    words: int
    kept_tokens: int
    stop_words: WordGroup
    common: WordGroup
    rare: WordGroup
    without_vector: WordGroup
    beyond_limit: WordGroup
    from_contexts: WordGroup
    no_vector: WordGroup
    language: str
    note: str

    def share(self, tokens: int) -> float:
        """Say what part of the text so many tokens are, between 0 and 1."""
        return tokens / self.tokens

    @property
    def used(self) -> float:
        """The part of the text, stop words apart, that is kept, between 0 and 1."""
        return self.kept_tokens / max(1, self.tokens - self.stop_words.tokens)

    def __str__(self) -> str:
        lines = [
            f"{self.documents:,} documents, {self.tokens:,} tokens, {self.language.capitalize()}",
            f"kept {self.words:,} words, {self.share(self.kept_tokens):.1%} of the text, "
            f"{self.used:.1%} without stop words",
        ]
        for group, told in (
            (self.from_contexts, "with a vector from the words around"),
            (self.no_vector, "without a vector"),
        ):
            if group.words:
                lines.append(f"of these {group.words:,} {told}, {self.share(group.tokens):.1%} ({group})")
        for reason, (name, _) in _REASONS.items():
            dropped: WordGroup = getattr(self, reason)
            if dropped.words:
                name = name if dropped.words > 1 else name.replace("words", "word")
                share = f"{self.share(dropped.tokens):.1%} of the text"
                lines.append(f"dropped {dropped.words:,} {name}, {share} ({dropped})")
        return "\n".join(lines + ([f"note: {self.note}"] if self.note else []))


class Selection:
    """The words still in: how often each document has them, their vectors, and what was left out so far."""

    def __init__(self, texts: NumberedTexts, words: list[str]) -> None:
        self.counts: sp.csr_matrix = texts.counts()  # documents x words
        self.words = np.array(words, dtype=object)
        self.vectors: NDArray[np.float32] | None = None  # zero for a word without one
        self.given = np.zeros(len(words), bool)  # which have a vector that was given
        self.documents, self.tokens = len(texts), len(texts.numbers)
        self._texts = texts
        self._all_words = words
        self._columns = np.arange(len(words), dtype=np.int32)  # of all words; -1 for those left out
        self._dropped = {reason: WordGroup() for reason in _REASONS}

    @property
    def totals(self) -> NDArray[np.int64]:
        """How often each word occurs."""
        return np.asarray(self.counts.sum(axis=0, dtype=np.int64)).ravel()

    @property
    def document_frequencies(self) -> NDArray[np.int64]:
        """How many documents have each word."""
        return np.bincount(self.counts.indices, minlength=len(self.words))

    @property
    def texts(self) -> NumberedTexts:
        """The texts in the numbers of the words still in, without the others."""
        return self._texts.renumbered(self._columns, len(self.words))

    def merge(self, stems: NDArray[np.object_]) -> None:
        """Count the words that have one stem together, under that stem. Comes before their vectors."""
        names, column = np.unique(stems, return_inverse=True)
        ones = np.ones(len(stems), self.counts.dtype)
        to_stem = sp.csr_matrix((ones, (np.arange(len(stems)), column)), shape=(len(stems), len(names)))
        self.counts = self.counts @ to_stem
        self.words, self.given = names, np.zeros(len(names), bool)
        self._renumber(column.astype(np.int32))

    def give_vectors(self, word_vectors: WordVectors) -> NDArray[np.float32]:
        """Take up the vectors of the words; that of a stem is the average over the words it stands for."""
        known = (self._columns >= 0) & word_vectors.known(self._all_words)
        words, rows = np.flatnonzero(known), self._columns[known]
        share = (1 / np.bincount(rows)[rows]).astype(np.float32)
        average = sp.csr_array((share, (rows, np.arange(len(rows)))), shape=(len(self.words), len(rows)))
        self.vectors = average @ word_vectors.matrix(self._all_words[word] for word in words)
        self.given = np.any(self.vectors, axis=1)
        return self.vectors

    def keep(self, mask: NDArray[np.bool_], reason: str) -> None:
        """Leave out the words outside the mask; at least one must be left."""
        if mask.all():
            return
        self._dropped[reason] = WordGroup.of(~mask, self.words, self.totals)
        if not mask.any():
            self.counts = self.counts[:, mask]
            told = str(self.report()).replace("\n", "; ")
            raise ValueError(f"no word is left: {told}. {_REASONS[reason][1]}")
        self.counts, self.words, self.given = self.counts[:, mask], self.words[mask], self.given[mask]
        self.vectors = None if self.vectors is None else self.vectors[mask]
        self._renumber(np.where(mask, np.cumsum(mask) - 1, -1).astype(np.int32))

    def _renumber(self, new: NDArray[np.int32]) -> None:
        self._columns = np.where(self._columns >= 0, new[self._columns], -1).astype(np.int32)

    def report(self, language: str = "english", note: str = "") -> VocabularyReport:
        """Account for every token of the texts."""
        from_contexts = no_vector = WordGroup()
        if self.vectors is not None and self.counts.shape[1]:
            has_vector = np.any(self.vectors, axis=1)
            from_contexts = WordGroup.of(has_vector & ~self.given, self.words, self.totals)
            no_vector = WordGroup.of(~has_vector, self.words, self.totals)
        return VocabularyReport(
            documents=self.documents,
            tokens=self.tokens,
            words=self.counts.shape[1],
            kept_tokens=int(self.counts.sum()),
            from_contexts=from_contexts,
            no_vector=no_vector,
            language=language,
            note=note,
            **self._dropped,
        )
