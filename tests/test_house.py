"""The plan of the house: who may import whom, and names that type checkers know."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import hott
from hott.distances.registry import REGISTRY, named_distance

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "hott"
TYPING = Path(__file__).parent / "typing"


@cache
def layers() -> dict[str, int]:
    """The rooms in the picture of CONTRIBUTING, with the number of their line from below."""
    [picture] = re.findall(r"```layers\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(), re.DOTALL)
    lines = list(reversed(picture.strip().splitlines()))
    return {room: height for height, line in enumerate(lines) for room in line.split()}


def imports() -> Iterator[tuple[Path, str]]:
    """Every module of ours that a file imports, wherever the import stands, but for those of types alone."""
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for_types = {
            inner
            for node in ast.walk(tree)
            if isinstance(node, ast.If)
            and isinstance(node.test, ast.Name)
            and node.test.id == "TYPE_CHECKING"
            for statement in node.body
            for inner in ast.walk(statement)
        }
        for node in set(ast.walk(tree)) - for_types:
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                below = [f"{node.module}.{alias.name}" for alias in node.names]
                names = below if node.module == "hott" else [node.module]
            else:
                continue
            yield from ((path, name) for name in names if name.split(".")[0] in ("hott", "reproduction"))


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def test_the_picture_shows_every_room():
    rooms = {
        path.name.removesuffix(".py") for path in PACKAGE.iterdir() if path.suffix == ".py" or path.is_dir()
    }
    assert set(layers()) == {room for room in rooms if not room.startswith("_")}


def test_rooms_import_from_below_only():
    upwards = []
    for path, name in imports():
        here, there = room_of(path), name.split(".")[1] if "." in name else ""
        known = here in layers() and there in layers() and here != there
        if known and layers()[there] >= layers()[here]:
            upwards.append(f"{path.relative_to(PACKAGE)} imports {name}")
    assert not upwards


def test_the_library_does_without_the_study():
    assert not [path for path, name in imports() if name.split(".")[0] == "reproduction"]


def test_what_all_share_imports_no_room():
    shared = [(path, name) for path, name in imports() if room_of(path).startswith("_")]
    known = {
        "hott.__main__": {"cli"},
        "hott._spool": {"corpus", "table"},
        "hott._selection": {"embeddings", "languages", "tokens"},
    }
    for path, name in shared:
        module, there = f"hott.{room_of(path)}", name.split(".")[1] if "." in name else ""
        assert there not in layers() or there in known.get(module, ()), f"{path} imports {name}"


def test_no_room_reaches_into_another():
    private = [
        f"{path.relative_to(PACKAGE)} imports {name}"
        for path, name in imports()
        if room_of(path) != (name.split(".") + [""])[1]
        and any(part.startswith("_") and not part.startswith("__") for part in name.split(".")[2:])
    ]
    assert not private


def test_type_checkers_know_every_public_name():
    tree = ast.parse((PACKAGE / "__init__.py").read_text())
    [checking] = [node for node in tree.body if isinstance(node, ast.If)]
    known = {
        alias.asname for node in checking.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert known == set(hott.__all__)


def run_mypy(file: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--no-error-summary", str(file)]
    ignore = ["--ignore-missing-imports", "--follow-imports=silent", "--allow-subclassing-any"]
    environment = {"MYPYPATH": str(PACKAGE.parent), "PATH": ""}
    return subprocess.run([*command, *ignore], capture_output=True, text=True, env=environment, cwd=ROOT)


def test_a_strict_client_is_content():
    pytest.importorskip("mypy")
    checked = run_mypy(TYPING / "client.py")
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_mistakes_are_seen_before_the_program_runs():
    pytest.importorskip("mypy")
    file = TYPING / "mistakes.py"
    found = run_mypy(file).stdout
    lines = file.read_text().splitlines()
    expected = {n: line.split("# E: ")[1] for n, line in enumerate(lines, 1) if "# E: " in line}
    for number, error in expected.items():
        assert re.search(rf"mistakes.py:{number}: error: .*{re.escape(error)}", found), found


def test_every_distance_is_public_and_in_the_docs():
    table = (ROOT / "docs" / "distances.md").read_text()
    for name in REGISTRY:
        distance = type(named_distance(name)).__name__
        assert getattr(hott, distance) is type(named_distance(name))
        assert f"`{distance}" in table
        assert f"`{name}`" in table
