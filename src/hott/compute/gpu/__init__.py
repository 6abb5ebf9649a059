"""Transport and topics on a CUDA device: what ``device="cuda"`` runs. Needs ``pip install "hott[gpu]"``.

Every function that computes takes ``device``; this package is how they do it. :func:`available` says whether
there is a device.
"""

from hott.compute.gpu.bounds import bounded_blocks
from hott.compute.gpu.device import NoDeviceError, available, cupy
from hott.compute.gpu.matrix import lower_bound, pairs, pairwise
from hott.compute.gpu.topics import fold_in, sample_topics
from hott.compute.gpu.tsne import Schedule, lay_out

__all__ = [
    "NoDeviceError",
    "Schedule",
    "available",
    "bounded_blocks",
    "cupy",
    "fold_in",
    "lay_out",
    "lower_bound",
    "pairs",
    "pairwise",
    "sample_topics",
]
