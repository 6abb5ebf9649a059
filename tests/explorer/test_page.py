"""The page in a real browser: what a person sees, clicks, shares and goes back to."""

import time
from urllib.parse import quote

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("playwright.sync_api")

from hott.wording import per_cent
from tests.explorer.conftest import HOSTILE, serving

pytestmark = pytest.mark.browser

A, B = "tennis/tie-break", "cooking/sourdough"
PAIR = f"a={quote(A, safe='')}&b={quote(B, safe='')}"


def open_map(open_page, address, hash="", **options):
    page = open_page(f"{address}#/map{hash}", **options)
    page.wait_for_selector(".stage[data-state=final][data-drawn]")
    eventually(page, "document.querySelector('.stage').scatter.drawn > 0")
    return page


def eventually(page, condition, seconds=60):
    """Wait for a condition. Playwright's own wait evaluates text in the page, which the policy forbids."""
    end = time.monotonic() + seconds
    while not page.evaluate(condition):
        assert time.monotonic() < end, condition
        page.wait_for_timeout(30)


def place_of(page, id):
    """Where a document is on the screen."""
    return page.evaluate(
        """async id => {
            const {ids} = await (await fetch("api/map")).json();
            const stage = document.querySelector(".stage"), box = stage.getBoundingClientRect();
            const [x, y] = stage.scatter.placeOf(ids.indexOf(id));
            return [box.left + x, box.top + y];
        }""",
        id,
    )


def test_the_map_shows_every_document(open_page, address, index):
    page = open_map(open_page, address)
    assert page.inner_text("#corpus") == "three themes · 60 documents"
    assert page.get_attribute(".stage", "data-drawn") == "60"
    box = page.locator(".stage").bounding_box()
    for id in list(index.documents.ids)[::6]:
        x, y = place_of(page, id)
        assert box["x"] < x < box["x"] + box["width"]
        assert box["y"] < y < box["y"] + box["height"]
        page.mouse.move(x, y)
        page.wait_for_selector(".tip:not([hidden])")
        nearest = page.evaluate(
            "([x, y]) => { const s = document.querySelector('.stage'), b = s.getBoundingClientRect();"
            " return s.scatter.at(x - b.left, y - b.top) }",
            [x, y],
        )
        assert page.inner_text(".tip strong") == index.documents[nearest].title
        overlap = place_of(page, index.documents[nearest].id)
        assert abs(overlap[0] - x) + abs(overlap[1] - y) < 1.5  # itself, or one that lies on it


def test_points_are_drawn_in_the_colours_of_their_labels(open_page, address, index):
    page = open_map(open_page, address)
    legend = page.locator(".legend button").all_inner_texts()
    assert [entry.split()[0] for entry in legend] == ["astronomy", "cooking", "tennis"]
    drawn = page.evaluate(
        """() => new Promise(done => requestAnimationFrame(() => {
            const {scatter} = document.querySelector(".stage"), {canvas, gl} = scatter;
            scatter.drawFast();
            const pixels = new Uint8Array(4 * canvas.width * canvas.height);
            gl.readPixels(0, 0, canvas.width, canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
            const middle = i => { const [x, y] = scatter.placeOf(i).map(v => Math.round(v * scatter.ratio));
                const at = 4 * ((canvas.height - 1 - y) * canvas.width + x);
                return [...pixels.subarray(at, at + 3)].map(v => Math.round(v * 255 / pixels[at + 3])) };
            done(Array.from({length: scatter.n}, (_, i) => middle(i)));
        }))"""
    )
    palette = {"astronomy": (0, 114, 178), "cooking": (230, 159, 0), "tennis": (0, 158, 115)}
    right = [
        max(abs(x - y) for x, y in zip(pixel, palette[label])) < 12
        for pixel, label in zip(drawn, index.documents.labels)
    ]
    assert sum(right) > 55  # a few lie under others, through which they shine


def test_clicks_on_the_map_select_two_documents_and_compare_them(open_page, address, index):
    page = open_map(open_page, address)
    for id in (A, B):
        page.mouse.click(*place_of(page, id))
    eventually(page, "location.hash.includes('b=')")
    selected = page.evaluate("Object.fromEntries(new URLSearchParams(location.hash.split('?')[1]))")
    a, b = selected["a"], selected["b"]
    assert page.locator(".marker").all_inner_texts() == ["A", "B"]
    page.click("#compare")
    page.wait_for_selector(".diagram")
    assert float(page.get_attribute(".distance-head strong", "data-value")) == index.compare(a, b).distance


def test_search_finds_the_right_document(open_page, address, index, articles):
    page = open_page(f"{address}#/search")
    page.fill("textarea", articles[5].text)
    page.click("button[type=submit]")
    page.wait_for_selector(".hits li")
    expected = index.search(text=articles[5].text, k=20)
    assert [item.get_attribute("data-id") for item in page.locator(".hits > li").all()] == [
        h.id for h in expected
    ]
    assert page.inner_text(".hits > li:first-child .title").strip() == articles[5].title
    shown = page.locator(".hits .distance span:first-child").all_inner_texts()
    assert [float(value) for value in shown] == pytest.approx([h.score for h in expected], abs=0.006)
    assert "in common" in page.inner_text(".hits > li:nth-child(2) .why")
    assert f"{expected.computed} distances computed" in page.inner_text(".results")


def test_enter_searches_and_hits_show_the_words_that_were_searched_for(open_page, address, index):
    page = open_page(f"{address}#/search")
    page.fill("textarea", "stars")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("planets")
    assert page.input_value("textarea") == "stars\nplanets"
    page.fill("textarea", "stars")
    page.keyboard.press("Enter")
    page.wait_for_selector(".hits .snippet mark")
    assert page.evaluate("current => location.hash", None) == "#/search?text=stars"
    marked = {word.lower() for word in page.locator(".hits .snippet mark").all_inner_texts()}
    assert marked <= {"star", "stars", "starred"}
    first = index.search("stars", k=1)[0]
    assert page.inner_text(".hits > li:first-child .snippet") == first.snippet.text


def test_search_by_words_alone_and_by_words_that_are_in_no_document(open_page, address, index):
    page = open_page(f"{address}#/search?text=tenniss")
    page.wait_for_selector(".hits li")
    assert page.locator(".unknown-word").all_inner_texts() == list(index.search(text="tenniss").notes)
    page.goto(f"{address}#/search?text=tennis")
    page.wait_for_selector(".hits li")
    page.select_option("select[aria-label='Search by']", "words")
    expected = [hit.id for hit in index.search(text="tennis", k=20, by="words")]
    page.wait_for_function("n => document.querySelectorAll('.hits > li').length === n", arg=len(expected))
    assert [item.get_attribute("data-id") for item in page.locator(".hits > li").all()] == expected
    assert "by=words" in page.evaluate("current => location.hash", None)


def test_the_diagram_has_the_right_numbers(open_page, address, index):
    page = open_page(f"{address}#/compare?{PAIR}")
    page.wait_for_selector(".diagram")
    exact = index.compare(A, B)
    labels = [band.get_attribute("aria-label") for band in page.locator(".band").all()]
    expected = [
        f"{per_cent(m.mass)} stays in {shown(m.source, 'a')}"
        if m.stays
        else f"{per_cent(m.mass)} moves from {shown(m.source, 'a')} to {shown(m.target, 'b')}"
        for m in exact.moves
    ]
    assert sorted(labels) == sorted(expected)
    heights = page.evaluate("[...document.querySelectorAll('.node')].map(n => +n.getAttribute('height'))")
    masses = [mass for theme in exact.themes for mass in (theme.mass_a, theme.mass_b) if mass > 0]
    assert sorted(heights) == pytest.approx(sorted(max(300 * mass, 1.5) for mass in masses))


def shown(theme, side):
    """What a theme is called on one side."""
    words = theme.words_a if side == "a" else theme.words_b
    return "other words" if theme.is_other else ", ".join(word.text for word in words[:3])


def test_a_band_opens_its_word_plan_by_mouse_and_by_keyboard(open_page, address, index):
    page = open_page(f"{address}#/compare?{PAIR}")
    exact = index.compare(A, B)
    move = exact.moved[0]
    band = page.locator(f'.band[data-move="{move.source.number}-{move.target.number}"]')
    band.dispatch_event("click")
    page.wait_for_selector(".plan")
    rows = [row.split("\t")[:2] for row in page.locator(".plan tbody tr").all_inner_texts()]
    pair = move.source.number, move.target.number
    steps = [s for s in exact.flow[:200] if (s.source_theme, s.target_theme) == pair][:12]
    assert rows == [[s.source, s.target if s.source != s.target else "stays"] for s in steps]
    strong = {page.locator("mark:not(.pale)").nth(i).get_attribute("data-topic") for i in range(3)}
    assert strong <= {str(move.source.number), str(move.target.number)}
    other = page.locator(".band.moves").last
    other.focus()
    page.keyboard.press("Enter")
    eventually(page, f"!location.hash.includes('band={move.source.number}-{move.target.number}')")
    assert page.evaluate("document.activeElement.classList.contains('band')")  # the focus stays where it was


def test_an_address_brings_back_the_same_view(open_page, address):
    page = open_page(f"{address}#/compare?{PAIR}")
    page.wait_for_selector(".band.moves")
    page.locator(".band.moves").first.dispatch_event("click")
    page.wait_for_selector(".plan")
    other = open_page(page.url)
    other.wait_for_selector(".plan")
    assert other.inner_text("main") == page.inner_text("main")


def test_the_back_button_goes_through_the_views(open_page, address):
    page = open_page(f"{address}#/search?text=stars")
    page.wait_for_selector(".hits li")
    first = page.inner_text(".results")
    page.locator(".hits .title").nth(1).click()
    page.wait_for_selector(".hits > li.selected")
    page.click("nav a:has-text('Topics')")
    page.wait_for_selector(".heat[data-drawn]")
    page.go_back()
    page.wait_for_selector(".hits > li.selected")
    page.go_back()
    eventually(page, "!document.querySelector('.hits > li.selected')")
    assert page.inner_text(".results") == first
    page.go_forward()
    page.wait_for_selector(".hits > li.selected")


def test_topics_have_cards_and_a_heat_map(open_page, address, index):
    page = open_page(f"{address}#/topics")
    page.wait_for_selector(".heat[data-drawn='6']")
    assert page.locator(".topic h3 a").all_inner_texts() == [topic.name for topic in index.topics]
    words = page.locator(".topic").first.locator(".word").all_inner_texts()
    assert words == list(index.topics[0].words)
    assert page.locator(".heat .heatmaplayer image").count() == 1
    page.select_option("select", "1")
    eventually(page, f"document.querySelector('.topic h3 a').textContent === {index.topics_of(1)[0].name!r}")
    page.wait_for_selector(".heat[data-drawn='6']")


def test_a_lasso_catches_the_documents_inside(open_page, address, index):
    page = open_map(open_page, address)
    box = page.locator(".stage").bounding_box()
    page.click("button[aria-label^=Lasso]")
    left, top, right, bottom = (
        box["x"] + 5,
        box["y"] + 5,
        box["x"] + box["width"] / 2,
        box["y"] + box["height"] - 5,
    )
    expected = [
        title
        for id, title in zip(index.documents.ids, index.documents.titles)
        for x, y in [place_of(page, id)]
        if left < x < right and top < y < bottom
    ]
    page.mouse.move(left, top)
    page.mouse.down()
    for corner in ((right, top), (right, bottom), (left, bottom)):
        page.mouse.move(*corner)
    page.mouse.up()
    page.wait_for_selector(".caught .line")
    assert page.locator(".caught .name").all_inner_texts() == expected


def test_the_wheel_zooms_and_a_double_click_shows_all(open_page, address):
    page = open_map(open_page, address)
    before = place_of(page, A)
    pointer = [round(place) for place in before]  # browsers tell the page whole numbers
    page.mouse.move(*pointer)
    page.mouse.wheel(0, -400)
    eventually(page, "(s => s.zoom > 1.5 * s.fit)(document.querySelector('.stage').scatter)")
    factor = page.evaluate("(s => s.zoom / s.fit)(document.querySelector('.stage').scatter)")
    # What is under the pointer stays there, and the rest moves away from it.
    expected = [middle + factor * (place - middle) for middle, place in zip(pointer, before)]
    assert place_of(page, A) == pytest.approx(expected, abs=0.01)
    page.mouse.dblclick(before[0] + 40, before[1] + 40)
    eventually(page, "(s => s.zoom === s.fit)(document.querySelector('.stage').scatter)")


def test_documents_are_listed_and_filtered_beside_the_map(open_page, address, index):
    page = open_map(open_page, address)
    page.locator(".legend button", has_text="tennis").click()
    eventually(page, "document.querySelector('.list h3 span').textContent === '20 documents'")
    page.fill(".list input", "wimbledon")
    expected = [
        d.title for d in index.documents if d.label == "tennis" and "wimbledon" in (d.title + d.text).lower()
    ]
    eventually(page, f"document.querySelectorAll('.list .line').length === {len(expected)}")
    assert page.locator(".list .name").all_inner_texts() == expected


@pytest.mark.parametrize("view", ["map", "search", "compare", "topics"])
def test_a_phone_needs_no_sideways_scrolling(open_page, address, view):
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "color_scheme": "dark"}
    page = open_page(f"{address}#/{view}?{PAIR}&text=stars", **phone)
    done = {
        "map": ".stage[data-drawn]",
        "search": ".hits li",
        "compare": ".diagram",
        "topics": ".heat[data-drawn]",
    }
    page.wait_for_selector(done[view])
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 22, 26)"
    page.click("#theme")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_everything_can_be_reached_with_the_keyboard(open_page, address):
    page = open_page(f"{address}#/search?text=stars")
    page.wait_for_selector(".hits li")
    reached = set()
    for _ in range(16):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.className || document.activeElement.tagName"))
    assert {"skip", "A", "BUTTON", "TEXTAREA", "primary", "title"} <= reached


def test_hostile_documents_stay_text(open_page, hostile, cache):
    one, other = list(HOSTILE)[:2]
    with serving(hostile, cache, name="<b>name</b>") as address:
        pair = f"a={quote(one, safe='')}&b={quote(other, safe='')}"
        page = open_map(open_page, address, f"?{pair}")
        page.wait_for_selector(".document .line")
        page.click(".document summary")
        for view, ready in (("search", ".hits li"), ("compare", ".diagram"), ("topics", ".heat[data-drawn]")):
            page.goto(f"{address}#/{view}?{pair}&text=stars")
            page.wait_for_selector(ready)
        assert "<script>window.broken=1</script>" in page.inner_text("#tray")
        page.goto(f"{address}#/compare?{pair}")
        page.wait_for_selector(".texts .text")
        assert "<img src=x onerror=" in page.inner_text(".texts")
        assert page.evaluate("window.broken") is None
        assert page.locator("main img, main script, main iframe").count() == 0
        text = page.inner_text("body")
        assert not any(hidden in text for hidden in "\x00\x07\x1b\u202e")


def test_an_unknown_document_is_a_message(browser, address):
    page = browser.new_page()
    page.goto(f"{address}#/compare?a=nobody&b=none")
    page.wait_for_selector("[role=alert]")
    assert "No document has the id 'nobody'" in page.inner_text("[role=alert]")
    page.close()


def test_the_description_of_the_api_is_a_page(open_page, address):
    page = open_page(f"{address}docs")
    page.wait_for_selector("article")
    assert "GET /api/documents/{id}" in page.inner_text("main")
