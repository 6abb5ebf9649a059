"""Documents by the vectors of an encoder: the bundled one, or a sentence encoder where one is installed."""

import hashlib
import io
from typing import cast

import numpy as np
from numpy.typing import NDArray

from hott.distances.blend import Blend
from hott.distances.representation import Representation
from hott.distances.vector import DocumentVectors, MeaningVectors
from hott.embeddings.encoder import DocumentVectors as Centred
from hott.utils.atomic import atomic_write
from hott.utils.optional import import_optional
from reproduction.task import Task

PACKAGE = "sentence_transformers"
MODEL = "all-MiniLM-L6-v2"


class Encoded(Blend):
    """An encoder's vectors, alone or beside a blend of distances over words."""

    def of_task(self, task: Task) -> Representation:
        """The documents of a task: by their counts, where there is a blend, and by their texts."""
        vectors = cast(DocumentVectors, self.distances_[-1])
        run = task.study.run
        words = [part.represent(task.counts, **part.where(run).options) for part in self.distances_[:-1]]
        if isinstance(vectors, MeaningVectors):
            texts = Representation.of(Centred.from_rows(_meanings(task), vectors.centre_))
            return Representation.of(*words, texts)
        return Representation.of(*words, vectors.of(_vectors(task)))


def encoded(task: Task, blend: Blend | None = None, weight: float = 1.0, *, bundled: bool = False) -> Encoded:
    """The encoder's distance, or the sum of a fitted blend and ``weight`` of it, on the same scale."""
    rows = task.split.train if task.protocol == "clean" else np.arange(len(task.rows))
    vectors: DocumentVectors
    if bundled:
        vectors = MeaningVectors()
        training = Centred.from_rows(_meanings(task)[rows])
        vectors.centre_, documents = training.centre, Representation.of(training)
    else:
        vectors = DocumentVectors()
        documents = vectors.of(_vectors(task)[rows])
    scale = vectors.deviation(documents, task.seed, task.study.run.quiet())
    parts, factors = ([], []) if blend is None else (list(blend.distances_), list(blend.factors_))
    return Encoded.from_fitted([*parts, vectors], [*factors, weight / scale])


def read_texts(task: Task) -> list[str]:
    """Return the texts of a task, which not all data sets have."""
    if task.texts is None:
        raise ValueError(f"{task.source.name} has counts alone and no texts for an encoder to read.")
    return task.texts


def _meanings(task: Task) -> NDArray[np.float32]:
    """Return what the bundled encoder gives for each text of the task."""
    read_texts(task)
    return task.study.meanings(task.source.name)[task.rows]


def _vectors(task: Task) -> NDArray[np.float32]:
    """A vector for each text of the task, computed once."""
    texts = read_texts(task)
    digest = hashlib.sha256("\0".join([MODEL, *texts]).encode())
    path = task.study.out / "cache" / f"encoded-{digest.hexdigest()[:32]}.npy"
    if not path.exists():
        encoder = import_optional(PACKAGE, extra="paper").SentenceTransformer(MODEL)
        content = io.BytesIO()
        np.save(content, np.asarray(encoder.encode(texts), np.float32))
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path) as file:
            file.write(content.getvalue())
    found: NDArray[np.float32] = np.load(path)
    return found
