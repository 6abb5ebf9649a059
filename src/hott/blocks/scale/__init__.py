"""Dask: a cluster to compute blocks on, for ``client=`` of everything that is computed block by block.

Needs the extra ``hott[dask]``. The numbers are the same, in every bit, as in one process: see docs/scale.md.
"""

import warnings

from hott.blocks.scale.cluster import OnCluster as OnCluster
from hott.blocks.scale.cluster import connect

__all__ = ["connect"]


def __getattr__(name: str) -> object:
    if name == "connected":
        warnings.warn("hott.scale.connected is now hott.scale.connect.", DeprecationWarning, stacklevel=2)
        return connect
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
