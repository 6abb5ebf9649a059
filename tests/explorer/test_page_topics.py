"""Topics, groups and comparisons in a real browser."""

import pytest

import hott

pytest.importorskip("fastapi")
pytest.importorskip("playwright.sync_api")

from hott.utils.wording import per_cent
from tests.explorer.pages import PAIR, A, B, eventually, open_map, saved, texts

pytestmark = pytest.mark.browser


def test_topics_have_cards_that_are_sorted_and_filtered(open_page, address, index):
    page = open_page(f"{address}#/topics")
    page.wait_for_selector(".topic")
    assert texts(page, ".topic h2 a") == [topic.name for topic in index.topics]
    assert texts(page, ".topic:first-child .word") == list(index.topics[0].words)
    page.select_option("select[aria-label='Sort topics by']", "coherence")
    ranked = sorted(index.topics, key=lambda topic: -topic.coherence)
    eventually(page, f"document.querySelector('.topic h2 a').textContent === {ranked[0].name!r}")
    page.fill("input[aria-label='Only topics with these words']", index.topics[2].words[0])
    eventually(page, "document.querySelectorAll('.topic').length < 6")
    assert index.topics[2].name in texts(page, ".topic h2 a")
    page.goto(f"{address}#/topics?model=1")
    eventually(page, f"document.querySelector('.topic h2 a')?.textContent === {index.topics_of(1)[0].name!r}")
    page.goto(f"{address}#/topics?model=99")
    eventually(page, "document.querySelector('.room').textContent.includes('There is no topic model 99')")
    eventually(page, f"document.querySelector('.topic h2 a').textContent === {index.topics[0].name!r}")


def test_its_documents_are_those_that_are_lit(open_page, address, index):
    page = open_page(f"{address}#/topics")
    page.wait_for_selector(".topic")
    number = index.topics[0].number
    page.locator("button:has-text('Its documents')").first.click()
    column = index.proportions[:, [number]].toarray().ravel()
    page.wait_for_selector(f".stage[data-lit='{(column >= 0.1).sum()}']")
    assert page.inner_text(".list h2") == f"{(column >= 0.1).sum()} documents"
    assert index.topics[0].name in texts(page, ".chips li span")[0]


def test_topics_are_renamed_merged_hidden_and_it_is_undone_in_the_file(
    open_page, own_address, index, tmp_path
):
    page = open_page(f"{own_address}#/topics")
    page.wait_for_selector(".topic")
    first, second, third = index.topics[:3]
    page.click(f"button[aria-label='Rename {first.name}']")
    page.fill("input[aria-label='New name']", "the sky")
    page.keyboard.press("Enter")
    page.wait_for_selector("h2:has-text('the sky')")
    file = tmp_path / "own.hott"
    assert "the sky" in [topic.name for topic in hott.open(file).topics]
    page.click(f"button[aria-label='Hide {second.name}']")
    eventually(page, "document.querySelectorAll('.topic').length === 5")
    page.select_option("select[aria-label='Merge the sky with']", label=third.name)
    eventually(page, "document.querySelectorAll('.topic').length === 4")
    stored = hott.open(file)
    assert len(stored.topics) == 4
    merged = next(topic for topic in stored.topics if topic.number == first.number)
    assert merged.share == pytest.approx(first.share + third.share)
    assert merged.name in texts(page, ".topic h2 a")
    for kind, left in (("merge", 5), ("hide", 6), ("rename", 6)):  # the last one first
        page.click(f"button[aria-label^='Undo: {kind}']")
        page.wait_for_selector(f"button[aria-label^='Undo: {kind}']", state="detached")
        eventually(page, f"document.querySelectorAll('.topic').length === {left}")
    assert hott.open(file).edits == () or len(hott.open(file).edits) == 0


def test_a_page_without_a_file_changes_nothing(open_page, address):
    page = open_page(f"{address}#/topics")
    page.wait_for_selector(".topic")
    assert page.locator("button:has-text('Rename')").count() == 0


def test_topics_as_pictures(open_page, address, index):
    page = open_page(f"{address}#/topics?tab=distances")
    page.wait_for_selector(".heat[data-drawn='6']")
    assert page.locator(".heat rect").count() == 36 + 40
    most = index.hott.models_[0].distances.max()
    assert float(page.locator(".heat text").nth(-2).text_content()) == pytest.approx(most, rel=1e-3)
    assert page.locator(".heat text").last.text_content() == "0"
    assert b"<svg" in saved(page, ".tools button[aria-label$=SVG]")
    assert saved(page, ".tools button[aria-label$=PNG]").startswith(b"\x89PNG")
    page.click(".tabs a:has-text('Map')")
    eventually(page, "document.querySelectorAll('.bubble').length === 6")
    page.click(".tabs a:has-text('Tree')")
    page.wait_for_selector("svg[aria-label='Tree of 6 topics']")
    page.locator("input[aria-label='Height of the cut']").fill("0")
    eventually(page, "document.querySelector('.tools').textContent.includes('6 groups')")
    page.click(".tabs a:has-text('Over a column')")
    page.wait_for_selector("svg[aria-label='Share of 6 topics over date']")
    page.select_option(".tools select[aria-label=Column]", "label")
    page.wait_for_selector("svg[aria-label='Share of 6 topics over label']")
    found = index.topics_over("label")
    title = page.locator(".chart rect title").first.text_content()
    share = per_cent(found.shares[0, 0])
    assert title == f"{found.topics[0]}, {found.groups[0]}: {share} of {found.documents[0]} documents"


def test_clusters_and_copies_are_views(open_page, address, index):
    page = open_page(f"{address}#/groups")
    page.wait_for_selector(".group")
    clusters = index.clusters(5)
    assert [name.splitlines()[0] for name in texts(page, ".group h2")] == [
        cluster.name for cluster in clusters
    ]
    page.locator("button:has-text('All on the map')").first.click()
    page.wait_for_selector(f".stage[data-lit='{len(clusters[0].ids)}']")
    assert texts(page, ".chips li span") == [f"cluster {clusters[0].name}"]
    page.goto(f"{address}#/groups?kind=copies")
    eventually(page, "document.querySelector('.room').textContent.includes('No document is a copy')")


def test_terms_stand_in_three_columns_with_their_parts(open_page, address, index):
    page = open_page(f"{address}#/compare?{PAIR}")
    page.wait_for_selector(".diagram")
    exact = index.compare(A, B)
    for kinds in (("only_a",), ("both", "near"), ("only_b",)):
        told = [term for term in exact.told if term.where in kinds][:8]
        column = f".diagram [data-where={kinds[0]}]"
        assert texts(page, f"{column} .term") == [term.text for term in told]
        assert texts(page, f"{column} li .faint") == [per_cent(term.part) for term in told]
    assert texts(page, ".story p") == list(exact.lines)
    quoted = [quote.text for pair in exact.quotes[:4] for quote in pair]
    assert [text[1:] for text in texts(page, ".quotes blockquote")] == quoted
    assert page.locator(".texts mark").count() == sum(map(len, exact.marks))


def test_the_page_says_what_it_is_looking_for(open_page, address):
    page = open_page(f"{address}#/map")
    held = []
    page.route("**/api/clusters*", lambda route: held.append(route))
    page.goto(f"{address}#/groups")
    page.wait_for_selector("text=Looking for clusters")
    held[0].continue_()
    page.wait_for_selector(".group")
    assert page.locator("text=Looking for").count() == 0


def test_groups_are_compared(open_page, address, index):
    page = open_map(open_page, address, "?where=label%3Dtennis")
    page.click("button:has-text('Compare this group…')")
    page.wait_for_selector("#tray:not([hidden])")
    page.click("button[aria-label='Remove: label: tennis']")
    page.locator(".legend button", has_text="cooking").click()
    page.click("button:has-text('Compare with this group')")
    page.wait_for_selector(".diagram")
    exact = index.compare(hott.index.Label("tennis"), hott.index.Label("cooking"))
    assert float(page.get_attribute(".distance", "data-value")) == pytest.approx(exact.distance)
    assert texts(page, ".heads h2") == ["Atennis", "Bcooking"]  # letters, and names


def test_a_phone_shows_what_both_have_first(open_page, address):
    page = open_page(f"{address}#/compare?{PAIR}", viewport={"width": 390, "height": 844})
    page.wait_for_selector(".diagram")
    tops = {
        where: page.locator(f".diagram [data-where={where}]").bounding_box()["y"]
        for where in ("both", "only_a", "only_b")
    }
    assert tops["both"] < tops["only_a"] < tops["only_b"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
