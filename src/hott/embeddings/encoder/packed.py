"""The file of the encoder: whole numbers and their scales.

The table of words is most of it. Its rows are rounded to whole multiples of a scale of their own, finer for
frequent words, and deflated number by number (all first numbers, then all second ones, ...) with nothing but
Huffman codes: three bits a number on average. Layers are in bytes, which is how they are multiplied.
"""

import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hott import _core

SIZE, HEADS, N_LAYERS, WINDOW = _core.ENCODER_SHAPE
"""Numbers of a vector, heads of attention, layers, and words that see one another."""

Floats = NDArray[np.float32]


class Norm(NamedTuple):
    """What a vector is multiplied by and moved by after it was brought to mean 0 and deviation 1."""

    weight: Floats
    bias: Floats


class Linear(NamedTuple):
    """A matrix (outputs x inputs) as whole numbers times a scale for each output, and what is added."""

    weight: NDArray[np.int8]
    scale: Floats
    bias: Floats

    @classmethod
    def of(cls, weight: NDArray[np.floating], bias: NDArray[np.floating]) -> "Linear":
        """Round a matrix."""
        scale = (np.maximum(np.abs(weight).max(axis=1), 1e-30) / 127).astype(np.float32)
        return cls(np.rint(weight / scale[:, None]).astype(np.int8), scale, bias.astype(np.float32))


class Layer(NamedTuple):
    """Attention and a feed-forward layer, each after a norm and added to what came in."""

    attention_norm: Norm
    attention: Linear  # queries, keys and values
    output: Linear
    forward_norm: Norm
    up: Linear
    down: Linear


_OUTPUTS_INPUTS = {
    "attention": (3 * SIZE, SIZE),
    "output": (SIZE, SIZE),
    "up": (2 * SIZE, SIZE),
    "down": (SIZE, 2 * SIZE),
}


@dataclass(frozen=True, slots=True, eq=False)
class PackedEncoder:
    """All that the encoder has learned."""

    words: Sequence[str]  # most frequent first
    table: NDArray[np.int8]  # words x SIZE
    table_scale: Floats
    word_weight: Floats  # logarithm
    left: Floats  # share of the word before
    right: Floats
    gate: Floats  # what the context adds to a word's weight
    gate_bias: float
    layers: tuple[Layer, ...]

    def save(self, path: Path) -> None:
        """Write the file."""
        arrays: dict[str, NDArray] = {
            "words": np.frombuffer(zlib.compress("\n".join(self.words).encode(), 9), np.uint8),
            "table": np.frombuffer(_deflate(self.table), np.uint8),
            "gate_bias": np.array([self.gate_bias], np.float32),
        }
        for name in ("table_scale", "word_weight", "left", "right", "gate"):
            arrays[name] = getattr(self, name).astype(np.float16)
        for number, layer in enumerate(self.layers):
            for part, values in layer._asdict().items():
                for name, array in values._asdict().items():
                    half = array.dtype == np.float32 and name != "scale"
                    arrays[f"layer{number}_{part}_{name}"] = array.astype(np.float16) if half else array
        np.savez(path, **arrays)  # type: ignore[arg-type]

    @classmethod
    def load(cls, path: Path) -> "PackedEncoder":
        """Read the file; a ValueError says what is wrong with it."""
        try:
            with np.load(path) as file:
                return cls._unpack(dict(file))
        except FileNotFoundError:
            raise
        except (OSError, EOFError, KeyError, ValueError, zipfile.BadZipFile, zlib.error) as error:
            raise ValueError(
                f"{path} is no packed encoder of hott, or it is damaged: {error}. Install hott again, or "
                "pack the encoder again with tools/make_encoder.py."
            ) from error

    @classmethod
    def _unpack(cls, file: dict[str, NDArray]) -> "PackedEncoder":
        words = zlib.decompress(file["words"].data).decode().split("\n")
        table = np.frombuffer(zlib.decompress(file["table"].data, -15, len(words) * SIZE), np.int8)
        if table.size != len(words) * SIZE:
            raise ValueError(
                f"its table has {table.size:,} numbers, not {SIZE} for each of {len(words):,} words"
            )

        def floats(name: str, size: int) -> Floats:
            array = file[name].astype(np.float32)
            if array.shape != (size,) or not np.isfinite(array).all():
                raise ValueError(f"{name} must be {size:,} finite numbers")
            return array

        def norm(name: str) -> Norm:
            return Norm(floats(f"{name}_weight", SIZE), floats(f"{name}_bias", SIZE))

        def linear(layer: str, part: str) -> Linear:
            shape = _OUTPUTS_INPUTS[part]
            weight = file[f"{layer}_{part}_weight"]
            if weight.shape != shape or weight.dtype != np.int8:
                raise ValueError(f"{layer}_{part}_weight must be {shape[0]} x {shape[1]} bytes")
            scale, bias = (floats(f"{layer}_{part}_{name}", shape[0]) for name in ("scale", "bias"))
            return Linear(np.ascontiguousarray(weight), scale, bias)

        def layer(name: str) -> Layer:
            return Layer(
                norm(f"{name}_attention_norm"),
                linear(name, "attention"),
                linear(name, "output"),
                norm(f"{name}_forward_norm"),
                linear(name, "up"),
                linear(name, "down"),
            )

        return cls(
            words,
            np.ascontiguousarray(table.reshape(SIZE, len(words)).T),
            floats("table_scale", len(words)),
            floats("word_weight", len(words)),
            floats("left", SIZE),
            floats("right", SIZE),
            floats("gate", SIZE),
            float(floats("gate_bias", 1)[0]),
            tuple(layer(f"layer{number}") for number in range(N_LAYERS)),
        )


def _deflate(table: NDArray[np.int8]) -> bytes:
    # No search for repetitions: there are none, and Huffman codes alone are smaller and read twice as fast.
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15, 9, zlib.Z_HUFFMAN_ONLY)
    return deflate.compress(np.ascontiguousarray(table.T).tobytes()) + deflate.flush()
