"""Exact transport on a CUDA device: what ``device="cuda"`` runs. Needs ``pip install "hott[gpu]"``.

:mod:`hott.transport`, the distances over topics and :class:`hott.Neighbors` take ``device``; this package is
how they do it. :func:`available` says whether there is a device.
"""

from hott.gpu.device import Device, NoDeviceError, available, memory_permitting, use_device
from hott.gpu.matrix import lower_bound, pairs, pairwise
from hott.gpu.problem import Problem, problems_on
from hott.gpu.search import nearest

__all__ = [
    "Device",
    "NoDeviceError",
    "Problem",
    "available",
    "lower_bound",
    "memory_permitting",
    "nearest",
    "pairs",
    "pairwise",
    "problems_on",
    "use_device",
]
