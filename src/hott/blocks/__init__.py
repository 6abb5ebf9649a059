"""Results larger than memory, block by block: where they are kept, and what is left to compute of them."""

from hott.blocks.collection import Collection, spans_of
from hott.blocks.results import fill, nearest, run_blocks

__all__ = ["Collection", "fill", "nearest", "run_blocks", "spans_of"]
