"""The exported site: files that open without a server and show what the server would show."""

import itertools
import json
import os
import pathlib
import re
import signal
from urllib.parse import quote

import pytest

pytest.importorskip("fastapi")

from hott import explorer
from hott.explorer.assets import assets, bundle
from hott.explorer.layout import Layout


@pytest.fixture(scope="module")
def site(index, cache, tmp_path_factory):
    folder = tmp_path_factory.mktemp("export") / "site"
    return explorer.export_site(index, folder, name="three themes", neighbors=3, cache=cache).parent


def stored(path):
    """The key and the value of a data file."""
    match = re.fullmatch(
        r"\(window\.HOTT_DATA \|\|= \{\}\)\[(\".*?\")\] = (.*);\n", path.read_text("utf-8"), re.DOTALL
    )
    return json.loads(match[1]), json.loads(match[2])


def test_each_document_is_compared_with_its_nearest(site, index):
    assert len(list((site / "data" / "documents").iterdir())) == 60
    key, about = stored(site / "data" / "documents" / "7.js")
    id = list(index.documents.ids)[7]
    nearest = [hit for hit in index.search(id=id, k=4) if hit.id != id][:3]
    assert key == "documents/7"
    assert about["document"]["text"] == index.documents[7].text
    assert list(about["comparisons"]) == [hit.id for hit in nearest]
    for hit in nearest:
        assert about["comparisons"][hit.id]["distance"] == index.compare(id, hit.id).distance


def test_an_export_replaces_an_export_and_nothing_else(site, hostile, tmp_path, cache):
    folder = tmp_path / "site"
    for _ in range(2):
        assert explorer.export_site(hostile, folder, cache=cache).is_file()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(ValueError, match="holds other files"):
        explorer.export_site(hostile, tmp_path / "mine", cache=cache)
    assert (tmp_path / "mine" / "letter.txt").read_text() == "dear"
    (tmp_path / "mine" / "letter.txt").rename(tmp_path / "mine" / "index.html")  # someone's own page
    with pytest.raises(ValueError, match="holds other files"):
        explorer.export_site(hostile, tmp_path / "mine", cache=cache)
    (tmp_path / "mine" / "index.html").rename(tmp_path / "mine" / "letter.txt")
    with pytest.raises(ValueError, match="is a file"):
        explorer.export_site(hostile, tmp_path / "mine" / "letter.txt", cache=cache)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine", "site"]  # nothing left half-made


def names_in(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_an_export_replaces_its_own_files_only(index, hostile, tmp_path, cache):
    folder = tmp_path / "site"
    explorer.export_site(index, folder, cache=cache, neighbors=1)
    foreign = {
        ".git/config": "git",
        "CNAME": "example.org",
        "data/mine.js": "mine",
        "data/documents/notes.txt": "n",
    }
    for name, text in foreign.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    explorer.export_site(hostile, folder, name="hostile", cache=cache)
    assert {name: (folder / name).read_text() for name in foreign} == foreign
    alone = explorer.export_site(hostile, tmp_path / "alone", name="hostile", cache=cache).parent
    assert names_in(folder) == sorted([*names_in(alone), *foreign])  # none of the 60 documents of before
    for name in names_in(alone):
        assert (folder / name).read_bytes() == (alone / name).read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["alone", "site"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills processes with SIGKILL")
@pytest.mark.parametrize("replaced", [False, True])
def test_a_killed_export_leaves_no_folder_and_can_be_made_again(index, hostile, tmp_path, cache, replaced):
    folder = tmp_path / "site"
    if replaced:
        explorer.export_site(index, folder, cache=cache, neighbors=1)
        (folder / "CNAME").write_text("example.org")
    whole = explorer.export_site(hostile, tmp_path / "whole", cache=cache).parent
    replace = pathlib.Path.replace

    def dying_after(steps):
        left = iter(range(steps))

        def step(path, target):
            if next(left, None) is None:
                os.kill(os.getpid(), signal.SIGKILL)
            return replace(path, target)

        return step

    for step in itertools.count(step=3):
        child = os.fork()
        if child == 0:
            pathlib.Path.replace = dying_after(step)
            explorer.export_site(hostile, folder, cache=cache)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if os.waitstatus_to_exitcode(status) == 0:
            break
        assert not [path for path in tmp_path.iterdir() if path.is_dir() and path.name.startswith(".")]
        if step:
            assert "interrupted" in (folder / "data" / "start.js").read_text()
    assert step >= 9
    assert names_in(folder) == sorted(names_in(whole) + ["CNAME"] * replaced)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["site", "whole"]


def test_the_bundle_needs_no_module_and_no_name_stands_twice():
    modules = {name: asset.content.decode() for name, asset in assets().items() if name.endswith(".js")}
    script = bundle(modules)
    assert not re.search(r"^(import|export)\b", script, re.MULTILINE)
    names = re.findall(r"^(?:async )?(?:function|class|const|let) (\w+)", script, re.MULTILINE)
    assert len(names) > 30
    assert len(names) == len(set(names))


@pytest.mark.browser
def test_the_exported_page_opens_from_a_file(site, index, open_page, cache):
    assert Layout(index, cache=cache).wait().shape == (60, 2)
    home = (site / "index.html").as_uri()
    page = open_page(f"{home}#/map")
    page.wait_for_selector(".stage[data-state=final][data-drawn='60']")

    a = "tennis/tie-break"
    near = next(hit for hit in index.search(id=a, k=3) if hit.id != a)
    page.goto(f"{home}#/search?like={quote(a, safe='')}")
    page.wait_for_selector(f".hits > li[data-hit='{near.id}']")
    page.click("a:has-text('what moves where')")
    page.wait_for_selector(".diagram")
    shown = page.locator(".distance-head strong")
    assert float(shown.get_attribute("data-value")) == index.compare(a, near.id).distance
    page.locator(".band.moves").first.dispatch_event("click")
    page.wait_for_selector(".plan, .detail h3")

    page.click("button:has-text('Swap')")  # the other way round: out of the same file, mirrored
    page.wait_for_selector(f".heads > div:first-child h2:has-text('{near.title}')")
    assert float(shown.get_attribute("data-value")) == index.compare(near.id, a).distance

    page.goto(f"{home}#/topics?tab=distances")
    page.wait_for_selector(".heat[data-drawn='6']")
    page.goto(f"{home}#/search?text=tie")
    page.wait_for_selector(f".hits > li[data-hit='{a}']")


@pytest.mark.browser
def test_hostile_documents_stay_text_in_an_export_too(hostile, cache, tmp_path, open_page):
    home = explorer.export_site(hostile, tmp_path / "site", cache=cache).as_uri()
    page = open_page(f"{home}#/map?doc={quote('<script>window.broken=1</script>', safe='')}")
    page.wait_for_selector("#reader .line")
    assert page.evaluate("window.broken") is None
