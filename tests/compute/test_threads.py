"""Everything that the core shares over threads: the same bits for any number of them.

`make sanitize` runs this file under ThreadSanitizer.
"""

import os
import sys

import numpy as np
import pytest
from scipy import sparse

from hott import L1, RWMD, WMD, _core, transport
from hott.topics import GibbsLDA
from hott.topics.neighborhood import neighborhood

RNG = np.random.default_rng(0)
VECTORS = RNG.normal(size=(60, 5))
COUNTS = sparse.csr_array(
    RNG.poisson(0.4, size=(200, 60)) * 1.0 + np.eye(200, 60, k=0) + (np.arange(60) == 59)
)
COST = np.sqrt(((VECTORS[:, None] - VECTORS) ** 2).sum(axis=2))


def documents(size):
    masses = np.zeros((150, 60))
    for row in masses:
        row[RNG.choice(60, size, replace=False)] = RNG.dirichlet(np.ones(size))
    return sparse.csr_array(masses)


SMALL, WIDE, LARGE = documents(6), documents(22), documents(50)
LISTED = RNG.integers(0, 150, size=(2, 3000))
EVERY = {
    "small pairs": lambda threads: transport.pairwise(SMALL, cost=COST, threads=threads),
    "wide pairs": lambda threads: transport.pairwise(WIDE, SMALL, cost=COST, metric=False, threads=threads),
    "large pairs": lambda threads: transport.pairwise(LARGE[:40], LARGE, cost=COST, threads=threads),
    "listed pairs": lambda threads: transport.pairs(SMALL, SMALL, *LISTED, cost=COST, threads=threads),
    "bounds": lambda threads: transport.lower_bound(SMALL, WIDE, cost=COST, threads=threads),
    "sketches": lambda threads: np.stack(_sketch(threads)),
    "scans": lambda threads: _scan(threads),
    "listed bounds": lambda threads: _listed_bounds(threads),
    "smallest": lambda threads: _smallest(threads),
    "not above": lambda threads: np.stack(_core.not_above(COUNTS.toarray(), np.ones(200), threads)),
    "L1": lambda threads: L1().fit(COUNTS).pairwise(COUNTS, threads=threads),
    "WMD": lambda threads: WMD(VECTORS).fit(COUNTS).pairwise(COUNTS[:20], COUNTS[20:], threads=threads),
    "RWMD": lambda threads: RWMD(VECTORS).fit(COUNTS).pairwise(COUNTS, threads=threads),
    "near words": lambda threads: neighborhood(VECTORS, np.full(60, True), 5, 0.1, threads).weights,
    "sampling": lambda threads: (
        GibbsLDA(5, 20, word_vectors=VECTORS).fit(COUNTS, threads=threads).components_
    ),
    "folding in": lambda threads: GibbsLDA(5, 20).fit(COUNTS).transform(COUNTS, threads=threads),
}


STARTS, SITES = SMALL.indptr.astype(np.int64), SMALL.indices.astype(np.uint8)
COMPACT = STARTS, SITES, (SMALL.data * 65535).astype(np.uint16)


def _sketch(threads):
    blocks = -(-SMALL.shape[0] // _core.SKETCH_BLOCK)
    sites, masses = np.zeros((2, blocks, _core.SKETCH_BLOCK * _core.SKETCH_SLOTS), np.uint8)
    _core.sketch(COMPACT, threads, sites, masses)
    return sites, masses


def _scan(threads):
    tables = np.random.default_rng(1).integers(0, 128, (2, 9, 64)).astype(np.uint8)
    out = np.empty((9, SMALL.shape[0]), np.float32)
    _core.scan([(*_sketch(1), *tables)], np.ones(9, np.float32), threads, out)
    return out


def _listed_bounds(threads):
    rows, columns = np.sort(LISTED[0]), LISTED[1]
    out = np.empty(len(rows))
    P = STARTS, SITES.astype(np.int32), SMALL.data
    models, limits = [(P, COMPACT, COST)] * 2, np.random.default_rng(0).random(len(rows))
    _core.listed_bounds(models, 0.5, rows, columns, limits, threads, out)
    return out


def _smallest(threads):
    out = np.empty((200, 5), np.int64)
    _core.smallest(COUNTS.toarray(), threads, out)
    return out


@pytest.mark.parametrize("name", EVERY)
def test_threads_do_not_change_a_bit(name):
    compute = EVERY[name]
    assert np.array_equal(compute(1), compute(4))


@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="threads are not listed here")
def test_as_many_threads_work_as_are_wanted():
    def threads():
        return len(os.listdir("/proc/self/task"))

    seen, before = [], threads()
    many = sparse.vstack([LARGE] * 3, format="csr")  # long enough to be looked at while they work
    transport.pairwise(many, LARGE, cost=COST, threads=3, progress=lambda *_: seen.append(threads()))
    assert max(seen) == before + 3


@pytest.mark.skipif(sys.platform != "linux", reason="waiting is not counted here")
def test_little_work_starts_no_thread():
    """A thread takes twenty microseconds to start and end, and a search has dozens of small steps."""
    import resource

    values, out = RNG.random((1, 200)), np.empty((1, 5), np.int64)
    few = SMALL[:1], SMALL[:20], [0] * 20, range(20)
    topics = GibbsLDA(5, 20).fit(COUNTS)
    for work in (
        lambda: _core.smallest(values, 4, out),
        lambda: _core.not_above(values, np.ones(1), 4),
        lambda: transport.pairs(*few, cost=COST, threads=1),
        lambda: topics.transform(COUNTS[:1], threads=1),
    ):
        waited = resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw
        for _ in range(50):
            work()
        assert resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw - waited < 25
