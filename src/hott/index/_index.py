"""Index: documents that can be searched, compared and mapped."""

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott import explain, storage
from hott._progress import Progress
from hott.corpus import Corpus, Document
from hott.distances._checks import check_count
from hott.distances.base import OnEmpty, take
from hott.distances.topic import HOTT, Prepared
from hott.index import _build, _state
from hott.index._build import Embeddings
from hott.index._documents import Documents
from hott.index._hits import Hit, Hits
from hott.index._inference import Inferred, Reader, as_matrix, joined, represented, spread
from hott.index._topics import TopicSummary, summaries
from hott.neighbors import NeighborResult, Neighbors, as_graph, search, within
from hott.transport import Distributions
from hott.vocabulary import Vocabulary

if TYPE_CHECKING:
    from hott.gpu import Device


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
    distance : HOTT
        The fitted distance.
    dropped : tuple of str
        Ids of documents that were left out because no word of them is known (``on_empty="drop"``).
    parameters : dict
        What the index was built with.

    Examples
    --------
    >>> from hott import Corpus, Index
    >>> texts = ["A planet orbits its star.", "Stars and planets shine.", "Goals win a football match."]
    >>> index = Index.build(Corpus(texts, ids=["orbit", "stars", "goals"]), n_topics=2, n_models=2)
    >>> index.search("stars", k=2)[0]
    Hit(id='stars', title='', label=None, distance=0.0)
    >>> index.distances().shape
    (3, 3)
    """

    def __init__(
        self,
        documents: Documents,
        vocabulary: Vocabulary,
        word_counts: NDArray[np.int64],
        distance: HOTT,
        rows: tuple[Distributions, ...],
        known: NDArray[np.intp],
        dropped: tuple[str, ...],
        parameters: dict[str, Any],
    ) -> None:
        self.documents = documents
        self.vocabulary = vocabulary
        self.word_counts = word_counts
        self.distance = distance
        self._rows = rows  # topic proportions in each model of the documents that have a known word
        self._known = known  # the positions of these documents
        self.dropped = dropped
        self.parameters = parameters
        self._named: dict[int, tuple[explain.Topic, ...]] = {}  # topics of each model, once they were named

    # -- building, saving, opening, adding ---------------------------------------------------------------

    @classmethod
    def build(
        cls,
        corpus: Corpus | Iterable[str] | Iterable[Corpus],
        *,
        n_topics: int | Literal["auto"] = "auto",
        n_models: int = 8,
        iterations: int = 100,
        embeddings: Embeddings = None,
        stop_words: str | Iterable[str] | None = "english",
        min_df: float | Literal["auto"] = "auto",
        max_words: int | None = None,
        stem: bool | str = False,
        on_empty: OnEmpty = "error",
        fit_sample: int | None = 100_000,
        random_state: int = 0,
        threads: int | None = None,
        progress: Progress = None,
        client: Any = None,
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
        embeddings : None, path, WordVectors, "train" or False
            Word vectors: those that come with the library, those of a file, your own, vectors trained on the
            corpus, or none (all words equally far apart). Words without a vector are passed over.
        stop_words, max_words, stem
            As in :class:`hott.Vocabulary`.
        min_df : int, float or "auto"
            Leave out words in fewer documents than this; a float is a share of the documents. By default
            3, below a thousand documents 2, and below fifty every word counts.
        on_empty : "error", "drop" or "nan"
            What to do with documents of which no word is known: stop and name them, leave them out, or keep
            them at no distance (NaN) from anything.
        fit_sample : int or None
            Learn vocabulary and topics from a random sample of so many documents when there are more.
        random_state : int
            The same seed gives the same numbers, on any number of threads.
        threads : int, optional
            All cores by default.
        progress : True, a function of (done, total), or None
            ``True`` shows a bar for each stage when standard error is a terminal.
        client : dask.distributed.Client, optional
            Let a Dask cluster infer the topics of the documents (docs/scale.md). The index is the same.
        """
        corpus = _build.check_corpus(corpus)
        parameters = _build.check_parameters(
            n_topics=n_topics,
            n_models=n_models,
            iterations=iterations,
            embeddings=embeddings,
            stop_words=stop_words,
            min_df=min_df,
            max_words=max_words,
            stem=stem,
            on_empty=on_empty,
            fit_sample=fit_sample,
            random_state=random_state,
            n_documents=len(corpus),
        )
        sample = _build.sampled(corpus, fit_sample, random_state)
        vocabulary, counts = _build.fit_vocabulary(sample, embeddings, parameters, progress)
        distance = _build.fit_distance(counts, vocabulary, parameters, threads, progress)
        reader, counted = Reader(vocabulary, distance), sample is corpus and client is None
        inferred = [reader.infer(counts)] if counted else _inferred(reader, corpus, client)
        rows, known = represented(distance, inferred, len(corpus), progress)
        kept, dropped, positions = _build.apply_policy(corpus, known, on_empty)
        return cls(
            documents=Documents.of(kept),
            vocabulary=vocabulary,
            word_counts=np.asarray(counts.sum(axis=0), np.int64).ravel(),
            distance=distance,
            rows=rows,
            known=positions,
            dropped=dropped,
            parameters=parameters,
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the index as one file, which replaces what is there in one step or not at all."""
        storage.write(path, *_state.parts_of(self))

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, verify: bool = False) -> "Index":
        """Open a saved index; see :func:`hott.open`."""
        return cls(**_state.restored(storage.read(path, verify=verify)))

    def add(
        self,
        corpus: Corpus | Iterable[str] | Iterable[Corpus],
        *,
        progress: Progress = None,
        client: Any = None,
    ) -> None:
        """Take in new documents; the topics stay as they are.

        The ids must be new. Documents without a known word are treated as ``on_empty`` said when the index
        was built. When anything fails, the index stays as it was.
        """
        corpus = _build.check_corpus(corpus)
        self.documents.check_new(corpus)
        inferred = _inferred(self._reader, corpus, client)
        new, known = represented(self.distance, inferred, len(corpus), progress)
        kept, dropped, positions = _build.apply_policy(corpus, known, self.parameters["on_empty"])
        rows = tuple(joined([old, more]) for old, more in zip(self._rows, new))
        positions = np.concatenate([self._known, len(self.documents) + positions])
        # From here on nothing can fail.
        self.documents = self.documents.with_more(kept)
        self._rows, self._known = rows, positions
        self.dropped += dropped

    # -- answers -----------------------------------------------------------------------------------------

    def search(
        self,
        query: str | None = None,
        k: int = 10,
        *,
        id: str | None = None,
        text: str | None = None,
        threads: int | None = None,
    ) -> Hits:
        """Find the ``k`` documents nearest to a text, or to a document of the index.

        Parameters
        ----------
        query : str
            The id of a document, where there is one with that id; a text otherwise. ``id=`` or ``text=`` in
            its place say which is meant.
        k : int
            How many documents to find; all of them when there are fewer.
        threads : int, optional
            All cores by default.

        Returns
        -------
        Hits
            Nearest first. A document that is searched for, by its id or by its own text, is the first.
        """
        row, own, text = self._query(query, id, text)
        k = min(check_count(k, "k"), len(self._known))
        found = search(self.distance, row, self._rows, k, threads=threads)
        return self._hits(found, row, own, text, threads)

    def compare(self, a: str | Document, b: str | Document) -> explain.Comparison:
        """Explain the distance of two documents: what they share, what moves where, and at what cost.

        Parameters
        ----------
        a, b : str or Document
            Ids of documents in the index, or documents that are not in it.
        """
        documents, rows = zip(*(self._document(which) for which in (a, b)))
        return explain.compare(
            self.distance,
            *map(as_matrix, rows),
            words=self.vocabulary.words_.tolist(),
            documents=documents,
            count=self.vocabulary.transform,
            frequencies=self.word_counts,
            topics=self._topics,
        )

    def reasons(
        self,
        query: str | None = None,
        hits: Iterable[Hit] = (),
        *,
        id: str | None = None,
        text: str | None = None,
    ) -> list[str]:
        """Why each hit is near what was searched for (given as in :meth:`search`), in one line each."""
        sought = as_matrix(self._query(query, id, text)[0])
        words = self.vocabulary.words_.tolist()
        rows = (take(self._rows, [self._row(self.documents.position(hit.id))]) for hit in hits)
        return [
            explain.compare(self.distance, sought, as_matrix(row), words=words, topics=self._topics).why
            for row in rows
        ]

    def distances(
        self,
        out: NDArray[np.float64] | str | os.PathLike[str] | None = None,
        *,
        block: int | None = None,
        threads: int | None = None,
        progress: Progress = None,
        device: "Device" = "cpu",
    ) -> Any:
        """All distances, documents x documents, in the order of ``documents``.

        Parameters
        ----------
        out : array or path, optional
            Where to put them: an array of that shape; the name of an ``.npy`` file, which is mapped into
            memory; or that of a ``.zarr`` folder. Files are filled block by block, so that the matrix may be
            larger than memory, and a run that was interrupted goes on where it was.
        block : int, optional
            Documents on each side of a block: 2,048, or 8,192 for a GPU. A block of b documents takes about
            6 x 8 x b x b bytes of memory, 200 MB.
        threads : int, optional
            All cores by default.
        progress : True, a function of (done, total), or None
        device : "cpu", "cuda" or "auto"
            Where to compute; ``"auto"`` takes a GPU where there is one and the work is large enough to gain.

        Returns
        -------
        ndarray, memory map or zarr.Array of shape (documents, documents)
            Documents without a known word are at distance NaN from all.
        """
        if len(self._known) == len(self) and (out is None or isinstance(out, np.ndarray)):
            return self.distance.between_on(device, self._rows, threads=threads, out=out, progress=progress)
        from hott.scale._collection import Collection
        from hott.scale._distances import fill
        from hott.scale._runners import Here

        everyone = Collection.of(self)
        return fill(everyone, out, Here(threads), block=block, progress=progress, device=device)

    def neighbors(
        self, k: int = 10, *, threads: int | None = None, progress: Progress = None
    ) -> NeighborResult:
        """The ``k`` nearest other documents of each document, as positions in ``documents``.

        A document without a known word has distances NaN.
        """
        return self._neighbors().kneighbors(k=k, threads=threads, progress=progress)

    def graph(
        self,
        k: int = 10,
        *,
        out: str | os.PathLike[str] | None = None,
        block: int | None = None,
        threads: int | None = None,
        progress: Progress = None,
    ) -> sparse.csr_array:
        """The ``k`` nearest other documents of each, as a sparse matrix of distances.

        Parameters
        ----------
        out : path, optional
            Keep finished blocks in ``"graph.zarr"`` or ``"graph.parquet"``, so that a run that was
            interrupted goes on where it was; see :func:`hott.scale.graph`.
        block : int, optional
            Documents whose neighbours are sought together: 2,048.
        """
        if out is None:
            return self._neighbors().graph(k=k, threads=threads, progress=progress)
        from hott.scale._collection import Collection
        from hott.scale._graph import nearest
        from hott.scale._runners import Here

        found = nearest(Collection.of(self), k, Here(threads), out=out, block=block, progress=progress)
        return as_graph(found.indices, found.distances, np.arange(len(self)), len(self))

    def map(
        self,
        *,
        perplexity: float = 30,
        random_state: int = 0,
        threads: int | None = None,
        progress: Progress = None,
    ) -> NDArray[np.float64]:
        """Place the documents on a plane so that near documents are near (t-SNE): documents x 2.

        Needs the extra ``hott[plots]``. A document without a known word is at NaN.
        """
        from hott import mapping

        n, points = len(self._known), np.full((len(self.documents), 2), np.nan)
        k = mapping.n_neighbors(n, perplexity)
        indices, distances = np.empty((n, 0), np.intp), np.empty((n, 0))
        if k:
            everyone, own = self._rows, np.arange(n)
            found = search(self.distance, everyone, everyone, k, own=own, threads=threads, progress=progress)
            indices, distances = found.indices, found.distances
        points[self._known] = mapping.layout(
            indices, distances, perplexity=perplexity, random_state=random_state, threads=threads
        )
        return points

    @property
    def proportions(self) -> sparse.csr_array:
        """Topic proportions, documents x topics: a block of columns for each topic model.

        A document without a known word has an empty row.
        """
        return spread(self._rows, self._known, len(self.documents))

    @property
    def topics(self) -> tuple[TopicSummary, ...]:
        """The topics of the first topic model, the heaviest in the corpus first."""
        return self.topics_of(0)

    def topics_of(self, model: int, n_words: int = 10) -> tuple[TopicSummary, ...]:
        """The topics of one of the topic models, the heaviest in the corpus first."""
        return summaries(self, model, n_words)

    @property
    def names(self) -> list[str]:
        """A name for each document: its title, or the id of a document without one."""
        return [title or id for title, id in zip(self.documents.titles, self.documents.ids)]

    def colors(self, by: str = "auto") -> list[str | None]:
        """What to colour each document by: its label, or the name of its heaviest topic.

        ``by`` is "label", "topic", or "auto": labels where there are any.
        """
        if by not in ("auto", "label", "topic"):
            raise ValueError(f"Documents are coloured by auto, label or topic, not by {by!r}.")
        labels = list(self.documents.labels)
        if by == "label" or (by == "auto" and any(labels)):
            return labels
        heaviest: list[str | None] = [None] * len(self)
        name_of = {topic.number: topic.name for topic in self.topics}
        rows = self._rows[0]
        for position, start, end in zip(self._known.tolist(), rows.starts[:-1], rows.starts[1:]):
            heaviest[position] = name_of[int(rows.sites[start + np.argmax(rows.masses[start:end])])]
        return heaviest

    def info(self) -> dict[str, Any]:
        """What the index holds and how it was built, as JSON could hold it."""
        n_models = self.parameters["n_models"]
        return {
            "documents": len(self.documents),
            "documents without a known word": len(self.documents) - len(self._known),
            "documents dropped": len(self.dropped),
            "words": len(self.vocabulary.words_),
            "models": n_models,
            "topics": self.parameters["n_topics"],
            "topics a document": round(
                sum(len(rows.sites) for rows in self._rows) / len(self._known) / n_models, 2
            ),
            "parameters": self.parameters,
        }

    def __len__(self) -> int:
        return len(self.documents)

    def __repr__(self) -> str:
        return (
            f"Index of {len(self):,} documents, {len(self.vocabulary.words_):,} words, "
            f"{self.parameters['n_models']} models of {self.parameters['n_topics']} topics"
        )

    # -- from what was asked to rows of proportions ------------------------------------------------------

    def _query(self, query: str | None, id: str | None, text: str | None) -> tuple[Prepared, int | None, str]:
        """Proportions of what is searched for; then its row, if it is a document, or else its text."""
        given = {"query": query, "id": id, "text": text}
        given = {name: value for name, value in given.items() if value is not None}
        if len(given) != 1:
            raise ValueError("search wants one thing to search for: a query, id=... or text=...")
        [(name, value)] = given.items()
        if not isinstance(value, str):
            raise ValueError(f"{name} must be a string, got {value!r:.60} ({type(value).__name__}).")
        position = self.documents.position(value) if name == "id" else None
        if name == "query":
            position = self.documents.find(value)
        if position is None:
            return self._reader.read_one(value, "The query"), None, value
        row = self._row(position)
        return take(self._rows, [row]), row, ""

    def _hits(
        self, found: NeighborResult, row: Prepared, own: int | None, text: str, threads: int | None = None
    ) -> Hits:
        """What was found for a query: first, of documents at distance 0, the one that was searched for."""
        rows, distances = found.indices[0], found.distances[0]
        if own is None and distances[0] == 0:
            own = self._row_with_text(text, row, threads)
        if own is not None:
            others = rows != own
            rows = np.concatenate([[own], rows[others]])[: len(rows)]
            distances = np.concatenate([[0.0], distances[others]])[: len(rows)]
        table = self.documents.rows(self._known[rows].tolist(), ["id", "title", "label"])
        hits = (Hit(**fields, distance=value) for fields, value in zip(table.to_pylist(), distances.tolist()))
        return Hits(tuple(hits), found.computed, found.pruned)

    def _document(self, which: str | Document) -> tuple[Document, Prepared]:
        """A document of the index by its id, or one from outside, and its proportions."""
        if isinstance(which, Document):
            return which, self._reader.read_one(which.text, f"The document {which.id!r}")
        if not isinstance(which, str):
            raise ValueError(f"compare wants ids or Documents, got {which!r:.60} ({type(which).__name__}).")
        position = self.documents.position(which)
        return self.documents[position], take(self._rows, [self._row(position)])

    @property
    def _reader(self) -> Reader:
        return Reader(self.vocabulary, self.distance)

    def _topics(self, model: int) -> tuple[explain.Topic, ...]:
        if model not in self._named:
            components = self.distance.models_[model].topics.components
            self._named[model] = explain.named_topics(
                components, self.vocabulary.words_.tolist(), self.word_counts
            )
        return self._named[model]

    def _row(self, position: int) -> int:
        row = int(np.searchsorted(self._known, position))
        if row == len(self._known) or self._known[row] != position:
            raise ValueError(
                f"The document {self.documents.ids[position]!r} has no word in the vocabulary of the index, "
                "so it has no distance from anything."
            )
        return row

    def _row_with_text(self, text: str, row: Prepared, threads: int | None) -> int | None:
        """The first document at distance 0 that has this very text."""
        same = within(self.distance, row, self._rows, 0.0, threads=threads).indices[0]
        texts = self.documents.rows(self._known[same].tolist(), ["text"])["text"].to_pylist()
        return next((int(row) for row, found in zip(same, texts) if found == text), None)

    def _neighbors(self) -> Neighbors:
        """The neighbour search over the proportions that are there already."""
        everyone = Neighbors(self.distance)
        everyone.distance_, everyone.representation_ = self.distance, self._rows
        everyone.kept_, everyone.n_documents_ = self._known, len(self.documents)
        return everyone


def _inferred(reader: Reader, corpus: Corpus, client: Any) -> Iterator[Inferred]:
    """Topic proportions of a corpus, a batch of documents at a time, on a cluster where there is one."""
    from hott.scale._infer import inferred
    from hott.scale._runners import Here, OnCluster

    return inferred(reader, corpus, Here() if client is None else OnCluster(client))


def open(path: str | os.PathLike[str], *, verify: bool = False) -> Index:
    """Open an index that was saved with :meth:`Index.save`.

    Arrays are mapped into memory and texts stay on the disk, so that opening is quick for any size. Each part
    is checked against its checksums when it is first used, with ``verify=True`` all of them now.

    Raises
    ------
    hott.storage.StorageError
        when the file is not an index, is damaged, or was written by a newer version of hott.
    """
    return Index.open(path, verify=verify)
