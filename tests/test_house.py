"""The plan of the house: who may import whom, and names that type checkers know."""

import ast
import re
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FrameType

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


@cache
def sources() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(PACKAGE.rglob("*.py"))}


@cache
def imports() -> list[tuple[Path, str]]:
    """Every module of ours that a file imports, wherever the import stands, also for types alone."""
    found = []
    for path, tree in sources().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                below = [f"{node.module}.{alias.name}" for alias in node.names]
                names = below if node.module == "hott" else [node.module]
            else:
                continue
            found += [(path, name) for name in names if name.split(".")[0] in ("hott", "reproduction")]
    return found


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def test_the_picture_shows_every_room_and_they_are_few():
    files = {path.name for path in PACKAGE.iterdir() if path.suffix == ".py" or any(path.glob("*.py"))}
    rooms = {name.removesuffix(".py") for name in files} - {"__init__", "__main__", "__pycache__"}
    assert set(layers()) == rooms
    assert len(rooms) <= 21


def test_rooms_import_from_below_only():
    upwards = []
    for path, name in imports():
        here, there = room_of(path), name.split(".")[1] if "." in name else ""
        known = here in layers() and there in layers() and here != there
        if known and layers()[there] >= layers()[here] and (here, there) != ("plots", "explain"):
            upwards.append(f"{path.relative_to(PACKAGE)} imports {name}")
    assert not upwards


def test_modules_answer_to_the_names_they_had():
    code = """
import sys, warnings
import hott
assert not any(name.startswith("hott.text") for name in sys.modules)  # found when asked for
warnings.simplefilter("error")
import hott.languages, hott.run, hott.scale
from hott.demo import corpus
from hott.text import languages
assert languages is hott.languages is sys.modules["hott.languages"]
assert languages.__spec__.name == languages.__name__ == "hott.text.languages"
assert hott.demo.corpus is corpus
from hott.gpu import device
from hott.compute.gpu import device as same
assert device is same
warnings.simplefilter("always")
with warnings.catch_warnings(record=True) as told:
    from hott.tokens import tokenize
assert tokenize is sys.modules["hott.text.tokens"].tokenize
assert [(w.category, str(w.message), w.filename) for w in told] == [
    (DeprecationWarning, "hott.tokens is now hott.text.tokens.", "<string>")
]
try:
    import hott.nothing
except ModuleNotFoundError:
    print("fine")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "fine\n", done.stderr


def test_the_library_does_without_the_study():
    assert not [path for path, name in imports() if name.split(".")[0] == "reproduction"]


def test_no_room_reaches_into_another():
    private = [
        f"{path.relative_to(PACKAGE)} imports {name}"
        for path, name in imports()
        if room_of(path) != (name.split(".") + [""])[1]
        and any(part.startswith("_") and not part.startswith("__") for part in name.split(".")[2:])
    ]
    assert not private


def test_limits_are_max_and_min():
    superlative = re.compile(r"_?(MOST|LEAST|LARGEST|LONGEST|OLDEST|FEWEST|SMALLEST|SHORTEST)(_|$)")
    stored = (
        f"{path.relative_to(PACKAGE)}: {node.id}"
        for path, tree in sources().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and superlative.match(node.id)
    )
    assert not list(stored)


def test_functions_are_no_participles():
    participle = re.compile(
        r"_*([a-z]+(?<!e)ed|found|shown|told|kept|given|held|made|known|seen|written|said)"
    )
    public_since_long = {"known", "marked", "paired"}
    named = (
        f"{path.relative_to(PACKAGE)}: {node.name}"
        for path, tree in sources().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        and participle.fullmatch(node.name)
        and node.name not in public_since_long
        and not any("property" in ast.unparse(decorator) for decorator in node.decorator_list)
    )
    assert not list(named)


def test_type_checkers_know_every_public_name():
    tree = ast.parse((PACKAGE / "__init__.py").read_text())
    [checking] = [node for node in tree.body if isinstance(node, ast.If)]
    known = {alias.name for node in checking.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert known == set(hott.__all__)
    assert hott._HOME.keys() <= known


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


def test_a_saved_index_answers_without_the_libraries_that_learning_needs(tmp_path):
    """Importing scikit-learn takes longer than opening an index and searching it."""
    path = tmp_path / "sky.hott"
    hott.Index.build(["Planets orbit stars.", "Goals win a match."], n_topics=2, n_models=1).save(path)
    code = f"""
import sys, hott
assert hott.open({str(path)!r}).search("a star")[0].id
print(*sorted({{"sklearn", "pandas", "scipy.spatial", "scipy.stats", "plotly", "dask"}} & {{*sys.modules}}))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "\n", done.stdout + done.stderr


def functions_of(work: Callable[[], object]) -> set[str]:
    """Name the functions of the library that a piece of work runs; comprehensions are no functions."""
    found = set()

    def note(frame: FrameType, event: str, arg: object) -> None:
        code = frame.f_code
        if event == "call" and str(PACKAGE) in code.co_filename and not code.co_name.startswith("<"):
            found.add(f"{Path(code.co_filename).relative_to(PACKAGE)}:{code.co_qualname}")

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return found


def test_a_search_and_a_comparison_run_through_few_functions(tmp_path):
    """A newcomer can follow them. Counted once everything is warm; from a file there may be a few more."""
    index = hott.Index.build(hott.demo.corpus()[:60], n_models=2, iterations=20)
    a, b = index.documents.ids[:2]
    for limit, work in (
        (100, lambda: index.search("planets and their moons")),
        (80, lambda: index.compare(a, b)),
    ):
        work()
        found = functions_of(work)
        assert len(found) <= limit, sorted(found)
        assert len(found) > 20  # or nothing was counted
