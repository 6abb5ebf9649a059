"""Searchable: what an Index and Shards answer alike."""

import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott.corpus import texts_of
from hott.index import search
from hott.index.edits import Curation, Edit
from hott.index.filters import Filter, Where, check_filter
from hott.index.hits import By, HitLists, Hits
from hott.index.model import Model
from hott.index.reading import BATCH, represent_corpus, with_empty_rows, write_proportions
from hott.index.searcher import Searcher
from hott.index.snapshot import Snapshot
from hott.index.topics import check_model_number, color_documents
from hott.neighbors import mapping
from hott.topics import Topic
from hott.utils.checks import check_count
from hott.utils.run import Run, RunOptions

if TYPE_CHECKING:
    from hott.explain import Comparison
    from hott.index.build import CorpusLike
    from hott.index.comparing import Comparable
    from hott.index.meaning import Meeting
    from hott.terms import TermStatistics


class Searchable(ABC):
    """Documents that can be searched and compared: the base of :class:`Index` and :class:`Shards`."""

    # Replaced whole by every change. A method reads it once: what changes meanwhile is not seen.
    _searcher: Searcher
    edits: tuple[Edit, ...] = ()

    @property
    def model(self) -> Model:
        """The words, topics and distances that were learned."""
        return self._searcher.model

    @property
    def searcher(self) -> Searcher:
        """The model and all documents at this moment."""
        return self._searcher

    def __len__(self) -> int:
        return len(self._searcher)

    def search(
        self,
        query: str | None = None,
        k: int = 10,
        *,
        id: str | None = None,
        text: str | None = None,
        by: By = "both",
        where: Filter = None,
        **options: Unpack[RunOptions],
    ) -> Hits:
        """Find the ``k`` documents that fit a text best, or those nearest to a document of the index.

        Parameters
        ----------
        query : str
            The id of a document, where there is one with that id; a text otherwise. ``id=`` or ``text=`` in
            its place say which is meant.
        k : int
            How many documents to find; all of them when there are fewer.
        by : "both", "words", "topics" or "meaning"
            For a text: by its words (BM25, over every word of the documents and their titles), by how far its
            topics are from theirs, by the vectors of an encoder, or by all together. Exact in each case. A
            word that is in no document is searched by a word spelled like it or, without an encoder, near
            in meaning, and ``hits.notes`` says so.
        where : dict or array of bool, optional
            Find only documents whose columns are so: ``{"label": "sport", "year": (2004, 2005)}``. A column
            is given a value, a (first, last) range (None: open), or a list of these, of which one must hold.
            A year or a month stands for all its days; None for a missing value. Or an array that marks
            the documents of an index, in their order, that may be found.
        **options : threads, device
            Of shards also ``client``.

        Returns
        -------
        Hits
            Best first. A document that is searched for, by its id or by its own text, is the first. Those of
            shards are those of one index of all documents in every bit; only ``computed`` and ``pruned`` may
            be others.

        Examples
        --------
        >>> import hott
        >>> texts = ["Stars shine at night.", "Bread is baked in an oven."]
        >>> index = hott.Index.build(hott.Corpus(texts, ids=["sky", "food"]), n_topics=2, n_models=1)
        >>> index.search("a hot oven", k=1)[0].id
        'food'
        """
        run, searcher = Run.of(options), self._searcher
        if type(k) is not int or k < 1:
            k = check_count(k, "k")
        if where is not None:
            _check_mask(searcher, where)
        target = searcher.resolve(query, id, text, run)
        if isinstance(target, int):
            hits = search.search_like(searcher, target, k, where, run)
        else:
            queries = [searcher.parser.parse(target, by)]
            ranked = search.rank_queries(searcher, queries, k, where, run)
            [hits] = search.fetch_hits(searcher, queries, ranked, run)
        return replace(hits, explain=partial(_explain, searcher))

    def search_many(
        self,
        texts: Sequence[str],
        k: int = 10,
        *,
        by: By = "both",
        where: Where | None = None,
        **options: Unpack[RunOptions],
    ) -> list[Hits]:
        """Find the ``k`` documents nearest to each of many texts: what :meth:`search` finds for each."""
        checked, run, searcher = list(texts_of(texts, "texts")), Run.of(options), self._searcher
        check_count(k, "k")
        _check_mask(searcher, where)
        found = search.search_many(searcher, checked, k, by, where, run)
        return HitLists(replace(hits, explain=partial(_explain, searcher)) for hits in found)

    @property
    def term_statistics(self) -> "TermStatistics":
        """The number of documents that have each word and phrase, from which everything is told."""
        return self._searcher.terms

    def compare(self, a: "Comparable", b: "Comparable", **options: Unpack[RunOptions]) -> "Comparison":
        """Explain the distance of two documents, or of two groups of them, in their own words.

        Distance and flow are those of whole texts; terms and sentences of the first million characters.

        Parameters
        ----------
        a, b : str, Document, Text, Label, or a list
            The id of a document in the index; a document or a text from outside (:class:`hott.index.Text`,
            as a plain string without a space is an id); all documents of a label
            (:class:`hott.index.Label`); or a list of ids, documents and texts: a group, of which the mean is
            compared.
        **options : threads, client
            For documents of shards, which are brought together.

        Examples
        --------
        >>> import hott
        >>> index = hott.Index.build(hott.demo.corpus()[:20], n_models=1)
        >>> comparison = index.compare("astronomy/venus", "astronomy/asteroid-belt")
        >>> bool(abs(sum(step.cost for step in comparison.flow) - comparison.distance) < 1e-9)
        True
        """
        from hott.index import comparing

        return comparing.compare(self._searcher, a, b, Run.of(options))

    def meetings(self, hits: Hits, **options: Unpack[RunOptions]) -> "list[tuple[Meeting, ...]]":
        """Find by which words of each hit the words of a text were met in meaning, by the bundled encoder.

        Examples
        --------
        >>> import hott
        >>> index = hott.Index.build(hott.demo.corpus()[:40], n_models=1)
        >>> [meetings] = index.meetings(index.search("creatures that eat insects", k=1))
        """
        from hott.index import comparing

        return comparing.find_meetings_of(self._searcher, hits, Run.of(options))

    def reasons(self, hits: Hits, **options: Unpack[RunOptions]) -> list[str]:
        """Say why each hit of :meth:`search` or :meth:`search_many` was found, in one line each.

        For a text: the words of it that the document has, as it writes them, and words that are near them
        in meaning, or else what the document is about. For a document: what both have. Of a long document the
        first 50,000 characters are read for it.

        Examples
        --------
        >>> import hott
        >>> index = hott.Index.build(hott.demo.corpus()[:20], n_models=1)
        >>> index.reasons(index.search("the rings of Saturn", k=1))[0].startswith("has rings, Saturn")
        True
        """
        return _explain(self._searcher, hits, Run.of(options))

    def map(
        self, *, perplexity: float = 30, random_state: int = 0, **options: Unpack[RunOptions]
    ) -> NDArray[np.float64]:
        """Place the documents on a plane so that near documents are near (t-SNE): documents x 2.

        Needs the extra ``hott[plots]``. A document without a known word is at NaN. Up to 150,000
        documents of an index are placed by their exact neighbours, more by near documents of which most
        are the nearest; those of shards by exact ones, sought shard by shard, also by a cluster.
        ``perplexity`` is about how many neighbours a document should be placed by.
        """
        run, searcher = Run.of(options), self._searcher
        parts = searcher.map_all(find_placed, run)
        placed = np.concatenate([own + start for own, start in zip(parts, searcher.starts)])
        k = mapping.n_neighbors(len(placed), perplexity)
        indices, distances = np.empty((len(placed), 0), np.intp), np.empty((len(placed), 0))
        if k:
            indices, distances = self._find_near(searcher, placed, k, random_state, run)
        here = replace(run, client=None)  # the layout is one piece of work
        points = np.full((len(searcher), 2), np.nan)
        points[placed] = mapping.layout(
            indices, distances, perplexity=perplexity, random_state=random_state, **here.options
        )
        return points

    @abstractmethod
    def _find_near(
        self, searcher: Searcher, placed: NDArray[np.intp], k: int, seed: int, run: Run
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Find the documents nearest to each that has a place: their numbers among these, and distances."""

    def colors(self, by: str = "auto", **options: Unpack[RunOptions]) -> list[str | None]:
        """Choose what to colour each document by: its label, or the name of its heaviest topic.

        ``by`` is "label", "topic", or "auto": labels where there are any.
        """
        if by not in ("auto", "label", "topic"):
            raise ValueError(f"Documents are coloured by auto, label or topic, not by {by!r}.")
        run, view, colors = Run.of(options), copy(self), list[str | None]()
        for choice in ("label", "topic") if by == "auto" else (by,):
            names = {topic.number: topic.name for topic in view._curate(0)} if choice == "topic" else {}
            parts = view._searcher.map_all(color_documents, run, choice, view.curation(), names)
            colors = [color for part in parts for color in part]
            if any(colors):
                break
        return colors

    def curation(self, model: int = 0) -> Curation:
        """Return what all edits of the topics of a model come to."""
        check_model_number(self.model, model)
        return Curation.of(self.edits, model, self.model.n_topics[model])

    def _curate(self, number: int, n_words: int = 10) -> list[Topic]:
        """List the topics of a model after what people changed about them, hidden ones too."""
        model = self.model
        return self.curation(number).join(
            self._searcher.topics(number, n_words),
            model.hott.models_[number].topics.components,
            model.vocabulary.words_.tolist(),
            frequencies=model.word_counts,
            documents=model.word_documents,
            n_words=n_words,
        )

    def infer(
        self,
        documents: "CorpusLike",
        out: str | os.PathLike[str] | None = None,
        *,
        block: int = BATCH,
        storage_options: dict[str, Any] | None = None,
        **options: Unpack[RunOptions],
    ) -> sparse.csr_array | None:
        """Infer topic proportions of documents that are not in the index, and stay outside.

        Parameters
        ----------
        documents : Corpus, texts, or what :func:`hott.corpus.stream` gives
        out : path or address, optional
            ``"topics.parquet"``: a folder of tables with the columns id, model, topic and proportion, for
            more documents than fit in memory. What is there from an interrupted run is not computed again.
        block : int
            Documents that are read together.

        Returns
        -------
        csr_array of shape (documents, models x topics), or None with ``out``
            Rows like those of :attr:`proportions`; empty for a document without a known word.
        """
        from hott.index.build import check_corpus

        corpus, run = check_corpus(documents), Run.of(options)
        if out is not None:
            write_proportions(self.model, corpus, out, run, block, storage_options)
            return None
        return with_empty_rows(*represent_corpus(self.model, corpus, run, block, topics_only=True))


# Comparisons, which few searches ask for, load with terms and explanations.
def _explain(searcher: Searcher, hits: Hits, run: Run = Run()) -> list[str]:
    from hott.index import comparing

    return comparing.find_reasons(searcher, hits, run)


def find_placed(model: Model, snapshot: Snapshot, run: Run) -> NDArray[np.intp]:
    """Return the positions of the documents that have a distance from others."""
    return snapshot.combine(model).positions


def _check_mask(searcher: Searcher, where: Filter) -> None:
    if isinstance(where, np.ndarray):
        if searcher.local is None:
            raise ValueError("where must be columns and their values: an array marks documents of an Index.")
        check_filter(searcher.local.documents, where)
