"""Shards: an index of many files, searched as one."""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import reduce
from itertools import count
from pathlib import Path
from typing import Any, TypeGuard, Unpack, cast

import numpy as np
from numpy.typing import NDArray

from hott import storage
from hott.blocks import run_blocks, spans_of
from hott.blocks.address import Address
from hott.corpus import Corpus, read
from hott.corpus.readers import ReadOptions
from hott.index import build, persist
from hott.index.build import CorpusLike, check_corpus
from hott.index.documents import Documents
from hott.index.index import Index
from hott.index.manifest import FILE, OF_SHARDS, Manifest, ModelFile, Shard, check_name, new_file
from hott.index.model import Encoder, Model
from hott.index.reading import index_corpus, warn_of_dropped
from hott.index.searchable import Searchable, find_placed
from hott.index.searcher import Searcher
from hott.index.snapshot import Snapshot
from hott.lexical import Frequencies
from hott.neighbors import NeighborResult, check_k, search
from hott.storage import StorageError
from hott.table.columns import Kind, Texts, check_unique
from hott.table.table import Table, concat_tables
from hott.utils.atomic import file_lock, remove_abandoned
from hott.utils.checks import check_count
from hott.utils.run import Run, RunOptions

BLOCK = 2_048
"""Documents whose neighbours are sought together."""


class Shards(Searchable):
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

    def __init__(self, address: Address, manifest: Manifest, encoder: Encoder | str | None = None) -> None:
        self._address, self._manifest = address, manifest
        model = ModelFile(address, manifest.topics).load(encoder)
        self._searcher = Searcher(model, manifest.shards, manifest.frequencies)

    # -- building, opening, changing ---------------------------------------------------------------------

    @classmethod
    def build(
        cls,
        corpus: CorpusLike | Sequence[os.PathLike[str]],
        path: str | os.PathLike[str],
        *,
        shards: int,
        reading: ReadOptions | None = None,
        storage_options: dict[str, Any] | None = None,
        fit_sample: int | None = 100_000,
        random_state: int = 0,
        **how: Any,
    ) -> "Shards":
        """Learn topics from documents, and write the documents to a folder as a given number of shards.

        Parameters
        ----------
        corpus : Corpus, texts, batches of documents, or paths
            As in :meth:`hott.Index.build`. A list of paths (:class:`pathlib.Path`) names files that are each
            read where their shard is written, by a worker of a cluster if there is one. Topics are then
            learned from files drawn at random, until they have ``fit_sample`` documents. A file whose
            documents have no ids gives them its name and a number, as in ``news.jsonl:0``.
        path : str, path or address
            The folder, which must not hold an index yet.
        shards : int
            How many; some hundred thousand documents each are a good size. Of paths at most one a file.
        reading : dict, optional
            For paths, how to read them: the options of :func:`hott.read`, such as ``{"text": "body"}``.
        storage_options : dict, optional
            For fsspec, such as credentials.
        fit_sample, random_state, **how
            As in :meth:`hott.Index.build`, with threads, device, client and progress. The workers of a Dask
            cluster each write shards; they must reach the folder.
        """
        source: Corpus | Files = Files.of(corpus, reading) if _are_paths(corpus) else check_corpus(corpus)
        if reading and not isinstance(source, Files):
            raise ValueError("reading is for paths, which shards are read from; corpus is read already.")
        n_shards = check_count(shards, "shards")
        how |= {"fit_sample": fit_sample, "random_state": random_state}
        with _new_folder(path, storage_options) as address:
            if isinstance(source, Files):
                sample = source.sample(fit_sample, random_state)
            elif (rows := build.sample_rows(len(source), fit_sample, random_state)) is not None:
                sample = source[rows]
            else:
                return cls._write(Index.build(source, **how), address, n_shards)
            run = Run.of(
                cast(RunOptions, {name: how[name] for name in RunOptions.__annotations__ if name in how})
            )
            model = _write_model(Index.build(sample, **how), address)
            spans = list(spans_of(len(source), -(-len(source) // n_shards)))
            items = ((address, f"{n:05}", source[span], False) for n, span in enumerate(spans, 1))
            written: dict[str, tuple[Shard, Frequencies]] = {}
            left_out: list[str] = []
            built = run_blocks(index_shard, model, items, run, heavy=True)
            for (_, name, *_), (shard, frequencies, dropped) in run.follow("shards", built, len(spans)):
                written[name] = shard, frequencies
                left_out += dropped
            parts = [written[name] for name in sorted(written)]
            if isinstance(source, Files):
                check_unique(Texts.concatenate([shard.open(model).documents.ids for shard, _ in parts]))
            warn_of_dropped(sorted(left_out), len(left_out) + sum(shard.n_documents for shard, _ in parts))
            return cls._list(address, model, parts)

    @classmethod
    def of(
        cls,
        index: Index,
        path: str | os.PathLike[str],
        *,
        shards: int = 1,
        storage_options: dict[str, Any] | None = None,
    ) -> "Shards":
        """Write an index to a folder as a given number of shards, as :meth:`build` does."""
        n_shards = check_count(shards, "shards")
        with _new_folder(path, storage_options) as address:
            return cls._write(index, address, n_shards)

    @classmethod
    def _write(cls, index: Index, address: Address, n_shards: int) -> "Shards":
        model, snapshot = _write_model(index, address), index.snapshot
        spans = spans_of(len(snapshot), -(-len(snapshot) // n_shards))
        parts = (snapshot.take(np.arange(len(snapshot))[span]) for span in spans)
        written = [write_shard(address, f"{n:05}", model, part) for n, part in enumerate(parts, 1)]
        return cls._list(address, model, written)

    @classmethod
    def _list(cls, address: Address, model: Model, written: Sequence[tuple[Shard, Frequencies]]) -> "Shards":
        """Write the list of shards, which comes last: without it there is nothing."""
        frequencies = reduce(Frequencies.plus, (one for _, one in written))
        shards = tuple(shard for shard, _ in written if shard.n_documents)
        origin = cast(ModelFile, model.origin)
        Manifest(origin.file, shards, frequencies).write(address)
        return cls.open(address.name, encoder=model.encoder, storage_options=address.options)

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        encoder: Encoder | str | None = None,
        storage_options: dict[str, Any] | None = None,
    ) -> "Shards":
        """Open the index of shards in a folder as it is now; ``encoder`` is as in :func:`hott.open`."""
        address = Address.of(path, storage_options)
        return cls(address, Manifest.read(address), encoder)

    @classmethod
    def are_at(cls, path: str | os.PathLike[str], *, storage_options: dict[str, Any] | None = None) -> bool:
        """Return whether a folder, here or at an address, holds an index of shards.

        Examples
        --------
        >>> Shards.are_at("no-folder")
        False
        """
        return Address.of(path, storage_options).has(FILE)

    def refresh(self) -> bool:
        """Go on to the present state of the folder; return whether it is another."""
        before = self._manifest
        self._go_on(Manifest.read(self._address))
        return [shard.file for shard in self._manifest.shards] != [shard.file for shard in before.shards]

    def add(self, corpus: CorpusLike, *, name: str | None = None, **options: Unpack[RunOptions]) -> str:
        """Take in documents with new ids as another shard, and return its name. The topics stay as they are.

        Others may search meanwhile: they see the shards of before until they :meth:`refresh`. Those who
        would change the index wait; at an address, where nothing can be locked, only one may. Without a
        ``name`` the shard is called by a number.
        """
        corpus = check_corpus(corpus)
        with self._changing() as now:
            free = (number for n in count(len(now.shards) + 1) if (number := f"{n:05}") not in now.names)
            chosen = next(free) if name is None else check_name(name)
            if chosen in now.names:
                raise ValueError(f"There is a shard {chosen!r} already: replace it, or choose another name.")
            self._check_new(corpus, now.shards)
            shard, frequencies = self._save(chosen, corpus, options)
            self._commit(now.change([*now.shards, shard], now.frequencies.plus(frequencies)))
        return chosen

    def replace(self, name: str, corpus: CorpusLike, **options: Unpack[RunOptions]) -> None:
        """Put other documents in the place of those of a shard, in one step, as :meth:`add` does."""
        corpus = check_corpus(corpus)
        with self._changing() as now:
            old = now.find(name)
            self._check_new(corpus, [shard for shard in now.shards if shard is not old])
            new, frequencies = self._save(name, corpus, options)
            shards = [new if shard is old else shard for shard in now.shards]
            self._commit(now.change(shards, self._without(now, old).plus(frequencies)))

    def remove(self, name: str) -> None:
        """Take a shard out, in one step."""
        with self._changing() as now:
            old = now.find(name)
            if len(now.shards) == 1:
                raise ValueError("an index must keep a document: remove would take the last shard.")
            shards = [shard for shard in now.shards if shard is not old]
            self._commit(now.change(shards, self._without(now, old)))

    @contextmanager
    def _changing(self) -> Iterator[Manifest]:
        """Yield the present state; nobody else changes that of a local folder meanwhile."""
        with file_lock(Path(self._address.of_file(FILE))) if self._address.is_local else nullcontext():
            self.refresh()
            yield self._manifest

    def _commit(self, after: Manifest) -> None:
        """Make a state the present one, and remove files that nobody needs any more."""
        before = self._manifest
        after.write(self._address)
        self._go_on(after)
        for file in before.files - after.files:
            self._address.remove(file)
        if self._address.is_local:  # elsewhere someone may be writing them
            _remove_leftovers(self._address, after.files)

    def _save(self, name: str, corpus: Corpus, options: RunOptions) -> tuple[Shard, Frequencies]:
        item = self._address, name, corpus, True
        shard, frequencies, dropped = index_shard(self.model, item, Run.of(options))
        if not shard.n_documents:
            raise ValueError(f"corpus has no document with a known word: all {len(dropped):,} were left out.")
        warn_of_dropped(dropped, len(corpus))
        return shard, frequencies

    def _check_new(self, corpus: Corpus, others: Sequence[Shard]) -> None:
        for shard in others:
            with shard.naming_errors():
                shard.open(self.model).documents.check_new(corpus)

    def _without(self, now: Manifest, old: Shard) -> Frequencies:
        """Subtract the word frequencies of a shard; if they are lost, add up those of the other shards."""
        try:
            return now.frequencies.plus(self._frequencies(old), times=-1)
        except StorageError:
            others = (self._frequencies(shard) for shard in now.shards if shard is not old)
            nothing = Frequencies(np.empty(0, object), np.empty(0, np.int64), 0, 0)
            return reduce(Frequencies.plus, others, nothing)

    def _frequencies(self, shard: Shard) -> Frequencies:
        with shard.naming_errors():
            return shard.open(self.model).postings.frequencies

    def _go_on(self, manifest: Manifest) -> None:
        """Go on to another state, with the shards of it that are open already."""
        before, model = self._manifest, self.model
        if manifest.topics == before.topics:
            known = {shard.file: shard for shard in before.shards}
            shards = tuple(known.get(shard.file, shard) for shard in manifest.shards)
            manifest = replace(manifest, shards=shards)
        else:
            model = ModelFile(self._address, manifest.topics).load(model.encoder)
        self._manifest = manifest
        self._searcher = Searcher(model, manifest.shards, manifest.frequencies)

    # -- answers -----------------------------------------------------------------------------------------

    def neighbors(self, k: int = 10, *, block: int = BLOCK, **options: Unpack[RunOptions]) -> NeighborResult:
        """Find the ``k`` nearest other documents of each, as positions in the order of the shards.

        As :meth:`hott.Index.neighbors` gives them; ``block`` documents are sought for together.
        """
        return _find_neighbors(self._searcher, k, block, Run.of(options))

    def _find_near(
        self, searcher: Searcher, placed: NDArray[np.intp], k: int, seed: int, run: Run
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        found = _find_neighbors(searcher, k, BLOCK, run)
        return np.searchsorted(placed, found.indices[placed]), found.distances[placed]

    @property
    def documents(self) -> Documents:
        """The documents of all shards, in order; a text is read from the disk when it is asked for."""
        return Documents.concat([snapshot.documents for snapshot in self._open_all()])

    def index(self) -> Index:
        """Make one index of all documents, in memory: for what shards cannot do, such as clusters."""
        return Index(replace(self.model, origin=None), Snapshot.concat(list(self._open_all())))

    def _open_all(self) -> Iterator[Snapshot]:
        for shard in self._manifest.shards:
            with shard.naming_errors():
                snapshot = shard.open(self.model)
                snapshot.select_parts(snapshot.parts.names)  # what cannot be read is of this shard
                yield snapshot

    @property
    def names(self) -> tuple[str, ...]:
        return self._manifest.names

    @property
    def schema(self) -> dict[str, Kind]:
        return self._manifest.schema

    def verify(self) -> None:
        """Read every byte of all shards, and raise a StorageError that names the first that is damaged."""
        for shard in self._manifest.shards:
            shard.verify()

    def info(self) -> dict[str, Any]:
        """Say what the shards hold and how they were built, as JSON could hold it."""
        model, shards = self.model, self._manifest.shards
        return {
            "documents": len(self),
            "language": model.parameters["language"],
            "shards": {shard.name: shard.n_documents for shard in shards},
            "columns": {name: {"type": kind} for name, kind in self.schema.items()},
            "words": len(model.vocabulary.words_),
            "meaning": model.meaning,
            "models": model.parameters["n_models"],
            "topics": model.parameters["n_topics"],
            "parameters": dict(model.parameters),
        }

    def __repr__(self) -> str:
        names = [repr(name) for name in self.names]
        listed = ", ".join(names if len(names) <= 5 else [*names[:4], f"… {names[-1]}"])
        return f"Shards of {len(self):,} documents: {listed}"


@dataclass(frozen=True)
class Files:
    """Files of documents, each read where its shard is written."""

    paths: tuple[str, ...]
    reading: ReadOptions

    @classmethod
    def of(cls, paths: Iterable[os.PathLike[str]], reading: ReadOptions | None) -> "Files":
        """Take paths; those of workers begin elsewhere."""
        return cls(tuple(os.path.abspath(path) for path in paths), reading or {})

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, span: slice) -> "Files":
        return replace(self, paths=self.paths[span])

    def read(self) -> Corpus:
        """Read all documents. Numbers in the place of ids are those of a file: it tells them apart."""
        tables = []
        for path in self.paths:
            table = read(path, **self.reading).table
            if table["id"] == [*map(str, range(len(table)))]:
                name = os.path.basename(path)
                ids = Texts.of(f"{name}:{n}" for n in range(len(table)))
                table = Table({**table.columns, "id": ids})
            tables.append(table)
        return Corpus.from_table(concat_tables(tables))

    def sample(self, size: int | None, seed: int) -> Corpus:
        """Read files in an order drawn at random, until they have so many documents."""
        drawn: dict[int, Corpus] = {}
        for number in np.random.default_rng(seed).permutation(len(self)).tolist():
            drawn[number] = self[number : number + 1].read()
            if size is not None and sum(map(len, drawn.values())) >= size:
                break
        return Corpus.from_table(concat_tables([drawn[number].table for number in sorted(drawn)]))


def _are_paths(corpus: Any) -> TypeGuard[Sequence[os.PathLike[str]]]:
    return isinstance(corpus, list | tuple) and any(isinstance(one, os.PathLike) for one in corpus)


@contextmanager
def _new_folder(path: str | os.PathLike[str], options: dict[str, Any] | None) -> Iterator[Address]:
    """Yield a folder to write an index to; nobody else writes one to a local folder meanwhile."""
    address = Address.of(path, options)
    if address.is_local:
        Path(address.name).mkdir(parents=True, exist_ok=True)
    with file_lock(Path(address.of_file(FILE))) if address.is_local else nullcontext() as alone:
        if FILE in address.files():
            raise ValueError(
                f"There is an index of shards at {address.name} already. Remove it, or add to it."
            )
        if alone:
            _remove_leftovers(address, set())
        yield address


def _remove_leftovers(address: Address, files: set[str]) -> None:
    """Remove what killed processes left behind: shards outside the index, and half-written files."""
    remove_abandoned(Path(address.name))
    for name in {name for name in address.files() if OF_SHARDS.fullmatch(name)} - files:
        address.remove(name)


def _write_model(index: Index, address: Address) -> Model:
    """Write what was learned, without a document; return it as one that travels by its address."""
    origin = ModelFile(address, new_file("topics"))
    empty = replace(index.snapshot.take(np.empty(0, np.intp)), dropped=())
    deviation = index.snapshot.vector_deviation(index.model) if index.model.has_vectors else None
    model = replace(index.model, vector_deviation=deviation)
    parts = persist.to_parts(model, empty, index.edits, index.reading)
    storage.write(address.of_file(origin.file), *parts, address.options)
    return replace(model, origin=origin)


def write_shard(address: Address, name: str, model: Model, snapshot: Snapshot) -> tuple[Shard, Frequencies]:
    """Write documents as a shard, under a file name of its own."""
    file = new_file(name)
    storage.write(address.of_file(file), *persist.shard_to_parts(model, snapshot), address.options)
    return Shard(name, file, len(snapshot), snapshot.documents.schema, address), snapshot.postings.frequencies


# -- work on shards, here or by a worker -----------------------------------------------------------------


def index_shard(
    model: Model, item: tuple[Address, str, Corpus | Files, bool], run: Run
) -> tuple[Shard, Frequencies, tuple[str, ...]]:
    """Read documents in terms of the topics, and write them as a shard."""
    address, name, source, later = item
    corpus = source.read() if isinstance(source, Files) else source
    snapshot = index_corpus(model, corpus, run, added_after_fit=later)
    return *write_shard(address, name, model, snapshot), snapshot.dropped


def find_between(model: Model, item: tuple[Shard, Shard, slice, int], run: Run) -> NeighborResult:
    """Find the nearest documents in a shard of some of another, or of itself: positions in the shard."""
    shard, queried, rows, k = item
    with queried.naming_errors():
        queries = queried.open(model).combine(model).take(rows)
    with shard.naming_errors():
        documents = shard.open(model).combine(model)
        own = np.arange(len(documents))[rows] if shard.file == queried.file else None
        k = min(k, len(documents) - (own is not None))
        if k <= 0:
            return NeighborResult(np.empty((len(queries), 0), np.intp), np.empty((len(queries), 0)), 0, 0)
        result = search(model.distance, queries, documents, k, run, own=own)
        return replace(result, indices=documents.positions[result.indices])


def _find_neighbors(searcher: Searcher, k: int, block: int, run: Run) -> NeighborResult:
    """Find the nearest other documents of each: every shard is asked for those of every block."""
    shards, n = cast(tuple[Shard, ...], searcher.snapshots), len(searcher)
    files = [shard.file for shard in shards]
    starts = dict(zip(files, searcher.starts.tolist()))
    known = dict(zip(files, searcher.map_all(find_placed, run)))
    k = check_k(k, sum(map(len, known.values())), others=True)
    first = np.concatenate([own + starts[file] for file, own in known.items()])[:k]
    indices, distances = np.tile(first, (n, 1)), np.full((n, k), np.nan)
    items = [
        (there, here, span, k)
        for here in shards
        for span in spans_of(len(known[here.file]), check_count(block, "block"))
        for there in shards
    ]
    parts: dict[tuple[str, int], list[tuple[int, NeighborResult]]] = {}
    computed = pruned = 0
    home = {file: number for number, file in enumerate(files)}
    blocks = run_blocks(find_between, searcher.model, items, run, home=lambda item: home[item[0].file])
    for (there, here, span, _), found in run.follow("neighbours", blocks, len(items)):
        of_block = parts.setdefault((here.file, span.start), [])
        of_block.append((starts[there.file], found))
        computed, pruned = computed + found.computed, pruned + found.pruned
        if len(of_block) == len(shards):
            rows = known[here.file][span] + starts[here.file]
            del parts[here.file, span.start]
            near = np.concatenate([own.indices + start for start, own in of_block], axis=1)
            far = np.concatenate([own.distances for _, own in of_block], axis=1)
            order = np.lexsort((near, far), axis=-1)[:, :k]  # by distance and then by position
            indices[rows] = np.take_along_axis(near, order, 1)
            distances[rows] = np.take_along_axis(far, order, 1)
    return NeighborResult(indices, distances, computed, pruned)
