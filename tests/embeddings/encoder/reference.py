"""The encoder in NumPy: the twin of the compiled one, in floating point throughout."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf

from hott.embeddings.encoder.packed import HEADS, SIZE, Linear, Norm, PackedEncoder


def words_in_context(packed: PackedEncoder, numbers: NDArray[np.int32]) -> NDArray[np.float64]:
    """The words of one window in context, each times its weight."""
    alone = packed.table[numbers] * packed.table_scale[numbers, None].astype(np.float64)
    x = alone.copy()
    x[1:] += packed.left * alone[:-1]
    x[:-1] += packed.right * alone[1:]
    n, size = len(x), SIZE // HEADS
    for layer in packed.layers:
        mixed = multiply(normalise(x, layer.attention_norm), layer.attention)
        q, k, v = mixed.reshape(n, 3, HEADS, size).transpose(1, 2, 0, 3)
        scores = q @ k.transpose(0, 2, 1) / np.sqrt(size)
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        scores /= scores.sum(axis=-1, keepdims=True)
        x = x + multiply((scores @ v).transpose(1, 0, 2).reshape(n, SIZE), layer.output)
        h = multiply(normalise(x, layer.forward_norm), layer.up)
        x = x + multiply(0.5 * h * (1 + erf(h / np.sqrt(2))), layer.down)
    return x * np.exp(packed.word_weight[numbers] + x @ packed.gate + packed.gate_bias)[:, None]


def multiply(x: NDArray[np.float64], linear: Linear) -> NDArray[np.float64]:
    return x @ linear.weight.T.astype(np.float64) * linear.scale.astype(np.float64) + linear.bias


def normalise(x: NDArray[np.float64], norm: Norm) -> NDArray[np.float64]:
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5) * norm.weight + norm.bias
