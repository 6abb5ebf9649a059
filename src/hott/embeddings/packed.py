"""Vectors kept in a few bytes each, and decoded where they are asked for.

This is product quantisation (Jégou, Douze and Schmid, 2011): the numbers of a vector are dealt in turn to
parts, and each part is stored as the number of the nearest of 256 centres. A further stage encodes, in the
same way, what is left of the vectors after the stages before it; it may cover the first words only, which are
the frequent ones.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_BLOCK = 4096  # words decoded at a time, so that what is in between stays small


class Stage(NamedTuple):
    """One stage of the code; its vectors are added to those of the other stages."""

    codes: NDArray[np.uint8]  # (words covered, parts)
    centres: NDArray[np.float32]  # (parts, 256, numbers in a part)

    def decode(self, rows: NDArray[np.intp]) -> NDArray[np.float32]:
        """Give what this stage knows of these vectors."""
        parts = self.centres[np.arange(self.codes.shape[1]), self.codes[rows]]
        # Number i of a vector is in part i modulo the number of parts.
        return parts.transpose(0, 2, 1).reshape(len(rows), parts.shape[1] * parts.shape[2])


class PackedVectors:
    """Vectors of unit length behind codes; rows are taken out of it as out of an array.

    The first stage covers every word, each further one the first so many of them.
    """

    def __init__(self, stages: Sequence[Stage]) -> None:
        self.stages = tuple(stages)
        codes, centres = self.stages[0]
        self.shape = (len(codes), centres.shape[0] * centres.shape[2])

    def __getitem__(self, rows: NDArray[np.intp] | int) -> NDArray[np.float32]:
        rows = np.asarray(rows)
        flat = rows.ravel()
        vectors = np.empty((len(flat), self.shape[1]), np.float32)
        for start in range(0, len(flat), _BLOCK):
            vectors[start : start + _BLOCK] = self._decode(flat[start : start + _BLOCK])
        return vectors.reshape(*rows.shape, self.shape[1])

    def _decode(self, rows: NDArray[np.intp]) -> NDArray[np.float32]:
        vectors = self.stages[0].decode(rows)
        for stage in self.stages[1:]:
            covered = rows < len(stage.codes)
            vectors[covered] += stage.decode(rows[covered])
        return vectors / np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        vectors = self[np.arange(self.shape[0])]
        vectors.flags.writeable = False
        return vectors if dtype is None else vectors.astype(dtype, copy=False)

    def save(self, path: Path) -> None:
        """Write the codes, and the centres in half precision, to an ``.npz`` file."""
        arrays = {f"codes{i}": stage.codes for i, stage in enumerate(self.stages)}
        arrays |= {f"centres{i}": stage.centres.astype(np.float16) for i, stage in enumerate(self.stages)}
        np.savez(path, **arrays)  # type: ignore[arg-type]

    @classmethod
    def load(cls, path: Path) -> "PackedVectors":
        """Read what :meth:`save` wrote."""
        with np.load(path) as file:
            n_stages = len(file.files) // 2
            return cls(
                [Stage(file[f"codes{i}"], file[f"centres{i}"].astype(np.float32)) for i in range(n_stages)]
            )
