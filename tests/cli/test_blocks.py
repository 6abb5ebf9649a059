"""The commands that can use a cluster, and one that was stopped."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import hott
from hott.cli.app import run
from tests.themes import made_index

pytest.importorskip("distributed")
zarr = pytest.importorskip("zarr")


@pytest.fixture(scope="module")
def index():
    return made_index()


@pytest.fixture
def saved(index, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    index.save("x.hott")
    return index


@pytest.mark.cluster
def test_the_commands_that_take_a_scheduler(saved, client, tmp_path, capsys):
    where = ["--scheduler", client.scheduler.address]
    assert run(["distances", "x.hott", "-o", "D.zarr", "--block", "13", *where]) == 0
    assert f"Dask dashboard: {client.dashboard_link}" in capsys.readouterr().err
    np.testing.assert_array_equal(zarr.open_array("D.zarr", mode="r")[:], saved.distances())

    assert run(["neighbors", "x.hott", "-k", "4", "--json", *where]) == 0
    found = json.loads(capsys.readouterr().out)["neighbors"]
    nearest = saved.neighbors(4)
    assert [row["distance"] for row in found[:4]] == nearest.distances[0].tolist()
    assert len(found) == 58 * 4

    lines = [json.dumps({"id": d.id, "text": d.text}) for d in saved.documents]
    (tmp_path / "texts.jsonl").write_text("\n".join(lines))
    settings = ["texts.jsonl", "--topics", "6", "--models", "2", "--iterations", "20", "--on-empty", "nan"]
    assert run(["index", *settings, "-o", "there.hott", *where]) == 0
    np.testing.assert_array_equal(hott.open("there.hott").distances(), saved.distances())


@pytest.mark.cluster
def test_a_number_of_workers_starts_a_cluster(saved, capsys):
    hott = [sys.executable, "-c", "from hott.cli import main; main()"]
    code = [*hott, "distances", "x.hott", "-o", "D.npy", "--workers", "1"]
    done = subprocess.run([*code, "--block", "20"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Dask dashboard: http://127.0.0.1:" in done.stderr
    np.testing.assert_array_equal(np.load("D.npy"), saved.distances())
    assert run([*code[3:], "--scheduler", "tcp://127.0.0.1:1"]) == 1
    assert capsys.readouterr().err == (
        "hott: Give a scheduler or a number of workers, not both: a scheduler has its workers.\n"
    )


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
@pytest.mark.parametrize("name", ["D.npy", "D.zarr"])
def test_a_command_that_was_interrupted_goes_on(saved, name, python):
    """SIGINT while it works, from itself, so that it comes neither too early nor too late."""
    code = (
        "import os, signal, sys\n"
        "import hott.blocks.results as jobs\n"
        "from hott.cli.app import run\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "solve, calls = jobs._solve, []\n"
        "def counted(*given, **how):\n"
        "    calls.append(1)\n"
        "    if len(calls) == int(sys.argv[2]): os.kill(os.getpid(), signal.SIGINT)\n"
        "    return solve(*given, **how)\n"
        "jobs._solve = counted\n"
        "code = run(['distances', 'x.hott', '-o', sys.argv[1], '--block', '13'])\n"
        "print(code, len(calls))\n"
    )
    first = subprocess.run([python, "-c", code, name, "8"], capture_output=True, text=True)
    assert (first.stdout, first.stderr) == ("130 8\n", "hott: interrupted\n")
    assert os.path.exists(name if name == "D.zarr" else f"{name}.unfinished")
    second = subprocess.run([python, "-c", code, name, "0"], capture_output=True, text=True)
    assert second.stdout.endswith("\n0 8\n")  # the seven others of fifteen were finished
    D = np.load(name) if name == "D.npy" else zarr.open_array(name, mode="r")[:]
    np.testing.assert_array_equal(D, saved.distances())
