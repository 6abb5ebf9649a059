"""Which word vectors suit texts: the bundled ones where they know the words, else learned from the texts."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal, TypeAlias

from hott.corpus import Corpus, texts_of
from hott.embeddings.bundled import default
from hott.embeddings.files import load
from hott.embeddings.training import train
from hott.embeddings.vectors import WordVectors, as_word_vectors
from hott.text.languages import (
    Detected,
    StopWords,
    check_language,
    detect_numbered,
    name_languages,
    stop_words_of,
)
from hott.text.tokens import number, tokenize

Embeddings: TypeAlias = WordVectors | str | os.PathLike[str] | Literal[False] | None

_LOOKED_AT = 2_000  # texts, evenly spaced: plenty for a share
_ENOUGH = 0.5
# The bundled vectors are English. By the frequencies of wordfreq they know 46 % of French, stop words apart,
# 31 % of German and 32 % of Spanish: names, loans, and words quoted in English texts.
_ENOUGH_ABROAD = 0.8
# Stemmed texts have lost their stop words, and a tenth or more of their words is known by the stem alone.
_FEW_STOP_WORDS, _MIN_STEMS = 0.03, 0.05


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """The word vectors for texts, the language, and what the caller should be told.

    Attributes
    ----------
    vectors : WordVectors or None
    language : str
    known : float
        The share of the words, stop words apart, that the vectors know, or would have known where others were
        learned from the texts instead.
    learned : bool
        Whether the vectors were learned from the texts.
    note : str
        Empty where all is as expected.
    detected : Detected or None
        How the language was found, where it was not given.
    stemmed : bool
        Whether the texts hold stems in the place of words.

    Examples
    --------
    >>> from hott import embeddings
    >>> choice = embeddings.choose(None, ["The cat sleeps.", "A dog barks."])
    >>> choice.language, choice.known, choice.learned
    ('english', 1.0, False)
    """

    vectors: WordVectors | None
    language: str
    known: float
    learned: bool = False
    note: str = ""
    detected: Detected | None = None
    stemmed: bool = False


def choose(
    embeddings: Embeddings,
    texts: Iterable[str] | Corpus,
    *,
    language: str = "auto",
    stop_words: StopWords = "auto",
    seed: int = 0,
) -> Choice:
    """Choose word vectors for texts.

    The bundled vectors where they know at least half of the words, or four fifths in another language than
    English; else vectors learned from the texts, with a note that says so.

    Parameters
    ----------
    embeddings : None, path, WordVectors, "train", "word2vec" or False
        None leaves the choice open; the others are a file, vectors of one's own, vectors learned from the
        texts by either method of :func:`train`, and none at all (all words equally far apart).
    texts : sequence of str, or Corpus
        The texts; they may be read twice.
    language : str
        As in :class:`hott.Vocabulary`, with "auto" found out.
    stop_words : "auto", language, iterable of str, or None
        As in :class:`hott.Vocabulary`.
    seed : int
        Of the learning.

    Examples
    --------
    >>> choice = choose(None, ["A planet orbits its star.", "The stars and the planets are bright."])
    >>> choice.vectors is default(), choice.language, choice.known
    (True, 'english', 1.0)
    >>> choice = choose(None, ["Die Banken geben Kredite gegen Zinsen.", "Kredite und Zinsen der Banken."])
    >>> choice.vectors, choice.language
    (WordVectors(3 words, 3 dimensions), 'german')
    >>> choice.note[:92]
    'the bundled word vectors, which are English, know 0% of the words of texts taken to be Germa'
    """
    embeddings = check_embeddings(embeddings)
    size = len(texts) if isinstance(texts, Corpus | list | tuple) else 0
    some = islice(texts_of(texts, "texts"), 0, None, max(1, size // _LOOKED_AT))
    words, numbered = number(some)
    counts = dict(zip(words, numbered.totals().tolist()))
    detected = detect_numbered(words, numbered) if language == "auto" else None
    language = check_language(language) if detected is None else detected.languages
    stopped = stop_words_of(stop_words, language)
    content = {word: count for word, count in counts.items() if word not in stopped}

    vectors, note, learned, stemmed = _load_named(embeddings, texts), "", False, False
    known = 0.0 if vectors is None else _share(content, vectors)
    looks_stemmed = detected is not None and detected.share < _FEW_STOP_WORDS
    if vectors is not None and looks_stemmed and known < 1 - _MIN_STEMS:
        spelled = zip(spell_stems(list(content), vectors), content.values())
        by_stems = sum(count for word, count in spelled if word in vectors) / max(sum(content.values()), 1)
        if by_stems - known > _MIN_STEMS:
            stemmed, known = True, by_stems
            note = "the texts look stemmed: their words, and those of queries, are matched by their stems."
    enough = _ENOUGH_ABROAD if embeddings is None and not language.startswith("english") else _ENOUGH
    if embeddings in ("train", "word2vec"):
        method: Literal["ppmi", "word2vec"] = "ppmi" if embeddings == "train" else "word2vec"
        vectors, learned = train(texts, method=method, stop_words=stopped, seed=seed), True
    elif vectors is not None and known < enough:
        which = "bundled word vectors, which are English," if embeddings is None else "word vectors"
        without = sorted((word for word in content if word not in vectors), key=lambda word: -content[word])
        named = ", ".join(without[:3]) + (", ..." if len(without) > 3 else "")
        texts_in = f"texts taken to be {name_languages(language)}"
        note = f"the {which} know {known:.0%} of the words of {texts_in} (not {named}). "
        if embeddings is not None:
            note += "The other words take theirs from the words around them."
        else:
            try:
                vectors, learned = train(texts, stop_words=stopped, seed=seed), True
                note += (
                    "Vectors were learned from the texts instead; better ones of the language can be given: "
                )
                note += 'embeddings="vectors.vec".'
            except ValueError:
                vectors = None
                note += "The texts are too short to learn vectors from: all words are equally far apart."
    return Choice(vectors, language, known, learned, note, detected, stemmed)


def spell_stems(words: Sequence[str], vectors: WordVectors) -> list[str]:
    """Write each word that has no vector as the most frequent word with that stem which has one."""
    return [word if word in vectors else vectors.by_stem.get(word, word) for word in words]


def check_embeddings(embeddings: Any) -> Embeddings:
    """Convert one's own vectors of any kind to :class:`WordVectors`; return other choices as they are."""
    if isinstance(embeddings, str | os.PathLike) and embeddings not in ("train", "word2vec"):
        load(embeddings, limit=1)  # what is wrong with a file is told before any work
    if embeddings is None or embeddings is False or isinstance(embeddings, str | os.PathLike):
        return embeddings
    found = as_word_vectors(embeddings)
    if found is None:
        raise ValueError(
            "embeddings must be None (the bundled vectors), the path of a file, WordVectors, gensim's "
            'KeyedVectors, a mapping of words to vectors, "train", or False (all words equally far apart); '
            f"got {embeddings!r:.60}."
        )
    return found


def _load_named(embeddings: Embeddings, texts: Iterable[str] | Corpus) -> WordVectors | None:
    """Return the vectors that ``embeddings`` names, or None where they are to be learned, or not wanted."""
    if embeddings is None:
        return default()
    if embeddings is False or embeddings in ("train", "word2vec"):
        return None
    if isinstance(embeddings, WordVectors):
        return embeddings
    return load(embeddings, words={word for text in texts_of(texts, "texts") for word in tokenize(text)})


def _share(counts: dict[str, int], vectors: WordVectors) -> float:
    """Return the share of the words that have a vector, each counted as often as it occurs."""
    total = sum(counts.values())
    return sum(count for word, count in counts.items() if word in vectors) / total if total else 1.0
