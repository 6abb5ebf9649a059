"""Counts the work of a call without a clock: lines of Python, and what C is given to look through.

Three things are added up: the lines of Python that run; the length of a list, text or bytes whose method
looks through all of it (``names.index(name)``, ``text.split()``); the characters that a regular expression
goes over, from where it starts to where its match ends. What goes through an operand (``name in names``,
``text[1:]``, ``head + text``, ``[*names]``) counts its length, if it is a local variable or an attribute of
one. Not seen is how often a regular expression goes back: that is what the tests with long runs are for.
"""

import ast
import linecache
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from types import FrameType, ModuleType
from typing import Any

SEQUENCES = (list, tuple, str, bytes, bytearray)  # a piece of a memoryview is no copy
# Methods that do not look at all of their own object, or that may be told where to start.
SHORT = {
    *("append", "extend", "pop", "startswith", "endswith", "find", "rfind", "__len__"),
}


class Patterns:
    """A regular expression that counts the characters it goes over."""

    def __init__(self, pattern: re.Pattern, count: Callable[[int], None]) -> None:
        self._pattern, self._count = pattern, count

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pattern, name)

    def _first(self, method: str, text: Any, pos: int = 0, *rest: Any) -> Any:
        match = getattr(self._pattern, method)(text, pos, *rest)
        self._count(max(0, (match.end() if match else len(text) if method == "search" else pos) - pos) + 1)
        return match

    def match(self, *given: Any) -> Any:
        return self._first("match", *given)

    def fullmatch(self, *given: Any) -> Any:
        return self._first("fullmatch", *given)

    def search(self, *given: Any) -> Any:
        return self._first("search", *given)

    def _all(self, method: str, text: Any, *given: Any, **named: Any) -> Any:
        self._count(len(text) + 1)
        return getattr(self._pattern, method)(*given, **named)

    def finditer(self, text: Any, *rest: Any) -> Any:
        return self._all("finditer", text, text, *rest)

    def findall(self, text: Any, *rest: Any) -> Any:
        return self._all("findall", text, text, *rest)

    def split(self, text: Any, *rest: Any, **named: Any) -> Any:
        return self._all("split", text, text, *rest, **named)

    def sub(self, new: Any, text: Any, *rest: Any, **named: Any) -> Any:
        return self._all("sub", text, new, text, *rest, **named)

    def subn(self, new: Any, text: Any, *rest: Any, **named: Any) -> Any:
        return self._all("subn", text, new, text, *rest, **named)


@contextmanager
def counting_patterns(count: Callable[[int], None]) -> Iterator[None]:
    """Let the regular expressions of all modules that are loaded, of the standard library too, count."""
    replaced: list[tuple[ModuleType, str, re.Pattern]] = []
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] in (
            "hott",
            "email",
            "html",
            "_markupbase",
            "json",
            "csv",
            "zipfile",
            "tarfile",
        ):
            for key, value in list(vars(module).items()):
                if isinstance(value, re.Pattern):
                    replaced.append((module, key, value))
                    setattr(module, key, Patterns(value, count))
    try:
        yield
    finally:
        for module, key, value in replaced:
            setattr(module, key, value)


@cache
def operands(filename: str) -> dict[int, list[tuple[str, ...]]]:
    """Name what each line goes through by an operator: ``names`` for ``x in names``."""
    found: dict[int, list[tuple[str, ...]]] = {}
    for node in ast.walk(ast.parse("".join(linecache.getlines(filename)))):
        parts: list[ast.expr] = []
        if isinstance(node, ast.Compare):
            among = zip(node.ops, node.comparators)
            parts = [right for op, right in among if isinstance(op, ast.In | ast.NotIn)]
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
            is_open = node.slice.upper is None or node.slice.lower is None  # all that is behind or before
            parts = [node.value] if is_open else []
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            parts = [node.left, node.right]
        elif isinstance(node, ast.Starred):
            parts = [node.value]
        for part in parts:
            if isinstance(part, ast.Name):
                found.setdefault(part.lineno, []).append((part.id,))
            elif isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
                found.setdefault(part.lineno, []).append((part.value.id, part.attr))
    return found


def length_in(frame: FrameType, path: tuple[str, ...]) -> int:
    value = frame.f_locals.get(path[0])
    for name in path[1:]:
        value = vars(value).get(name) if hasattr(value, "__dict__") else None
    return len(value) if isinstance(value, SEQUENCES) else 0


def count_work(function: Callable[[], Any]) -> int:
    """Count what a call does, in hott and in the libraries that it uses."""
    work = 0

    def count(n: int) -> None:
        nonlocal work
        work += n

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        count(1)
        if event == "line":
            for path in operands(frame.f_code.co_filename).get(frame.f_lineno, ()):
                count(length_in(frame, path))
        return trace

    def profile(frame: FrameType, event: str, function: Any) -> None:
        if event == "c_call" and function.__name__ not in SHORT:
            of = getattr(function, "__self__", None)
            count(len(of) if isinstance(of, SEQUENCES) else 0)

    before = sys.gettrace(), sys.getprofile()
    with counting_patterns(count):
        sys.setprofile(profile)
        sys.settrace(trace)
        try:
            function()
        finally:
            sys.settrace(before[0])
            sys.setprofile(before[1])
    return work
