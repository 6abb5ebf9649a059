"""QueryParser: from a text to the words and topics that documents are ranked by."""

import re
from collections import Counter
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NoReturn, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hott import embeddings
from hott.distances.vector import MeaningVectors
from hott.embeddings.encoder import Encoder, WordsInContext
from hott.index.hits import By, Query
from hott.index.meaning import QUERY_CENTRE
from hott.index.model import Model, encode
from hott.lexical import Frequencies, Language, Match, Matcher
from hott.text.tokens import tokenize
from hott.utils.checks import check_choice
from hott.utils.run import Run

_WORD = re.compile(r"\w+")
_QUOTED = re.compile(r'(?<!\w)["“„«]([^"“”„«»]+)["“”»]')
_WAYS = ("both", "words", "topics", "meaning")
_ONE_THREAD = Run(threads=1)
MAX_ASKED = 40  # words: a longer query is a text that was pasted, and its quotation marks are the author's
MAX_ENCODED = 50_000  # characters of a query that the encoder reads: each word takes a kilobyte
SUGGESTED = 5  # words in the error for a query with nothing to search by


class EmptyQuery(ValueError):
    """A query has nothing to search by: no word of it is in the documents, or like one that is.

    Examples
    --------
    >>> import hott
    >>> index = hott.Index.build(["Planets orbit stars.", "Goals win a match."], n_topics=2, n_models=1)
    >>> try:
    ...     index.search("?!")
    ... except EmptyQuery as error:
    ...     print(str(error)[:43])
    The query '?!' has nothing to search by: no
    """


@dataclass(frozen=True, eq=False)
class QueryParser:
    """Parses queries in terms of a collection: its words, how common they are, and its topics."""

    model: Model
    frequencies: Frequencies

    @cached_property
    def matcher(self) -> Matcher:
        """What finds the words of the collection that stand for those of a query."""
        vocabulary = self.model.vocabulary
        language = embeddings.default() if self.model.reads_unseen else None
        return Matcher(
            self.frequencies,
            self.model.analyzer,
            vocabulary.words_,
            # An encoder reads words in their company, and takes "dirty" for no "clean".
            lambda: None if self.model.searches_by_meaning else self.model.quantized_vectors,
            language,
        )

    @cached_property
    def language(self) -> Language | None:
        """How common words are elsewhere, where the language has a list of its words."""
        return Language.at_large(self.model.analyzer) if self.model.reads_unseen else None

    def parse(self, text: str, by: By = "both", number: int | None = None) -> Query:
        """Return what documents are ranked by; an error, with suggestions, when there is nothing to go on.

        It says which of many texts the query is, where its ``number`` is given.
        """
        if by not in _WAYS:
            check_choice(by, "by", _WAYS)
        if by == "meaning" and not self.model.searches_by_meaning:
            raise ValueError(
                'by="meaning" needs vectors of the documents, and this index has none, or not their encoder: '
                "build it again, or open it with the encoder that it was built with."
            )
        tokens = tokenize(text)
        forms = self.model.analyzer
        stop_words = (forms.narrow(tokens) if forms.others else forms).stop_words
        times = Counter(token for token in tokens if token not in stop_words)
        typed = {word.lower(): word for word in _WORD.findall(text)}
        found = self.matcher.match_all(list(times))
        matches, read = tuple(replace(match, typed=typed.get(match.word, "")) for match in found), text
        if any(match.how != "same" for match in matches):
            known = Encoder.load() if isinstance(self.model.searched_vectors, MeaningVectors) else ()
            tokens, read = _replace_misspelt(tokens, matches, known), _correct(text, matches)
        document = self.model.represent_topics([tokens], _ONE_THREAD)
        has_topics, vector = len(document.positions) > 0, None
        if by in ("both", "meaning") and times:
            vector = self._encode(read)
        phrases = find_phrases(text) if _QUOTED.search(text) else ()
        weights, total = self._weigh(times, matches)
        if vector is None and not has_topics and not weights:
            phrases = phrases or find_numbers(text)  # which are no words, and in the texts all the same
            if not phrases:
                self._refuse(text, number)
            weights = dict.fromkeys(_WORD.findall(" ".join(phrases).lower()), 1.0)  # to be marked
        words = self.frequencies.weigh(weights if by in ("both", "words") else {}, self.language, total)
        return Query(
            document if has_topics else None,
            None,
            text,
            matches,
            weights,
            words,
            by,
            vector,
            corrected=None if read == text else read,
            phrases=phrases,
        )

    def _weigh(self, times: Counter[str], matches: Sequence[Match]) -> tuple[dict[str, float], float]:
        """Weigh forms of words of the collection for a query; and say how rare its words are together."""
        weights, total = dict[str, float](), 0.0
        for match in matches:
            share = 1 / len(match.by) if match.how == "near in meaning" else 1.0
            for form, weight in match.by:
                weights[form] = weights.get(form, 0.0) + times[match.word] * weight * share
            if match.how in ("same", "parts", "spelled like"):  # by the word itself, not by its compounds
                rarity = max(w * self.frequencies.idf(form, self.language) for form, w in match.by)
            else:
                rarity = self.rarity(match.word)
            total += times[match.word] * rarity
        return weights, total

    def rarity(self, word: str) -> float:
        """Return how rare a word is, here and in the language at large: its inverse frequency."""
        return self.frequencies.idf(self.model.analyzer.form(word), self.language)

    def read_in_context(self, text: str) -> WordsInContext:
        """Read a query by the bundled encoder, where rare words count more than common ones.

        The encoder knows how much words say in the language; what they say here depends on the documents.
        Stop words count as the rarest does: what they say is known.
        """
        found = Encoder.load().words_in_context(text[:MAX_ENCODED], threads=1)
        stop_words = self.model.analyzer.stop_words
        rarity = {word: self.rarity(word) for word in found.words if word not in stop_words}
        most = max(rarity.values(), default=1.0)
        return found.weigh(lambda word: rarity.get(word, most) / most)

    def _encode(self, text: str) -> NDArray[np.floating] | None:
        """Make a vector of a query; None where there is no encoder, or it knows no word of it."""
        model = self.model
        vectors = model.searched_vectors
        if vectors is None:
            return None
        if not isinstance(vectors, MeaningVectors):
            [rows] = encode([text], cast(Callable[[list[str]], ArrayLike], model.encoder)).parts
            return cast(NDArray[np.floating], rows)[0]
        total = self.read_in_context(text).rows.sum(axis=0, dtype=np.float64)
        length = float(np.linalg.norm(total))
        # What documents are less is taken from it as well, when they are compared: a part is added before.
        return total / length + (1 - QUERY_CENTRE) * vectors.centre_ if length else None

    def _refuse(self, text: str, number: int | None) -> NoReturn:
        shown = repr(text[:60]) + ("..." if len(text) > 60 else "")
        which = "" if number is None else f"texts[{number}]: "
        common = np.argsort(-self.frequencies.documents, kind="stable")[:SUGGESTED]
        words = self.matcher.find_spellings(self.frequencies.words[common])
        raise EmptyQuery(
            f"{which}The query {shown} has nothing to search by: no word of it is in the documents, or like "
            f"one that is. Words that many documents have: {', '.join(words)}."
        )


def find_phrases(text: str) -> tuple[str, ...]:
    """Find what stands in quotation marks, in a text of a length that people type."""
    if len(_WORD.findall(text)) > MAX_ASKED:
        return ()
    found = (" ".join(phrase.split()) for phrase in _QUOTED.findall(text))
    return tuple(phrase for phrase in found if _WORD.search(phrase))


def find_numbers(text: str) -> tuple[str, ...]:
    """Find the numbers in a text of a length that people type, such as a year.

    Examples
    --------
    >>> find_numbers("1966")
    ('1966',)
    """
    found = _WORD.findall(text)
    return tuple(word for word in found if word.isdecimal()) if len(found) <= MAX_ASKED else ()


def match_phrase(phrase: str) -> re.Pattern[str]:
    """Make a pattern of a phrase: its words as typed, in either case, whatever stands between them."""
    words = r"[\W_]+".join(map(re.escape, _WORD.findall(phrase)))
    return re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)


def _correct(text: str, matches: Sequence[Match]) -> str:
    """Return a text as the encoder reads it: misspelt words as what they are spelled like."""
    meant = {match.word: match.meant for match in matches if match.meant}
    return _WORD.sub(lambda word: meant.get(word.group().lower(), word.group()), text) if meant else text


def _replace_misspelt(tokens: list[str], matches: Sequence[Match], known: Container[str]) -> list[str]:
    """Return a text as topics read it.

    A misspelt word has no topics of its own: what it is spelled like has. A word that is like none of the
    documents, and that no encoder knows, has none either, though by its vector it would be given some.
    """
    replaced = {
        match.word: (match.meant,) if match.meant else match.words
        for match in matches
        if match.meant or match.how == "parts" or (match.how == "in no document" and match.word not in known)
    }
    if not replaced:
        return tokens
    return [word for token in tokens for word in replaced.get(token, (token,))]
