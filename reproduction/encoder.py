"""Documents by the vectors of an encoder: the bundled one, or a large one whose vectors lie in a file."""

import hashlib
import io
from collections.abc import Callable
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hott.distances.blend import Blend
from hott.distances.representation import Representation
from hott.distances.vector import ENCODER_WEIGHT, DocumentVectors, MeaningVectors
from hott.embeddings.encoder import DocumentVectors as Centred
from hott.embeddings.encoder import NamedEncoder
from hott.embeddings.encoder.named import encode_in_batches
from hott.utils.atomic import atomic_write
from hott.utils.optional import import_optional
from reproduction.study import Study
from reproduction.task import Task

BUNDLED = "bundled"
LARGE = ("minilm", "mpnet", "wordllama")


class Encoded(Blend):
    """An encoder's vectors, alone or beside a blend of distances over words."""

    encoder: str

    def of_task(self, task: Task) -> Representation:
        """The documents of a task: by their counts, where there is a blend, and by their texts."""
        vectors = cast(DocumentVectors, self.distances_[-1])
        run = task.study.run
        words = [part.represent(task.counts, **part.where(run).options) for part in self.distances_[:-1]]
        rows = _vectors(task, self.encoder)
        if isinstance(vectors, MeaningVectors):
            return Representation.of(*words, Representation.of(Centred.from_rows(rows, vectors.centre_)))
        return Representation.of(*words, vectors.of(rows))


def encoded(task: Task, encoder: str = BUNDLED, blend: Blend | None = None) -> Encoded:
    """The encoder's distance, or the sum of a fitted blend and it, weighted as in the product's blend."""
    training = _vectors(task, encoder)[task.split.train if task.protocol == "clean" else slice(None)]
    vectors: DocumentVectors
    if encoder == BUNDLED:
        vectors, centred = MeaningVectors(), Centred.from_rows(training)
        vectors.centre_, documents = centred.centre, Representation.of(centred)
    else:
        vectors = DocumentVectors()
        documents = vectors.of(training)
    scale = vectors.deviation(documents, task.seed, task.study.run.quiet())
    parts, factors = ([], []) if blend is None else (list(blend.distances_), list(blend.factors_))
    weight = 1.0 if blend is None else ENCODER_WEIGHT
    found = Encoded.from_fitted([*parts, vectors], [*factors, weight / scale])
    found.encoder = encoder
    return found


def read_texts(task: Task) -> list[str]:
    """Return the texts of a task, which not all data sets have."""
    if task.texts is None:
        raise ValueError(f"{task.source.name} has counts alone and no texts for an encoder to read.")
    return task.texts


def _vectors(task: Task, encoder: str) -> NDArray[np.float32]:
    """Return what an encoder gives for each text of the task."""
    read_texts(task)
    study, name = task.study, task.source.name
    if encoder == BUNDLED:
        return study.meanings(name)[task.rows]
    with np.load(vectors_file(study, name, encoder)) as stored:
        if str(stored["texts"]) != _digest(study, name):
            raise ValueError(f"{name} was encoded from other texts: python -m reproduction encode --force")
        vectors: NDArray[np.float32] = stored["vectors"]
    return vectors[task.rows]


def vectors_file(study: Study, name: str, encoder: str) -> Path:
    """Name the file of the vectors that an encoder gave for the texts of a data set."""
    return study.out / "cache" / f"encoded-{name}-{encoder}.npz"


def encode(study: Study, name: str, encoder: str, model: Callable[[list[str]], ArrayLike]) -> None:
    """Keep what a model gives for each text of a data set, so that no process that computes loads it."""
    vectors = encode_in_batches(model, study.documents(name).contents, study.run).astype(np.float32)
    content, path = io.BytesIO(), vectors_file(study, name, encoder)
    np.savez(content, vectors=vectors, texts=np.array(_digest(study, name)))
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as file:
        file.write(content.getvalue())


def load_encoder(name: str, folder: str | None = None) -> Callable[[list[str]], ArrayLike]:
    """Load one of :data:`LARGE`, from a folder that has it, or from where the library finds it."""
    if name not in LARGE:
        raise ValueError(f"There is no encoder {name!r}. There are: {', '.join(LARGE)}.")
    if name == "wordllama":
        package = import_optional("wordllama", extra="paper")  # it has its files, and looks elsewhere
        model = package.WordLlama.load(cache_dir=Path(str(package.__file__)).parent, disable_download=True)
        return cast(Callable[[list[str]], ArrayLike], model.embed)
    encoder = NamedEncoder(name if folder is None else str(Path(folder).absolute()))
    encoder.load()
    return encoder


def _digest(study: Study, name: str) -> str:
    return hashlib.sha256("\0".join(study.documents(name).contents).encode()).hexdigest()
