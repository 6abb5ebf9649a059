"""Index: documents that can be searched, compared and mapped."""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from hott import blocks, explain, mapping, storage
from hott._atomic import guarded
from hott.checks import check_count
from hott.corpus import Corpus, texts_of
from hott.distances.base import Distance, OnEmpty
from hott.distances.registry import Settings
from hott.distances.representation import Representation
from hott.distances.topic import HOTT
from hott.embeddings import choice as vectors
from hott.embeddings.choice import Embeddings
from hott.index import _reasons
from hott.index import analysis as _content
from hott.index import build as _build
from hott.index import changes as _changes
from hott.index import comparing as _comparing
from hott.index import model as _likeness
from hott.index import persist as _state
from hott.index import search as _search
from hott.index import topics as _topics
from hott.index.analysis import Cluster, Copies, Outlier, TopicsOver
from hott.index.changes import Changes, Staleness, State
from hott.index.comparing import Comparable
from hott.index.documents import Documents
from hott.index.edits import Curation, Edit, Kind
from hott.index.filters import Where, matching
from hott.index.hits import Hits
from hott.index.manifest import FILE as SHARDS
from hott.index.model import Encoder, Likeness
from hott.index.query import By, QueryReader
from hott.index.reading import BATCH, Reader
from hott.index.search import Searcher
from hott.lexical import Postings
from hott.neighbors import NeighborResult, Neighbors, as_graph, nearby, search
from hott.run import Run, RunOptions
from hott.topics import Topic, coherence
from hott.vocabulary import Vocabulary

NONE_LEFT = "No document that the filter leaves has a known word, or a distance."


class Index:
    """Documents with their topic proportions: search them, compare two, get all distances.

    Made by :meth:`Index.build` or :func:`hott.open`.

    Attributes
    ----------
    documents : Documents
        The documents, in order; a text is read from the disk when it is asked for.
    vocabulary : Vocabulary
        The words that count.
    word_counts : ndarray
        How often each of them occurs in the documents that the topics were learned from.
    word_documents : ndarray or None
        In how many of those documents each of them is.
    likeness : Likeness
        The documents as distances see them, and what "more like this" goes by.
    dropped : tuple of str
        Ids of documents that were left out because no word of them is known (``on_empty="drop"``).
    parameters : dict
        What the index was built with.
    postings : Postings
        Every word of every document and its title, for search by words.
    scale : float
        Deviation of the distance over random pairs of documents: what makes words and topics comparable.
    coherence : sequence of arrays
        How much the words of each topic occur together, model by model (:func:`hott.topics.coherence`).
    later : ndarray of bool
        Which documents came after the topics were learned.
    reading : dict
        How the documents were read (:class:`hott.readers.ReadOptions`), for when they are read again.
    edits : tuple of Edit
        What people changed about the topics (:meth:`edit_topics`), the last one last.

    Examples
    --------
    >>> from hott import Corpus, Index
    >>> texts = ["A planet orbits its star.", "Stars and planets shine.", "Goals win a football match."]
    >>> index = Index.build(Corpus(texts, ids=["orbit", "stars", "goals"]), n_topics=2, n_models=2)
    >>> index.search("the light of stars", k=2)[0].id
    'stars'
    >>> index.distances().shape
    (3, 3)
    """

    def __init__(
        self,
        documents: Documents,
        vocabulary: Vocabulary,
        word_counts: NDArray[np.int64],
        likeness: Likeness,
        dropped: tuple[str, ...],
        parameters: dict[str, Any],
        coherence: Sequence[NDArray[np.float64]],
        postings: Postings,
        scale: float,
        topic_names: Sequence[Sequence[str]] | None = None,
        later: NDArray[np.bool_] | None = None,
        reading: dict[str, Any] | None = None,
        encoder: Encoder | None = None,
        word_documents: NDArray[np.int64] | None = None,
        edits: tuple[Edit, ...] = (),
        vector_scale: float | None = None,
    ) -> None:
        self.documents = documents
        self.vocabulary = vocabulary
        self.word_counts = word_counts
        self.word_documents = word_documents
        self.likeness = likeness
        self.encoder = encoder
        self.dropped = dropped
        self.parameters = parameters
        self.coherence = coherence
        self.postings = postings
        self.scale = scale
        self.later = np.zeros(len(documents), bool) if later is None else later
        self.reading = reading or {}
        self.edits = edits
        self._vector_scale = vector_scale
        self._topic_names = topic_names
        self._topics: dict[tuple[int, int], tuple[Topic, ...]] = {}  # by model and number of words

    # -- building, saving, opening, adding ---------------------------------------------------------------

    @classmethod
    def build(
        cls,
        corpus: Corpus | Iterable[str] | Iterable[Corpus],
        *,
        n_topics: int | Literal["auto"] = "auto",
        n_models: int = 8,
        iterations: int = 100,
        strength: float | Literal["auto"] = "auto",
        embeddings: Embeddings = None,
        language: str = "auto",
        stop_words: str | Iterable[str] | None = "auto",
        min_df: float | Literal["auto"] = "auto",
        max_words: int | None = None,
        stem: bool | str = False,
        on_empty: OnEmpty = "error",
        distance: str | Distance = "blend",
        encoder: Encoder | ArrayLike | None = None,
        fit_sample: int | None = 100_000,
        random_state: int = 0,
        exact_proportions: bool = False,
        **options: Unpack[RunOptions],
    ) -> "Index":
        """Learn topics from documents and make them searchable.

        Parameters
        ----------
        corpus : Corpus, texts, or batches of documents
            The documents, as :func:`hott.read` gives them; or as :func:`hott.corpus.stream` does, for more
            than fit in memory: they are kept on the disk, in the folder for temporary files.
        n_topics : int or "auto"
            Topics in each model; by default 70 from about a thousand documents on, fewer for fewer.
        n_models : int
            Topic models to average over, each with a seed of its own. More are better and slower.
        iterations : int
            Gibbs sweeps over the corpus for each model.
        strength : float or "auto"
            How much rare words borrow their topics from the words near them in meaning; 0 is plain LDA. See
            :class:`hott.HOTT`.
        embeddings : None, path, WordVectors, KeyedVectors, mapping, "train" or False
            Word vectors: those that come with the library, those of a file, your own (gensim's too), vectors
            learned from the corpus, or none (all words equally far apart). By default those that come
            with the library where they know at least half of the words, else vectors learned from the
            corpus. Words without a vector get one from the words around them.
        language : str
            Of the documents, one of :data:`hott.languages.LANGUAGES`; found out by default.
        stop_words, max_words, stem
            As in :class:`hott.Vocabulary`.
        min_df : int, float or "auto"
            Leave out words without a vector that are in fewer documents than this; a float is a share of the
            documents. By default 3, below a thousand documents 2, and below fifty every word counts. Search
            by words knows every word.
        on_empty : "error", "drop" or "nan"
            What to do with documents of which no word is known: stop and name them, leave them out, or keep
            them, with distances of NaN.
        distance : str or Distance
            What "more like this" goes by: neighbours, graph, map and :meth:`distances`. By default
            ``"blend"``: that over topics, HOTT, with half a TF-IDF L1 distance beside it. ``"hott"`` is that
            over topics alone, by far the fastest for more than a hundred thousand documents. Any name of
            :data:`hott.distances.registry.REGISTRY` or distance of the library, such as ``WMD()``, or a
            :class:`hott.Blend` of some: they take the words, vectors and topics of the index.
        encoder : callable or array, optional
            Vectors of the documents from any encoder, as one more part of that distance and of search: a
            function from a list of texts to an array of one row a text, or that array. Nothing is downloaded.
            The function is not saved; give it again to :func:`hott.open`.
        fit_sample : int or None
            Learn vocabulary and topics from a random sample of so many documents when there are more.
        random_state : int
            The same seed gives the same numbers, on any number of threads.
        exact_proportions : bool
            Keep topic proportions in double precision, in four times the memory. By default they are rounded
            to 16 bits when a document comes in, and everything goes by the rounded ones: distances differ by
            less than a thousandth of the largest (see :meth:`hott.transport.Distributions.compact`).
        **options : threads, device, client, progress
            See :class:`hott.run.RunOptions`. A Dask cluster infers the topics of the documents; the index is
            the same.
        """
        run = Run.of(options)
        corpus, embeddings = _build.check_corpus(corpus), vectors.check_embeddings(embeddings)
        parameters = _build.check_parameters(
            n_topics=n_topics,
            n_models=n_models,
            iterations=iterations,
            strength=strength,
            embeddings=embeddings,
            language=language,
            stop_words=stop_words,
            min_df=min_df,
            max_words=max_words,
            stem=stem,
            on_empty=on_empty,
            fit_sample=fit_sample,
            random_state=random_state,
            exact_proportions=exact_proportions,
            n_documents=len(corpus),
        )
        settings = Settings(n_topics=parameters["n_topics"], random_state=random_state)
        others, weights = _likeness.chosen(distance, settings, encoded=encoder is not None)
        sample = _build.sampled(corpus, fit_sample, random_state)
        vocabulary, counts = _build.fit_vocabulary(sample, embeddings, parameters, run)
        whole = counts if sample is corpus and run.client is None else None
        _build.check_known(corpus, whole, vocabulary, parameters)
        hott = _build.fit_distance(counts, vocabulary, parameters, run)
        others = _likeness.fitted(others, hott, counts, run)
        unseen, rounds = _build.reads_unseen(parameters), not exact_proportions
        reader = Reader(vocabulary, hott, _likeness.of_words(others), unseen, rounds)
        if sample is corpus and run.client is None:
            parts: Sequence[Representation] = reader.represent_parts(counts, run)
        else:
            parts = reader.read_all(corpus, run)
        if encoder is not None:
            parts = (*parts, _likeness.encoded(corpus.texts, encoder))
        kept, parts, dropped = _build.apply_policy(corpus, parts, on_empty)
        return cls(
            documents=Documents.of(kept),
            vocabulary=vocabulary,
            word_counts=np.asarray(counts.sum(axis=0), np.int64).ravel(),
            likeness=Likeness.of((hott, *others), parts, weights, random_state, run),
            dropped=dropped,
            parameters=parameters,
            coherence=[coherence(space.topics.components, counts) for space in hott.models_],
            postings=Postings.of(_build.searchable(kept), _build.word_forms(parameters).forms),
            scale=hott.deviation(parts[0], random_state, run),
            encoder=encoder if callable(encoder) else None,
            word_documents=np.bincount(counts.indices, minlength=counts.shape[1]),
            vector_scale=None if encoder is None else others[-1].deviation(parts[-1]),
        )

    def save(self, path: str | os.PathLike[str], *, storage_options: dict[str, Any] | None = None) -> None:
        """Save the index as one file, which replaces what is there in one step or not at all.

        Parameters
        ----------
        path : str or path
            A file, or an address that fsspec knows: ``"s3://bucket/articles.hott"``.
        storage_options : dict, optional
            For fsspec, such as credentials.
        """
        storage.write(path, *_state.parts_of(self), storage_options)

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        verify: bool = False,
        encoder: Encoder | None = None,
        storage_options: dict[str, Any] | None = None,
    ) -> "Index":
        """Open a saved index; see :func:`hott.open`."""
        if not storage.is_address(path) and Path(path, SHARDS).is_file():
            raise storage.StorageError(
                f"{path} is a folder of shards: open it with hott.Shards.open(path). Its index() makes one "
                "index of them."
            )
        stored = storage.read(path, verify=verify, storage_options=storage_options)
        return cls(**_state.restored(stored), encoder=encoder)

    def add(self, corpus: Corpus | Iterable[str] | Iterable[Corpus], **options: Unpack[RunOptions]) -> None:
        """Take in new documents; the topics stay as they are.

        The ids must be new. Documents without a known word are treated as ``on_empty`` said when the index
        was built. When anything fails, the index stays as it was.

        Parameters
        ----------
        corpus : Corpus, texts, or batches of documents
            As in :meth:`build`.
        **options : threads, device, client, progress
        """
        corpus = _build.check_corpus(corpus)
        self.documents.check_new(corpus)
        self._become(self.state.followed_by(_changes.read_in(self, corpus, Run.of(options))))

    def update(
        self, corpus: Corpus | Iterable[str] | Iterable[Corpus], **options: Unpack[RunOptions]
    ) -> Changes:
        """Take in documents that may be there already: those with a known id replace what was there.

        Parameters
        ----------
        corpus, **options
            As in :meth:`add`.
        """
        state, changes = _changes.updated(self, _build.check_corpus(corpus), Run.of(options))
        self._become(state)
        return changes

    def remove(self, ids: str | Iterable[str]) -> Changes:
        """Take documents out by their ids. An error names an id that is not there, and nothing changes."""
        gone = [self.documents.position(id) for id in ([ids] if isinstance(ids, str) else ids)]
        keep = np.setdiff1d(np.arange(len(self)), gone)
        if not len(keep):
            raise ValueError("an index must keep a document: remove would take all of them.")
        names = tuple(self.documents.ids[place] for place in gone)
        self._become(self.state.take(keep))
        return Changes(removed=names, unchanged=len(keep))

    def sync(
        self, corpus: Corpus | Iterable[str] | Iterable[Corpus], **options: Unpack[RunOptions]
    ) -> Changes:
        """Make the documents those of the corpus: new and changed ones come in, the others go.

        The topics stay. The index is then the same, bit for bit, as one made of these documents with the same
        topics (:meth:`with_documents`); what has not changed is not inferred again.

        Parameters
        ----------
        corpus, **options
            As in :meth:`add`.
        """
        state, changes = _changes.synced(self, _build.check_corpus(corpus), Run.of(options))
        self._become(state)
        return changes

    def merge(self, other: "Index") -> None:
        """Take in the documents of another index that has the same topics, as they are."""
        _changes.check_same_topics(self, other)
        self.documents.check_new(other.documents)
        self._become(self.state.followed_by(other.state))

    def with_documents(
        self, corpus: Corpus | Iterable[str] | Iterable[Corpus], **options: Unpack[RunOptions]
    ) -> "Index":
        """An index of other documents with the vocabulary and the topics of this one.

        Parameters
        ----------
        corpus, **options
            As in :meth:`add`.
        """
        return self.with_state(_changes.read_in(self, _build.check_corpus(corpus), Run.of(options)))

    def with_state(self, state: State) -> "Index":
        """An index of the documents of a state, which has seen them by the topics of this one."""
        other = copy(self)
        other._topics = {}
        other._become(state)
        return other

    def part(
        self, state: State, reader: QueryReader, topics: dict[tuple[int, int], tuple[Topic, ...]]
    ) -> "Index":
        """Some documents of a larger collection with these topics: words and topics count as they do there.

        Parameters
        ----------
        state : State
        reader : QueryReader
            With the frequencies of the words in the whole collection.
        topics : dict
            By model and number of words, with their shares of the whole collection.
        """
        other = self.with_state(state)
        other._query_reader, other._topics = reader, topics
        return other

    def refit(
        self,
        *,
        embeddings: Embeddings = None,
        distance: str | Distance | None = None,
        **options: Unpack[RunOptions],
    ) -> "Index":
        """Learn words and topics anew from the documents that are here now, with the same parameters.

        Parameters
        ----------
        embeddings, distance : as in :meth:`build`
            Needed again only where word vectors or a distance of your own were given.
        **options : threads, device, client, progress
        """
        given = {name: value for name, value in self.parameters.items() if name != "bundled_vectors"}
        if embeddings is not None:
            given["embeddings"] = embeddings
        elif str(given["embeddings"]).startswith("WordVectors("):
            raise ValueError("embeddings must be given again: this index was made with vectors of your own.")
        if self.likeness.has_vectors:
            self._encoded(self.documents[:1].texts)  # which says so where there is no encoder
            given["encoder"] = self.encoder
        given["distance"] = distance or _likeness.name_of(self.likeness)
        batches = (Corpus.from_table(batch) for batch in self.documents.batches())
        refitted = Index.build(batches, **given, **options)
        refitted.reading = self.reading
        return refitted

    def read_parts(self, corpus: Corpus, run: Run) -> Sequence[Representation]:
        """Documents from outside, as each distance sees them."""
        parts: Sequence[Representation] = self._reader.read_all(corpus, run)
        return (*parts, self._encoded(corpus.texts)) if self.likeness.has_vectors else parts

    def matching(self, where: Where) -> list[str]:
        """The ids of the documents that a filter leaves; see :meth:`search`."""
        return [self.documents.ids[int(row)] for row in np.flatnonzero(matching(self.documents, where))]

    def staleness(self) -> Staleness:
        """How well the topics fit the documents that came after they were learned."""
        return _changes.staleness(self)

    @property
    def state(self) -> State:
        """What changes when documents come and go."""
        return State(self.documents, self.likeness.parts, self.postings, self.later, self.dropped)

    def _become(self, state: State) -> None:
        """Take on another state, all of it. Nothing in here can fail."""
        self.documents, self.postings = state.documents, state.postings
        self.likeness = replace(self.likeness, parts=state.parts)
        self.later, self.dropped = state.later, state.dropped
        self.__dict__.pop("_searcher", None)
        self.__dict__.pop("_query_reader", None)
        self._topics.clear()

    def infer(
        self,
        documents: Corpus | Iterable[str] | Iterable[Corpus],
        out: str | os.PathLike[str] | None = None,
        *,
        block: int = BATCH,
        storage_options: dict[str, Any] | None = None,
        **options: Unpack[RunOptions],
    ) -> sparse.csr_array | None:
        """Topic proportions of documents that are not in the index, and stay outside.

        Parameters
        ----------
        documents : Corpus, texts, or what :func:`hott.corpus.stream` gives
        out : path or address, optional
            ``"topics.parquet"``: a folder of tables with the columns id, model, topic and proportion, for
            more documents than fit in memory. What is there from an interrupted run is not computed again.
        block : int
            Documents that are read together.
        storage_options : dict, optional
            For fsspec, such as credentials.
        **options : threads, device, client, progress

        Returns
        -------
        csr_array of shape (documents, models x topics), or None with ``out``
            Rows like those of :attr:`proportions`; empty for a document without a known word.
        """
        corpus, run = _build.check_corpus(documents), Run.of(options)
        if out is not None:
            self._reader.write_all(corpus, out, run, block, storage_options)
            return None
        [proportions] = replace(self._reader, others=()).read_all(corpus, run, block)
        return _with_empty_rows(proportions)

    # -- answers -----------------------------------------------------------------------------------------

    def search(
        self,
        query: str | None = None,
        k: int = 10,
        *,
        id: str | None = None,
        text: str | None = None,
        by: By = "both",
        where: Where | NDArray[np.bool_] | None = None,
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
        by : "both", "words" or "topics"
            For a text: by its words (BM25, over every word of the documents and their titles), by how far its
            topics are from theirs, or by both together. Exact in each case. A word that is in no document is
            searched by a word spelled like it or near in meaning, and ``hits.notes`` says so.
        where : dict or array of bool, optional
            Find only documents whose columns are so: ``{"label": "sport", "year": (2004, 2005)}``. A column
            is given a value, a (first, last) range (None: open), or a list of these, of which one must hold.
            A year or a month stands for all its days; None for a missing value. Or an array that marks
            the documents, in their order, that may be found.
        **options : threads, device

        Returns
        -------
        Hits
            Best first. A document that is searched for, by its id or by its own text, is the first.

        Examples
        --------
        >>> import hott
        >>> texts = ["Stars shine at night.", "Bread is baked in an oven."]
        >>> index = hott.Index.build(hott.Corpus(texts, ids=["sky", "food"]), n_topics=2, n_models=1)
        >>> index.search("a hot oven", k=1)[0].id
        'food'
        """
        run = Run.of(options)
        check_count(k, "k")
        only = None if where is None else matching(self.documents, where)
        sought = _search.asked(self, query, id, text)
        if sought.id is None:
            found = self._searcher.ranked(self._query_reader.sought(sought, by), k, run, only)
            return _search.shown(self, sought, found)
        position = self._known(sought.id)
        found = self._searcher.nearest(self._seen(position), k, run, only)
        if not len(found.positions):
            raise ValueError(NONE_LEFT)
        if only is None or only[position]:
            found = found.beginning_with(position)
        return _search.shown(self, sought, found)

    def search_many(
        self,
        texts: Sequence[str],
        k: int = 10,
        *,
        by: By = "both",
        where: Where | None = None,
        **options: Unpack[RunOptions],
    ) -> list[Hits]:
        """Find the ``k`` documents nearest to each of many texts: what :meth:`search` finds for each.

        Parameters
        ----------
        texts : sequence of str
        k : int
        by : "both", "words" or "topics"
        where : dict, optional
            As in :meth:`search`.
        **options : threads, device, client, progress
        """
        checked, run = list(texts_of(texts, "texts")), Run.of(options)
        check_count(k, "k")
        only = None if where is None else matching(self.documents, where)
        found: dict[int, Hits] = {}
        with run.reporting("searches") as report:
            for start, hits in _search.found_for_many(self, checked, k, by, only, run):
                found |= {start + i: one for i, one in enumerate(hits)}
                if report is not None:
                    report(len(found), len(checked))
        return [found[place] for place in range(len(checked))]

    def compare(self, a: Comparable, b: Comparable) -> explain.Comparison:
        """Explain the distance of two documents, or of two groups of them, in their own words.

        Parameters
        ----------
        a, b : str, Document, Text, Label, or a list
            The id of a document in the index; a document or a text from outside (:class:`hott.index.Text`,
            as a plain string without a space is an id); all documents of a label
            (:class:`hott.index.Label`); or a list of ids, documents and texts: a group, of which the mean is
            compared.

        Examples
        --------
        >>> import hott
        >>> index = hott.Index.build(hott.demo.corpus()[:20], n_models=1)
        >>> comparison = index.compare("astronomy/venus", "astronomy/asteroid-belt")
        >>> bool(abs(sum(step.cost for step in comparison.flow) - comparison.distance) < 1e-9)
        True
        """
        return _comparing.explained(self, _comparing.side(self, a, "A"), _comparing.side(self, b, "B"))

    def reasons(self, hits: Hits) -> list[str]:
        """Why each hit was found, in one line each.

        For a text: the words of it that the document has, and words of the document that are related to it.
        For a document: words that both have, and words of the hit that are near in meaning to the other's.

        Examples
        --------
        >>> import hott
        >>> index = hott.Index.build(hott.demo.corpus()[:20], n_models=1)
        >>> index.reasons(index.search("the rings of Saturn", k=1))[0].startswith("has rings, saturn")
        True
        """
        return _reasons.reasons(self, hits)

    def distances(
        self,
        out: NDArray[np.float64] | str | os.PathLike[str] | None = None,
        *,
        block: int | None = None,
        storage_options: dict[str, Any] | None = None,
        **options: Unpack[RunOptions],
    ) -> Any:
        """All distances, documents x documents, in the order of ``documents``.

        Parameters
        ----------
        out : array, path or address, optional
            Where to put them: an array of that shape; the name of an ``.npy`` file, which is mapped into
            memory; or that of a ``.zarr`` folder, here or at an address such as ``"s3://bucket/D.zarr"``.
            Files are filled block by block, so that the matrix may be larger than memory, and a run that was
            interrupted goes on where it was.
        block : int, optional
            Documents on each side of a block: 2,048, or 8,192 for a GPU. A block of b documents takes about
            6 x 8 x b x b bytes of memory, 200 MB.
        storage_options : dict, optional
            For fsspec, such as credentials.
        **options : threads, device, client, progress
            See :class:`hott.run.RunOptions`. The workers of a Dask cluster write Zarr files themselves.

        Returns
        -------
        ndarray, memory map or zarr.Array of shape (documents, documents)
            Documents without a known word are at distance NaN from all.
        """
        run = Run.of(options)
        documents = self.likeness.documents
        if run.client is None and documents.is_complete and (out is None or isinstance(out, np.ndarray)):
            return self.distance.between(documents, None, run, out)
        return blocks.fill(self._collection, out, run, block=block, storage_options=storage_options)

    def neighbors(
        self,
        k: int = 10,
        *,
        where: Where | None = None,
        out: str | os.PathLike[str] | None = None,
        block: int | None = None,
        storage_options: dict[str, Any] | None = None,
        **options: Unpack[RunOptions],
    ) -> NeighborResult:
        """The ``k`` nearest other documents of each document, as positions in ``documents``.

        A document without a known word has distances NaN.

        Parameters
        ----------
        k : int
        where : dict, optional
            Only documents whose columns are so may be neighbours; see :meth:`search`.
        out : path or address, optional
            Keep finished blocks there, so that an interrupted run goes on where it was: ``"graph.zarr"``, two
            arrays ``indices`` and ``distances`` of k columns, or ``"graph.parquet"``, a folder of tables with
            the columns position, id, rank, neighbor (an id), neighbor_position and distance.
        block : int, optional
            Documents whose neighbours are sought together: 2,048.
        storage_options : dict, optional
            For fsspec, such as credentials.
        **options : threads, device, client, progress

        Returns
        -------
        NeighborResult
            ``computed`` and ``pruned`` count what was not in ``out`` yet.
        """
        run = Run.of(options)
        if where is not None:
            if out is not None or run.client is not None:
                raise ValueError(
                    "where does not go with out or client: neighbours of a filter are in memory."
                )
            return self.likeness.nearest_within(matching(self.documents, where), k, run)
        if out is None and run.client is None:
            return Neighbors(self.distance).fit(self.likeness.documents).kneighbors(None, k, **options)
        return blocks.nearest(self._collection, k, run, out=out, block=block, storage_options=storage_options)

    def graph(
        self,
        k: int = 10,
        *,
        out: str | os.PathLike[str] | None = None,
        block: int | None = None,
        storage_options: dict[str, Any] | None = None,
        **options: Unpack[RunOptions],
    ) -> sparse.csr_array:
        """The ``k`` nearest other documents of each, as a sparse matrix of distances.

        Parameters
        ----------
        k, out, block, storage_options, **options
            As in :meth:`neighbors`.
        """
        found = self.neighbors(k, out=out, block=block, storage_options=storage_options, **options)
        return as_graph(found.indices, found.distances, np.arange(len(self)), (len(self), len(self)))

    def map(
        self, *, perplexity: float = 30, random_state: int = 0, **options: Unpack[RunOptions]
    ) -> NDArray[np.float64]:
        """Place the documents on a plane so that near documents are near (t-SNE): documents x 2.

        Needs the extra ``hott[plots]``. A document without a known word is at NaN. Up to 150,000 documents
        are placed by their exact neighbours, more by near documents of which most are the nearest.

        Parameters
        ----------
        perplexity : float
            About how many neighbours a document should be placed by.
        random_state : int
        **options : threads, device, progress
        """
        run, documents = Run.of(options), self.likeness.documents
        n = len(documents)
        k = mapping.n_neighbors(n, perplexity)
        indices, distances = np.empty((n, 0), np.intp), np.empty((n, 0))
        if k:
            if n > mapping.EXACT:
                found = nearby(self.distance, documents, k, run, random_state=random_state)
            else:
                found = search(self.distance, documents, documents, k, run, own=np.arange(n))
            indices, distances = found.indices, found.distances
        points = mapping.layout(
            indices, distances, perplexity=perplexity, random_state=random_state, **run.options
        )
        return documents.scatter(points)

    @property
    def distance(self) -> Distance:
        """What "more like this" goes by."""
        return self.likeness.distance

    @property
    def vector_scale(self) -> float:
        """Deviation of the distance of document vectors, over random pairs; found once, as ``scale`` is."""
        if self._vector_scale is None:
            self._vector_scale = self.likeness.distances[-1].deviation(self.likeness.parts[-1])
        return self._vector_scale

    @property
    def hott(self) -> HOTT:
        """The distance over topics, which search by topics uses and explanations explain."""
        return self.likeness.hott

    @property
    def represented(self) -> Representation:
        """The documents by their topics, as proportions in each model."""
        return self.likeness.topics

    # -- what is in it -----------------------------------------------------------------------------------

    def duplicates(self, likeness: float = 0.8) -> list[Copies]:
        """Groups of documents that are copies of one another, exact ones first.

        ``likeness`` is the share of their words, stop words apart, that near copies have in common.
        """
        return _content.duplicates(self, likeness)

    def clusters(
        self, min_size: int | None = None, *, granularity: int = 2, **options: Unpack[RunOptions]
    ) -> list[Cluster]:
        """Find groups of near documents, the largest first, each named by the words that are special to it.

        Groups are communities of the graph of nearest neighbours: documents that are among one another's
        nearest more often than by chance. How many there are comes out.

        Parameters
        ----------
        min_size : int or None
            Documents that a group must have; those of smaller ones are in none. None: a number that grows
            with the collection, 4 of 200 documents and 35 of 20,000.
        granularity : {1, 2, 3, 4}
            From a few large groups to many small ones. Each group lies in one of the level above it.
        **options : threads, device
        """
        return _content.clusters(self, min_size, granularity, Run.of(options))

    def outliers(self, n: int = 10, k: int = 5, **options: Unpack[RunOptions]) -> list[Outlier]:
        """The ``n`` documents that are farthest, on average, from their ``k`` nearest others.

        Parameters
        ----------
        n, k : int
        **options : threads, device, progress
        """
        return _content.outliers(self, check_count(n, "n"), check_count(k, "k"), Run.of(options))

    def topics_over(self, column: str, *, model: int = 0, by: str | None = None) -> TopicsOver:
        """How much of the documents is about each topic, year by year or value by value of a column.

        Parameters
        ----------
        column : str
        model : int
            Of the topic models, from 0.
        by : "year", "month" or "day", optional
            How dates are grouped: by month, or by year where there are more than fifty months.
        """
        self.topics_by_number(model)  # which checks the number
        return _content.topics_over(self, column, model, by)

    def table(self, model: int = 0) -> dict[str, Sequence[Any]]:
        """Documents by topics, as columns by name: what is known of each, and its share of every topic."""
        self.topics_by_number(model)
        return _content.table(self, model)

    @property
    def proportions(self) -> sparse.csr_array:
        """Topic proportions, documents x topics, with a block of columns for each topic model.

        A document without a known word has an empty row.
        """
        return _with_empty_rows(self.represented)

    def proportions_of(self, model: int) -> sparse.csr_array:
        """The same for the topics of one model."""
        all_models = self.represented
        one = all_models.distributions[model]
        return _with_empty_rows(
            Representation.of(one, positions=all_models.positions, n_documents=all_models.n_documents)
        )

    @property
    def topic_names(self) -> Sequence[Sequence[str]]:
        """The name of each topic of each model, found once and kept with the index."""
        if self._topic_names is None:
            self._topic_names = _topics.names(self)
        return self._topic_names

    def edit_topics(self, kind: Kind, topics: int | Sequence[int], name: str = "", *, model: int = 0) -> None:
        """Rename a topic, show several as one, or hide some; ``undo_edit`` takes the last change back.

        The topics and all distances stay as they are; what changes is how they are listed, here, on the
        command line and on the page. Save the index to keep it.

        Parameters
        ----------
        kind : "rename", "merge", "hide" or "show"
            A merged topic has the number of the first one, and the words and shares of all.
        topics : int or sequence of int
            Numbers of topics.
        name : str
            What to call it from now on.
        model : int

        Examples
        --------
        >>> index = Index.build(["Planets orbit stars.", "Goals win a match."], n_topics=2, n_models=1)
        >>> index.edit_topics("rename", 0, "the sky")
        >>> sorted(topic.name for topic in index.topics if topic.number == 0)
        ['the sky']
        >>> index.undo_edit()
        >>> index.edits
        ()
        """
        numbers = (topics,) if isinstance(topics, int) else tuple(topics)
        edit = Edit(kind, numbers, name, model)
        self.edits = (*self.edits, edit.check([space.topics.n_topics for space in self.hott.models_]))

    def undo_edit(self) -> None:
        """Take the last change of the topics back."""
        if not self.edits:
            raise ValueError("Nothing was changed about the topics of this index, so nothing can be undone.")
        self.edits = self.edits[:-1]

    def curation(self, model: int = 0) -> Curation:
        """What all edits of the topics of a model come to."""
        _topics.check_model(self, model)
        return Curation.of(self.edits, model, self.hott.models_[model].topics.n_topics)

    @property
    def topics(self) -> tuple[Topic, ...]:
        """The topics of the first topic model, the heaviest in the corpus first, fillers last."""
        return self.topics_of(0)

    def topics_of(self, model: int, n_words: int = 10, *, hidden: bool = False) -> tuple[Topic, ...]:
        """The topics of one of the topic models, the heaviest in the corpus first, fillers last.

        Merged ones are one, and hidden ones are left out (:meth:`edit_topics`).

        Parameters
        ----------
        model : int
            From 0.
        n_words : int
            How many distinctive words to list.
        hidden : bool
            List hidden ones, too, after all others.
        """
        found, left_out = _topics.curated(self, model, n_words), self.curation(model).hidden
        shown = [topic for topic in found if hidden or topic.number not in left_out]
        return tuple(sorted(shown, key=lambda t: (t.number in left_out, t.is_filler, -t.share)))

    def topics_by_number(self, model: int, n_words: int = 10) -> tuple[Topic, ...]:
        """All topics of a model as they were learned, in the order of their numbers."""
        if (model, n_words) not in self._topics:
            self._topics[model, n_words] = _topics.of_model(self, model, n_words)
        return self._topics[model, n_words]

    @property
    def names(self) -> list[str]:
        """A name for each document, its title or else its id."""
        return [title or id for title, id in zip(self.documents.titles, self.documents.ids)]

    def colors(self, by: str = "auto") -> list[str | None]:
        """What to colour each document by: its label, or the name of its heaviest topic.

        ``by`` is "label", "topic", or "auto": labels where there are any.
        """
        return _topics.colors(self, by)

    def info(self) -> dict[str, Any]:
        """What the index holds and how it was built, as JSON could hold it."""
        return _content.info(self)

    def __len__(self) -> int:
        return len(self.documents)

    def __repr__(self) -> str:
        return (
            f"Index of {len(self):,} documents, {len(self.vocabulary.words_):,} words, "
            f"{self.parameters['n_models']} models of {self.parameters['n_topics']} topics"
        )

    # -- from what was asked to rows of proportions ------------------------------------------------------

    @cached_property
    def _searcher(self) -> Searcher:
        vector_scale = 1.0 if self._searched_encoder is None else self.vector_scale
        return Searcher(self.likeness, self.postings, self.scale, vector_scale)

    @cached_property
    def _query_reader(self) -> QueryReader:
        forms, bundled = _build.word_forms(self.parameters), _build.reads_unseen(self.parameters)
        frequencies, encoder = self.postings.frequencies, self._searched_encoder
        return QueryReader(self._reader, frequencies, forms, bundled, encoder)

    @property
    def _searched_encoder(self) -> Encoder | None:
        """What makes a vector of a query, where the documents have some."""
        return self.encoder if self.likeness.has_vectors else None

    @property
    def _reader(self) -> Reader:
        others, unseen = _likeness.of_words(self.likeness.distances[1:]), _build.reads_unseen(self.parameters)
        return Reader(self.vocabulary, self.hott, others, unseen, not self.parameters["exact_proportions"])

    def _encoded(self, texts: Sequence[str]) -> Representation:
        if self.encoder is None:
            raise ValueError(
                "This index has vectors of its documents, and no encoder to make more of them: set "
                "index.encoder, or open it with hott.open(path, encoder=...)."
            )
        return _likeness.encoded(texts, self.encoder)

    @property
    def _collection(self) -> blocks.Collection:
        return blocks.Collection(self.distance, self.likeness.documents, self.documents.ids)

    def _known(self, id: str) -> int:
        """The position of a document that has a word of the vocabulary."""
        position = self.documents.position(id)
        if position not in self.likeness.documents.positions:
            raise ValueError(
                f"The document {id!r} has no word that the index knows, so it cannot be compared with others."
            )
        return position

    def _seen(self, position: int) -> Representation:
        """One of the documents, which must have a known word, as :attr:`distance` sees it."""
        everyone = self.likeness.documents
        return everyone.take([int(np.searchsorted(everyone.positions, position))])

    def _by_topics(self, position: int) -> Representation:
        """One of the documents by its topics."""
        return self.represented.select(np.array([position])).take(slice(None))


def _with_empty_rows(documents: Representation) -> sparse.csr_array:
    """Proportions of all documents; rows of those without a known word are empty."""
    matrix = documents.take(slice(None)).matrix()
    if documents.is_complete:
        return matrix
    counts = np.zeros(documents.n_documents + 1, matrix.indptr.dtype)
    counts[documents.positions + 1] = np.diff(matrix.indptr)
    shape = documents.n_documents, matrix.shape[1]
    return sparse.csr_array((matrix.data, matrix.indices, np.cumsum(counts)), shape=shape)


def open(
    path: str | os.PathLike[str],
    *,
    verify: bool = False,
    encoder: Encoder | None = None,
    storage_options: dict[str, Any] | None = None,
) -> Index:
    """Open an index that was saved with :meth:`Index.save`.

    Words and topics are read now; what grows with the documents is read when it is first used, and texts when
    they are shown, so opening is quick for any size. Each part is checked against its checksums when it is
    read, with ``verify=True`` all of them now.

    Parameters
    ----------
    path : str or path
        A file, or an address that fsspec knows, such as ``"s3://bucket/articles.hott"``: it is copied to this
        machine once, and again when it has changed (to ``~/.cache/hott/files``).
    verify : bool
    encoder : callable, optional
        That of :meth:`Index.build`, for an index with document vectors: queries and new documents need it.
    storage_options : dict, optional
        For fsspec, such as credentials.

    Raises
    ------
    hott.storage.StorageError
        when the file is not an index, is damaged, or was written by a newer version of hott.

    Examples
    --------
    >>> import hott
    >>> index = hott.Index.build(["Stars shine at night.", "Bread is baked."], n_topics=2, n_models=1)
    >>> index.save("small.hott")
    >>> len(hott.open("small.hott"))
    2
    """
    return Index.open(path, verify=verify, encoder=encoder, storage_options=storage_options)


@contextmanager
def changing(path: str | os.PathLike[str]) -> Iterator[Index]:
    """Open an index to change it: it is saved in one step when the block ends well, and not at all otherwise.

    Others who would change it wait meanwhile.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "pets.hott"
    >>> Index.build(["Cats purr.", "Dogs bark.", "Cats sleep."], n_topics=2, n_models=1).save(path)
    >>> with changing(path) as index:
    ...     print(index.remove("1"))
    0 added, 0 changed, 1 removed, 2 unchanged
    >>> len(open(path))
    2
    """
    with guarded(Path(os.path.realpath(path))):
        index = open(path)
        before, edits = index.documents, index.edits
        yield index
        if index.documents is not before or index.edits != edits:
            index.save(path)
