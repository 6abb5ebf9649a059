"""What is searched for: the words and topics of a text, in terms of a collection."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NoReturn, TypeAlias

import numpy as np

from hott import embeddings
from hott.checks import check_choice
from hott.distances.representation import Representation
from hott.index.hits import Query
from hott.index.model import Encoder, encoded
from hott.index.reading import Reader
from hott.lexical import Frequencies, Language, Match, Matcher, Snippet, Weighed, WordForms, snippet
from hott.run import Run
from hott.tokens import tokenize

By: TypeAlias = Literal["both", "words", "topics"]

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


@dataclass(frozen=True, slots=True, eq=False)
class Sought:
    """A query as the documents of a collection, or of any part of it, are ranked by it."""

    document: Representation | None  # by its topics; None where no word of it is known
    words: Weighed
    by: By
    vector: Representation | None = None  # of an encoder


@dataclass(frozen=True, eq=False)
class QueryReader:
    """Reads queries in terms of a collection: its words, how common they are, and its topics."""

    reader: Reader
    frequencies: Frequencies
    forms: WordForms
    bundled_vectors: bool  # whether words that are in no document have vectors to be looked up
    encoder: Encoder | None = None  # where documents have vectors of it

    @cached_property
    def matcher(self) -> Matcher:
        vocabulary = self.reader.vocabulary
        language = embeddings.default() if self.bundled_vectors else None
        return Matcher(self.frequencies, self.forms, vocabulary.words_, vocabulary.vectors_, language)

    @property
    def language(self) -> Language | None:
        """How common words are elsewhere, where the language has a list of its words."""
        return Language.at_large(self.forms) if self.bundled_vectors else None

    def read(self, text: str) -> Query:
        """What a text searches for."""
        words = list(dict.fromkeys(self.forms.tokens(text)))
        matches = self.matcher.match_all(words)
        document = self.reader.read([_meant(text, matches)], Run(threads=1))
        return Query(document if len(document) else None, text=text, matches=matches)

    def weights(self, query: Query) -> dict[str, float]:
        """Words of the collection, and how much each counts for a query."""
        times = Counter(self.forms.tokens(query.text or ""))
        found: dict[str, float] = {}
        for match in query.matches:
            share = 1 / len(match.by) if match.how == "near in meaning" else 1.0
            for word, weight in match.by:
                found[word] = found.get(word, 0.0) + times[match.word] * weight * share
        return found

    def sought(self, query: Query, by: By, number: int | None = None) -> Sought:
        """What documents are ranked by. An error, with suggestions, when there is nothing to go on.

        It says which of many texts the query is, where its ``number`` is given.
        """
        check_choice(by, "by", ("both", "words", "topics"))
        text, vector = query.text or "", None
        if by == "both" and self.encoder is not None and tokenize(text):
            vector = encoded([text], self.encoder)
        if vector is None and query.document is None and not any(match.by for match in query.matches):
            self._refuse(text, number)
        words = {} if by == "topics" else self.weights(query)
        return Sought(query.document, self.frequencies.weighed(words, self.language), by, vector)

    def _refuse(self, text: str, number: int | None) -> NoReturn:
        shown = repr(text[:60]) + ("..." if len(text) > 60 else "")
        which = "" if number is None else f"texts[{number}]: "
        common = np.argsort(-self.frequencies.documents, kind="stable")[:SUGGESTED]
        words = self.matcher.written(self.frequencies.words[common])
        raise EmptyQuery(
            f"{which}The query {shown} has nothing to search by: no word of it is in the documents, or like "
            f"one that is. Words that many documents have: {', '.join(words)}."
        )


def _meant(text: str, matches: Sequence[Match]) -> str:
    """A text as topics read it.

    A misspelt word has no topics of its own: what it is spelled like has. A word that no word of the
    documents is like has none either, though by its vector it would be given some.
    """
    instead = {
        match.word: match.words for match in matches if match.how in ("spelled like", "in no document")
    }
    if not instead:
        return text
    return " ".join(word for token in tokenize(text) for word in instead.get(token, (token,)))


def passage(text: str, words: dict[str, float], forms: WordForms) -> Snippet:
    """The passage of a document that shows best what was searched for, by the weights of its words."""
    return snippet(text, lambda word: words.get(forms.form(word), 0.0))
