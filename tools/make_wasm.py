"""Compile the core to WebAssembly, for pages that hott export writes: src/hott/explorer/static/core.wasm.

    pip install "hott[wasm]"
    python tools/make_wasm.py

The first run takes minutes, as zig compiles its C++ library; later ones take seconds. The same sources and
the same zig give the same bytes.
"""

import subprocess
import sys
from pathlib import Path

ZIG = "0.17.0"
ROOT = Path(__file__).parents[1]
OUTPUT = ROOT / "src/hott/explorer/static/core.wasm"
SOURCES = ("csrc/wasm.cpp", "csrc/lockstep.cpp", "csrc/kernels_baseline.cpp")
OPTIONS = (
    *("-target", "wasm32-wasi", "-mexec-model=reactor", "-std=c++17", "-O3", "-msimd128"),
    *("-ffp-contract=off", "-fno-rtti", "-fvisibility=hidden", "-Wall", "-Wextra", "-Wl,--strip-all"),
    *("-Icsrc", "-Isrc/hott/compute/gpu/kernels"),
)


def make(output: Path) -> None:
    """Compile the core into a file."""
    zig = [sys.executable, "-m", "ziglang"]
    version = subprocess.run([*zig, "version"], check=True, capture_output=True, text=True).stdout.strip()
    if version != ZIG:
        raise SystemExit(f"This zig is {version}; pip install ziglang=={ZIG}, for the same bytes.")
    subprocess.run([*zig, "c++", *OPTIONS, *SOURCES, "-o", str(output)], check=True, cwd=ROOT)


if __name__ == "__main__":
    make(OUTPUT)
    print(f"{OUTPUT.relative_to(ROOT)}: {OUTPUT.stat().st_size:,} bytes")
