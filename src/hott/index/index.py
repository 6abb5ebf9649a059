"""Index: documents that can be searched, compared and mapped."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from html import escape
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott import blocks, storage
from hott.corpus import Corpus
from hott.distances.base import Distance, OnEmpty
from hott.distances.representation import Representation
from hott.distances.topic import HOTT
from hott.distances.vector import MeaningVectors
from hott.embeddings import choice as vectors
from hott.index import persist
from hott.index.documents import Documents
from hott.index.edits import Edit, Kind
from hott.index.filters import Where, check_filter
from hott.index.manifest import FILE as SHARDS
from hott.index.model import PARAMETERS, Encoder, Model
from hott.index.reading import index_corpus, warn_of_dropped, with_empty_rows
from hott.index.searchable import Searchable
from hott.index.searcher import Searcher
from hott.index.snapshot import Parts, Snapshot
from hott.neighbors import NeighborResult, Neighbors, as_graph, check_k, mapping, nearby, search
from hott.text.languages import name_languages
from hott.topics import Topic
from hott.utils.atomic import file_lock
from hott.utils.checks import check_count
from hott.utils.optional import import_optional
from hott.utils.run import Run, RunOptions
from hott.utils.tabular import ColumnTable, Items, Listing, make_scatter, make_table
from hott.utils.wording import pluralize
from hott.vocabulary import Vocabulary

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from hott.embeddings.choice import Embeddings
    from hott.index.analysis import DocumentSelection, DuplicateGroup, Outlier, TopicTrends
    from hott.index.build import CorpusLike, DocumentEncoder
    from hott.index.changes import Changes, Staleness
    from hott.index.subject_tree import SubjectEdit, SubjectTree
    from hott.index.subjects import Subject, SubjectChanges, Subjects
    from hott.terms import Contrast


def open(
    path: str | os.PathLike[str],
    *,
    verify: bool = False,
    encoder: Encoder | str | None = None,
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
    if not storage.is_address(path) and Path(path, SHARDS).is_file():
        raise storage.StorageError(
            f"{path} is a folder of shards: open it with hott.Shards.open(path). Its index() makes one "
            "index of them."
        )
    stored = storage.read(path, verify=verify, storage_options=storage_options)
    return Index(*persist.load_index(stored, encoder))


class Index(Searchable):
    """Documents with their topic proportions: search them, compare two, get all distances.

    Made by :meth:`Index.build` or :func:`hott.open`. Threads may change an index while others search it: a
    change puts another snapshot of the documents in the place of the one before, in one step, and whoever
    searches meanwhile sees one or the other. Changes wait for one another, and none is lost.

    The same keywords mean the same in all methods: ``**options`` are threads, device, client and progress
    (:class:`hott.run.RunOptions`); ``out`` is a file, a folder or an address to keep results in, in blocks
    of ``block`` documents, so that a run that was interrupted goes on where it was; ``storage_options`` are
    for fsspec, such as credentials; ``model`` is the number of a topic model; ``where`` is a filter of
    columns, as in :meth:`search`.

    Attributes
    ----------
    model : Model
        What was learned: words, topics and distances.
    snapshot : Snapshot
        The documents as they are now.
    reading : dict
        How the documents were read (:class:`hott.corpus.readers.ReadOptions`), for when they are read again,
        and by the command line also the ``source`` they were read from.
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
        model: Model,
        snapshot: Snapshot,
        edits: tuple[Edit, ...] = (),
        reading: Mapping[str, Any] | None = None,
    ) -> None:
        self._searcher = Searcher(model, (snapshot,))
        self.edits = edits
        self.reading = dict(reading or {})
        self._changing = threading.RLock()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_changing"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _changing=threading.RLock())

    @property
    def snapshot(self) -> Snapshot:
        """The documents as they are now, and as words and distances see them."""
        return self._searcher.snapshots[0].open(self.model)

    # -- building, saving, opening, adding ---------------------------------------------------------------

    @classmethod
    def build(
        cls,
        corpus: CorpusLike,
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
        on_empty: OnEmpty = "drop",
        distance: str | Distance = "blend",
        encoder: DocumentEncoder = "auto",
        fit_sample: int | None = 100_000,
        random_state: int = 0,
        exact_proportions: bool = False,
        **options: Unpack[RunOptions],
    ) -> Index:
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
            Of the documents, one of :data:`hott.text.languages.LANGUAGES`; found out by default.
        stop_words, max_words, stem
            As in :class:`hott.Vocabulary`.
        min_df : int, float or "auto"
            Leave out words without a vector that are in fewer documents than this; a float is a share of the
            documents. By default 3, below a thousand documents 2, and below fifty every word counts. Search
            by words knows every word.
        on_empty : "drop", "error" or "nan"
            What to do with documents of which no word is known: leave them out with a warning, stop and name
            them, or keep them, with distances of NaN.
        distance : str or Distance
            What "more like this" goes by: neighbours, graph, map and :meth:`distances`. By default
            ``"blend"``: that over topics, HOTT, with half a TF-IDF L1 distance beside it. ``"hott"`` is that
            over topics alone, by far the fastest for more than a hundred thousand documents. Any name of
            :data:`hott.distances.registry.REGISTRY` or distance of the library, such as ``WMD()``, or a
            :class:`hott.Blend` of some: they take the words, vectors and topics of the index.
        encoder : "auto", "minilm", "mpnet", name, callable, array or None
            Vectors of the documents by their meaning, as one more part of that distance and of search. By
            default those of the encoder that comes with the library, for English texts, without a download.
            Or those of a model of sentence-transformers, by its name; it needs ``hott[encoder]``. Or those of
            your own: a function from a list of texts to an array of one row a text, or that array; the
            function is not saved, give it again to :func:`hott.open`. None: no vectors.
        fit_sample : int or None
            Learn vocabulary and topics from a random sample of so many documents when there are more.
        random_state : int
            The same seed gives the same numbers, on any number of threads.
        exact_proportions : bool
            Keep topic proportions in double precision, in four times the memory. By default they are rounded
            to 16 bits when a document comes in, and everything goes by the rounded ones: distances differ by
            less than a thousandth of the largest (see :meth:`hott.transport.Distributions.compact`).
        **options
            A Dask cluster (``client``) infers the topics of the documents; the index is the same.
        """
        if "topic_model" in options:
            raise TypeError(
                "An index learns its own topics and takes no topic_model. For topics from elsewhere use the "
                "distance: hott.HOTT(word_vectors, topic_model=...), on counts of words."
            )
        from hott.index import build

        run, embeddings = Run.of(options), vectors.check_embeddings(embeddings)
        given = {name: value for name, value in locals().items() if name in PARAMETERS}
        encoder = build.check_choices(language, on_empty, distance, encoder)
        corpus = build.check_corpus(corpus)
        parameters = build.check_parameters(n_documents=len(corpus), **given)
        model, snapshot = build.build(
            corpus, parameters, embeddings=embeddings, distance=distance, encoder=encoder, run=run
        )
        warn_of_dropped(snapshot.dropped, len(corpus))
        return cls(model, snapshot)

    def save(self, path: str | os.PathLike[str], *, storage_options: dict[str, Any] | None = None) -> None:
        """Save the index as one file, which replaces what is there in one step or not at all.

        ``path`` may be an address that fsspec knows, ``"s3://bucket/articles.hott"``.
        """
        parts = persist.to_parts(self.model, self.snapshot, self.edits, self.reading)
        storage.write(path, *parts, storage_options)

    open = staticmethod(open)

    def add(self, corpus: CorpusLike, **options: Unpack[RunOptions]) -> Changes:
        """Take in new documents; the topics stay as they are.

        The ids must be new. Documents without a known word are treated as ``on_empty`` said when the index
        was built. When anything fails, the index stays as it was.
        """
        from hott.index.build import check_corpus
        from hott.index.changes import Changes

        with self._changing:
            corpus, old = check_corpus(corpus), self.snapshot
            old.documents.check_new(corpus)
            new = index_corpus(self.model, corpus, Run.of(options))
            warn_of_dropped(new.dropped, len(corpus))
            self._replace(Snapshot.concat([old, new]))
            return Changes(added=tuple(new.documents.ids), unchanged=len(old))

    def update(self, corpus: CorpusLike, **options: Unpack[RunOptions]) -> Changes:
        """Take in documents that may be there already: those with a known id replace what was there."""
        return self._take_in(corpus, options, alone=False)

    def remove(self, ids: str | Iterable[str]) -> Changes:
        """Take documents out by their ids. An error names an id that is not there, and nothing changes."""
        from hott.index.changes import Changes

        with self._changing:
            old = self.snapshot
            gone = [old.documents.position(id) for id in ([ids] if isinstance(ids, str) else ids)]
            keep = np.setdiff1d(np.arange(len(old)), gone)
            if not len(keep):
                raise ValueError("an index must keep a document: remove would take all of them.")
            names = tuple(old.documents.ids[place] for place in gone)
            self._replace(old.take(keep))
            return Changes(removed=names, unchanged=len(keep))

    def sync(self, corpus: CorpusLike, **options: Unpack[RunOptions]) -> Changes:
        """Make the documents those of the corpus: new and changed ones come in, the others go.

        The topics stay. The index is then the same, bit for bit, as one made of these documents with the same
        topics (:meth:`with_documents`); what has not changed is not inferred again.
        """
        return self._take_in(corpus, options, alone=True)

    def _take_in(self, corpus: CorpusLike, options: RunOptions, *, alone: bool) -> Changes:
        from hott.index import build, changes

        with self._changing:
            run, corpus = Run.of(options), build.check_corpus(corpus)
            known = {*self.snapshot.dropped}
            new, done = changes.take_in(self.model, self.snapshot, corpus, run, alone=alone)
            warn_of_dropped([id for id in new.dropped if id not in known], len(corpus))
            self._replace(new)
            return done

    def merge(self, other: Index) -> None:
        """Take in the documents of another index that has the same topics, as they are."""
        if not isinstance(other, Index):
            raise ValueError(f"other must be an Index, got {other!r:.60}. Open it first: hott.open(path).")
        with self._changing:
            self.model.check_same(other.model)
            old, more = self.snapshot, other.snapshot
            old.documents.check_new(more.documents)
            self._replace(Snapshot.concat([old, more]))

    def with_documents(self, corpus: CorpusLike, **options: Unpack[RunOptions]) -> Index:
        """Make an index of other documents with the vocabulary and the topics of this one."""
        from hott.index.build import check_corpus

        snapshot = index_corpus(self.model, check_corpus(corpus), Run.of(options))
        return Index(self.model, snapshot, self.edits, self.reading)

    def refit(
        self,
        *,
        embeddings: Embeddings = None,
        distance: str | Distance | None = None,
        **options: Unpack[RunOptions],
    ) -> Index:
        """Learn words and topics anew from the documents that are here now, with the same parameters.

        ``embeddings`` and ``distance``, as in :meth:`build`, are needed again only where they were your
        own.
        """
        from hott.index import build

        given: dict[str, Any] = {name: self.model.parameters[name] for name in PARAMETERS}
        if embeddings is not None:
            given["embeddings"] = embeddings
        elif str(given["embeddings"]).startswith("WordVectors("):
            raise ValueError("embeddings must be given again: this index was made with vectors of your own.")
        documents = self.snapshot.documents
        has_own = self.model.has_vectors and not isinstance(self.model.vectors, MeaningVectors)
        if has_own:  # what an encoder said of a text stays
            [given["encoder"]] = self.snapshot.parts[self.model.distance_names[-1]].parts
        else:
            given["encoder"] = "auto" if self.model.has_vectors else None
        given["distance"] = distance or build.name_distance(self.model)
        batches = (Corpus.from_table(batch) for batch in documents.batches())
        refitted = Index.build(batches, **given, **options)
        if has_own:
            parameters = {**refitted.model.parameters, "encoder": self.model.parameters["encoder"]}
            model = replace(refitted.model, encoder=self.model.encoder, parameters=parameters)
            refitted = Index(model, refitted.snapshot)
        if (tree := self.snapshot.subjects) is not None:
            places = documents.positions(refitted.documents.ids)
            refitted._replace(refitted.snapshot.with_subjects(tree.select(places)))
        refitted.reading = self.reading
        return refitted

    def matching(self, where: Where) -> list[str]:
        """Return the ids of the documents that a filter leaves; see :meth:`search`."""
        documents = self.snapshot.documents
        return [documents.ids[int(row)] for row in np.flatnonzero(check_filter(documents, where))]

    def staleness(self) -> Staleness:
        """Measure how well the topics fit the documents that came after they were learned."""
        from hott.index import changes

        return changes.measure_staleness(self.model, self.snapshot)

    def fingerprint(self) -> str:
        """Identify the documents and their distance: what a map or a matrix of distances depends on."""
        return self.snapshot.fingerprint(self.model)

    def _replace(self, snapshot: Snapshot) -> None:
        """Go on to other documents, in one step."""
        self._searcher = Searcher(self.model, (snapshot,))

    # -- distances ---------------------------------------------------------------------------------------

    def distances(
        self,
        out: NDArray[np.float64] | str | os.PathLike[str] | None = None,
        *,
        block: int | None = None,
        storage_options: dict[str, Any] | None = None,
        **options: Unpack[RunOptions],
    ) -> Any:
        """Compute all distances, documents x documents, in the order of ``documents``.

        Parameters
        ----------
        out : array, path or address, optional
            Where to put them: an array of that shape; the name of an ``.npy`` file, which is mapped into
            memory; or that of a ``.zarr`` folder, here or at an address such as ``"s3://bucket/D.zarr"``.
            Of files the matrix may be larger than memory; the workers of a Dask cluster write Zarr files
            themselves.
        block : int, optional
            2,048, or 8,192 for a GPU. A block of b x b distances takes about 48 x b x b bytes, 200 MB.

        Returns
        -------
        ndarray, memory map or zarr.Array of shape (documents, documents)
            Documents without a known word are at distance NaN from all.
        """
        run, collection = Run.of(options), self._collection()
        documents = collection.documents
        if run.client is None and documents.is_complete and (out is None or isinstance(out, np.ndarray)):
            return collection.distance.between(documents, None, run, out)
        return blocks.fill(collection, out, run, block=block, storage_options=storage_options)

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
        """Find the ``k`` other documents nearest to each document, as positions in ``documents``.

        A document without a known word has distances NaN.

        Parameters
        ----------
        where : dict, optional
            Only documents whose columns are so may be neighbours.
        out : path or address, optional
            ``"graph.zarr"``: two arrays ``indices`` and ``distances`` of k columns; or ``"graph.parquet"``: a
            folder of tables with the columns position, id, rank, neighbor (an id), neighbor_position and
            distance.

        Returns
        -------
        NeighborResult
            ``computed`` and ``pruned`` count what was not in ``out`` yet.
        """
        run = Run.of(options)
        if isinstance(k, str):
            raise ValueError(
                f"k must be a number of neighbours of every document, got {k!r:.60}. For those of one: "
                f"index.search(id={k!r:.60})."
            )
        if where is not None:
            if out is not None or run.client is not None:
                raise ValueError(
                    "where does not go with out or client: neighbours of a filter are in memory."
                )
            found = _find_within(self.model, self.snapshot, where, k, run)
        elif out is None and run.client is None:
            collection = self._collection()
            found = Neighbors(collection.distance).fit(collection.documents).kneighbors(None, k, **options)
        else:
            found = blocks.nearest(
                self._collection(), k, run, out=out, block=block, storage_options=storage_options
            )
        documents = self.snapshot.documents
        return replace(found, names=[title or id for title, id in zip(documents.titles, documents.ids)])

    def graph(
        self,
        k: int = 10,
        *,
        where: Where | None = None,
        out: str | os.PathLike[str] | None = None,
        block: int | None = None,
        storage_options: dict[str, Any] | None = None,
        **options: Unpack[RunOptions],
    ) -> sparse.csr_array:
        """Return what :meth:`neighbors` finds, with its options, as a sparse matrix of distances."""
        found = self.neighbors(
            k, where=where, out=out, block=block, storage_options=storage_options, **options
        )
        n = len(found.indices)
        return as_graph(found.indices, found.distances, np.arange(n), (n, n))

    def _find_near(
        self, searcher: Searcher, placed: NDArray[np.intp], k: int, seed: int, run: Run
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        [snapshot], model = searcher.snapshots, searcher.model
        documents = snapshot.open(model).combine(model)
        if len(placed) > mapping.EXACT:
            found = nearby(model.distance, documents, k, run, random_state=seed)
        else:
            found = search(model.distance, documents, documents, k, run, own=np.arange(len(placed)))
        return found.indices, found.distances

    def _collection(self) -> blocks.Collection:
        snapshot = self.snapshot
        return blocks.Collection(self.model.distance, snapshot.combine(self.model), snapshot.documents.ids)

    # -- parts of the model and the snapshot -------------------------------------------------------------

    @property
    def documents(self) -> Documents:
        """The documents, in order; a text is read from the disk when it is asked for."""
        return self.snapshot.documents

    @property
    def vocabulary(self) -> Vocabulary:
        """The words that count."""
        return self.model.vocabulary

    @property
    def parameters(self) -> dict[str, Any]:
        """What the index was built with."""
        return dict(self.model.parameters)

    @property
    def coherence(self) -> Sequence[NDArray[np.float64]]:
        """How much the words of each topic occur together, model by model (:func:`hott.topics.coherence`)."""
        return self.model.coherence

    @property
    def encoder(self) -> Encoder | None:
        """What makes vectors of documents and queries; an opened index must be given it again."""
        return self.model.encoder

    @encoder.setter
    def encoder(self, encoder: Encoder | None) -> None:
        with self._changing:
            self._searcher = Searcher(replace(self.model, encoder=encoder), (self.snapshot,))

    @property
    def dropped(self) -> tuple[str, ...]:
        """Ids of documents that were left out because no word of them is known (``on_empty="drop"``)."""
        return self.snapshot.dropped

    @property
    def distance(self) -> Distance:
        """What "more like this" goes by."""
        return self.model.distance

    @property
    def hott(self) -> HOTT:
        """The distance over topics, which search by topics uses and explanations explain."""
        return self.model.hott

    # -- what is in it -----------------------------------------------------------------------------------

    def duplicates(self, likeness: float = 0.8) -> list[DuplicateGroup]:
        """Find groups of documents that are copies of one another, exact ones first.

        ``likeness`` is the share of their words, stop words apart, that near copies have in common.
        """
        from hott.index import analysis

        snapshot = self.snapshot
        return Listing(analysis.find_duplicates(snapshot.documents, snapshot.postings, likeness))

    def subjects(self, level: int | None = None, **options: Unpack[RunOptions]) -> Subjects:
        """Find what the documents are about: a hierarchy of subjects, coarse to fine, each with its name.

        Subjects are communities of the graph of nearest neighbours: documents that are among one another's
        nearest more often than by chance. They are found once and kept: documents that come later go to the
        subject of their nearest, until :meth:`refresh_subjects`. Save the index to keep them in its file.

        Parameters
        ----------
        level : {1, 2, 3, 4}, optional
            Of those in the list, from a few large ones to many small ones; by default the level that has
            about a dozen or two. The others are in ``all``.

        Examples
        --------
        >>> import hott
        >>> index = hott.Index.build(hott.demo.corpus()[:80], n_topics=8, n_models=1)
        >>> subjects = index.subjects(level=1)
        >>> index.edit_subjects("rename", subjects[0].number, "my subject")
        >>> index.subjects(level=1)[0].name
        'my subject'
        """
        return self._list_subjects(None, level, Run.of(options))

    def _list_subjects(self, min_size: int | None, level: int | None, run: Run) -> Subjects:
        from hott.index import subjects

        snapshot = self.snapshot
        if min_size is None:
            min_size = subjects.default_min_size(len(snapshot))
        tree = subjects.name_subjects(
            snapshot.documents, snapshot.terms(self.model), self._subject_tree(snapshot, run), min_size
        )
        snapshot.keep_subjects(tree)
        return subjects.list_subjects(snapshot, snapshot.terms(self.model), tree, min_size, level)

    def _subject_tree(self, snapshot: Snapshot, run: Run) -> SubjectTree:
        """Return the subjects of all documents, whether they are known or must be looked for."""
        from hott.index import subjects

        tree = snapshot.subjects
        if tree is None:
            return subjects.find_subjects(self.model, snapshot, run)
        return subjects.place_documents(self.model, snapshot, tree, run)

    def edit_subjects(self, kind: SubjectEdit, subjects: int | Sequence[int], name: str = "") -> None:
        """Rename, merge, split, hide or show subjects, given by their numbers. Save the index to keep it.

        What people say wins over what is computed. Splitting a subject puts the finer ones that lie in it
        in its place; merging two that people named needs a ``name``.
        """
        with self._changing:
            numbers = [subjects] if isinstance(subjects, int) else list(subjects)
            snapshot = self.snapshot
            named = self._list_subjects(None, None, Run()).tree  # with the names that people see
            tree = named.edit(kind, numbers, name)
            self._replace(snapshot.with_subjects(tree))

    def refresh_subjects(self, **options: Unpack[RunOptions]) -> SubjectChanges:
        """Look for the subjects anew, and say what changed. What people changed about them stays."""
        from hott.index.subjects import SubjectChanges, find_subjects

        with self._changing:
            run, snapshot = Run.of(options), self.snapshot
            before = self._list_subjects(None, None, run)
            tree = find_subjects(self.model, snapshot, run).keep_edits(before.tree)
            self._replace(snapshot.with_subjects(tree))
            return SubjectChanges.of(before, self._list_subjects(None, None, run))

    def clusters(
        self, min_size: int | None = None, *, granularity: int = 2, **options: Unpack[RunOptions]
    ) -> list[Subject]:
        """List the subjects of one level that have enough documents, the largest first; see :meth:`subjects`.

        Parameters
        ----------
        min_size : int or None
            Documents that a group must have; those of smaller ones are in none. None: a number that grows
            with the collection, 4 of 200 documents and 35 of 20,000.
        granularity : {1, 2, 3, 4}
            From a few large groups to many small ones. Each group lies in one of the level above it.
        """
        from hott.index.subject_tree import LEVELS

        n = len(self.snapshot.combine(self.model))
        if min_size is not None and not 2 <= min_size <= n:
            raise ValueError(f"min_size must be from 2 to the number of documents, {n:,}; got {min_size!r}.")
        if granularity not in LEVELS:
            raise ValueError(f"granularity must be 1 (coarsest), 2, 3 or 4 (finest), got {granularity!r}.")
        return Listing(self._list_subjects(min_size, granularity, Run.of(options)))

    def contrast(
        self, a: DocumentSelection, b: DocumentSelection | None = None, n: int = 10, sentences: int = 2
    ) -> Contrast:
        """Say how some documents differ from others: terms that more of the ones have than of the others.

        Each side is a list of ids, a filter, a subject or hits; without ``b``, it is all other documents.
        ``n`` and ``sentences`` are how many terms and typical sentences to give of each.

        Examples
        --------
        >>> import hott
        >>> index = hott.Index.build(hott.demo.corpus()[:60], n_topics=4, n_models=1)
        >>> found = index.contrast({"label": "astronomy"}, {"label": "cooking"})
        >>> [term.text for term in found.a][:3]
        ['stars', 'planet', 'Earth']
        """
        from hott.index import analysis
        from hott.terms import DocumentSet, contrast

        snapshot = self.snapshot
        own = analysis.find_positions(snapshot, a)
        others = np.arange(len(snapshot)) if b is None else analysis.find_positions(snapshot, b)
        others = np.setdiff1d(others, own) if b is None else others
        if not len(others):
            raise ValueError("a is all documents: there are no others to tell it from.")
        texts = (snapshot.documents[rows].texts for rows in (own, others))
        first, second = (DocumentSet.of(side, self.term_statistics) for side in texts)
        return contrast(first, second, n, sentences)

    def outliers(self, n: int = 10, k: int = 5, **options: Unpack[RunOptions]) -> list[Outlier]:
        """Find the ``n`` documents that are farthest, on average, from their ``k`` nearest others."""
        from hott.index.analysis import Outlier

        snapshot, n = self.snapshot, check_count(n, "n")
        known = snapshot.combine(self.model)
        k = min(check_count(k, "k"), len(known) - 1)
        if k < 1:
            raise ValueError(
                "there must be two documents with known words for one to be far from the others."
            )
        mean = Neighbors(self.model.distance).fit(known).kneighbors(None, k, **options).distances.mean(axis=1)
        order = [i for i in np.argsort(-mean, kind="stable").tolist() if not np.isnan(mean[i])][:n]
        documents = snapshot.documents.rows_of(np.array(order, np.intp))
        return Listing([Outlier(one.id, one.name, float(mean[i])) for one, i in zip(documents, order)])

    def topics_over(self, column: str, *, model: int = 0, by: str | None = None) -> TopicTrends:
        """Measure how much of the documents is about each topic, year by year or value by value of a column.

        ``by`` is "year", "month" or "day": how dates are grouped. By default it is by month, or by year
        where there are more than fifty months.
        """
        from hott.index.analysis import TopicTrends
        from hott.index.subjects import group_by_column

        view = copy(self)
        topics, curation, snapshot = view.topics_of(model), view.curation(model), view.snapshot
        names, of_document = group_by_column(snapshot.documents, column, by)
        rows, known = snapshot.topics.distributions[model].csr, snapshot.topics.positions
        there = np.flatnonzero(of_document[known] >= 0)
        groups, shape = of_document[known][there], (len(names), len(known))
        member = sparse.csr_array((np.ones(len(there)), (groups, there)), shape=shape)
        totals = np.asarray((member @ rows).todense()).T
        documents = np.bincount(groups, minlength=len(names))
        joined = [totals[curation.members(topic.number)].sum(axis=0) for topic in topics]
        shares = np.reshape(joined, (len(topics), len(names))) / np.maximum(documents, 1)
        return TopicTrends(names, tuple(documents.tolist()), tuple(t.name for t in topics), shares)

    def table(self, model: int = 0) -> ColumnTable:
        """List documents by topics, in columns by name: what is known of each, and all its shares."""
        view = copy(self)
        topics, names = view.topics_by_number(model), view.curation(model).names
        documents, known = view.snapshot.documents, view.snapshot.topics
        columns: dict[str, Sequence[Any]] = {
            "id": list(documents.ids),
            "title": list(documents.titles),
            "label": list(documents.labels),
            **{name: list(values) for name, values in documents.columns.items()},
        }
        shares = known.scatter(known.distributions[model].csr.toarray())
        for topic in topics:
            name = f"topic {topic.number}: {names.get(topic.number, topic.name)}"
            columns[name if name not in columns else f"{name}_"] = shares[:, topic.number].tolist()
        return ColumnTable(columns)

    @property
    def proportions(self) -> sparse.csr_array:
        """Topic proportions, documents x topics, with a block of columns for each topic model.

        A document without a known word has an empty row.
        """
        return with_empty_rows(self.snapshot.topics)

    def proportions_of(self, model: int) -> sparse.csr_array:
        """Return the proportions of the topics of one model."""
        all_models = self.snapshot.topics
        one = all_models.distributions[model]
        return with_empty_rows(
            Representation.of(one, positions=all_models.positions, n_documents=all_models.n_documents)
        )

    def edit_topics(self, kind: Kind, topics: int | Sequence[int], name: str = "", *, model: int = 0) -> None:
        """Rename a topic, show several as one, or hide some; ``undo_edit`` takes the last change back.

        The topics and all distances stay as they are; what changes is how they are listed, here, on the
        command line and on the page. A merged topic has the number of the first one, and the words and
        shares of all. Save the index to keep it.

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
        with self._changing:
            numbers = (topics,) if isinstance(topics, int) else tuple(topics)
            edit = Edit(kind, numbers, name, model)
            self.edits = (*self.edits, edit.check(self.model.n_topics))

    def undo_edit(self) -> None:
        """Take the last change of the topics back."""
        with self._changing:
            if not self.edits:
                raise ValueError(
                    "Nothing was changed about the topics of this index, so nothing can be undone."
                )
            self.edits = self.edits[:-1]

    @property
    def topics(self) -> tuple[Topic, ...]:
        """The topics of the first topic model, the heaviest in the corpus first, fillers last."""
        return self.topics_of(0)

    def topics_of(self, model: int, n_words: int = 10, *, hidden: bool = False) -> tuple[Topic, ...]:
        """List the topics of one of the topic models, the heaviest in the corpus first, fillers last.

        Merged ones are one, and hidden ones are left out (:meth:`edit_topics`), or listed last with
        ``hidden=True``. ``n_words`` is how many distinctive words to list.
        """
        topics, left_out = self._curate(model, n_words), self.curation(model).hidden
        listed = [topic for topic in topics if hidden or topic.number not in left_out]
        return Items(sorted(listed, key=lambda t: (t.number in left_out, t.is_filler, -t.share)))

    def topics_by_number(self, model: int, n_words: int = 10) -> tuple[Topic, ...]:
        """List all topics of a model as they were learned, in the order of their numbers."""
        return self._searcher.topics(model, n_words)

    @property
    def names(self) -> list[str]:
        """The name of each document, its title, or else its first sentence that says something, or its id."""
        return self.snapshot.documents.names()

    def info(self) -> dict[str, Any]:
        """Say what the index holds and how it was built, as JSON could hold it."""
        from hott.index import analysis

        snapshot = self.snapshot
        found = len(self) <= _MAX_DRAWN or snapshot.subjects is not None  # else it takes longer than a look
        return analysis.summarize(self.model, snapshot) | {
            "subjects": [subject.name for subject in self.subjects()] if found else None,
            "source": self.reading.get("source"),
        }

    def without_meaning(self) -> Index:
        """Return the same documents, searched and compared by words and topics alone."""
        model = self.model.without_vectors()
        parts = Parts(self.snapshot.select_parts(model.part_names), subjects=self.snapshot.subjects)
        return Index(model, replace(self.snapshot, parts=parts), self.edits, self.reading)

    def plot(self, *, color_by: str = "auto", **options: Unpack[RunOptions]) -> go.Figure:
        """Draw the map of the documents, to hover over and zoom into (:func:`hott.plots.corpus_map`).

        ``color_by`` is "auto", "label" or "topic", as in :meth:`colors`.
        """
        from hott.plots import corpus_map

        return corpus_map(self.map(**options), labels=self.colors(color_by), titles=self.names)

    def explore(self, height: int = 720) -> Any:
        """Open the explorer on this machine, and show it in a notebook. Needs the extra ``hott[explore]``.

        It ends with the process, or with ``close()`` of what is returned.
        """
        # The explorer is built on the index: it is found by its name, when somebody asks for it.
        return import_optional("hott.explorer.launch", extra="explore").InlineExplorer(self, height)

    def _repr_html_(self) -> str:
        """Return the card of the index as HTML: what is in it and what it is about."""
        documents = self.snapshot.documents
        is_small = len(self) <= _MAX_DRAWN  # of more the map takes longer than a look at them should
        names = [one.name for one in (self.subjects() if is_small else self.topics[:12])]
        about = {
            "documents": f"{len(self):,}",
            "language": name_languages(self.parameters["language"]),
            "columns": ", ".join(documents.columns) or "none",
            "subjects" if is_small else "topics": "; ".join(names),
        }
        drawn = make_scatter(self.map(), self.names, self.colors()) if is_small else ""
        rows = "".join(
            f"<tr><th>{name}</th><td style='text-align:left'>{escape(value)}</td></tr>"
            for name, value in about.items()
        )
        first = make_table({"id": documents.ids[:5], "name": documents.names(range(min(5, len(self))))})
        hint = "<p>index.plot() draws the map, index.explore() opens the explorer.</p>"
        return f"<table>{rows}</table>{drawn}{first}{hint}"

    def __getattr__(self, name: str) -> Any:
        if name not in _MOVED:
            raise AttributeError(f"'Index' object has no attribute {name!r}", name=name, obj=self)
        warnings.warn(f"index.{name} is now index.{_MOVED[name]}.", DeprecationWarning, stacklevel=2)
        return attrgetter(_MOVED[name])(self)

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if name not in _INTERNALS and not name.startswith("_")]

    def __repr__(self) -> str:
        n_models, n_topics = self.parameters["n_models"], self.parameters["n_topics"]
        counted = ((len(self), "document"), (len(self.vocabulary.words_), "word"), (n_topics, "topic"))
        each = f" in each of {n_models} models" if n_models > 1 else ""
        return f"Index of {', '.join(pluralize(*one) for one in counted)}{each}"


_MAX_DRAWN = 1000  # documents on the map of a card

# What the page and the command line read, and nobody needs in a notebook.
_INTERNALS = frozenset([
    "curation", "fingerprint", "model", "proportions_of", "reading", "searcher", "snapshot",
    "term_statistics", "topics_by_number", "without_meaning",
])  # fmt: skip
_MOVED = {  # until 0.4
    "later": "snapshot.added_after_fit",
    "postings": "snapshot.postings",
    "represented": "snapshot.topics",
    "scale": "model.topic_deviation",
    "topic_names": "model.topic_names",
    "word_counts": "model.word_counts",
    "word_documents": "model.word_documents",
}


def _find_within(model: Model, snapshot: Snapshot, where: Where, k: int, run: Run) -> NeighborResult:
    """Find the nearest documents of each, of those that a filter leaves."""
    everyone, mask = snapshot.combine(model), check_filter(snapshot.documents, where)
    known = everyone.positions
    is_in = mask[known]
    among = np.flatnonzero(is_in)
    mine = np.searchsorted(among, np.arange(len(known)))
    k = check_k(k, len(among), others=bool(is_in.any()))
    documents = everyone.take(among)
    indices, distances = np.empty((len(known), k), np.intp), np.empty((len(known), k))
    computed = pruned = 0
    for rows, own in ((among, mine[among]), (np.flatnonzero(~is_in), None)):
        if len(rows):
            found = search(model.distance, everyone.take(rows), documents, k, run, own=own)
            indices[rows], distances[rows] = known[among[found.indices]], found.distances
            computed, pruned = computed + found.computed, pruned + found.pruned
    nearest = np.tile(known[among[:k]], (everyone.n_documents, 1))
    nearest[known] = indices
    return NeighborResult(nearest, everyone.scatter(distances), computed, pruned)


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
    with file_lock(Path(os.path.realpath(path))):
        index = open(path)
        before, edits = index.snapshot, index.edits
        yield index
        if index.snapshot is not before or index.edits != edits:
            index.save(path)
