"""From documents to snapshots: all parts of them, batch by batch, here or by the workers of a cluster."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from hott.blocks import run_blocks, spans_of
from hott.blocks.address import Address, filling
from hott.blocks.stores import ParquetParts
from hott.corpus import Corpus
from hott.distances.base import OnEmpty
from hott.distances.representation import Representation
from hott.index.documents import Documents
from hott.index.model import Model
from hott.index.snapshot import MemoryParts, Part, Snapshot
from hott.lexical import Postings
from hott.text.tokens import tokenize
from hott.utils.checks import check_count
from hott.utils.run import Run

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
    """Read documents from outside; ``on_empty`` of the model decides about those without a known word.

    Parameters
    ----------
    model : Model
    corpus : Corpus
    run : Run
    added_after_fit : bool
        Whether they came after the topics were learned.
    parts : sequence of Representation, optional
        The documents as each distance sees them, where that is known already.
    """
    if parts is None:
        parts = represent_corpus(model, corpus, run)
        if model.has_vectors:
            parts = (*parts, model.encode(corpus, run))
    kept, parts, dropped = apply_policy(corpus, parts, model.parameters["on_empty"])
    all_parts: dict[str, Part] = dict(zip(model.distance_names, parts))
    all_parts["postings"] = Postings.of(texts_to_search(kept), model.analyzer.forms)
    later = np.full(len(kept), added_after_fit)
    return Snapshot(Documents.of(kept), later, dropped, MemoryParts(all_parts))


def represent_corpus(
    model: Model, corpus: Corpus, run: Run, batch: int = BATCH
) -> tuple[Representation, ...]:
    """Represent documents by their topics and as each distance over words sees them, a batch at a time."""
    blocks = list(_read_batches(_represent_batch, model, corpus, run, batch))
    return tuple(map(Representation.concat, zip(*blocks)))


def infer_topics(model: Model, corpus: Corpus, run: Run, batch: int = BATCH) -> Representation:
    """Represent documents by their topics alone, a batch at a time."""
    return Representation.concat(list(_read_batches(_infer_batch, model, corpus, run, batch)))


def _read_batches(
    work: Callable[[Model, tuple[int, list[str]], Run], Any],
    model: Model,
    corpus: Corpus,
    run: Run,
    batch: int,
) -> Iterator[Any]:
    """Do work on batches of texts, and give the results in their order."""
    spans = spans_of(len(corpus), check_count(batch, "block"))
    batches = ((number, corpus.texts[span]) for number, span in enumerate(spans))
    early: dict[int, Any] = {}
    due = done = 0
    with run.reporting("topic proportions") as report:
        for (number, texts), found in run_blocks(work, model, batches, run):
            early[number] = found
            done += len(texts)
            if report is not None:
                report(done, len(corpus))
            while due in early:
                yield early.pop(due)
                due += 1


def _represent_batch(model: Model, batch: tuple[int, list[str]], run: Run) -> tuple[Representation, ...]:
    return model.represent([*map(tokenize, batch[1])], run)


def _infer_batch(model: Model, batch: tuple[int, list[str]], run: Run) -> Representation:
    return model.represent_topics([*map(tokenize, batch[1])], run)


def texts_to_search(corpus: Corpus) -> Iterator[str]:
    """Give what search by words reads of each document: its text, and its title, whose words count twice.

    A heading at the begin of the text stands for a title where there is none: it is there once already.
    """
    for title, text in zip(corpus.titles, corpus.texts):
        yield f"{title}\n{title}\n{text}" if title else f"{find_heading(text)}\n{text}"


def find_heading(text: str) -> str:
    """Return a short first line with more below it, or nothing.

    Examples
    --------
    >>> find_heading("\\nMars\\n\\nThe fourth planet."), find_heading("Only one line.")
    ('Mars', '')
    """
    first, _, rest = text.lstrip().partition("\n")
    return first.strip() if len(first) <= MAX_HEADING and rest.strip() else ""


def describe_dropped(ids: Sequence[str], n_documents: int, what: str = ", and are left out") -> str:
    """Name documents of which no word is known."""
    shown = ", ".join(map(repr, ids[:10])) + (f" and {len(ids) - 10:,} more" if len(ids) > 10 else "")
    return f"{len(ids):,} of {n_documents:,} documents have no word in the vocabulary{what}: {shown}."


def apply_policy(
    corpus: Corpus, parts: Sequence[Representation], on_empty: OnEmpty
) -> tuple[Corpus, Sequence[Representation], tuple[str, ...]]:
    """Do with documents of which no word is known as ``on_empty`` says.

    ``parts`` are the documents as each distance sees them, that over topics first. Returns the documents to
    take in, as texts and in the same parts, and the ids of those left out.
    """
    known = parts[0].positions
    if len(known) == len(corpus):
        return corpus, parts, ()
    without = np.setdiff1d(np.arange(len(corpus)), known)
    ids = tuple(corpus.ids[int(row)] for row in without)
    if on_empty == "error":
        raise ValueError(
            f"{describe_dropped(ids, len(corpus), '')} Remove them, or choose "
            'on_empty="drop" (leave them out) or on_empty="nan" (keep them, with distances of NaN).'
        )
    if on_empty == "drop":
        return corpus[known], [part.select(known) for part in parts], ids
    return corpus, parts, ()


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
    parts = ParquetParts.at(address, batch, "topic proportions", _fingerprint(model, corpus))
    spans = dict(enumerate(spans_of(len(corpus), parts.block)))
    with filling(parts, len(spans)) as finished, run.reporting("topic proportions") as report:
        todo = ((i, corpus[span]) for i, span in spans.items() if i not in finished)
        done = sum(span.stop - span.start for i, span in spans.items() if i in finished)
        for (_, chunk), _ in run_blocks(partial(_write_batch, parts=parts), model, todo, run):
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
    found = _infer_batch(model, (number, list(corpus.texts)), run)
    columns: dict[str, list] = {"document": [], "model": [], "topic": [], "proportion": []}
    for topic_model, part in enumerate(found.distributions):
        starts, sites, masses = part.arrays
        columns["document"].append(found.positions.repeat(np.diff(starts)))
        columns["model"].append(np.full(len(sites), topic_model, np.int32))
        columns["topic"].append(sites)
        columns["proportion"].append(masses)
    joined = {name: np.concatenate(values) for name, values in columns.items()}
    rows = joined.pop("document").astype(np.int64)
    order = np.argsort(rows, kind="stable")
    ids = {"id": corpus.ids.take(rows[order]).tolist()}
    parts.write(number, ids | {name: values[order] for name, values in joined.items()})
