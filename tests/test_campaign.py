"""The campaign runs, and finds nothing wrong in a few seconds; ``make campaign`` takes minutes or hours."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

CAMPAIGN = Path(__file__).parent.parent / "tools" / "campaign"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="forks and kills processes")


def run(tmp_path, *options):
    """Run a campaign; give what it printed, and its counts."""
    command = [sys.executable, CAMPAIGN, "--seed", "1", "--json", tmp_path / "counts.json", *options]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads((tmp_path / "counts.json").read_text())["counts"]


@pytest.mark.skipif(sys.platform != "linux", reason="needs LD_PRELOAD")
def test_an_index_survives_a_kill_at_every_system_call(tmp_path):
    counts = run(tmp_path, "--only", "kills", "--writers", "index", "file, created", "--minutes", "5")
    if counts:  # there is a C compiler
        assert "ways left out for want of time" not in counts
        assert counts["killed"] == counts["disk full"] == counts["power cut"] > 20


def test_changed_input_files_are_read_or_refused(tmp_path):
    pytest.importorskip("pyarrow")
    counts = run(tmp_path, "--only", "input", "vectors", "--minutes", "0.1")
    assert counts["input: cases"] > 20
    assert counts["vectors: cases"] > 20
