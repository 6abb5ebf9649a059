"""Dask: a cluster to compute blocks on, for ``client=`` of everything that is computed block by block.

Needs the extra ``hott[dask]``. The numbers are the same, in every bit, as in one process: see docs/scale.md.
"""

from hott.blocks.scale.cluster import OnCluster as OnCluster
from hott.blocks.scale.cluster import connected

__all__ = ["connected"]
