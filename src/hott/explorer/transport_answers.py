"""Answers that take transport: searches and comparisons."""

from typing import TYPE_CHECKING, Any

import numpy as np

from hott.explorer import schemas
from hott.explorer.document_answers import DocumentAnswers
from hott.explorer.highlight import utf16_marks

if TYPE_CHECKING:
    from hott.index import By

_STEPS = 200  # of the flow between words
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
        only = None if within is None else np.isin(np.arange(len(self.index)), self.selected(within)[0])
        # A thread for each request: under load the cores are busy with other requests.
        hits = self.index.search(k=k, id=id, text=text, by=by, where=only, threads=1)
        told = self.index.reasons(hits) if reasons else [""] * len(hits)
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
                snippet=hit.snippet.text,
                marks=list(hit.snippet.marks),
                why=why,
            )
            for hit, why, position in zip(hits, told, map(self.position, (hit.id for hit in hits)))
        ]
        return schemas.SearchResult(
            hits=lines,
            computed=hits.computed,
            pruned=hits.pruned,
            notes=list(hits.notes),
            topics=self._about(hits.query.document if hits.query else None),
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

    def _side(self, side: schemas.ComparisonSide) -> tuple[list[str], int]:
        """Ids of the documents of a side, and how many they stand for."""
        if (side.id is None) == (side.selection is None):
            raise ValueError("A side of a comparison is either an id or a selection.")
        if side.selection is None:
            self.position(str(side.id))
            return [str(side.id)], 1
        positions, _ = self.selected(side.selection)
        known = positions[np.isin(positions, self.index.represented.positions)]
        if not len(known):
            raise ValueError(f"No document with a known word is in {side.name or 'the selection'}.")
        some = known[np.linspace(0, len(known) - 1, min(MAX_COMPARED, len(known))).astype(int)]
        return [self.index.documents.ids[int(i)] for i in some], len(known)
