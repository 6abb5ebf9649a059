"""Topics, subjects and comparisons in a real browser."""

import csv
import io

import numpy as np
import pytest

import hott

pytest.importorskip("fastapi")
pytest.importorskip("playwright.sync_api")

from hott.utils.wording import per_cent
from tests.explorer.conftest import serving
from tests.explorer.pages import PAIR, A, B, eventually, open_map, place_of, saved, texts

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
    page.wait_for_selector(".grid[data-drawn='6']")
    assert page.locator(".grid .cell").count() == 36
    distances = index.hott.models_[0].distances
    apart = distances[~np.eye(6, dtype=bool)]  # nought on the diagonal would take half of the colours
    told = page.inner_text(".room > .tools .faint").rstrip(".").split()
    assert [float(told[-3]), float(told[-1])] == pytest.approx([apart.min(), apart.max()], rel=1e-3)
    assert b"<table" in saved(page, "button[aria-label='Save as one HTML file: topic-distances']")
    page.click(".tabs a:has-text('Over a column')")
    page.wait_for_selector("[aria-label='Share of 6 topics over date']")
    page.select_option(".tools select[aria-label=Column]", "label")
    page.wait_for_selector("[aria-label='Share of 6 topics over label']")
    found = index.topics_over("label")
    title = page.locator(".grid .column-bar").first.get_attribute("title")
    share = per_cent(found.shares[0, 0])
    assert title == f"{found.topics[0]}, {found.groups[0]}: {share} of {found.documents[0]} documents"


def test_hits_in_a_subject_are_called_hits(open_page, address, index):
    number = index.subjects()[0].number
    page = open_map(open_page, address, f"?text=stars&subject={number}")
    page.click("nav a:has-text('Subjects')")
    page.wait_for_selector(".subject-list .list h2:has-text('hits')")


def test_subjects_are_a_list_beside_the_map_from_coarse_to_fine(open_page, address, index):
    page = open_map(open_page, address)
    page.click("nav a:has-text('Subjects')")
    page.wait_for_selector(".subject-list > li")
    assert page.is_visible(".stage")
    subjects = index.subjects()
    assert texts(page, ".subject-list > li > .line .name") == [subject.name for subject in subjects]
    assert texts(page, ".subject-list > li > .line .note") == [str(subject.size) for subject in subjects]
    page.click(".subject-list .line")
    largest = subjects[0]
    page.wait_for_selector(f".stage[data-lit='{largest.size}']")
    assert texts(page, ".filters .chips li span") == [f"subject: {largest.name}"]
    page.wait_for_selector(".subject-list .list .line")
    listed = [line.get_attribute("data-id") for line in page.locator(".subject-list .list .line").all()]
    assert listed == list(largest.ids)[:8]  # the most typical first
    assert page.locator(".months rect").count() == 33  # January 2001 to September 2003
    places = [place_of(page, id) for id in largest.ids]
    box = page.locator(".stage").bounding_box()
    inside = [
        box["x"] < x < box["x"] + box["width"] and box["y"] < y < box["y"] + box["height"] for x, y in places
    ]
    assert sum(inside) >= 0.8 * len(inside)  # the map came nearer to it
    page.evaluate("""() => { const slider = document.querySelector("input[aria-label='Coarse to fine']");
        slider.value = 1; slider.dispatchEvent(new Event("change")); }""")
    coarse = [subject.name for subject in index.subjects(level=1)]
    eventually(page, f"document.querySelectorAll('.subject-list > li').length === {len(coarse)}")
    assert texts(page, ".subject-list > li > .line .name") == coarse
    labels = page.evaluate("document.querySelector('.stage').labels.map((label) => label.text)")
    assert labels
    assert all(any(name.startswith(label) for name in coarse) for label in labels)
    page.goto(f"{address}#/groups?kind=copies")
    eventually(page, "document.querySelector('.subjects').textContent.includes('No document is a copy')")


def test_the_list_of_a_subject_is_saved_as_it_is_shown(open_page, address, index):
    largest = index.subjects()[0]
    wanted = f"where=pages%3D1..3&subject={largest.number}"
    page = open_map(open_page, address)
    page.goto(f"{address}#/subjects?{wanted}")
    page.wait_for_selector(".subject-list .list .line")
    rows = csv.DictReader(io.StringIO(saved(page, ".subject-list button[aria-label$=CSV]").decode()))
    documents = index.documents
    pages = {id: documents[documents.position(id)].columns["pages"] for id in largest.ids}
    assert [row["id"] for row in rows] == [id for id in largest.ids if 1 <= pages[id] <= 3]


def test_a_name_on_the_map_selects_its_subject(open_page, address, index):
    page = open_map(open_page, address)
    eventually(page, "document.querySelector('.stage').labels?.length > 1")
    [x, y, number] = page.evaluate(
        """() => {
            const stage = document.querySelector(".stage"), {scatter, labels} = stage;
            const {left, top} = stage.getBoundingClientRect();
            const spots = labels.flatMap((one) => [-8, 0, 8].map((dx) => [one.x + dx, one.y, one.number]));
            const isFree = ([x, y]) => {
                const [u, v] = scatter.at(x, y) < 0 ? [1e9, 0] : scatter.placeOf(scatter.at(x, y));
                return Math.hypot(u - x, v - y) > 5;
            };
            const [x, y, number] = spots.find(isFree);
            return [left + x, top + y, number];
        }"""
    )
    page.mouse.click(x, y)
    subject = index.subjects().find(number)
    page.wait_for_selector(f".stage[data-lit='{subject.size}']")
    page.wait_for_selector(f"[data-subject='{number}'] .list .line")
    assert f"subject={number}" in page.evaluate("location.hash")
    page.go_back()
    page.wait_for_selector(".stage[data-lit='60']")


def test_chaff_is_grey_and_parts_have_the_colour_of_their_subject(open_page, address):
    page = open_map(open_page, address)
    slots = page.evaluate(
        """async () => {
            const {clustersOf} = await import("/static/clusters.js");
            const subject = (number, parent, positions, is_chaff = false) => (
                {number, parent, positions, is_chaff, name: "a, b, c"});
            const subjects = [subject(0, null, [0, 1]), subject(1, null, [2]), subject(2, null, [3], true),
                subject(3, 0, [0]), subject(4, 0, [1])];
            const points = {x: [1, 1, -1, 0], y: [0, 1, 0, 0]}, levels = [[0, 1, 2], [3, 4, 1, 2]];
            return clustersOf({subjects, levels}, 1, points).nodes.map(({slot}) => slot);
        }"""
    )
    assert slots == [0, 6, -1, 0, 0]


def test_terms_stand_in_three_columns_with_their_parts(open_page, address, index):
    page = open_page(f"{address}#/compare?{PAIR}")
    page.wait_for_selector(".diagram")
    exact = index.compare(A, B)
    for kinds in (("only_a",), ("both", "near"), ("only_b",)):
        told = [term for term in exact.told if term.where in kinds][:8]
        column = f".diagram [data-where={kinds[0]}]"
        assert texts(page, f"{column} .term") == [term.text for term in told]
        assert texts(page, f"{column} li .faint") == [per_cent(term.part) for term in told]
    share = max(exact.closer_than, 1 - exact.closer_than)
    how = "closer" if share == exact.closer_than else "farther apart"
    assert page.inner_text(".distance-head p") == f"{how} than {per_cent(share)} of pairs"
    assert texts(page, ".story p") == [line for line in exact.lines if not line.endswith("of pairs.")]
    quoted = [quote.text for pair in exact.quotes[:4] for quote in pair]
    assert [text[1:] for text in texts(page, ".quotes blockquote")] == quoted
    assert page.locator(".texts mark").count() == sum(map(len, exact.marks))


def test_a_comparison_is_saved_as_one_file(open_page, address, index, tmp_path):
    page = open_page(f"{address}#/compare?{PAIR}")
    page.wait_for_selector(".diagram li")
    content = saved(page, "button[aria-label='Save as one HTML file: comparison']")
    (tmp_path / "comparison.html").write_bytes(content)
    alone = open_page((tmp_path / "comparison.html").as_uri())
    assert texts(alone, ".diagram .term") == texts(page, ".diagram .term")
    assert alone.locator("button").count() == 0
    assert alone.evaluate("getComputedStyle(document.querySelector('.diagram')).display") == "grid"


def test_copies_but_the_first_are_saved_to_be_removed(open_page, cache, articles):
    some = [*articles.texts[:10], articles.texts[3], articles.texts[3]]
    ids = [f"d{i}" for i in range(12)]
    index = hott.Index.build(hott.Corpus(some, ids=ids), n_topics=2, n_models=1, iterations=20)
    with serving(index, cache) as address:
        page = open_page(f"{address}#/subjects?kind=copies")
        page.wait_for_selector(".group")
        assert saved(page, "button:has-text('Keep the first')").decode().split() == ["d10", "d11"]


def test_the_page_says_what_it_is_looking_for(open_page, address):
    page = open_page(f"{address}favicon.ico")
    held = []
    page.route("**/api/subjects", lambda route: held.append(route))
    page.goto(f"{address}#/subjects")
    page.wait_for_selector("text=Looking for subjects")
    held[0].continue_()
    page.wait_for_selector(".subject-list > li")
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


def test_groups_are_told_apart_by_terms_that_more_of_one_have(open_page, address, index):
    page = open_page(f"{address}#/compare")
    page.select_option("select[aria-label='First group']", "label=tennis")
    page.select_option("select[aria-label='Second group']", "label=cooking")
    page.wait_for_selector(".apart .term")
    found = index.contrast({"label": "tennis"}, {"label": "cooking"})
    sides = [texts(page, f".contrast section:nth-child({n}) .term") for n in (1, 2)]
    assert sides == [[term.text for term in side] for side in (found.a, found.b)]
    term = found.a[0]
    shown = page.inner_text(".contrast section:first-child li .faint")
    assert shown == f"{per_cent(term.inside / 20)} : {per_cent(term.outside / 20)}"


def test_two_months_are_contrasted(open_page, address, index):
    page = open_page(f"{address}#/compare")
    page.select_option("select[aria-label='First group']", "date=2001-01")
    page.select_option("select[aria-label='Second group']", "date=2002-02")
    page.wait_for_selector(".contrast section")
    assert texts(page, ".heads h2") == ["Adate: 2001-01", "Bdate: 2002-02"]


def test_a_subject_is_contrasted_with_the_rest(open_page, address, index):
    page = open_map(open_page, address, "?where=label%3Dtennis")
    page.click("button:has-text('Contrast with the rest')")
    page.wait_for_selector(".contrast .term")
    found = index.contrast({"label": "tennis"})
    assert texts(page, ".contrast section:first-child .term") == [term.text for term in found.a]


def test_the_topics_of_two_documents_are_a_picture(open_page, address):
    page = open_page(f"{address}#/compare?{PAIR}")
    page.click("summary:has-text('Topics of both')")
    eventually(page, "document.querySelector('.topics-between img').naturalWidth > 300")
