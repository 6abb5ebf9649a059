"""Searches as answers: what is found, why, and where in a document."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hott.explorer import schemas
from hott.explorer.answers.base import Count, Id
from hott.explorer.answers.documents import Documents
from hott.explorer.highlight import find_asked, find_shared, tell_words, utf16_places
from hott.explorer.schemas import Answer
from hott.lexical import Snippet, snippet
from hott.lexical.snippets import best_start
from hott.terms import find_terms

if TYPE_CHECKING:
    from hott.index import Hit
    from hott.index.meaning import Meeting

MAX_TERMS = 20  # of a document, by which the passages of those like it are chosen
PASSAGE = 400  # characters in which the most of what was searched for begins a reading


class Searches(Documents):
    """Documents near a text or a document."""

    def search_by_id(self, id: Id, k: Count = 10) -> Answer:
        """Find the documents nearest to a document; it is the first itself."""
        return self.search(schemas.SearchRequest(id=id, k=k, by="both", within=None, reasons=True))

    def search(self, request: schemas.SearchRequest) -> Answer:
        """Find the documents nearest to any text, or to a document, each with the reason in one line."""
        id, text, within = request.id, request.text, request.within
        if (text is None) == (id is None):
            raise ValueError("Give either a text or an id.")
        if id is not None:
            self.position(id)
        only = None if within is None else np.isin(np.arange(len(self.index)), self.find_selected(within)[0])
        # A thread for each request: under load the cores are busy with other requests.
        hits = self.index.search(k=request.k, id=id, text=text, by=request.by, where=only, threads=1)
        told = self.index.reasons(hits) if request.reasons else [""] * len(hits)
        met = self.index.meetings(hits) if request.reasons else [()] * len(hits)
        terms = {} if id is None else self._terms_of(id)
        lines = []
        for hit, why, meetings in zip(hits, told, met):
            place = self.position(hit.id)
            passage = self._passage(hit, place, terms, meetings)
            utf16 = utf16_places(passage.text)
            marks = [(utf16[start], utf16[end]) for start, end in passage.marks]
            own = {"title": hit.name, "position": place, "snippet": passage.text, "marks": marks, "why": why}
            line: Answer = hit.to_dict() | own
            lines.append({name: line[name] for name in line if name not in ("name", "columns")})
        return {
            "hits": lines,
            "computed": hits.computed,
            "pruned": hits.pruned,
            "notes": list(hits.notes),
            "words": tell_words(hits.query.matches if hits.query else (), met),
            "topics": self._about(hits.query.document if hits.query else None),
        }

    def _terms_of(self, id: str) -> dict[str, float]:
        """Return the words of the terms of a document, and how special each is to it."""
        document, analyzer = self.index.documents[self.position(id)], self.index.model.analyzer
        found = find_terms(document.text, self.index.term_statistics, document.title).terms
        special = [term for term in found if not term.is_minor][:MAX_TERMS]
        return {analyzer.form(word): term.weight for term in special for word in analyzer.tokens(term.text)}

    def _passage(
        self, hit: "Hit", position: int, terms: dict[str, float], meetings: "Sequence[Meeting]"
    ) -> Snippet:
        """Choose the passage of a hit; where no word of a text is in it, by words near them in meaning."""
        near = {word for meeting in meetings for word in meeting.met}
        if hit.snippet.marks or not (terms or near):
            return hit.snippet
        form = self.index.model.analyzer.form
        text = self.index.documents[position].text
        return snippet(text, lambda word: terms.get(form(word), 0.0) if terms else float(word in near))

    def marks(self, request: schemas.MarkRequest) -> Answer:
        """Find where in a document what was searched for is, and the passage that has the most of it."""
        if (request.text is None) == (request.like is None):
            raise ValueError("Give either a text or the id of a document that is like it.")
        document = self.index.documents[self.position(request.id)]
        if request.like is not None:
            other = self.index.documents[self.position(request.like)]
            words, marks = find_shared(document, other, self.index.term_statistics)
        else:
            words, marks = find_asked(self.index, document, str(request.text))
        spans = [(start, end, weight) for start, end, _, weight in marks]
        place = utf16_places(document.text)
        return {
            "words": words,
            "marks": [(place[start], place[end], group) for start, end, group, _ in marks],
            "passage": place[best_start(spans, PASSAGE)] if spans else 0,
        }

    def _about(self, query: Any) -> list[Answer]:
        """List the topics that a query is about, the heaviest first."""
        if query is None or not len(query):
            return []
        row, leader = query.distributions[0].csr, self.index.curation().leader
        shares = np.bincount(leader[row.indices], row.data, minlength=len(leader)).astype(float)
        return self.first.name(shares, 5, 0.01)
