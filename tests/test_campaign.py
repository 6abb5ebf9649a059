"""The campaign runs, and finds nothing wrong in a few seconds; ``make campaign`` takes minutes or hours."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

CAMPAIGN = Path(__file__).parent.parent / "tools" / "campaign"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="forks and kills processes")


def run(tmp_path, *options):
    """Run a campaign that must find no defect, and give its counts."""
    command = [sys.executable, CAMPAIGN, "--seed", "1", "--json", tmp_path / "counts.json", *options]
    done = subprocess.run(command, capture_output=True, text=True)
    if "kills are left out" in done.stdout:
        pytest.skip("there is no C compiler")
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads((tmp_path / "counts.json").read_text())["counts"]


def test_every_writer_works_when_nothing_happens_to_it(monkeypatch, tmp_path):
    pytest.importorskip("zarr")
    monkeypatch.syspath_prepend(CAMPAIGN)
    from writers import writers

    for number, writer in enumerate(writers(())):
        folder = tmp_path / str(number)
        folder.mkdir()
        writer.prepare(folder)
        writer.check(folder, False)
        writer.write(folder)
        writer.check(folder, True)


@pytest.mark.skipif(sys.platform != "linux", reason="needs LD_PRELOAD")
def test_an_index_survives_a_kill_at_every_system_call(tmp_path):
    counts = run(
        tmp_path, "--only", "kills", "--writers", "index, replaced", "file, created", "--minutes", "5"
    )
    assert "ways left out for want of time" not in counts
    assert counts["killed"] == counts["disk full"] == counts["power cut"] > 20


@pytest.mark.skipif(sys.platform != "linux", reason="needs LD_PRELOAD")
def test_stores_of_blocks_survive_a_kill_at_every_system_call(tmp_path):
    stores = ("graph.zarr", "graph.parquet", "distances.zarr", "tiny.npy")
    counts = run(tmp_path, "--only", "kills", "--writers", *stores, "--kills", "60", "--minutes", "5")
    assert "ways left out for want of time" not in counts
    assert counts["killed"] > 10
    assert all(counts[f"killed: {store}"] for store in stores)


def test_changed_input_files_are_read_or_refused(tmp_path):
    pytest.importorskip("pyarrow")
    counts = run(tmp_path, "--only", "input", "vectors", "--minutes", "0.1")
    assert counts["input: cases"] > 20
    assert counts["vectors: cases"] > 20


def test_transport_is_certified(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(CAMPAIGN)
    from common import Campaign
    from transport import run_case

    campaign = Campaign(tmp_path, seed=1)
    for case in range(1, 31):
        run_case(campaign, case)
    assert campaign.defects == {}
    assert campaign.counts["forbidden arcs: certified"] == 30 * 512
    assert campaign.counts["asymmetric: pairs certified"] == 15 * 24**2


def test_a_certificate_sees_what_is_wrong(monkeypatch):
    monkeypatch.syspath_prepend(CAMPAIGN)
    from certificate import Solutions, doubtful, fault

    a = b = np.ones((1, 3))
    cost = np.array([[[1, 5, 8], [5, 1e15, 3], [5, 7, 5]]])
    best, worse = np.eye(3)[[0, 2, 1]], np.eye(3)[[1, 0, 2]]
    u, v = np.array([[0.0, 1, 3]]), np.array([[1.0, 4, 2]])
    assert doubtful(a, b, cost, Solutions(np.array([11.0]), best[None], u, v)).size == 0
    for value, plan, why in (
        (11, best, None),
        (15, worse, "not optimal"),
        (11, worse, "not optimal"),
        (11.0000001, best, "wrong by 9e-09"),
        (11, 0.999 * best, "wrong marginals"),
        (11, best - 0.5 * np.eye(3), "negative flows"),
    ):
        found = fault(a[0], b[0], cost[0], value, plan)
        assert found is None if why is None else why in found
        if why is not None:
            assert doubtful(a, b, cost, Solutions(np.array([value]), plan[None], u, v)).size == 1
