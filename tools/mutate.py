"""Change single expressions of the code at random, and see whether the tests notice.

Each change is made to one module in memory, the tests of its room are run against it, and what they let pass
is listed: a test that is missing, or a change that changes nothing. No file is touched.

    python tools/mutate.py storage readers --changes 60 --seed 1
    python tools/mutate.py evaluation/relation.py --changes 20
    python tools/mutate.py storage --line src/hott/storage/_writer.py:137     # only changes of that line
"""

import argparse
import ast
import copy
import importlib.abc
import importlib.util
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "hott"

# The tests of each room; a room without an entry has a folder or a file of its name.
TESTS = {
    "_atomic": ["test_atomic.py", "test_storage.py"],
    "wording": ["test_wording.py"],
    "_spool": ["test_index.py"],
    "storage": ["test_storage.py"],
    "readers": ["readers", "test_corpus.py"],
    "corpus": ["test_corpus.py", "readers"],
    "embeddings": ["embeddings"],
    "explorer": [f"explorer/test_{name}.py" for name in ("safety", "api", "layout", "serve", "export")],
    "index": [f"test_{name}.py" for name in ("search", "likeness", "filters", "content", "life", "index")],
    "lexical": ["lexical", "test_search.py"],
    "_values": ["test_values.py", "readers"],
    "_columns": ["test_corpus.py"],
    "ground": ["distances", "transport"],
    "backends": ["transport", "test_run.py"],
    "cpu": ["transport"],
}

_OPPOSITE = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Add, ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.MatMult: ast.Mult,
    ast.LShift: ast.RShift, ast.RShift: ast.LShift,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip

SECONDS = 600  # after which a change that makes the tests hang counts as noticed


class Mutant(importlib.abc.MetaPathFinder):
    """Finds one module elsewhere than where it lies."""

    def __init__(self, name: str, file: Path, folder: Path | None) -> None:
        self.name, self.file, self.folder = name, file, folder

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        if name != self.name:
            return None
        places = [str(self.folder)] if self.folder else None
        return importlib.util.spec_from_file_location(name, self.file, submodule_search_locations=places)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("rooms", nargs="+", help="modules or folders below src/hott")
    parser.add_argument("--changes", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--line", help="file:line, to change nothing else")
    options = parser.parse_args()
    changes = [change for room in options.rooms for file in _files(room) for change in _changes(file)]
    if options.line:
        name, _, line = options.line.rpartition(":")
        wanted = (Path(name).resolve(), int(line))
        changes = [change for change in changes if (change.file.resolve(), change.line) == wanted]
    os.chdir(ROOT)
    _warm_up()
    random.Random(options.seed).shuffle(changes)
    changes = changes[: options.changes]
    survived = []
    for number, change in enumerate(changes, 1):
        noticed = change.noticed()
        survived += [] if noticed else [change]
        print(f"{number}/{len(changes)} {'noticed ' if noticed else 'SURVIVED'} {change}", flush=True)
    print(f"\n{len(changes) - len(survived)} of {len(changes)} changes noticed; survived:")
    for change in survived:
        print(f"  {change}")
    return 1 if survived else 0


def _files(room: str) -> list[Path]:
    path = SOURCE / room
    if path.is_dir():
        return sorted(path.rglob("*.py"))
    return [path if path.suffix == ".py" else path.with_suffix(".py")]


class Change:
    """One expression of a file, and what stands in its place."""

    def __init__(self, file: Path, tree: ast.Module, line: int, before: str, after: str) -> None:
        self.file, self.tree, self.line, self.before, self.after = file, tree, line, before, after

    def __str__(self) -> str:
        return f"{self.file.relative_to(ROOT)}:{self.line}  {self.before}  ->  {self.after}"

    def noticed(self) -> bool:
        """Whether a test of the room fails, or hangs."""
        relative = self.file.relative_to(SOURCE.parent).with_suffix("")
        package = relative.name == "__init__"
        name = ".".join(relative.parent.parts if package else relative.parts)
        with tempfile.TemporaryDirectory() as folder:
            mutant = Path(folder, "mutant.py")
            mutant.write_text(ast.unparse(self.tree), encoding="utf-8")
            child = os.fork()
            if child == 0:
                os.setsid()
                sys.meta_path.insert(0, Mutant(name, mutant, self.file.parent if package else None))
                with open(os.devnull, "w") as nowhere:
                    os.dup2(nowhere.fileno(), 1)
                    os.dup2(nowhere.fileno(), 2)
                os._exit(pytest.main(["-x", "-q", "-p", "no:cacheprovider", *_tests(self.file)]))
            ends = time.monotonic() + SECONDS
            while time.monotonic() < ends:
                done, status = os.waitpid(child, os.WNOHANG)
                if done:
                    return status != 0
                time.sleep(0.05)
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return True


def _warm_up() -> None:
    """Import what the tests will import, all but our own modules: it takes longer than most tests."""
    import hypothesis  # noqa: F401

    import hott.cli.app
    import hott.explorer
    import hott.index

    hott.explorer.create_app  # noqa: B018  imported when it is asked for
    for name in list(sys.modules):
        if name.split(".")[0] == "hott" and name != "hott._core":  # a compiled one is loaded once a process
            del sys.modules[name]


def _tests(file: Path) -> list[str]:
    inner = file.relative_to(SOURCE)
    room = inner.parts[0].removesuffix(".py")
    named = TESTS.get(room, [room] if (ROOT / "tests" / room).exists() else [f"test_{room}.py"])
    # Those of the module itself come first: most changes are noticed there.
    own = f"{room}/test_{inner.stem.strip('_')}.py"
    found = [f"tests/{name}" for name in [own, *named] if (ROOT / "tests" / name).exists()]
    if not found:
        raise SystemExit(f"There are no tests of {inner}: name them in TESTS.")
    return found


def _changes(file: Path) -> Iterator[Change]:
    """Every change of one expression that we know how to make."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    left_out = set(_left_out(tree))
    for number, node in enumerate(ast.walk(tree)):
        if id(node) in left_out:
            continue
        for which in range(len(list(_changed(copy.deepcopy(node))))):
            new_tree = copy.deepcopy(tree)
            there = next(n for i, n in enumerate(ast.walk(new_tree)) if i == number)
            before = ast.unparse(there)
            for at, _ in enumerate(_changed(there)):
                if at == which:
                    break
            after = ast.unparse(there)
            if before != after:
                yield Change(file, new_tree, node.lineno, *(text.split("\n")[0] for text in (before, after)))


def _left_out(tree: ast.Module) -> Iterator[int]:
    """Decorators (whether a class is frozen is no behaviour to test) and the types in signatures."""
    for node in ast.walk(tree):
        outer = [*getattr(node, "decorator_list", [])]
        outer += [getattr(node, name, None) for name in ("annotation", "returns")]
        yield from (id(inner) for part in outer if part is not None for inner in ast.walk(part))


def _changed(node: ast.AST) -> Iterator[None]:
    """Change a node in place, in one way after the other: stop at the one that is wanted."""
    match node:
        case ast.BinOp() | ast.BoolOp() | ast.AugAssign() if type(node.op) in _OPPOSITE:
            node.op = _OPPOSITE[type(node.op)]()
            yield
        case ast.Compare() if type(node.ops[0]) in _OPPOSITE:
            node.ops[0] = _OPPOSITE[type(node.ops[0])]()
            yield
        case ast.UnaryOp(op=ast.Not()):
            node.op = ast.UAdd()
            node.operand = ast.Call(ast.Name("bool", ast.Load()), [node.operand], [])
            yield
        case ast.UnaryOp(op=ast.USub()):
            node.op = ast.UAdd()
            yield
        case ast.If() | ast.IfExp() | ast.While():
            if not (isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"):
                node.test = ast.UnaryOp(ast.Not(), node.test)
                yield
        case ast.Constant(value=bool()):
            node.value = not node.value
            yield
        case ast.Constant(value=int() | float()):
            node.value = node.value + 1
            yield


if __name__ == "__main__":
    sys.exit(main())
