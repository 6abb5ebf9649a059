"""Every snippet of the README, the docs and the gallery runs, as it stands, in order, in an empty folder.

A page's Python blocks share one namespace and its shell blocks one folder, so that a page reads as one story.
Comments in the page's source, on the lines before a block, say more about it:
`<!-- not run: the reason -->` of one that cannot run here (it installs something, needs a GPU or a network),
`<!-- prints: some text -->` what its output must contain.
"""

import contextlib
import doctest
import importlib
import importlib.util
import io
import os
import pkgutil
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

import hott
import reproduction

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted([ROOT / "README.md", ROOT / "reproduction" / "README.md", *DOCS.rglob("*.md")])
OTHERS = [ROOT / name for name in ("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "CODE_OF_CONDUCT.md")]
KINDS = ("tutorial", "how-to", "explanation", "reference")
MAX_WORDS = 1500
THEMES = ("light", "dark")
FENCE = re.compile(
    r"^((?:<!-- (?:not run|prints): [^\n]+ -->\n)*)"
    r"```(?:\{code-cell\} )?(python|bash)\n(?::tags:[^\n]*\n)?(.*?)^```",
    re.MULTILINE | re.DOTALL,
)


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.fixture(scope="session")
def indexes() -> list[tuple[hott.Corpus, dict[str, object], hott.Index]]:
    """What pages have built so far: ten of them begin with the same index."""
    return []


@pytest.fixture
def _builds_equal_indexes_once(monkeypatch, indexes):
    build = hott.Index.build

    def build_once(corpus, **how):
        if not isinstance(corpus, hott.Corpus) or not {type(each) for each in how.values()} <= {int, str}:
            return build(corpus, **how)
        found = next((index for *given, index in indexes if given == [corpus, how]), None)
        if found is None:
            found = build(corpus, **how)
            indexes.append((corpus, how, found))
        return hott.Index(found.model, found.snapshot, found.edits, found.reading)

    monkeypatch.setattr(hott.Index, "build", build_once)


@pytest.mark.usefixtures("_builds_equal_indexes_once")
@pytest.mark.parametrize("page", [page for page in PAGES if FENCE.search(page.read_text("utf-8"))], ids=named)
def test_snippets_run(page, tmp_path, monkeypatch, quick_start):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    folders = [] if quick_start is None else [quick_start / "bin"]
    path = os.pathsep.join(map(str, [*folders, Path(sys.executable).parent, os.environ["PATH"]]))
    monkeypatch.setenv("PATH", path)
    namespace: dict[str, object] = {"__name__": "__main__"}
    text = page.read_text(encoding="utf-8")
    for block in FENCE.finditer(text):
        remarks, language, code = block.groups()
        if "<!-- not run" in remarks:
            continue
        line = text[: block.start(3)].count("\n")
        if language == "python":
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                exec(compile("\n" * line + code, str(page), "exec"), namespace)
            answer = printed.getvalue()
        else:
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", code], capture_output=True, text=True)
            assert done.returncode == 0, (
                f"{page.name}, line {line + 1}:\n{code}\n{done.stdout}\n{done.stderr}"
            )
            answer = done.stdout
        for wanted in re.findall(r"<!-- prints: (.+?) -->", remarks):
            assert wanted in answer, f"{page.name}, line {line + 1}: no {wanted!r} in\n{answer}"


def load_tool(name: str) -> ModuleType:
    found = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    tool = importlib.util.module_from_spec(found)
    found.loader.exec_module(tool)
    return tool


def anchors(page: Path) -> set[str]:
    """The headings of a page as links name them."""
    outside_code = re.sub(
        r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    titles = re.findall(r"^#+ (.+)$", outside_code, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", [*PAGES, *OTHERS], ids=named)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if target.startswith(("http://", "https://", "mailto:")):
            continue
        path, _, heading = target.partition("#")
        there = page if not path else page.parent / path
        assert there.exists(), f"{named(page)} links to {target}, which is not there"
        if heading:
            assert heading in anchors(there), f"{named(page)} links to {target}, and there is no such heading"


def test_links_of_the_built_site_are_checked(tmp_path):
    """As `make docs` does it: pages, headings and pictures that are not there are named."""
    check_links = load_tool("check_links")
    (tmp_path / "a.html").write_text(
        '<h1 id="top-of-a"></h1><a href="b.html#here">b</a><a href="https://x.y">x</a>'
    )
    (tmp_path / "b.html").write_text('<p id="here"></p><a href="a.html#top-of-a">a</a><img src="no.png">')
    assert check_links.wrong_links(tmp_path) == ["b.html links to no.png"]
    (tmp_path / "a.html").write_text('<a href="b.html#there">b</a>')
    assert len(check_links.wrong_links(tmp_path)) == 3


def test_the_site_shows_every_page():
    """Every page is in a table of contents, and every public room has a page in the reference."""
    shown = {"home"}
    for page in DOCS.rglob("*.md"):
        for listed in re.findall(r"```\{toctree\}\n(.*?)```", page.read_text("utf-8"), re.DOTALL):
            entries = [line for line in listed.split() if not line.startswith(":") and line.isascii()]
            shown |= {(page.parent / entry).relative_to(DOCS).as_posix() for entry in entries}
    pages = {page.relative_to(DOCS).with_suffix("").as_posix() for page in DOCS.rglob("*.md")}
    assert pages <= shown
    assert {f"reference/{room}" for room in hott._ROOMS} <= pages


def kind_of(page: Path) -> str | None:
    """What the front matter says a page is: one of the four kinds of Diátaxis."""
    found = re.match(r"---\n(?:.*\n)*?kind: (\S+)\n(?:.*\n)*?---\n", page.read_text("utf-8"))
    return found and found[1]


def test_every_page_names_its_kind():
    kinds = {page: kind_of(page) for page in DOCS.rglob("*.md") if page.name != "home.md"}
    assert [named(page) for page, kind in kinds.items() if kind not in KINDS] == []


def test_no_page_is_long_but_the_reference():
    long = {
        page: len(page.read_text("utf-8").split())
        for page in DOCS.rglob("*.md")
        if kind_of(page) != "reference"
    }
    assert {named(page): words for page, words in long.items() if words > MAX_WORDS} == {}


def test_the_way_to_install_is_that_of_the_switch():
    """If this fails: python tools/installation.py"""
    tool = load_tool("installation")
    for page in tool.PAGES:
        text = page.read_text(encoding="utf-8")
        assert tool.BLOCK.search(text)
        assert tool.written(text) == text


def test_prose_is_without_findings():
    """If this fails: python tools/prose.py"""
    prose = load_tool("prose")
    assert [
        f"{named(page)}:{line}: {text}"
        for page in prose.pages()
        for line, text in prose.findings(page.read_text("utf-8"))
    ] == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Show a topic no more.", "no longer"),
        ("Counts that are no text.", "is not a"),
        ("Write so many files.", "how many"),
        ("The plan says what moves where.", "each place"),
        ("## Counts that are no text", "heading"),
        (f"It {'and it ' * 20}ends.", "words"),
        ("It was made by us. " * 20, "passive"),
    ],
)
def test_prose_finds_what_we_do_not_write(text, said):
    assert said in " ".join(message for _, message in load_tool("prose").findings(text))


@pytest.mark.parametrize(
    "text", ["```bash\nso many\n```", "`so many`", "“so many”", "| so many |", "> so many"]
)
def test_prose_leaves_code_and_quotations_alone(text):
    assert not list(load_tool("prose").findings(text))


def test_addresses_in_the_readme_are_absolute():
    """The package index shows the README, so its pictures and links are absolute."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)\s]+)\)|src(?:set)?=\"([^\"]+)\"", readme)
    assert all("".join(target).startswith("https://") for target in targets)


def test_every_address_of_the_project_is_that_of_pyproject():
    """An owner sets it once, by the command in CONTRIBUTING.md."""
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
    homes = {urls["Documentation"], urls["Source"]}
    homes.add(urls["Source"].replace("github.com", "raw.githubusercontent.com"))
    owner = urls["Source"].split("/")[-2]
    more = [ROOT / "CITATION.cff", ROOT / "codemeta.json", ROOT / ".github" / "ISSUE_TEMPLATE" / "config.yml"]
    for page in [*PAGES, *OTHERS, *(path for path in more if path.exists())]:
        text = page.read_text(encoding="utf-8")
        for target in re.findall(rf"https://[^\s)\">]*\b(?:{owner}|hott-developers)\b[^\s)\">]*", text):
            assert target.startswith(tuple(homes)), f"{named(page)}: {target}"


def test_the_version_is_stated_once():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert "version" in project["dynamic"]
    assert "version" not in project
    assert not re.search(r"^version:", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    assert f"## {hott.__version__.split('.dev')[0]}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


TWINS = ["tests.topics.reference", "tests.transport.reference"]
MODULES = sorted(
    module.name
    for package in (hott, reproduction)
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if "__main__" not in module.name
)


@pytest.mark.parametrize("module", ["hott", *MODULES, *TWINS])
def test_docstring_examples_run(module, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    try:
        loaded = importlib.import_module(module)
    except ImportError as error:
        pytest.skip(f"needs an optional dependency: {error}")
    result = doctest.testmod(loaded, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


@pytest.mark.parametrize("page", [DOCS / "robustness.md", ROOT / "SECURITY.md"], ids=named)
def test_every_test_that_a_promise_names_is_there(page):
    sources = "\n".join(path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    known = set(re.findall(r"^ *def (test_\w+)|^(Test\w+) = ", sources, re.MULTILINE))
    names = set(re.findall(r"`((?:test_|Test)\w+)`", page.read_text("utf-8")))
    assert names
    assert names - {name for pair in known for name in pair} == set()


def test_every_promise_names_a_test_or_a_part_of_the_campaign():
    text = (DOCS / "robustness.md").read_text("utf-8").split("## The campaign")[0]
    promises = re.split(r"^- ", text, flags=re.MULTILINE)[1:]
    assert len(promises) > 25
    assert [promise for promise in promises if not re.search(r"`(test_|Test)\w+`|\*[a-z]+\*", promise)] == []


def test_pictures_are_those_of_the_page():
    """If this fails, the page has changed: make pictures, and look at them."""
    pictures = load_tool("make_pictures")
    views = [name + size for name in pictures.VIEWS for size in pictures.WINDOWS]
    names = {f"{view}-{theme}.png" for view in views for theme in THEMES}
    assert names <= {path.name for path in pictures.PICTURES.iterdir()}
    assert (pictures.PICTURES / "search-and-compare.gif").stat().st_size <= pictures.MAX_ANIMATION
    assert (pictures.PICTURES / "sources.txt").read_text("utf-8").strip() == pictures.digest()
