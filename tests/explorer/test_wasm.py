"""The core for browsers is what the sources say."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from hott.explorer.assets import wasm

TOOL = Path(__file__).parents[2] / "tools" / "make_wasm.py"


def zig() -> str:
    """The version of zig that is installed; nothing where none is."""
    if importlib.util.find_spec("ziglang") is None:
        return ""
    run = subprocess.run([sys.executable, "-m", "ziglang", "version"], capture_output=True, text=True)
    return run.stdout.strip()


def test_it_is_a_module_and_small():
    assert wasm()[:4] == b"\0asm"
    assert len(wasm()) < 420_000


@pytest.mark.skipif(not TOOL.exists() or zig() != "0.17.0", reason="needs the sources and ziglang==0.17.0")
def test_it_is_compiled_from_the_sources(tmp_path):
    spec = importlib.util.spec_from_file_location("make_wasm", TOOL)
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    tool.make(tmp_path / "core.wasm")
    assert (tmp_path / "core.wasm").read_bytes() == wasm()
