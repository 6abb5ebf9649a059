"""Change single expressions of the code at random, and see whether the tests notice.

Each change is made to one module in memory, the tests of its room are run against it, and what they let pass
is listed: a test that is missing, or a change that changes nothing. No file is touched.

    python tools/mutate.py storage readers --changes 60 --seed 1
    python tools/mutate.py evaluation/prediction.py --changes 20
    python tools/mutate.py storage --line src/hott/storage/_writer.py:137     # only changes of that line
"""

import argparse
import ast
import copy
import doctest
import gc
import importlib
import importlib.abc
import importlib.util
import os
import random
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest
from reached import HERE, QUIET, ROOT, SOURCE, Only, collect, reached, silence

# The tests of each room; a room without an entry has a folder or a file of its name.
TESTS = {
    "compute": ["compute", "distances", "transport"],
    "explain": ["explain", "index/test_search.py"],
    "explorer": [
        f"explorer/test_{name}.py"
        for name in ("safety", "api", "layout", "serve", "export", "selection", "schema")
    ],
    "lexical": ["lexical", "index/test_search.py"],
    "neighbors": ["neighbors", "compute/test_scan.py", "index/test_likeness.py"],
    "table": ["table", "corpus/test_corpus.py", "storage"],
    "utils": ["utils", "storage", "blocks", "transport"],
}

_OPPOSITE = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Add, ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.MatMult: ast.Mult,
    ast.LShift: ast.RShift, ast.RShift: ast.LShift,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip

# The GPU's own code needs a GPU; in the others nothing is decided.
LEFT_OUT = {"gpu", "optional.py"}
MEMORY = 6 << 30  # bytes, above which a change counts as noticed


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
    parser.add_argument("rooms", nargs="*", help="modules or folders below src/hott; all without one")
    parser.add_argument("--changes", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=1, help="go on with this one of a run of that seed")
    parser.add_argument(
        "--examples", type=int, default=25, help="that hypothesis tries, where a test does not say"
    )
    parser.add_argument("--line", help="file:line, to change nothing else")
    options = parser.parse_args()
    changes = [
        change for room in options.rooms or _rooms() for file in _files(room) for change in _changes(file)
    ]
    if options.line:
        name, _, line = options.line.rpartition(":")
        wanted = (Path(name).resolve(), int(line))
        changes = [change for change in changes if (change.file.resolve(), change.line) == wanted]
    os.chdir(ROOT)
    _quick_examples(options.examples)
    random.Random(options.seed).shuffle(changes)
    # Room by room: the modules of its tests are imported once.
    changes = sorted(changes[: options.changes], key=lambda change: (_tests(change.file), change.file))
    survived = []
    for number, change in enumerate(changes[options.first - 1 :], options.first):
        verdict = change.verdict()
        survived += [] if verdict == NOTICED else [change]
        print(f"{number}/{len(changes)} {verdict} {change}", flush=True)
    print(f"\n{len(changes) - options.first + 1 - len(survived)} noticed; survived:")
    for change in survived:
        print(f"  {change}")
    return 1 if survived else 0


def _rooms() -> list[str]:
    """All that can be tested anywhere: the GPU's host code needs a GPU."""
    names = [
        path.name
        for path in sorted(SOURCE.iterdir())
        if path.suffix == ".py" or (path / "__init__.py").exists()
    ]
    return [name for name in names if not name.startswith("__")]


def _files(room: str) -> list[Path]:
    path = SOURCE / room
    if path.is_dir():
        return [file for file in sorted(path.rglob("*.py")) if not LEFT_OUT & {*file.parts}]
    return [path if path.suffix == ".py" else path.with_suffix(".py")]


NOTICED, SURVIVED, UNREACHED = "noticed  ", "SURVIVED ", "UNREACHED"


@dataclass(frozen=True)
class Change:
    """One expression of a file, and what stands in its place."""

    file: Path
    number: int  # of the node, in the order of a walk
    line: int

    def __str__(self) -> str:
        node = _node(ast.parse(self.file.read_text(encoding="utf-8")), self.number)
        before = ast.unparse(node)
        _change(node)
        before, after = (text.split("\n")[0] for text in (before, ast.unparse(node)))
        return f"{self.file.relative_to(ROOT)}:{self.line}  {before}  ->  {after}"

    def verdict(self) -> str:
        """Whether a test of the room fails, or hangs."""
        tree = ast.parse(self.file.read_text(encoding="utf-8"))
        lines = _lines(tree, self.number)
        maps = {file: reached(file) for file in _tests(self.file)}
        inner = str(self.file.relative_to(SOURCE))
        # A line that runs when the module is imported is reached by all.
        chosen = {
            file: found.tests(inner, lines) if lines else list(found.seconds) for file, found in maps.items()
        }
        seconds = {test: found.seconds[test] for file, found in maps.items() for test in chosen[file]}
        _change(_node(tree, self.number))
        if self._noticed(tree, [file for file in maps if chosen[file]], seconds):
            return NOTICED
        return SURVIVED if seconds else UNREACHED

    def _noticed(self, tree: ast.Module, files: Sequence[Path], seconds: dict[str, float]) -> bool:
        collect(files)
        with tempfile.TemporaryDirectory() as folder:
            child = os.fork()
            if child == 0:
                os.setsid()
                silence()
                resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
                if _lines(tree, self.number) is None:
                    self._import_anew(tree, Path(folder, "mutant.py"))
                else:
                    importlib.import_module(self._module)  # which would be later, as it stands in the file
                    _put_in_place(tree, self.file)
                arguments = ["-x", *QUIET, "-m", HERE, f"--basetemp={folder}/tests", *map(str, files)]
                failed = files and pytest.main(arguments, plugins=[Only(seconds)])
                os._exit(bool(failed) or self._examples_fail(Path(folder)))
            # For one that waits; one that works is ended before.
            ends = time.monotonic() + 300 + 30 * sum(seconds.values())
            while time.monotonic() < ends:
                done, status = os.waitpid(child, os.WNOHANG)
                if done:
                    return status != 0
                time.sleep(0.02)
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return True

    @property
    def _module(self) -> str:
        relative = self.file.relative_to(SOURCE.parent).with_suffix("")
        return ".".join(relative.parent.parts if relative.name == "__init__" else relative.parts)

    def _examples_fail(self, folder: Path) -> bool:
        """Those in the docstrings of the module."""
        os.chdir(folder)
        module = importlib.import_module(self._module)
        return doctest.testmod(module, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE).failed > 0

    def _import_anew(self, tree: ast.Module, mutant: Path) -> None:
        """What runs at import is imported again, with all that imports it."""
        mutant.write_text(ast.unparse(tree), encoding="utf-8")
        folder = self.file.parent if self.file.name == "__init__.py" else None
        sys.meta_path.insert(0, Mutant(self._module, mutant, folder))
        for name in list(sys.modules):
            if (
                name.split(".")[0] in ("hott", "tests") and name != "hott._core"
            ):  # which is loaded once a process
                del sys.modules[name]


def _put_in_place(tree: ast.Module, file: Path) -> None:
    """Give the functions of a module that is imported already the code that a tree has for them."""
    codes: dict[tuple[str, int], list[CodeType]] = {}

    def collect(code: CodeType) -> None:
        for inner in code.co_consts:
            if isinstance(inner, CodeType):
                codes.setdefault((inner.co_qualname, inner.co_firstlineno), []).append(inner)
                collect(inner)

    collect(compile(ast.fix_missing_locations(tree), str(file), "exec"))
    gc.unfreeze()
    for function in gc.get_objects():
        if isinstance(function, FunctionType) and function.__code__.co_filename == str(file):
            found = codes.get((function.__code__.co_qualname, function.__code__.co_firstlineno), [])
            if len(found) == 1:  # not two lambdas in a line
                function.__code__ = found[0]


def _node(tree: ast.Module, number: int) -> ast.AST:
    return next(node for at, node in enumerate(ast.walk(tree)) if at == number)


def _lines(tree: ast.Module, number: int) -> range | None:
    """The lines of the statement that a node is in, without its body; None where it runs at import."""
    inner, function = None, False

    def search(node: ast.AST, statement: ast.stmt | None, in_function: bool) -> None:
        nonlocal inner, function
        if isinstance(node, ast.stmt):
            statement = node
        if id(node) == wanted:
            inner, function = statement, in_function
        for name, value in ast.iter_fields(node):
            body = name == "body" and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    search(child, statement, in_function or body)

    wanted = id(_node(tree, number))
    search(tree, None, False)
    if inner is None or not function:
        return None
    body = getattr(inner, "body", None)
    return range(
        inner.lineno,
        max(inner.lineno + 1, body[0].lineno) if body else (inner.end_lineno or inner.lineno) + 1,
    )


def _quick_examples(n: int) -> None:
    """Try so many, and do not look for a smaller one that fails."""
    import hypothesis

    phases = [hypothesis.Phase.explicit, hypothesis.Phase.generate]
    hypothesis.settings.register_profile("quick", phases=phases, database=None, max_examples=n)
    hypothesis.settings.load_profile("quick")


def _tests(file: Path) -> list[Path]:
    """The files of tests of the room of a module."""
    inner = file.relative_to(SOURCE)
    room = inner.parts[0].removesuffix(".py")
    named = TESTS.get(room, [room] if (ROOT / "tests" / room).exists() else [f"test_{room}.py"])
    found = [ROOT / "tests" / name for name in named if (ROOT / "tests" / name).exists()]
    if not found:
        raise SystemExit(f"There are no tests of {inner}: name them in TESTS.")
    return list(dict.fromkeys(file for path in found for file in (sorted(path.rglob("test_*.py")) or [path])))


def _changes(file: Path) -> Iterator[Change]:
    """Every change of one expression that we know how to make."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    left_out = set(_left_out(tree))
    for number, node in enumerate(ast.walk(tree)):
        if id(node) not in left_out and _change(copy.copy(node)):
            yield Change(file, number, node.lineno)


def _left_out(tree: ast.Module) -> Iterator[int]:
    """Decorators (whether a class is frozen is no behaviour to test) and the types in signatures."""
    for node in ast.walk(tree):
        outer = [*getattr(node, "decorator_list", [])]
        outer += [getattr(node, name, None) for name in ("annotation", "returns")]
        yield from (id(inner) for part in outer if part is not None for inner in ast.walk(part))


def _change(node: ast.AST) -> bool:
    """Change a node in place, if we know how."""
    match node:
        case ast.BinOp() | ast.BoolOp() | ast.AugAssign() if type(node.op) in _OPPOSITE:
            node.op = _OPPOSITE[type(node.op)]()
        case ast.Compare() if type(node.ops[0]) in _OPPOSITE:
            node.ops = [_OPPOSITE[type(node.ops[0])](), *node.ops[1:]]
        case ast.UnaryOp(op=ast.Not()):
            node.op = ast.UAdd()
            node.operand = ast.Call(ast.Name("bool", ast.Load()), [node.operand], [])
        case ast.UnaryOp(op=ast.USub()):
            node.op = ast.UAdd()
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return False
        case ast.If() | ast.IfExp() | ast.While():
            node.test = ast.UnaryOp(ast.Not(), node.test)
        case ast.Constant(value=bool()):
            node.value = not node.value
        case ast.Constant(value=int() | float()):
            node.value = node.value + 1
        case _:
            return False
    return True


if __name__ == "__main__":
    sys.exit(main())
