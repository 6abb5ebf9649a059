"""From an index to what the API answers. The server and the static export both ask here."""

from collections import Counter
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

import hott
from hott.explorer import schemas
from hott.explorer.highlight import utf16_marks
from hott.explorer.layout import Layout
from hott.plots.heatmap import similar_together

if TYPE_CHECKING:
    from hott.index import By, Index

_STEPS = 200  # of the flow between words
_NEAREST = 3


class UnknownDocument(LookupError):
    """No document has the id that was asked for."""


class Answers:
    """Answers about one index, which must not change meanwhile. Any number of threads may ask."""

    def __init__(self, index: "Index", layout: Layout, name: str = "") -> None:
        self.index, self.layout, self.name = index, layout, name
        self.topics = lru_cache(maxsize=None)(self._topics)  # at most one entry a model

    # -- the whole corpus --------------------------------------------------------------------------------

    @cached_property
    def corpus(self) -> schemas.CorpusInfo:
        index = self.index
        counts = Counter(label for label in self._labels if label is not None)
        ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        return schemas.CorpusInfo(
            name=self.name,
            version=hott.__version__,
            documents=len(index),
            words=len(index.vocabulary.words_),
            models=len(index.hott.models_),
            topics=index.hott.models_[0].topics.n_topics,
            labels=[schemas.LabelCount(label=label, documents=n) for label, n in ranked],
            unplaced=int((self._heaviest < 0).sum()),
        )

    def _topics(self, model: int) -> schemas.TopicList:
        """The topics of one model, how far apart they are, and which are alike."""
        summaries = self.index.topics_of(model)
        space = self.index.hott.models_[model]
        names = {topic.number: topic.name for topic in summaries}
        columns = self.index.vocabulary.vocabulary_
        components, distances = space.topics.components, space.distances
        cards = []
        for topic in summaries:
            near = [int(k) for k in np.argsort(distances[topic.number], kind="stable") if k != topic.number]
            nearest = [
                schemas.NearTopic(number=k, name=names[k], distance=float(distances[topic.number, k]))
                for k in near[:_NEAREST]
            ]
            words = [
                schemas.WordWeight(word=word, weight=float(components[topic.number, columns[word]]))
                for word in topic.words
            ]
            cards.append(
                schemas.TopicCard(
                    number=topic.number,
                    name=topic.name,
                    weight=topic.share,
                    coherence=None if np.isnan(topic.coherence) else topic.coherence,
                    is_filler=topic.is_filler,
                    words=words,
                    nearest=nearest,
                )
            )
        order = similar_together(distances)
        return schemas.TopicList(
            model=model,
            models=len(self.index.hott.models_),
            topics=cards,
            order=order.tolist(),
            distances=distances[np.ix_(order, order)].round(6).tolist(),
        )

    def map(self) -> schemas.MapView:
        """Every document with its place, its label and its heaviest topic."""
        final = self.layout.final  # asked first: points that become final meanwhile do no harm
        points = self.layout.points()
        size = np.nanmax(np.abs(points)) if np.isfinite(points).any() else 1.0
        scaled = (points / (size or 1.0)).round(4)
        x, y = ([None if np.isnan(v) else v for v in column] for column in scaled.T.tolist())
        labels = [entry.label for entry in self.corpus.labels]
        codes = {label: code for code, label in enumerate(labels)}
        return schemas.MapView(
            state="final" if final else "preliminary",
            ids=list(self.index.documents.ids),
            titles=list(self.index.documents.titles),
            x=x,
            y=y,
            labels=labels,
            label=[-1 if label is None else codes[label] for label in self._labels],
            topics=[name for _, name in sorted((card.number, card.name) for card in self.topics(0).topics)],
            topic=self._heaviest.tolist(),
        )

    # -- documents ---------------------------------------------------------------------------------------

    def documents(
        self, offset: int, limit: int, label: str | None, topic: int | None, words: str | None
    ) -> schemas.DocumentPage:
        """Some of the documents that have a label, a topic (the most of it first) and all given words."""
        chosen, proportions = np.arange(len(self.index)), None
        if topic is not None:
            if topic >= self._first_model.shape[1]:
                raise ValueError(f"topic must be below {self._first_model.shape[1]}, got {topic}.")
            start, end = self._first_model.indptr[topic : topic + 2]
            rows, masses = self._first_model.indices[start:end], self._first_model.data[start:end]
            order = np.argsort(-masses, kind="stable")
            chosen, proportions = rows[order], masses[order]
        kept = np.ones(len(self.index), bool)
        if label is not None:
            kept &= np.array([own == label for own in self._labels], bool)
        if words is not None and words.split():
            kept &= self._with_words(words.split())
        found = kept[chosen]
        chosen = chosen[found]
        shown = chosen[offset : offset + limit]
        table = self.index.documents.rows(shown.tolist(), ["id", "title", "label"]).records()
        parts: list[float | None] = [None] * len(shown)
        if proportions is not None:
            parts = proportions[found][offset : offset + limit].tolist()
        lines = [schemas.DocumentLine(**row, proportion=part) for row, part in zip(table, parts)]
        return schemas.DocumentPage(total=len(chosen), offset=offset, documents=lines)

    def document(self, id: str) -> schemas.DocumentView:
        """One document with its text and its topics."""
        position = self.position(id)
        document = self.index.documents[position]
        row = self._first_rows[[position]]
        names = {card.number: card.name for card in self.topics(0).topics}
        topics = [
            schemas.TopicShare(number=int(k), name=names[int(k)], proportion=float(row.data[at]))
            for at in np.argsort(-row.data, kind="stable")
            for k in [row.indices[at]]
        ]
        return schemas.DocumentView(
            id=document.id, title=document.title, label=document.label, text=document.text, topics=topics
        )

    def position(self, id: str) -> int:
        try:
            return self.index.documents.position(id)
        except ValueError as error:
            raise UnknownDocument(str(error)) from None

    # -- answers that take transport ---------------------------------------------------------------------

    def search(
        self, k: int, *, id: str | None = None, text: str | None = None, by: "By" = "both"
    ) -> schemas.SearchResult:
        """The nearest documents of a text or of a document, each with the reason in one line."""
        if id is not None:
            self.position(id)
        # A thread for each request: under load the cores are busy with other requests.
        hits = self.index.search(k=k, id=id, text=text, by=by, threads=1)
        reasons = self.index.reasons(hits)
        lines = [
            schemas.HitLine(
                id=hit.id,
                title=hit.title or hit.name,
                label=hit.label,
                distance=None if np.isnan(hit.distance) else hit.distance,
                score=hit.score,
                snippet=hit.snippet.text,
                marks=list(hit.snippet.marks),
                why=why,
            )
            for hit, why in zip(hits, reasons)
        ]
        return schemas.SearchResult(
            hits=lines, computed=hits.computed, pruned=hits.pruned, notes=list(hits.notes)
        )

    def compare(self, a: str, b: str) -> schemas.ComparisonView:
        """Why two documents are near or far: the comparison as data, with labels and marks in the texts."""
        documents = [self.index.documents[self.position(id)] for id in (a, b)]
        comparison = self.index.compare(a, b)
        said = comparison.to_dict(steps=_STEPS)
        for side, document, marks in zip(("a", "b"), documents, comparison.marks):
            said[side] |= {"label": document.label, "marks": utf16_marks(document.text, marks)}
        return schemas.ComparisonView(**said)

    # -- what is looked up again and again ---------------------------------------------------------------

    @cached_property
    def _labels(self) -> list[str | None]:
        return list(self.index.documents.labels)

    @cached_property
    def _first_rows(self) -> sparse.csr_array:
        """Proportions in the first topic model, by document."""
        n_topics = self.index.hott.models_[0].topics.n_topics
        return sparse.csr_array(self.index.proportions[:, :n_topics])

    @cached_property
    def _first_model(self) -> sparse.csc_array:
        """Proportions in the first topic model, by topic."""
        return sparse.csc_array(self._first_rows)

    @cached_property
    def _heaviest(self) -> NDArray[np.intp]:
        """The heaviest topic of each document; -1 for one without a known word."""
        rows = self._first_rows
        return np.where(np.diff(rows.indptr) > 0, np.asarray(rows.argmax(axis=1)).ravel(), -1)

    def _with_words(self, words: list[str]) -> NDArray[np.bool_]:
        """Which documents have all these words in their title or text."""
        wanted = [word.casefold() for word in words]
        said = (f"{document.title}\n{document.text}".casefold() for document in self.index.documents)
        return np.array([all(word in text for word in wanted) for text in said], bool)
