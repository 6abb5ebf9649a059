"""Shards: an index of many files, searched as one."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import Any, TypeVar, Unpack, cast

import numpy as np
from numpy.typing import NDArray

from hott import storage
from hott._atomic import guarded, remove_abandoned
from hott.blocks import run_blocks, spans_of
from hott.blocks.address import Address
from hott.checks import check_count
from hott.corpus import Corpus, texts_of
from hott.explain import Comparison
from hott.index import _reach
from hott.index import build as _build
from hott.index import persist as _state
from hott.index._reach import Reach
from hott.index._together import Together
from hott.index.changes import State
from hott.index.comparing import Comparable, Mentioned
from hott.index.documents import Documents
from hott.index.filters import Where
from hott.index.hits import Hits
from hott.index.index import Index
from hott.index.manifest import FILE, Manifest, Shard, check_name, is_of_shards, new_file
from hott.index.model import Encoder
from hott.index.query import By
from hott.index.search import SEARCHES_AT_ONCE, given
from hott.lexical import Frequencies
from hott.neighbors import NeighborResult
from hott.run import Run, RunOptions
from hott.storage import StorageError
from hott.table.columns import Kind

Wanted = TypeVar("Wanted")

BLOCK = 2_048
"""Documents whose neighbours are sought together."""


class Shards:
    """An index of many files in a folder, here or at an address such as ``s3://bucket/articles.hotts``.

    Words and topics are learned once and shared; each shard holds some of the documents. Shards are built and
    searched in parallel, by threads or by the workers of a Dask cluster, and what they find is put together
    exactly: ids, scores and distances are those of one :class:`hott.Index` of all documents with the same
    topics, in every bit.

    An open ``Shards`` is the state of the folder when it was opened, whatever happens to the folder;
    :meth:`refresh` goes on to the present one.

    Attributes
    ----------
    names : tuple of str
        Of the shards, in the order of their documents.
    schema : dict
        The columns of the documents, and what they hold.

    Examples
    --------
    >>> import hott
    >>> texts = ["A planet orbits its star.", "Stars and planets shine.", "Goals win a football match."]
    >>> corpus = hott.Corpus(texts, ids=["orbit", "stars", "goals"])
    >>> shards = hott.Shards.build(corpus, "sky.hotts", shards=2, n_topics=2, n_models=2)
    >>> shards.search("the light of stars", k=2)[0].id
    'stars'
    >>> shards.add(hott.Corpus(["A comet has a tail of light."], ids=["comet"]), name="comets")
    'comets'
    >>> shards
    Shards of 4 documents: '00001', '00002', 'comets'
    """

    def __init__(self, address: Address, manifest: Manifest, encoder: Encoder | None = None) -> None:
        self._address = address
        self._state = Together(manifest, Reach(address, manifest.topics, encoder))

    # -- building, opening, changing ---------------------------------------------------------------------

    @classmethod
    def build(
        cls,
        corpus: Corpus | Iterable[str] | Iterable[Corpus],
        path: str | os.PathLike[str],
        *,
        shards: int,
        storage_options: dict[str, Any] | None = None,
        fit_sample: int | None = 100_000,
        random_state: int = 0,
        **how: Any,
    ) -> "Shards":
        """Learn topics from documents, and write them to a folder as so many shards.

        Parameters
        ----------
        corpus : Corpus, texts, or batches of documents
            As in :meth:`hott.Index.build`.
        path : str, path or address
            The folder, which must not hold an index yet.
        shards : int
            How many; some hundred thousand documents each are a good size.
        storage_options : dict, optional
            For fsspec, such as credentials.
        fit_sample, random_state, **how
            As in :meth:`hott.Index.build`, with threads, device, client and progress. The workers of a Dask
            cluster each write shards; they must reach the folder.
        """
        corpus, n_shards = _build.check_corpus(corpus), check_count(shards, "shards")
        with _new_folder(path, storage_options) as address:
            sample = _build.sampled(corpus, fit_sample, random_state)
            index = Index.build(sample, fit_sample=fit_sample, random_state=random_state, **how)
            run = Run.of(
                cast(RunOptions, {name: how[name] for name in RunOptions.__annotations__ if name in how})
            )
            if sample is corpus:
                return cls._written(index, address, n_shards)
            reach, names = _learned(index, address), _names(n_shards)
            size = -(-len(corpus) // n_shards)
            spans = list(spans_of(len(corpus), size))
            items = ((name, corpus[span], False) for name, span in zip(names, spans))
            written: dict[str, tuple[Shard, Frequencies]] = {}
            with run.reporting("shards") as report:
                for (name, *_), (shard, frequencies, _) in run_blocks(_reach.save, reach, items, run):
                    written[name] = shard, frequencies
                    if report is not None:
                        report(len(written), len(spans))
            return cls._listed(reach, [written[name] for name in sorted(written)])

    @classmethod
    def of(
        cls,
        index: Index,
        path: str | os.PathLike[str],
        *,
        shards: int = 1,
        storage_options: dict[str, Any] | None = None,
    ) -> "Shards":
        """Write an index to a folder as so many shards.

        Parameters
        ----------
        index : Index
        path, shards, storage_options
            As in :meth:`build`.
        """
        n_shards = check_count(shards, "shards")
        with _new_folder(path, storage_options) as address:
            return cls._written(index, address, n_shards)

    @classmethod
    def _written(cls, index: Index, address: Address, n_shards: int) -> "Shards":
        reach = _learned(index, address)
        spans = spans_of(len(index), -(-len(index) // n_shards))
        states = (index.state.take(np.arange(len(index))[span]) for span in spans)
        return cls._listed(reach, [reach.save(name, state) for name, state in zip(_names(n_shards), states)])

    @classmethod
    def _listed(cls, reach: Reach, written: Sequence[tuple[Shard, Frequencies]]) -> "Shards":
        """The list comes last: without it there is nothing."""
        frequencies = reduce(Frequencies.plus, (one for _, one in written))
        manifest = Manifest(
            reach.topics, tuple(shard for shard, _ in written if shard.n_documents), frequencies
        )
        manifest.write(reach.address)
        return cls(reach.address, manifest, reach.encoder)

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        encoder: Encoder | None = None,
        storage_options: dict[str, Any] | None = None,
    ) -> "Shards":
        """Open the index of shards in a folder as it is now.

        Parameters
        ----------
        path : str, path or address
        encoder : callable, optional
            As in :func:`hott.open`.
        storage_options : dict, optional
            For fsspec, such as credentials.
        """
        address = Address.of(path, storage_options)
        return cls(address, Manifest.read(address), encoder)

    @classmethod
    def are_at(cls, path: str | os.PathLike[str], *, storage_options: dict[str, Any] | None = None) -> bool:
        """Whether a folder, here or at an address, holds an index of shards.

        Parameters
        ----------
        path : str, path or address
        storage_options : dict, optional
            For fsspec, such as credentials.

        Examples
        --------
        >>> Shards.are_at("no-folder")
        False
        """
        return Address.of(path, storage_options).has(FILE)

    def refresh(self) -> bool:
        """Go on to the present state of the folder; whether it is another."""
        before = self._manifest
        self._become(Manifest.read(self._address))
        return self._manifest.shards != before.shards

    def add(
        self,
        corpus: Corpus | Iterable[str] | Iterable[Corpus],
        *,
        name: str | None = None,
        **options: Unpack[RunOptions],
    ) -> str:
        """Take in new documents as another shard, and return its name. The topics stay as they are.

        Others may search meanwhile: they see the shards of before until they :meth:`refresh`. Those who would
        change the index wait; at an address, where nothing can be locked, only one may.

        Parameters
        ----------
        corpus : Corpus, texts, or batches of documents
            Their ids must be new.
        name : str, optional
            Of the shard; a number by default.
        **options : threads, device, client, progress
        """
        corpus = _build.check_corpus(corpus)
        with self._changing() as now:
            chosen = now.free_name() if name is None else check_name(name)
            if chosen in now.names:
                raise ValueError(f"There is a shard {chosen!r} already: replace it, or choose another name.")
            self._check_new(corpus, now.shards)
            shard, frequencies = self._saved(chosen, corpus, options)
            self._commit(now.changed([*now.shards, shard], now.frequencies.plus(frequencies)))
        return chosen

    def replace(
        self, name: str, corpus: Corpus | Iterable[str] | Iterable[Corpus], **options: Unpack[RunOptions]
    ) -> None:
        """Put other documents in the place of those of a shard, in one step.

        Parameters
        ----------
        name : str
        corpus, **options
            As in :meth:`add`.
        """
        corpus = _build.check_corpus(corpus)
        with self._changing() as now:
            place = now.place(name)
            others = [*now.shards[:place], *now.shards[place + 1 :]]
            self._check_new(corpus, others)
            shard, frequencies = self._saved(name, corpus, options)
            total = self._without(now, place).plus(frequencies)
            self._commit(now.changed([*now.shards[:place], shard, *now.shards[place + 1 :]], total))

    def remove(self, name: str) -> None:
        """Take a shard out, in one step."""
        with self._changing() as now:
            place = now.place(name)
            if len(now.shards) == 1:
                raise ValueError("an index must keep a document: remove would take the last shard.")
            others = [*now.shards[:place], *now.shards[place + 1 :]]
            self._commit(now.changed(others, self._without(now, place)))

    @contextmanager
    def _changing(self) -> Iterator[Manifest]:
        """The present state, which nobody else changes meanwhile."""
        if not self._address.is_local:
            self.refresh()
            yield self._manifest
            return
        with guarded(Path(self._address.of_file(FILE))):
            self.refresh()
            yield self._manifest

    def _commit(self, after: Manifest) -> None:
        """Make a state the present one, and remove files that nobody needs any more."""
        before = self._manifest
        after.write(self._address)
        self._become(after)
        for file in before.files - after.files:
            self._address.remove(file)
        if self._address.is_local:  # elsewhere someone may be writing them
            _remove_leftovers(self._address, after.files)

    def _saved(self, name: str, corpus: Corpus, options: RunOptions) -> tuple[Shard, Frequencies]:
        shard, frequencies, dropped = _reach.save(self._reach, (name, corpus, True), Run.of(options))
        if not shard.n_documents:
            raise ValueError(f"corpus has no document with a known word: all {len(dropped):,} were left out.")
        return shard, frequencies

    def _check_new(self, corpus: Corpus, others: Sequence[Shard]) -> None:
        for shard in others:
            with self._reach.opened(shard) as index:
                index.documents.check_new(corpus)

    def _without(self, now: Manifest, place: int) -> Frequencies:
        """Word frequencies without those of a shard, which may be lost: then they are added up anew."""
        try:
            return now.frequencies.plus(self._frequencies(now.shards[place]), times=-1)
        except StorageError:
            others = [*now.shards[:place], *now.shards[place + 1 :]]
            nothing = Frequencies(np.empty(0, object), np.empty(0, np.int64), 0, 0)
            return reduce(Frequencies.plus, (self._frequencies(shard) for shard in others), nothing)

    def _frequencies(self, shard: Shard) -> Frequencies:
        with self._reach.opened(shard) as index:
            return index.postings.frequencies

    def _become(self, manifest: Manifest) -> None:
        """Go on to another state, with the shards of it that are open already."""
        left = {manifest.topics, *(shard.file for shard in manifest.shards)}
        kept = {file: index for file, index in self._reach.kept.items() if file in left}
        self._state = Together(manifest, replace(self._reach, topics=manifest.topics, kept=kept))

    @property
    def _manifest(self) -> Manifest:
        return self._state.manifest

    @property
    def _reach(self) -> Reach:
        return self._state.reach

    # -- answers -----------------------------------------------------------------------------------------

    def search(
        self,
        query: str | None = None,
        k: int = 10,
        *,
        id: str | None = None,
        text: str | None = None,
        by: By = "both",
        where: Where | None = None,
        **options: Unpack[RunOptions],
    ) -> Hits:
        """Find the ``k`` documents that fit a text best, or those nearest to a document.

        What :meth:`hott.Index.search` finds in one index of all documents, in every bit; only ``computed``
        and ``pruned`` may be others.

        Parameters
        ----------
        query, k, id, text, by, where
            As in :meth:`hott.Index.search`.
        **options : threads, device, client
        """
        run, state = Run.of(options), self._state
        check_count(k, "k")
        name, value = given(query, id, text)
        place = None if name == "text" else state.place(value, run)
        if place is not None:
            return state.nearest(value, place, k, where, run)
        if name == "id":
            raise ValueError(f"No document has the id {value!r}.")
        return state.found([state.query_reader.read(value)], k, by, where, run)[0]

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
        texts, k, by, where
            As in :meth:`hott.Index.search_many`.
        **options : threads, device, client, progress
        """
        checked, run, state = list(texts_of(texts, "texts")), Run.of(options), self._state
        check_count(k, "k")
        found: list[Hits] = []
        with run.reporting("searches") as report:
            for span in spans_of(len(checked), SEARCHES_AT_ONCE):
                queries = [state.query_reader.read(text) for text in checked[span]]
                found += state.found(queries, k, by, where, run, range(span.start, span.stop))
                if report is not None:
                    report(len(found), len(checked))
        return found

    def neighbors(self, k: int = 10, *, block: int = BLOCK, **options: Unpack[RunOptions]) -> NeighborResult:
        """The ``k`` nearest other documents of each, as positions in the order of the shards.

        Parameters
        ----------
        k : int
        block : int
            Documents whose neighbours are sought together.
        **options : threads, device, client, progress

        Returns
        -------
        NeighborResult
            As :meth:`hott.Index.neighbors` gives it.
        """
        return self._state.neighbors(k, block, Run.of(options))

    def compare(self, a: Comparable, b: Comparable, **options: Unpack[RunOptions]) -> Comparison:
        """Explain the distance of two documents, of whichever shards, or of two groups of them.

        What :meth:`hott.Index.compare` says in one index of all documents.

        Parameters
        ----------
        a, b
            As in :meth:`hott.Index.compare`.
        **options : threads, client

        Examples
        --------
        >>> import hott
        >>> shards = hott.Shards.build(hott.demo.corpus()[:20], "demo.hotts", shards=2, n_models=1)
        >>> shards.compare("astronomy/venus", "astronomy/asteroid-belt").a.id
        'astronomy/venus'
        """
        return self._state.some(Mentioned.by(a, b), Run.of(options)).compare(a, b)

    def reasons(self, hits: Hits, **options: Unpack[RunOptions]) -> list[str]:
        """Why each hit was found, in one line each: what :meth:`hott.Index.reasons` says in one index.

        Parameters
        ----------
        hits : Hits
            Those of :meth:`search` or :meth:`search_many`.
        **options : threads, client
        """
        sought = hits.query.id if hits.query is not None else None
        ids = {hit.id for hit in hits} | ({sought} if sought is not None else set())
        return self._state.some(Mentioned(frozenset(ids)), Run.of(options)).reasons(hits)

    def map(
        self,
        *,
        perplexity: float = 30,
        random_state: int = 0,
        block: int = BLOCK,
        **options: Unpack[RunOptions],
    ) -> NDArray[np.float64]:
        """Place all documents on a plane so that near ones are near: what :meth:`hott.Index.map` gives.

        The neighbours are sought shard by shard, also by a cluster; the places are found here.

        Parameters
        ----------
        perplexity, random_state
            As in :meth:`hott.Index.map`.
        block : int
            Documents whose neighbours are sought together.
        **options : threads, device, client, progress
        """
        return self._state.map(perplexity, random_state, block, Run.of(options))

    def colors(self, by: str = "auto", **options: Unpack[RunOptions]) -> list[str | None]:
        """What to colour each document by, as :meth:`hott.Index.colors` says.

        Parameters
        ----------
        by : "label", "topic" or "auto"
        **options : threads, client
        """
        return self._state.colors(by, Run.of(options))

    @property
    def documents(self) -> Documents:
        """The documents of all shards, in order; a text is read from the disk when it is asked for."""
        return Documents.concat(list(self._of_each(lambda index: index.documents)))

    def index(self) -> Index:
        """One index of all documents, in memory: for what shards cannot do, such as clusters."""
        states = self._of_each(lambda index: index.state)
        return self._reach.learned.with_state(reduce(State.followed_by, states))

    def _of_each(self, wanted: Callable[[Index], Wanted]) -> Iterator[Wanted]:
        """Something of every shard, in order."""
        for shard in self._manifest.shards:
            with self._reach.opened(shard) as index:
                found = wanted(index)
            yield found

    @property
    def learned(self) -> Index:
        """Words, topics and distances, as an index without documents."""
        return self._reach.learned

    @property
    def names(self) -> tuple[str, ...]:
        return self._manifest.names

    @property
    def schema(self) -> dict[str, Kind]:
        return self._manifest.schema

    def verify(self) -> None:
        """Read every byte of all shards, and raise a StorageError that names the first that is damaged."""
        for shard in self._manifest.shards:
            self._reach.verify(shard)

    def info(self) -> dict[str, Any]:
        """What the shards hold and how they were built, as JSON could hold it."""
        learned, shards = self._reach.learned, self._manifest.shards
        return {
            "documents": len(self),
            "shards": {shard.name: shard.n_documents for shard in shards},
            "columns": {name: {"type": kind} for name, kind in self.schema.items()},
            "words": len(learned.vocabulary.words_),
            "models": learned.parameters["n_models"],
            "topics": learned.parameters["n_topics"],
            "parameters": learned.parameters,
        }

    def __len__(self) -> int:
        return int(self._manifest.starts[-1])

    def __repr__(self) -> str:
        names = [repr(name) for name in self.names]
        listed = ", ".join(names if len(names) <= 5 else [*names[:4], f"… {names[-1]}"])
        return f"Shards of {len(self):,} documents: {listed}"


@contextmanager
def _new_folder(path: str | os.PathLike[str], options: dict[str, Any] | None) -> Iterator[Address]:
    """A folder to write an index to, which nobody else does meanwhile."""
    address = Address.of(path, options)
    if not address.is_local:
        _check_no_index(address)
        yield address
        return
    Path(address.name).mkdir(parents=True, exist_ok=True)
    with guarded(Path(address.of_file(FILE))) as alone:
        _check_no_index(address)
        if alone:
            _remove_leftovers(address, set())
        yield address


def _check_no_index(address: Address) -> None:
    if FILE in address.files():
        raise ValueError(f"There is an index of shards at {address.name} already. Remove it, or add to it.")


def _remove_leftovers(address: Address, files: set[str]) -> None:
    """Remove what those left who were killed: shards that are not of the index, and half-written files."""
    remove_abandoned(Path(address.name))
    for name in {name for name in address.files() if is_of_shards(name)} - files:
        address.remove(name)


def _learned(index: Index, address: Address) -> Reach:
    """Write what was learned, without a document."""
    reach = Reach(address, new_file("topics"), index.encoder)
    index.topic_names  # noqa: B018  (they are found while its documents are there)
    empty = index.with_state(replace(index.state.take(np.empty(0, np.intp)), dropped=()))
    storage.write(address.of_file(reach.topics), *_state.parts_of(empty), address.options)
    return reach


def _names(n_shards: int) -> list[str]:
    return [f"{number:05}" for number in range(1, n_shards + 1)]
