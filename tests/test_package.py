import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import hott
from hott.utils.optional import import_optional

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_importing_hott_loads_nothing_heavy():
    heavy = "sklearn scipy pandas tomotopy gensim plotly matplotlib dask fastapi cupy torch ot"
    program = f"import sys, hott; print([m for m in '{heavy}'.split() if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_search_loads_no_readers_comparisons_or_subjects(tmp_path):
    """They take a third of the time in which a command that only searches has its answer."""
    index = hott.Index.build(["Stars shine at night.", "Bread is baked."], n_topics=2, n_models=1)
    index.save(tmp_path / "small.hott")
    others = (
        "corpus.readers explain terms index.subjects index.analysis index.changes index.shards index.build"
    )
    program = (
        "import sys, hott; hott.open(sys.argv[1]).search('the light of stars'); "
        f"print([name for name in '{others}'.split() if 'hott.' + name in sys.modules])"
    )
    arguments = [sys.executable, "-c", program, str(tmp_path / "small.hott")]
    assert subprocess.run(arguments, capture_output=True, text=True, check=True).stdout == "[]\n"


def test_every_public_name_can_be_had():
    for name in hott.__all__:
        assert getattr(hott, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        hott.nonsense  # noqa: B018


def test_a_missing_optional_dependency_names_the_extra():
    with pytest.raises(ImportError, match=r'pip install "hott\[plots\]"'):
        import_optional("a_package_that_is_not_there", extra="plots")


def test_the_base_install_builds_saves_opens_and_searches(tmp_path):
    """Nothing of the extras is imported on the way, and Parquet asks for its own by name."""
    code = """
import sys
for extra in ("pyarrow", "tomotopy", "pandas", "polars", "plotly", "gensim", "pypdf", "zarr", "dask"):
    sys.modules[extra] = None
import hott
from hott.cli._output import write_table
folder = sys.argv[1]
rows = [{"text": f"A planet orbits star {i}.", "year": 2000 + i, "day": "2004-02-29"} for i in range(9)]
index = hott.Index.build(hott.read(rows), n_topics=2, n_models=1)
index.save(folder + "/a.hott")
with hott.index.changing(folder + "/a.hott") as again:
    again.update(hott.read([{"id": "new", "text": "The moon of a planet."}]))
again = hott.open(folder + "/a.hott")
print(len(again), again.search("moon", 1)[0].id, len(again.search("star", where={"year": (2003, 2005)})))
write_table(__import__("pathlib").Path(folder + "/t.csv"), again.table())
for ask in (lambda: hott.read(folder + "/a.parquet"), lambda: again.documents[:2].to_table()):
    try:
        ask()
    except ImportError as error:
        print(error)
"""
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    run = subprocess.run([sys.executable, "-c", code, tmp_path], capture_output=True, text=True)
    told, *errors = run.stdout.splitlines()
    assert told == "10 new 3", run.stderr
    assert (
        errors
        == ['pyarrow is needed here and not installed. Install it with: pip install "hott[parquet]"'] * 2
    )
    assert (tmp_path / "t.csv").read_text().splitlines()[1].startswith("0,,,2000,2004-02-29,")


def test_every_licence_that_the_notice_names_is_there_and_declared():
    named = set(re.findall(r"LICENSES/([\w.-]+\.txt)", (ROOT / "NOTICE").read_text(encoding="utf-8")))
    assert named == {path.name for path in (ROOT / "LICENSES").iterdir()}
    declared = re.split(" AND | WITH ", PROJECT["project"]["license"])
    assert {name for name in named if not name.startswith(tuple(declared))} == set()


def test_what_builds_it_is_bounded():
    """No new major version of a build tool, and no action with other code under its name, comes by itself."""
    assert [need for need in PROJECT["build-system"]["requires"] if not re.search(r"<\d|==", need)] == []
    installed = re.findall(
        r'"((?:cmake|ninja|uv|scikit-build-core|nanobind)\b[^"]*)"', (ROOT / "Makefile").read_text()
    )
    assert len(installed) == 5
    assert [need for need in installed if not re.search(r"<\d", need)] == []
    for workflow in (ROOT / ".github" / "workflows").glob("*.yml"):
        for action in re.findall(r"uses: (.*)", workflow.read_text(encoding="utf-8")):
            assert re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40} # v[\d.]+.*", action)
