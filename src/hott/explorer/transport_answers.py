"""Answers that take transport: searches and comparisons."""

from typing import TYPE_CHECKING, Any

import numpy as np

from hott.explorer import schemas
from hott.explorer.document_answers import DocumentAnswers
from hott.explorer.highlight import find_asked, find_shared, tell_words, utf16_marks, utf16_places
from hott.lexical import Snippet, snippet
from hott.lexical.snippets import best_start
from hott.terms import find_terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hott.index import By, Hit
    from hott.index.meaning import Meeting
    from hott.plots.style import Theme

MAX_TERMS = 20  # of a document, by which the passages of those like it are chosen
_STEPS = 200  # of the flow between words
PASSAGE = 400  # characters in which the most of what was searched for begins a reading
MAX_COMPARED = 100  # documents that stand for a larger group


class TransportAnswers(DocumentAnswers):
    """What is near, and what moves where."""

    def search(
        self,
        k: int,
        *,
        id: str | None = None,
        text: str | None = None,
        by: "By" = "both",
        within: schemas.Selection | None = None,
        reasons: bool = True,
    ) -> schemas.SearchResult:
        """The nearest documents of a text or of a document, each with the reason in one line."""
        if id is not None:
            self.position(id)
        only = None if within is None else np.isin(np.arange(len(self.index)), self.find_selected(within)[0])
        # A thread for each request: under load the cores are busy with other requests.
        hits = self.index.search(k=k, id=id, text=text, by=by, where=only, threads=1)
        told = self.index.reasons(hits) if reasons else [""] * len(hits)
        met = self.index.meetings(hits) if reasons else [()] * len(hits)
        terms = {} if id is None else self._terms_of(id)
        lines = [
            schemas.HitLine(
                position=position,
                id=hit.id,
                title=hit.name,
                label=hit.label,
                distance=None if np.isnan(hit.distance) else hit.distance,
                score=hit.score,
                words=hit.words,
                topics=hit.topics,
                meaning=hit.meaning,
                snippet=passage.text,
                marks=list(passage.marks),
                why=why,
            )
            for hit, why, meetings in zip(hits, told, met)
            for position in [self.position(hit.id)]
            for passage in [self._passage(hit, position, terms, meetings)]
        ]
        return schemas.SearchResult(
            hits=lines,
            computed=hits.computed,
            pruned=hits.pruned,
            notes=list(hits.notes),
            words=tell_words(hits.query.matches if hits.query else (), met),
            topics=self._about(hits.query.document if hits.query else None),
        )

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

    def marks(self, request: schemas.MarkRequest) -> schemas.MarkView:
        """Find where in a document what was searched for is, and the passage that has the most of it."""
        document = self.index.documents[self.position(request.id)]
        if request.like is not None:
            other = self.index.documents[self.position(request.like)]
            words, marks = find_shared(document, other, self.index.term_statistics)
        else:
            words, marks = find_asked(self.index, document, str(request.text))
        spans = [(start, end, weight) for start, end, _, weight in marks]
        place = utf16_places(document.text)
        return schemas.MarkView(
            words=words,
            marks=[(place[start], place[end], group) for start, end, group, _ in marks],
            passage=place[best_start(spans, PASSAGE)] if spans else 0,
        )

    def _about(self, query: Any) -> list[schemas.TopicShare]:
        """What a query is about."""
        if query is None or not len(query):
            return []
        row, leader = query.distributions[0].csr, self.index.curation().leader
        shares = np.bincount(leader[row.indices], row.data, minlength=len(leader))
        names = self.first.names
        return [
            schemas.TopicShare(number=int(k), name=names[int(k)], proportion=float(shares[k]))
            for k in np.argsort(-shares, kind="stable")[:5]
            if shares[k] > 0.01
        ]

    def compare(self, a: schemas.ComparisonSide, b: schemas.ComparisonSide) -> schemas.ComparisonView:
        """Compare two documents or groups: as data, with labels and marks in the texts."""
        (first, n_first), (second, n_second) = self._side(a), self._side(b)
        comparison = self.index.compare(
            first if a.selection else first[0], second if b.selection else second[0]
        )
        said = comparison.to_dict(steps=_STEPS)
        for pair, quotes in zip(said["quotes"], comparison.quotes):
            for shown, quote in zip(pair, quotes):
                shown["marks"] = utf16_marks(quote.text, quote.marks)
        found = (comparison.terms.a.text, comparison.terms.b.text)
        for side, asked, ids, n, text, marks in zip(
            ("a", "b"), (a, b), (first, second), (n_first, n_second), found, comparison.marks
        ):
            said[side] |= {"label": None, "text": text, "marks": utf16_marks(text, marks), "of": n}
            if asked.selection:
                said[side]["title"] = asked.name
                continue
            document = self.index.documents[self.position(ids[0])]
            said[side] |= {"title": document.name, "label": document.label, "text": None}
        return schemas.ComparisonView(**said)

    def contrast(self, request: schemas.ContrastRequest) -> schemas.ContrastView:
        """Say how some documents differ from others, or from all others."""
        first = self._members(request.a)
        second = None if request.b is None else self._members(request.b)
        found = self.index.contrast(first, second)
        n_second = len(self.index) - len(first) if second is None else len(second)
        sides = zip((len(first), n_second), (found.a, found.b), (found.sentences_a, found.sentences_b))
        first_view, second_view = (
            schemas.ContrastSide(
                documents=n,
                terms=[
                    schemas.ContrastTerm(text=term.text, inside=term.inside, outside=term.outside)
                    for term in terms
                ],
                sentences=list(sentences),
            )
            for n, terms, sentences in sides
        )
        return schemas.ContrastView(a=first_view, b=second_view)

    def _members(self, side: schemas.ComparisonSide) -> list[str]:
        """Return the ids of all documents of a side."""
        if side.selection is None:
            return self._side(side)[0]
        return [self.index.documents.ids[int(i)] for i in self.find_selected(side.selection)[0]]

    def diagram(self, a: str, b: str, theme: "Theme", model: int = 0) -> str:
        """Draw how the topics of one document become those of another."""
        for id in (a, b):
            if not len(self.index.represented.select(np.array([self.position(id)]))):
                raise ValueError(f"The document {id!r} has no known word, so it has no topics.")
        return self.index.compare(a, b).plot_topics(model, theme=theme, transparent=True).to_svg()

    def _side(self, side: schemas.ComparisonSide) -> tuple[list[str], int]:
        """Ids of the documents of a side, and how many they stand for."""
        if (side.id is None) == (side.selection is None):
            raise ValueError("A side of a comparison is either an id or a selection.")
        if side.selection is None:
            self.position(str(side.id))
            return [str(side.id)], 1
        positions, _ = self.find_selected(side.selection)
        known = positions[np.isin(positions, self.index.represented.positions)]
        if not len(known):
            raise ValueError(f"No document with a known word is in {side.name or 'the selection'}.")
        some = known[np.linspace(0, len(known) - 1, min(MAX_COMPARED, len(known))).astype(int)]
        return [self.index.documents.ids[int(i)] for i in some], len(known)
