"""Why each hit of a search was found, in one line."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott.corpus import Document
from hott.distances.representation import Representation
from hott.explain import Reason, SoughtText, far_apart, standing_for
from hott.index.comparing import background
from hott.index.hits import Hit, Hits, Query
from hott.lexical import words_in

if TYPE_CHECKING:
    from hott.index.index import Index

_NEAR = "no word in common; the encoder holds it near"
_NAMED = 5  # words of a text that are named: the rarest


def reasons(index: "Index", hits: Hits) -> list[str]:
    """The words that a document has of a text, and those related to it; of two documents, what both share."""
    query = hits.query
    if query is None:
        raise ValueError("These hits do not know what was searched for: take those of index.search.")
    positions = [index.documents.position(hit.id) for hit in hits]
    documents = [*map(Document.of, index.documents.rows(positions).records())]
    counts = sparse.csr_array(index.vocabulary.transform([document.text for document in documents]))
    told = _of_text if query.id is None else _of_document
    return [*told(index, query, hits, documents, counts)]


def _of_text(
    index: "Index", query: Query, hits: Hits, documents: list[Document], counts: sparse.csr_array
) -> Iterator[str]:
    sought = None if query.document is None else _sought(index, query.document, _columns(index, query))
    by_vector = index._query_reader.encoder is not None
    for row, (hit, document) in enumerate(zip(hits, documents)):
        told, said = _named(index, query, f"{document.title}\n{document.text}")
        related: tuple[tuple[str, ...], float] = ((), 0.0)
        if sought is not None and not np.isnan(hit.distance):
            related = sought.related(_topics(index, hit), counts[[row]], told)
        reason = Reason(said, *related)
        yield _NEAR if by_vector and reason == Reason() else str(reason)


def _of_document(
    index: "Index", query: Query, hits: Hits, documents: list[Document], counts: sparse.csr_array
) -> Iterator[str]:
    id, topics = cast(str, query.id), cast(Representation, query.document)
    own = sparse.csr_array(index.vocabulary.transform([index.documents[index.documents.position(id)].text]))
    sought = _sought(index, topics, standing_for(index.hott, topics, own, background(index)))
    form, names = index._query_reader.forms.form, index.vocabulary.words_
    forms = {form(str(names[word])) for word in own.indices}
    for row, hit in enumerate(hits):
        if hit.id == id:
            yield "the document itself"
        elif np.isnan(hit.distance):
            yield str(Reason())
        else:
            yield str(sought.shared(_topics(index, hit), counts[[row]], lambda word: form(word) in forms))


def _sought(index: "Index", topics: Representation, words: NDArray[np.intp]) -> SoughtText:
    hott, names = index.hott, index.vocabulary.words_
    return SoughtText(hott, topics, words, names, background(index), far_apart(hott))


def _topics(index: "Index", hit: Hit) -> Representation:
    return index._by_topics(index.documents.position(hit.id))


def _named(index: "Index", query: Query, text: str) -> tuple[list[str], tuple[str, ...]]:
    """Words of a query that a text has: all forms of them, and what is said. The rarest, if many."""
    found = [*words_in(text, query.matches, index._query_reader.forms)]
    if len(found) > _NAMED:
        frequency = index._query_reader.frequencies.document_frequency
        rarity = sorted(frequency(form) for form, *_ in found)[_NAMED - 1]
        found = [one for one in found if frequency(one[0]) <= rarity][:_NAMED]
    told = [word for _, words, _ in found for word in words]
    return told, tuple(dict.fromkeys(match.said(words[0]) for _, words, match in found))


def _columns(index: "Index", query: Query) -> NDArray[np.intp]:
    """The words of a text that topics know, or those of the corpus that stand for them."""
    known, written = index.vocabulary.vocabulary_, index._query_reader.matcher.written
    words = [
        word
        for match in query.matches
        for word in (
            [match.word] if match.word in known else match.words or written(form for form, _ in match.by)
        )
    ]
    return np.unique(np.array([known[word] for word in words if word in known], np.intp))
