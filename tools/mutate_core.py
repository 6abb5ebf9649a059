"""Change single expressions of the compiled core, and see whether the tests notice.

All changes are compiled at once into a copy of the core, each behind a switch (mutation.hpp); the tests are
then run with one change after the other. No file of the repository is touched.

    python tools/mutate_core.py --changes 100 --seed 1
    python tools/mutate_core.py --line csrc/simplex.hpp:140        # only changes of that line
"""

import argparse
import ctypes
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import nanobind
import pytest
from mutate import Mutant

ROOT = Path(__file__).parent.parent
HOMES = (ROOT / "csrc", ROOT / "src" / "hott" / "gpu" / "kernels")
TRANSPORT = [f"tests/transport/test_{room}.py" for room in ("solve", "exact", "theory", "batch")]
SMALL = [f"tests/transport/test_{room}.py" for room in ("batch", "theory", "exact")]
SAMPLER, FOLD_IN = ["tests/topics/test_sampler.py"], ["tests/topics/test_foldin.py"]
# The files that are changed, and the tests that should notice.
TESTS = {
    **dict.fromkeys(
        ("simplex.hpp", "potentials.hpp", "exact_sum.hpp", "tree.hpp", "pricing_kernel.hpp"), TRANSPORT
    ),
    **dict.fromkeys(("lockstep.cpp", "simplex_lanes.h", "common_mass.hpp", "documents.hpp"), SMALL),
    **dict.fromkeys(("pair_solver.hpp", "pairwise.hpp", "bounds.hpp", "bounds_kernel.hpp"), SMALL),
    "parallel.hpp": [*SMALL, *FOLD_IN],
    "words.hpp": ["tests/distances/test_word.py"],
    "sparse_l1.hpp": ["tests/distances/test_vector.py"],
    "smallest.hpp": ["tests/test_neighbors.py"],
    "scan.hpp": ["tests/test_scan.py"],
    "scan_kernel.hpp": ["tests/test_scan.py"],
    "lexical.hpp": ["tests/lexical/test_postings.py"],
    **dict.fromkeys(("sampler.hpp", "sampler_kernel.hpp", "sampler_table.hpp"), SAMPLER),
    **dict.fromkeys(("nearest_vectors.hpp", "nearest_kernel.hpp"), SAMPLER),
    **dict.fromkeys(("foldin.hpp", "foldin_kernel.hpp", "foldin_steps.h"), FOLD_IN),
}
SOURCES = ("bindings", "lockstep", "kernels", "kernels_baseline", "kernels_avx2", "kernels_avx512")
QUICK = "not larger_than_memory and not twenty_thousand and not eighty_thousand"

# What must be known when compiling cannot be switched.
FIXED = re.compile(
    r"constexpr|static_assert|template|prefetch|^\s*#|using |operator|^\s*case |^\s*(struct|class|namespace)"
)
TOKEN = re.compile(
    r" (?P<operator>[-+*/]|[<>=!]=|[<>]) |\bstd::(?P<choice>min|max)\("
    r"|(?<=[ (])(?P<number>0x1p-?\d+f?|\d+(\.\d+)?(e-?\d+)?|true|false)(?=[,;) ])"
)


@dataclass(frozen=True)
class Change:
    """One place in a file: what stands there, behind a switch of this number."""

    number: int
    file: str
    line: int
    column: int
    text: str

    def __str__(self) -> str:
        return f"{self.place}  {self.text.strip()}  in  {_lines(self.file)[self.line - 1].strip()}"

    @property
    def place(self) -> str:
        return f"{_home(self.file).relative_to(ROOT)}/{self.file}:{self.line}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--changes", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--line", help="file:line, to change nothing else")
    options = parser.parse_args()
    changes = [change for file in TESTS for change in _changes(file)]
    changes = [Change(number, *found) for number, found in enumerate(changes, 1)]
    with tempfile.TemporaryDirectory() as folder:
        module, changes = _build(Path(folder), changes)
        if options.line:
            changes = [change for change in changes if change.place == options.line]
        random.Random(options.seed).shuffle(changes)
        changes, survived = changes[: options.changes], []
        sys.meta_path.insert(0, Mutant("hott._core", module, None))
        os.chdir(ROOT)
        _warm_up()
        seconds = {}
        for change in changes:
            tests = tuple(TESTS[change.file])
            if tests not in seconds:
                started = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
                if _noticed(module, 0, tests, resource.RLIM_INFINITY):
                    print(f"The tests fail without any change: {' '.join(tests)}")
                    return 1
                seconds[tests] = int(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - started) + 1
        for count, change in enumerate(changes, 1):
            tests = tuple(TESTS[change.file])
            noticed = _noticed(module, change.number, tests, 10 + 3 * seconds[tests])
            survived += [] if noticed else [change]
            print(f"{count}/{len(changes)} {'noticed ' if noticed else 'SURVIVED'} {change}", flush=True)
    print(f"\n{len(changes) - len(survived)} of {len(changes)} changes noticed; survived:")
    for change in survived:
        print(f"  {change}")
    return 1 if survived else 0


def _home(file: str) -> Path:
    return next(home for home in HOMES if (home / file).exists())


def _lines(file: str) -> list[str]:
    return (_home(file) / file).read_text().splitlines()


def _changes(file: str) -> list[tuple[str, int, int, str]]:
    return [
        (file, number, match.start(), match.group())
        for number, line in enumerate(_lines(file), 1)
        if not FIXED.search(line)
        for match in TOKEN.finditer(line.split("//")[0])
    ]


def _switched(change: Change) -> str:
    match = TOKEN.search(change.text + ";") or TOKEN.search(f" {change.text};")
    assert match is not None
    operator, choice, number = match["operator"], match["choice"], match["number"]
    if operator:
        return f" {operator} ::mutation::Here<{change.number}>{{}} {operator} "
    if choice:
        return f"::mutation::{ {'min': 'smaller', 'max': 'larger'}[choice] }<{change.number}>("
    return f"::mutation::number<{change.number}>({number})"


def _build(folder: Path, changes: list[Change]) -> tuple[Path, list[Change]]:
    """The module with all switches that compile."""
    for home in HOMES:
        shutil.copytree(home, folder / "csrc", dirs_exist_ok=True)
    shutil.copy(ROOT / "tools" / "mutation.hpp", folder / "csrc")
    left = changes
    while True:
        for file in TESTS:
            _write(folder / "csrc" / file, [change for change in left if change.file == file])
        wrong = _broken_lines(folder)
        if not wrong:
            return _linked(folder), left
        kept = [change for change in left if (change.file, change.line) not in wrong]
        if len(kept) == len(left):
            raise RuntimeError(f"does not compile: {sorted(wrong)}")
        left = kept


def _write(path: Path, changes: list[Change]) -> None:
    lines = _lines(path.name)
    for change in sorted(changes, key=lambda change: -change.column):
        line, end = lines[change.line - 1], change.column + len(change.text)
        lines[change.line - 1] = line[: change.column] + _switched(change) + line[end:]
    text = "\n".join(lines) + "\n"
    first = text.index("#include")
    path.write_text(
        f'{text[:first]}#include "mutation.hpp"\n#line {text[:first].count(chr(10)) + 1}\n{text[first:]}'
    )


def _command(folder: Path, source: str) -> list[str]:
    flags = {"kernels_avx2": ["-march=x86-64-v3"], "kernels_avx512": ["-march=x86-64-v4"]}.get(source, [])
    includes = [
        folder / "csrc",
        nanobind.include_dir(),
        sysconfig.get_path("include"),
    ]
    options = [
        "-std=c++17",
        "-O1",
        "-fPIC",
        "-ffp-contract=off",
        "-Wno-psabi",
        "-w",
        "-DHOTT_AVX",
        *flags,
    ]
    return ["g++", *options, *(f"-I{path}" for path in includes), str(folder / "csrc" / f"{source}.cpp")]


def _broken_lines(folder: Path) -> set[tuple[str, int]]:
    wrong = set()
    for source in ("lockstep", "kernels_baseline", "kernels_avx512", "bindings"):
        found = subprocess.run([*_command(folder, source), "-fsyntax-only"], capture_output=True, text=True)
        if found.returncode:
            places = re.findall(r"/csrc/([\w.]+):(\d+):\d+:\s+(?:error|required)", found.stderr)
            wrong |= {(file, int(line)) for file, line in places}
            if not places:
                raise RuntimeError(found.stderr)
    return wrong


def _linked(folder: Path) -> Path:
    root = Path(nanobind.source_dir()).parent
    (folder / "csrc" / "switch.cpp").write_text('extern "C" int hott_change = 0;\n')
    objects = []
    for source in (*SOURCES, "switch"):
        objects.append(str(folder / f"{source}.o"))
        subprocess.run([*_command(folder, source), "-c", "-o", objects[-1]], check=True)
    objects.append(str(folder / "nanobind.o"))
    extra = [
        f"-I{root / 'ext/robin_map/include'}",
        f"-I{root / 'include'}",
        f"-I{sysconfig.get_path('include')}",
    ]
    combined = str(root / "src" / "nb_combined.cpp")
    subprocess.run(
        ["g++", "-std=c++17", "-O1", "-fPIC", "-w", *extra, "-c", combined, "-o", objects[-1]], check=True
    )
    module = folder / "_core.so"
    subprocess.run(["g++", "-shared", "-o", str(module), *objects, "-lpthread"], check=True)
    return module


def _warm_up() -> None:
    """Import what the tests will import, which takes long; failures need no smaller example."""
    import hypothesis
    import ot  # noqa: F401
    import scipy.optimize  # noqa: F401

    import hott.transport  # noqa: F401

    hypothesis.settings.register_profile(
        "quick", phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate]
    )
    hypothesis.settings.load_profile("quick")


def _noticed(module: Path, number: int, tests: Sequence[str], seconds: int) -> bool:
    """Whether a test fails or crashes with a change, or takes more of the processor than so many seconds."""
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        ctypes.c_int.in_dll(ctypes.CDLL(str(module)), "hott_change").value = number
        with open(os.devnull, "w") as nowhere:
            os.dup2(nowhere.fileno(), 1)
            os.dup2(nowhere.fileno(), 2)
        os._exit(pytest.main(["-x", "-q", "-p", "no:cacheprovider", "-k", QUICK, *tests]))
    return os.waitpid(child, 0)[1] != 0


if __name__ == "__main__":
    sys.exit(main())
