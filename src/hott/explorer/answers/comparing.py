"""Comparisons and contrasts as answers."""

from typing import TYPE_CHECKING, Literal

import numpy as np
from fastapi import Response

from hott.explorer import schemas
from hott.explorer.answers.base import Id
from hott.explorer.answers.documents import Documents
from hott.explorer.highlight import utf16_marks

if TYPE_CHECKING:
    from hott.explain import Comparison

_STEPS = 200  # of the flow between words
MAX_COMPARED = 100  # documents that stand for a larger group


class Comparisons(Documents):
    """Two documents or groups, side by side."""

    def compare_documents(self, a: Id, b: Id) -> schemas.Answer:
        """Compare two documents."""
        sides = schemas.ComparisonSide(id=a), schemas.ComparisonSide(id=b)
        return self.compare(schemas.ComparisonRequest(a=sides[0], b=sides[1]))

    def compare(self, request: schemas.ComparisonRequest) -> schemas.Answer:
        """Compare two documents or groups: as data, with labels and marks in the texts."""
        a, b = request.a, request.b
        ((first, n_first), (second, n_second)), comparison = self._compare(request)
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
        return said

    def without(self, request: schemas.WithoutRequest) -> schemas.Answer:
        """Compute the distance anew, of both sides without a term."""
        _, comparison = self._compare(request)
        distance = comparison.without(request.term)
        return {"distance": None if np.isnan(distance) else float(distance)}

    def _compare(
        self, request: schemas.ComparisonRequest
    ) -> tuple[list[tuple[list[str], int]], "Comparison"]:
        """Compare both sides; return what :meth:`_side` says of each, too."""
        asked = request.a, request.b
        sides = [self._side(side) for side in asked]
        a, b = (ids if side.selection else ids[0] for side, (ids, _) in zip(asked, sides))
        return sides, self.index.compare(a, b)

    def contrast(self, request: schemas.ContrastRequest) -> schemas.Answer:
        """Say how some documents differ from others, or from all others."""
        first = self._members(request.a)
        second = None if request.b is None else self._members(request.b)
        found = self.index.contrast(first, second)
        n_second = len(self.index) - len(first) if second is None else len(second)
        sides = (found.a, found.sentences_a, len(first)), (found.b, found.sentences_b, n_second)
        return {
            side: {
                "documents": n,
                "terms": [{"text": t.text, "inside": t.inside, "outside": t.outside} for t in terms],
                "sentences": sentences,
            }
            for side, (terms, sentences, n) in zip("ab", sides)
        }

    def _members(self, side: schemas.ComparisonSide) -> list[str]:
        """Return the ids of all documents of a side."""
        if side.selection is None:
            return self._side(side)[0]
        return [self.index.documents.ids[int(i)] for i in self.find_selected(side.selection)[0]]

    def diagram(self, a: Id, b: Id, theme: Literal["light", "dark"] = "light", model: int = 0) -> Response:
        """Draw how the topics of one document become those of another, in one topic model."""
        for id in (a, b):
            if not len(self.index.snapshot.topics.select(np.array([self.position(id)]))):
                raise ValueError(f"The document {id!r} has no known word, so it has no topics.")
        figure = self.index.compare(a, b).plot_topics(model, theme=theme, transparent=True)
        return Response(figure.to_svg(), media_type="image/svg+xml")

    def _side(self, side: schemas.ComparisonSide) -> tuple[list[str], int]:
        """Return the ids of the documents of a side, and how many documents they stand for."""
        if (side.id is None) == (side.selection is None):
            raise ValueError("A side of a comparison is either an id or a selection.")
        if side.selection is None:
            self.position(str(side.id))
            return [str(side.id)], 1
        positions, _ = self.find_selected(side.selection)
        known = positions[np.isin(positions, self.index.snapshot.topics.positions)]
        if not len(known):
            raise ValueError(f"No document with a known word is in {side.name or 'the selection'}.")
        some = known[np.linspace(0, len(known) - 1, min(MAX_COMPARED, len(known))).astype(int)]
        return [self.index.documents.ids[int(i)] for i in some], len(known)
