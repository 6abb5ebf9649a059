"""Every snippet of the README and the docs runs, as it stands, in order, in an empty folder.

A page's Python blocks share one namespace and its shell blocks one folder, so that a page reads as one story.
A block that cannot run here (it installs something, needs a GPU or a network) is marked in the page's source
with a comment on the line before it: `<!-- not run: the reason -->`.
"""

import contextlib
import doctest
import importlib
import io
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import hott

ROOT = Path(__file__).parent.parent
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
FENCE = re.compile(r"(<!-- not run: [^\n]+ -->\n)?^```(python|bash)\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_snippets_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "__main__"}
    text = page.read_text(encoding="utf-8")
    for block in FENCE.finditer(text):
        not_run, language, code = block.groups()
        if not_run:
            continue
        line = text[: block.start(3)].count("\n")
        if language == "python":
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile("\n" * line + code, str(page), "exec"), namespace)
        else:
            path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", code],
                env={**os.environ, "PATH": path},
                capture_output=True,
                text=True,
            )
            assert done.returncode == 0, (
                f"{page.name}, line {line + 1}:\n{code}\n{done.stdout}\n{done.stderr}"
            )


def test_links_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if not target.startswith(("http://", "https://", "mailto:")):
                assert (page.parent / target).exists(), f"{page.name} links to {target}, which is not there"


MODULES = sorted(m.name for m in pkgutil.walk_packages(hott.__path__, "hott.") if "__main__" not in m.name)


@pytest.mark.parametrize("module", ["hott", *MODULES])
def test_docstring_examples_run(module, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    try:
        loaded = importlib.import_module(module)
    except ImportError as error:
        pytest.skip(f"needs an optional dependency: {error}")
    result = doctest.testmod(loaded, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0
