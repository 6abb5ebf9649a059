"""Results larger than memory, block by block: where they are kept, and what is left to compute of them."""

from hott.blocks.collection import Collection, spans_of
from hott.blocks.distances import fill
from hott.blocks.graph import nearest
from hott.blocks.runner import run_blocks

__all__ = ["Collection", "fill", "nearest", "run_blocks", "spans_of"]
