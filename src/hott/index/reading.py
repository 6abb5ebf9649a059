"""From documents to snapshots: all parts of them, batch by batch, here or by the workers of a cluster."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott.blocks import run_blocks, spans_of
from hott.blocks.address import Address, filling
from hott.blocks.stores import ParquetParts
from hott.corpus import Corpus
from hott.distances.representation import Representation
from hott.index.documents import Documents
from hott.index.model import Model
from hott.index.snapshot import Part, Parts, Snapshot
from hott.lexical import Postings
from hott.text.tokens import tokenize
from hott.utils.checks import check_count
from hott.utils.run import Run
from hott.utils.warn import warn

BATCH = 2_000
"""Documents that are counted and inferred together."""

MAX_HEADING = 100  # characters of a first line that stands for a title


def index_corpus(
    model: Model,
    corpus: Corpus,
    run: Run,
    *,
    added_after_fit: bool = True,
    parts: Sequence[Representation] | None = None,
) -> Snapshot:
    """Read documents from outside; ``on_empty`` of the model decides about those without a known word."""
    if parts is None:
        parts = (*represent_corpus(model, corpus, run), *model.encode_all(corpus, run))
    known, dropped = parts[0].positions, tuple[str, ...]()
    without, on_empty = np.setdiff1d(np.arange(len(corpus)), known), model.parameters["on_empty"]
    if len(without) and on_empty == "error":
        refuse_empty(corpus, without)
    if len(without) and on_empty == "drop":
        dropped = tuple(corpus.ids[row] for row in without.tolist())
        corpus, parts = corpus[known], [part.select(known) for part in parts]
    all_parts: dict[str, Part] = dict(zip(model.distance_names, parts))
    all_parts["postings"] = Postings.of(texts_to_search(corpus), model.analyzer.forms)
    later = np.full(len(corpus), added_after_fit)
    return Snapshot(Documents.of(corpus), later, dropped, Parts(all_parts))


def represent_corpus(
    model: Model, corpus: Corpus, run: Run, batch: int = BATCH, *, topics_only: bool = False
) -> tuple[Representation, ...]:
    """Represent documents by their topics and as each distance over words sees them, a batch at a time."""
    spans = spans_of(len(corpus), check_count(batch, "block"))
    batches = ((number, corpus.texts[span]) for number, span in enumerate(spans))
    found: dict[int, tuple[Representation, ...]] = {}
    done, work = 0, partial(_represent_batch, topics_only=topics_only)
    with run.reporting("topic proportions") as report:
        for (number, texts), parts in run_blocks(work, model, batches, run, heavy=True):
            found[number] = parts
            done += len(texts)
            if report is not None:
                report(done, len(corpus))
    return tuple(map(Representation.concat, zip(*(found[number] for number in sorted(found)))))


def _represent_batch(
    model: Model, batch: tuple[int, list[str]], run: Run, *, topics_only: bool
) -> tuple[Representation, ...]:
    tokens = [*map(tokenize, batch[1])]
    return (model.represent_topics(tokens, run),) if topics_only else model.represent(tokens, run)


def with_empty_rows(documents: Representation) -> sparse.csr_array:
    """Return proportions of all documents; rows of those without a known word are empty."""
    matrix = documents.take(slice(None)).matrix()
    if documents.is_complete:
        return matrix
    counts = np.zeros(documents.n_documents + 1, matrix.indptr.dtype)
    counts[documents.positions + 1] = np.diff(matrix.indptr)
    shape = documents.n_documents, matrix.shape[1]
    return sparse.csr_array((matrix.data, matrix.indices, np.cumsum(counts)), shape=shape)


def texts_to_search(corpus: Corpus) -> Iterator[str]:
    """Give what search by words reads of each document: its text, and its title, whose words count twice.

    A heading at the begin of the text stands for a title where there is none: it is there once already.
    """
    for title, text in zip(corpus.titles, corpus.texts):
        yield f"{title}\n{title}\n{text}" if title else f"{find_heading(text)}\n{text}"


def find_heading(text: str) -> str:
    """Return a short first line with more below it, or nothing."""
    first, _, rest = text.lstrip().partition("\n")
    return first.strip() if len(first) <= MAX_HEADING and rest.strip() else ""


def warn_of_dropped(ids: Sequence[str], n_documents: int) -> None:
    """Name documents that were left out, if there are any, as no word of them is known."""
    if ids:
        warn(_name_empty(ids, n_documents, ", and are left out"))


def _name_empty(ids: Sequence[str], n_documents: int, what: str = "") -> str:
    shown = ", ".join(map(repr, ids[:10])) + (f" and {len(ids) - 10:,} more" if len(ids) > 10 else "")
    return f"{len(ids):,} of {n_documents:,} documents have no word in the vocabulary{what}: {shown}."


def refuse_empty(corpus: Corpus, rows: NDArray[np.intp]) -> NoReturn:
    """Raise ValueError for documents of which no word is known."""
    ids = [corpus.ids[row] for row in rows.tolist()]
    raise ValueError(
        f"{_name_empty(ids, len(corpus))} Remove them, or choose "
        'on_empty="drop" (leave them out) or on_empty="nan" (keep them, with distances of NaN).'
    )


def write_proportions(
    model: Model,
    corpus: Corpus,
    out: Any,
    run: Run,
    batch: int = BATCH,
    options: dict[str, Any] | None = None,
) -> None:
    """Write topic proportions to a folder of Parquet files: columns id, model, topic and proportion."""
    address = Address.of(out, options)
    if address.ending != ".parquet":
        raise ValueError(f"out must end in .parquet; got {str(out)!r}.")
    check_count(batch, "block")
    parts = ParquetParts.begin(address, batch, "topic proportions", _fingerprint(model, corpus))
    spans = dict(enumerate(spans_of(len(corpus), parts.block)))
    with filling(parts, len(spans)) as finished, run.reporting("topic proportions") as report:
        todo = ((i, corpus[span]) for i, span in spans.items() if i not in finished)
        done = sum(span.stop - span.start for i, span in spans.items() if i in finished)
        written = run_blocks(partial(_write_batch, parts=parts), model, todo, run, heavy=True)
        for (_, chunk), _ in written:
            done += len(chunk)
            if report is not None:
                report(done, len(corpus))


def _fingerprint(model: Model, corpus: Corpus) -> str:
    """Identify words, topics and documents."""
    digest = hashlib.blake2b(digest_size=16)  # of more documents than fit in memory
    for word in model.vocabulary.words_:
        digest.update(f"{word}\0".encode())
    for space in model.hott.models_:
        digest.update(np.ascontiguousarray(space.topics.components).data)
    for id, text in zip(corpus.ids, corpus.texts):
        digest.update(f"{id}\0{text}\0".encode())
    return digest.hexdigest()


def _write_batch(model: Model, batch: tuple[int, Corpus], run: Run, *, parts: ParquetParts) -> None:
    number, corpus = batch
    [found] = _represent_batch(model, (number, list(corpus.texts)), run, topics_only=True)
    parts.write_table(number, tabulate_proportions(model, corpus.ids, with_empty_rows(found)))


def tabulate_proportions(model: Model, ids: Iterable[Any], rows: sparse.csr_array) -> dict[str, Any]:
    """List proportions, a block of columns for each topic model, as columns id, model, topic, proportion."""
    first = np.cumsum([0, *model.n_topics])  # of the columns of each model
    models = np.searchsorted(first, rows.indices, side="right") - 1
    return {
        "id": [str(id) for id, n in zip(ids, np.diff(rows.indptr).tolist()) for _ in range(n)],
        "model": models.astype(np.int32),
        "topic": (rows.indices - first[models]).astype(np.int32),
        "proportion": rows.data,
    }
