"""Choosing the words of a vocabulary, with an account of what was left out and why."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

# What the report calls the words left out for each reason, and the way out if no word is left.
_REASONS = {
    "stop_words": ("stop words", "Give other stop words, or stop_words=None."),
    "rare": ("words in too few documents", "Lower min_df."),
    "without_vector": (
        "words without a vector",
        "Use vectors for the language of the texts, train them with hott.embeddings.train(texts), or do "
        "without: word_vectors=None.",
    ),
    "beyond_limit": ("words beyond the limit", "Raise max_words."),
}


@dataclass(frozen=True, slots=True)
class Dropped:
    """Words left out for one reason: how many, how often they occur in the texts, and the commonest."""

    words: int = 0
    tokens: int = 0
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class VocabularyReport:
    """What a vocabulary kept of the texts it was fitted on, and what it left out.

    ``tokens`` counts every occurrence of a word in the texts, ``words`` the different words kept.
    """

    documents: int
    tokens: int
    words: int
    kept_tokens: int
    stop_words: Dropped
    rare: Dropped
    without_vector: Dropped
    beyond_limit: Dropped

    def share(self, tokens: int) -> float:
        """Say what part of the text so many tokens are, between 0 and 1."""
        return tokens / self.tokens

    def __str__(self) -> str:
        lines = [
            f"{self.documents:,} documents, {self.tokens:,} tokens",
            f"kept {self.words:,} words, {self.share(self.kept_tokens):.1%} of the text",
        ]
        for reason, (name, _) in _REASONS.items():
            dropped: Dropped = getattr(self, reason)
            if dropped.words:
                examples = ", ".join(dropped.examples) + (", ..." * (dropped.words > len(dropped.examples)))
                name = name if dropped.words > 1 else name.replace("words", "word")
                share = f"{self.share(dropped.tokens):.1%} of the text"
                lines.append(f"dropped {dropped.words:,} {name}, {share} ({examples})")
        return "\n".join(lines)


class Selection:
    """The words still in, how often each document has them, and what was left out so far."""

    def __init__(self, counts: Any, words: NDArray[np.object_]) -> None:
        self.counts = counts  # CSR, documents x words
        self.words = words
        self.documents = counts.shape[0]
        self.tokens = int(counts.sum())
        self._dropped = {reason: Dropped() for reason in _REASONS}

    @property
    def totals(self) -> NDArray[np.int64]:
        """How often each word occurs."""
        return np.asarray(self.counts.sum(axis=0, dtype=np.int64)).ravel()

    @property
    def document_frequencies(self) -> NDArray[np.int64]:
        """How many documents have each word."""
        return np.bincount(self.counts.indices, minlength=len(self.words))

    def merge(self, stems: NDArray[np.object_]) -> None:
        """Count the words that have one stem together, under that stem."""
        names = sorted(set(stems))
        columns = {name: column for column, name in enumerate(names)}
        to_stem = (np.arange(len(stems)), np.array([columns[stem] for stem in stems]))
        ones = np.ones(len(stems), self.counts.dtype)
        self.counts = self.counts @ type(self.counts)((ones, to_stem), shape=(len(stems), len(names)))
        self.words = np.array(names, dtype=object)

    def keep(self, mask: NDArray[np.bool_], reason: str) -> None:
        """Leave out the words outside the mask; at least one must be left."""
        if mask.all():
            return
        totals = self.totals
        out = np.flatnonzero(~mask)
        commonest = out[np.argsort(-totals[out], kind="stable")[:5]]
        self._dropped[reason] = Dropped(len(out), int(totals[out].sum()), tuple(self.words[commonest]))
        if not mask.any():
            told = str(self.report(kept=0)).replace("\n", "; ")
            raise ValueError(f"no word is left: {told}. {_REASONS[reason][1]}")
        self.counts, self.words = self.counts[:, mask], self.words[mask]

    def report(self, kept: int | None = None) -> VocabularyReport:
        """Account for every token of the texts."""
        words = len(self.words) if kept is None else kept
        tokens = int(self.counts.sum()) if kept is None else 0
        return VocabularyReport(self.documents, self.tokens, words, tokens, **self._dropped)
