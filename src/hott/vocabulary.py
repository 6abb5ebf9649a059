"""From texts to counts: which words count, which are left out, and what share of the text that is."""

from array import array
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral
from typing import Any, Literal, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from hott.corpus import Corpus, texts_of
from hott.embeddings.bundled import BundledVectors
from hott.embeddings.choice import choose, spell_stems
from hott.embeddings.contexts import induce
from hott.embeddings.vectors import WordVectors, as_word_vectors
from hott.text.languages import (
    ENGLISH,
    Stem,
    StopWords,
    check_language,
    choose_language,
    detect_numbered,
    name_languages,
    stemmer,
    stop_words_of,
)
from hott.text.tokens import NumberedTexts, number, tokenize
from hott.utils.checks import check_choice, check_count
from hott.utils.estimator import Transformer, check_is_fitted
from hott.utils.warn import warn

__all__ = ["ENGLISH", "Vocabulary", "VocabularyReport", "WordGroup"]

# A rare word without a vector of its own stays with keep_rare when it occurs so often. Words that occur once
# are half of all words of a large corpus and hardly 3 % of its text, many of them misprints.
_ENOUGH_CONTEXTS = 2
_MANY_UNKNOWN = 0.05  # of the tokens, from which on they are looked up by their stems

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
        """Make a group of the words that a mask marks."""
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
        """Compute what part of the text a number of tokens makes up, between 0 and 1."""
        return tokens / self.tokens

    @property
    def used(self) -> float:
        """The part of the text, stop words apart, that is kept, between 0 and 1."""
        return self.kept_tokens / max(1, self.tokens - self.stop_words.tokens)

    def __str__(self) -> str:
        lines = [
            f"{self.documents:,} documents, {self.tokens:,} tokens, {name_languages(self.language)}",
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
        return self._texts.renumber(self._columns, len(self.words))

    def merge(self, stems: NDArray[np.object_]) -> None:
        """Count the words that have one stem together, under that stem. Comes before their vectors."""
        names, column = np.unique(stems, return_inverse=True)
        ones = np.ones(len(stems), self.counts.dtype)
        to_stem = sp.csr_matrix((ones, (np.arange(len(stems)), column)), shape=(len(stems), len(names)))
        self.counts = self.counts @ to_stem
        self.words, self.given = names, np.zeros(len(names), bool)
        self._renumber(column.astype(np.int32))

    def give_vectors(self, word_vectors: WordVectors, by_stems: bool) -> NDArray[np.float32]:
        """Take up the vectors of the words; that of a stem is the average over the words it stands for.

        Texts may hold stems in the place of words: ``by_stems`` gives these the vector of a word.
        """
        names, totals = self._all_words, self._texts.totals()
        if by_stems and totals[~word_vectors.known(names)].sum() > _MANY_UNKNOWN * totals.sum():
            names = spell_stems(names, word_vectors)
        known = (self._columns >= 0) & word_vectors.known(names)
        words, rows = np.flatnonzero(known), self._columns[known]
        share = (1 / np.bincount(rows)[rows]).astype(np.float32)
        average = sp.csr_array((share, (rows, np.arange(len(rows)))), shape=(len(self.words), len(rows)))
        self.vectors = average @ word_vectors.matrix(names[word] for word in words)
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

    def leave_out_tokens(self, members: NDArray[np.bool_], words: list[str], texts: NumberedTexts) -> None:
        """Account for stop words that were left out of ``texts`` before, of each in its own language."""
        group = WordGroup.of(members, np.array(words, object), texts.totals())
        self.tokens = len(texts.numbers)
        self._dropped["stop_words"] = replace(group, tokens=self.tokens - len(self._texts.numbers))

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


@dataclass(eq=False, repr=False)
class Vocabulary(Transformer):
    """Count words: texts in, a sparse matrix of documents by words out.

    Words are lower-case, two letters or more (see :func:`hott.text.tokens.tokenize`, also for scripts without
    spaces). Words of a new text that were not there in ``fit`` are ignored.

    Parameters
    ----------
    language : str
        The language of the texts, one of :data:`hott.text.languages.LANGUAGES`: which words are stop words,
        and how words are stemmed. "auto" finds it out by the stop words in the texts. Several, as in
        "english,german": each text is read in one of them, the first where it is not clear in which.
    stop_words : "auto", language, iterable of str, or None
        Words that say nothing about the subject, and are left out; "auto" takes those of the language.
    min_df : int or float
        Leave out words in fewer documents than this; a float is a share of the documents.
    max_words : int, optional
        Keep only so many words, the most frequent ones.
    stem : bool or str
        Count words with one stem together, by the Snowball stemmer of the language, or of another one.
    word_vectors : WordVectors, mapping of word to vector, "auto" or None
        The vectors of the words. That of a stem is the average over its words in ``fit``. "auto" takes those
        that suit the texts (:func:`hott.embeddings.choose`), and says so if they are not the bundled ones.
    without_vector : "contexts", "keep" or "drop"
        Words without a vector take one from the words around them in the texts
        (:func:`hott.embeddings.from_contexts`), stay without one, or are left out.
    keep_rare : bool
        Keep words however rare (``min_df``) that have a vector, given or from two occurrences or more, and
        all words of a document that would be left without any.
    max_df : int or float
        Leave out words in more documents than this; a float is a share of the documents.
    ngrams : int
        Count up to so many words in a row as a word too, such as "new york", where none is a stop word.
    tokenizer : callable, optional
        What cuts a text into words, in place of :func:`hott.text.tokens.tokenize`.

    Attributes
    ----------
    language_ : str
        The language.
    words_ : ndarray of str, shape (n_words,)
        The words, or stems, in alphabetical order: the columns of the counts.
    vectors_ : ndarray of float32, shape (n_words, dimensions), or None
        The vector of each; zero where there is none.
    has_vector_ : ndarray of bool, shape (n_words,), or None
        Which words have a vector.
    vocabulary_ : dict of str to int
        The column of each word.
    report_ : VocabularyReport or None
        What was kept and left out, and what share of the text; None after :meth:`from_words`.

    Notes
    -----
    A fitted vocabulary is saved (pickled, copied) with the vectors of its own words, and without
    ``word_vectors``, which may be large. Give these anew to fit it again.

    Examples
    --------
    >>> vocabulary = Vocabulary()
    >>> vocabulary.fit_transform(["The cat saw a cat.", "A dog saw it."]).toarray()
    array([[2, 0, 1],
           [0, 1, 1]], dtype=int32)
    >>> vocabulary.words_
    array(['cat', 'dog', 'saw'], dtype=object)
    >>> print(vocabulary.report_)
    2 documents, 7 tokens, English
    kept 3 words, 71.4% of the text, 100.0% without stop words
    dropped 2 stop words, 28.6% of the text (it, the)
    """

    language: str = "english"
    stop_words: StopWords = "auto"
    min_df: float = 1
    max_words: int | None = None
    stem: bool | str = False
    word_vectors: Mapping[str, ArrayLike] | Literal["auto"] | None = None
    without_vector: Literal["contexts", "keep", "drop"] = "contexts"
    keep_rare: bool = False
    max_df: float = 1.0
    ngrams: int = 1
    tokenizer: Callable[[str], list[str]] | None = None

    reads_texts = True

    @classmethod
    def from_words(
        cls, words: Iterable[str], vectors: ArrayLike | BundledVectors | None = None, **parameters: Any
    ) -> "Vocabulary":
        """Make a fitted vocabulary of words already chosen, as saved from another one.

        Parameters
        ----------
        words : iterable of str
            The words (stems, where ``stem`` is given), in the order of the columns.
        vectors : array-like of shape (n_words, dimensions), optional
            Their vectors; zero for a word without one.
        **parameters
            Parameters of :class:`Vocabulary`; ``language``, ``stop_words`` and ``stem`` matter to new texts.

        Examples
        --------
        >>> Vocabulary.from_words(["cat", "run"], stem=True).transform(["cats running"]).toarray()
        array([[1, 1]], dtype=int32)
        """
        vocabulary = cls(**parameters)
        vocabulary.language_ = check_language(vocabulary.language)
        words = np.array(list(words), dtype=object)
        if len(set(words)) != len(words):
            raise ValueError("words must be unique, some occur more than once.")
        if vectors is not None and not isinstance(vectors, BundledVectors):
            vectors = WordVectors(words, vectors).vectors
        vocabulary._keep(words, vectors)
        vocabulary.report_ = None
        return vocabulary

    def fit(self, X: Iterable[str] | Corpus, y: Any = None) -> "Vocabulary":
        """Choose the words of texts."""
        self.fit_transform(X)
        return self

    def fit_transform(self, X: Iterable[str] | Corpus, y: Any = None) -> sp.csr_matrix:  # type: ignore[override]
        """Choose the words and count them, in one pass over the texts."""
        language = check_language(self.language, also=("auto",))
        stop_words_of(self.stop_words, "english")  # a wrong value should not wait for the texts
        for name in ("max_df", "min_df"):
            value: float = getattr(self, name)
            if isinstance(value, bool) or not (
                value >= 1 if isinstance(value, Integral) else 0 <= value <= 1
            ):
                raise ValueError(
                    f"{name} must be a whole number of at least 1, or a share from 0.0 to 1.0, got {value!r}."
                )
        check_count(self.ngrams, "ngrams")
        check_choice(self.without_vector, "without_vector", ("contexts", "keep", "drop"))
        if self.max_words is not None:
            check_count(self.max_words, "max_words")
        given, note, stemmed = self.word_vectors, "", bool(self.stem)
        if isinstance(given, str):
            X = X if isinstance(X, Corpus) else list(texts_of(X, "X"))  # they are read twice
            if given != "auto":
                raise ValueError(
                    f"word_vectors must be WordVectors, a mapping, 'auto' or None; got {given!r}."
                )
            choice = choose(None, X, language=language, stop_words=self.stop_words)
            several = choice.detected.note if choice.detected and choice.detected.others else ""
            for told in filter(None, (choice.note, several)):
                warn(told)
            language, given, stemmed = choice.language, choice.vectors, stemmed or choice.stemmed
        word_vectors = None if given is None else as_word_vectors(given)
        if word_vectors is None and given is not None:
            raise ValueError(
                "word_vectors must be WordVectors, gensim's KeyedVectors or a mapping of words to vectors, "
                f"got {type(given).__name__}. Make it one: hott.embeddings.WordVectors(words, vectors)."
            )

        words, texts = number(texts_of(X, "X"), self._split)
        if not len(texts):
            raise ValueError("the texts are empty: there is no document at all.")
        if not words:
            raise ValueError(
                f"no word was found in {len(texts):,} texts. A word is two letters or more, and 64 at most; "
                "numbers do not count."
            )
        if language == "auto":
            detected = detect_numbered(words, texts)
            language, note = detected.languages, detected.note
        self.language_ = language
        stop_words = stop_words_of(self.stop_words, language)
        says_something = np.array([_says_something(word, stop_words) for word in words])
        if "," in language:
            kept = number(map(self._read_in_its_language, texts.list_words(words)), list)
            chosen = Selection(kept[1], kept[0]) if kept[0] else Selection(texts, words)
            chosen.leave_out_tokens(~says_something, words, texts)
        else:
            chosen = Selection(texts, words)
            chosen.keep(says_something, "stop_words")
            stem = _stemmer(self.stem, language)
            if stem is not None:
                chosen.merge(np.array([_stem_word(word, stem) for word in chosen.words], dtype=object))
        if word_vectors is not None:
            vectors = chosen.give_vectors(word_vectors, stemmed)
            if self.without_vector == "contexts":
                induce(chosen.texts, vectors)
        self._leave_out(chosen)

        self._keep(chosen.words, chosen.vectors)
        self.report_: VocabularyReport | None = chosen.report(language, note)
        return chosen.counts

    def _read_in_its_language(self, tokens: list[str]) -> list[str]:
        """Leave out the stop words of the language of a text, and stem its words if that is wanted."""
        language = choose_language(tokens, self.language_)
        stop_words, stem = stop_words_of(self.stop_words, language), _stemmer(self.stem, language)
        tokens = [word for word in tokens if _says_something(word, stop_words)]
        return tokens if stem is None else [_stem_word(word, stem) for word in tokens]

    def _leave_out(self, chosen: Selection) -> None:
        """Leave out rare words, words without a vector and words beyond the limit, where that is wanted."""
        fewest = self.min_df if isinstance(self.min_df, Integral) else self.min_df * chosen.documents
        enough = chosen.document_frequencies >= fewest
        if self.keep_rare and chosen.vectors is not None:
            enough |= chosen.given | (np.any(chosen.vectors, axis=1) & (chosen.totals >= _ENOUGH_CONTEXTS))
        if self.keep_rare and enough.any():  # a document of rare words alone keeps them
            emptied = (chosen.counts @ enough == 0) & (np.diff(chosen.counts.indptr) > 0)
            enough[chosen.counts[emptied].indices] = True
        chosen.keep(enough, "rare")
        most = self.max_df if isinstance(self.max_df, Integral) else self.max_df * chosen.documents
        chosen.keep(chosen.document_frequencies <= most, "common")
        if self.without_vector == "drop" and chosen.vectors is not None:
            chosen.keep(chosen.given, "without_vector")
        if self.max_words is not None:
            most_frequent = np.argsort(-chosen.totals, kind="stable")[: self.max_words]
            chosen.keep(np.isin(np.arange(len(chosen.words)), most_frequent), "beyond_limit")

    def _keep(self, words: NDArray[np.object_], vectors: NDArray[np.float32] | BundledVectors | None) -> None:
        self.words_ = words
        self.vocabulary_ = {word: column for column, word in enumerate(words)}
        self.packed_vectors_ = vectors  # those of a saved index are decoded when they are used

    @property
    def vectors_(self) -> NDArray[np.float32] | None:
        """The vector of each word, zero where there is none; None where words have no vectors."""
        return None if self.packed_vectors_ is None else np.asarray(self.packed_vectors_)

    @property
    def has_vector_(self) -> NDArray[np.bool_] | None:
        """Which words have a vector; None where none was asked for."""
        return None if self.packed_vectors_ is None else np.any(np.asarray(self.packed_vectors_), axis=1)

    def transform(self, X: Iterable[str] | Corpus) -> sp.csr_matrix:
        """Count the words of texts, one row a text; a text with no known word gets an empty row."""
        check_is_fitted(self)
        return self.count_tokens(map(self._split, texts_of(X, "X")))

    def count_tokens(self, texts: Iterable[list[str]]) -> sp.csr_matrix:
        """Count the words of texts that were cut into words before; a row each, as :meth:`transform` gives.

        Examples
        --------
        >>> Vocabulary.from_words(["cat", "dog"]).count_tokens([["dog", "cow", "dog"]]).toarray()
        array([[0, 2]], dtype=int32)
        """
        if "," in self.language_ or self.stem:
            texts = map(self._read_in_its_language, texts)
        columns, starts = array("i"), array("q", [0])
        for words in texts:
            columns.extend([column for word in words if (column := self.vocabulary_.get(word)) is not None])
            starts.append(len(columns))
        numbers = np.frombuffer(columns, np.int32) if columns else np.empty(0, np.int32)
        return NumberedTexts(len(self.words_), numbers, np.frombuffer(starts, np.int64)).counts()

    @property
    def _split(self) -> Callable[[str], list[str]]:
        """What cuts a text into words, and words in a row where those count."""
        split = tokenize if self.tokenizer is None else self.tokenizer
        return split if self.ngrams == 1 else partial(_in_a_row, split, self.ngrams)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Give the words, for scikit-learn."""
        check_is_fitted(self)
        return self.words_

    def set_output(self, *, transform: str | None = None) -> Self:
        """Refuse data frames, as scikit-learn's CountVectorizer does: counts are a sparse matrix."""
        if transform in (None, "default"):
            return self
        raise ValueError(
            f"Counts are a sparse matrix, not a data frame: set_output(transform={transform!r}) is for what "
            'comes after, such as pipeline[-1].set_output(transform="pandas"). For a frame of the counts: '
            "pandas.DataFrame.sparse.from_spmatrix(counts, columns=vocabulary.words_)"
        )

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "word_vectors": None} if self.__sklearn_is_fitted__() else vars(self)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "words_")


def _says_something(word: str, stop_words: frozenset[str]) -> bool:
    """Tell whether no part of a word, or of words in a row, is a stop word."""
    return word not in stop_words and (" " not in word or stop_words.isdisjoint(word.split(" ")))


def _stem_word(word: str, stem: Stem) -> str:
    return " ".join(map(stem, word.split(" "))) if " " in word else stem(word)


def _stemmer(stem: bool | str, language: str) -> Stem | None:
    return None if stem is False else stemmer(language if stem is True else stem)


def _in_a_row(split: Callable[[str], list[str]], most: int, text: str) -> list[str]:
    words = split(text)
    return words + [
        " ".join(words[start : start + n]) for n in range(2, most + 1) for start in range(len(words) - n + 1)
    ]
