"""Workers that are slow or killed, and a scheduler that is killed, on a cluster of processes of their own."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from hott import Shards
from hott.blocks import scale
from tests.blocks.scale.test_cluster import free_port

pytest.importorskip("distributed")
pytest.importorskip("zarr")
pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module")
def processes():
    """A scheduler and two workers, as on a cluster of machines: nothing of them is in this process."""
    address = f"tcp://127.0.0.1:{free_port()}"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "start_new_session": True}
    dask = [sys.executable, "-m", "dask"]
    scheduler = subprocess.Popen(
        [*dask, "scheduler", "--host", address, "--dashboard-address", ":0"], **quiet
    )
    arguments = [address, "--nthreads", "1", "--no-dashboard"]
    workers = [subprocess.Popen([*dask, "worker", *arguments], **quiet) for _ in range(2)]
    yield address, scheduler, workers
    for process in (*workers, scheduler):
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def killing(victims, after=1):
    """Report progress to a function that kills processes when it is called for the so-manieth time."""
    done = []

    def progress(now, total):
        done.append(now)
        if len(done) == after:
            for pid in victims:
                os.kill(pid, signal.SIGKILL)

    return progress


def test_slow_and_killed_workers(index, processes, tmp_path):
    """The answers of one index, from shards whose workers come late or not at all."""

    def slow_down(seconds):
        """Let every shard of this process come late."""
        from hott.index.manifest import Shard

        at_once = Shard.open

        def late(self, model):
            time.sleep(seconds)
            return at_once(self, model)

        Shard.open = late

    shards = Shards.of(index, tmp_path / "a.hotts", shards=4)
    address, _, _ = processes
    with scale.connect(scheduler=address) as client:
        client.wait_for_workers(2, timeout=60)
        slow, _ = client.scheduler_info()["workers"]
        client.run(slow_down, 0.2, workers=[slow])
        hits, here = shards.search("planet", client=client), index.search("planet")
        assert [hit.to_dict() for hit in hits] == [hit.to_dict() for hit in here]

        everyone = list(client.run(os.getpid).values())
        near = shards.neighbors(5, block=6, client=client, progress=killing(everyone))
        np.testing.assert_array_equal(near.indices, index.neighbors(5).indices)


def test_workers_and_scheduler_that_are_killed(index, processes, tmp_path):
    """The last test of this cluster: nothing is left of it."""
    address, scheduler, _ = processes
    whole = index.distances()
    with scale.connect(scheduler=address) as client:
        client.wait_for_workers(2, timeout=60)

        [one, _] = client.run(os.getpid).values()
        D = index.distances(tmp_path / "one.zarr", block=6, client=client, progress=killing([one], after=3))
        np.testing.assert_array_equal(D[:], whole)

        client.wait_for_workers(2, timeout=60)
        everyone = list(client.run(os.getpid).values())
        graph = index.graph(5, block=2, client=client, progress=killing(everyone, after=3))
        np.testing.assert_array_equal(graph.toarray(), index.graph(5).toarray())

        path = tmp_path / "gone.zarr"
        with pytest.raises(ConnectionError, match=f"{address} is gone. Finished blocks are kept"):
            index.distances(path, block=6, client=client, progress=killing([scheduler.pid], after=3))
    done = []
    np.testing.assert_array_equal(index.distances(path, progress=lambda *now: done.append(now))[:], whole)
    assert 0 < len(done) <= 55 - 3  # the rest of the blocks, here
