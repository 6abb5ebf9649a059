"""The compiled core with many changes at once, each behind a switch (mutation.hpp), and what they change.

Built once for a state of the sources, and kept in build/switched.
"""

import ctypes
import hashlib
import json
import re
import shutil
import subprocess
import sysconfig
import tempfile
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

import nanobind

ROOT = Path(__file__).parent.parent
HOMES = (ROOT / "csrc", ROOT / "src" / "hott" / "compute" / "gpu" / "kernels")
KEPT = ROOT / "build" / "switched"
SOURCES = (
    *("bindings", "lockstep", "kernels"),
    *("kernels_baseline", "kernels_avx2", "kernels_avx512", "kernels_vnni"),
)

# What must be known when compiling cannot be switched.
FIXED = re.compile(
    r"constexpr|static_assert|template|prefetch|extracti128|using |operator"
    r"|^\s*#|^\s*case |^\s*(struct|class|namespace)"
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


class Switches:
    """The switches of a module that is loaded: which change is on, and which were come by."""

    def __init__(self, module: Path, changes: Sequence[Change]) -> None:
        library = ctypes.CDLL(str(module))
        self._change = ctypes.c_int.in_dll(library, "hott_change")
        self._reached = (ctypes.c_ubyte * (changes[-1].number + 1)).in_dll(library, "hott_reached")

    def turn_on(self, change: Change) -> None:
        self._change.value = change.number

    def take_reached(self) -> set[int]:
        """The numbers of the changes that were come by since this was asked last."""
        reached = {number for number, seen in enumerate(bytes(self._reached)) if seen}
        ctypes.memset(self._reached, 0, len(self._reached))
        return reached


def built(files: Sequence[str]) -> tuple[Path, list[Change]]:
    """The module with all changes of these files that compile, and these, ascending by number."""
    sources = [file for home in HOMES for file in sorted(home.iterdir()) if file.is_file()]
    sources += [Path(__file__), Path(__file__).with_name("mutation.hpp")]
    text = b"\0".join([*(file.read_bytes() for file in sources), *map(str.encode, files)])
    folder = KEPT / hashlib.sha256(text).hexdigest()[:12]
    kept = folder / "changes.json"
    if not kept.exists():
        shutil.rmtree(KEPT, ignore_errors=True)
        folder.mkdir(parents=True)
        with tempfile.TemporaryDirectory() as aside:
            module, changes = _build(Path(aside), files)
            shutil.copy(module, folder)
        kept.write_text(json.dumps([astuple(change) for change in changes]))
    return folder / "_core.so", [Change(*fields) for fields in json.loads(kept.read_text())]


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


def _build(folder: Path, files: Sequence[str]) -> tuple[Path, list[Change]]:
    found = [change for file in files for change in _changes(file)]
    left = [Change(number, *place) for number, place in enumerate(found, 1)]
    for home in HOMES:
        shutil.copytree(home, folder / "csrc", dirs_exist_ok=True)
    shutil.copy(ROOT / "tools" / "mutation.hpp", folder / "csrc")
    while True:
        for file in files:
            _write(folder / "csrc" / file, [change for change in left if change.file == file])
        wrong = _broken_lines(folder)
        if not wrong:
            return _linked(folder, left[-1].number), left
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
    flags = {
        "kernels_avx2": ["-march=x86-64-v3"],
        "kernels_avx512": ["-march=x86-64-v4"],
        "kernels_vnni": ["-march=x86-64-v4", "-mavx512vnni"],
    }.get(source, [])
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


def _linked(folder: Path, last: int) -> Path:
    root = Path(nanobind.source_dir()).parent
    (folder / "csrc" / "switch.cpp").write_text(
        f'extern "C" {{ int hott_change = 0; unsigned char hott_reached[{last + 1}]; }}\n'
    )
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
