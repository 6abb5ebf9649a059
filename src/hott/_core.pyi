from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Rows = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]
Compact = tuple[NDArray[np.int64], NDArray[np.integer], NDArray[np.uint16]]
Float = NDArray[np.float64]
Int32 = NDArray[np.int32]

INSTRUCTIONS: str
FOLD_IN_LANES: int
BORROWING: tuple[int, int, float]
GPU_MAX_COST: int
MAX_EDITS: int
SKETCH_BLOCK: int
SKETCH_SLOTS: int
GPU_INDEX_BITS: int
GPU_MAX_SIDE: int
GPU_TILE: tuple[int, int, int]

class NotOptimalError(RuntimeError): ...

def gpu_shared_bytes(rows: int, columns: int, copies: int, threads: int, sites: int) -> int: ...
def solve(a: Float, b: Float, cost: Float) -> tuple[float, Int32, Int32, Float, Float, Float, int]: ...
def pairwise(
    P: Rows,
    Q: Rows | None,
    cost: Float,
    metric: bool,
    threads: int,
    out: Float,
    report: Callable[[int, int], None] | None,
) -> int: ...
def pairs(
    P: Rows,
    Q: Rows | None,
    cost: Float,
    metric: bool,
    rows: NDArray[np.int64],
    cols: NDArray[np.int64],
    threads: int,
    out: Float,
) -> None: ...
def lower_bound(
    P: Rows, Q: Rows | None, cost: Float, scale: float, threads: int, out: NDArray[np.float32]
) -> None: ...
def add_bm25(
    documents: Int32, counts: NDArray[np.integer], weight: float, k1: float, damping: Float, scores: Float
) -> None: ...
def near_spellings(
    word: NDArray[np.uint32],
    letters: NDArray[np.uint32],
    starts: NDArray[np.int64],
    first: int,
    most: int,
    out: NDArray[np.uint8],
) -> None: ...
def is_sound(rows: Compact, sites: int) -> bool: ...
def sketch(rows: Compact, threads: int, site: NDArray[np.uint8], mass: NDArray[np.uint8]) -> None: ...
def scan(
    models: list[tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8]]],
    factors: NDArray[np.float32],
    threads: int,
    out: NDArray[np.float32],
) -> None: ...
def listed_bounds(
    models: list[tuple[Rows, Compact, Float]],
    share: float,
    rows: NDArray[np.int64],
    cols: NDArray[np.int64],
    limits: Float,
    threads: int,
    out: Float,
) -> None: ...
def smallest(
    values: NDArray[np.float32] | NDArray[np.float64], threads: int, out: NDArray[np.int64]
) -> None: ...
def not_above(
    values: NDArray[np.float32] | NDArray[np.float64], limits: Float, threads: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...

class InvertedIndex:
    def __init__(self, rows: Rows, sites: int) -> None: ...

def sparse_l1(P: Rows, Q: InvertedIndex, threads: int, out: Float) -> None: ...
def word_pairs(
    P: Rows,
    Q: Rows,
    rows: NDArray[np.int64],
    cols: NDArray[np.int64],
    row_of: Int32,
    cost: Float,
    metric: bool,
    relaxed: bool,
    threads: int,
    out: Float,
) -> None: ...
def nearest_words(Q: Rows, cost: Float, transposed: bool, threads: int, nearest: Float) -> None: ...
def send_to_nearest(
    by_word: Rows, receivers: Rows, place_of: Int32, nearest: Float, threads: int, out: Float
) -> None: ...
def fold_in(
    counts: Rows,
    table: NDArray[np.float32],
    alpha: NDArray[np.float32],
    gibbs: bool,
    steps: int,
    burn_in: int,
    seed: int,
    threads: int,
    out: Float,
    report: Callable[[int, int], None] | None,
) -> None: ...
def nearest_vectors(
    queries: NDArray[np.int16],
    candidates: NDArray[np.int16],
    among: bool,
    threads: int,
    index: Int32,
    product: Int32,
) -> None: ...

Linear = tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.float32]]
Norm = tuple[NDArray[np.float32], NDArray[np.float32]]
ENCODER_INSTRUCTIONS: str
ENCODER_SHAPE: tuple[int, int, int, int]

class Encoder:
    def __init__(
        self,
        table: NDArray[np.int8],
        table_scale: NDArray[np.float32],
        word_weight: NDArray[np.float32],
        left: NDArray[np.float32],
        right: NDArray[np.float32],
        gate: NDArray[np.float32],
        gate_bias: float,
        layers: list[tuple[Norm, Linear, Linear, Norm, Linear, Linear]],
    ) -> None: ...
    def in_context(
        self, words: Int32, starts: NDArray[np.int64], threads: int, rows: NDArray[np.float32]
    ) -> None: ...
    def sums(
        self, words: Int32, starts: NDArray[np.int64], threads: int, out: NDArray[np.float32]
    ) -> None: ...

def dot_bytes(rows: NDArray[np.int8], query: NDArray[np.int16], threads: int, out: Int32) -> None: ...
def sample_topics(
    counts: Rows,
    words: int,
    neighbors: Int32,
    weights: NDArray[np.float32],
    sweeps: int,
    alpha: float,
    eta: float,
    strength: float,
    seeds: NDArray[np.uint64],
    threads: int,
    drawn: NDArray[np.float32],
    topic_of: NDArray[np.uint16] | None,
    report: Callable[[int, int], None] | None,
) -> None: ...
def topic_shares(
    counts: Rows,
    neighbors: Int32,
    weights: NDArray[np.float32],
    eta: float,
    strength: float,
    out: NDArray[np.float32],
) -> None: ...
