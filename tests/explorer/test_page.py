"""The page as a whole in a real browser: addresses, focus, phones, hostile documents, accessibility."""

from urllib.parse import quote

import pytest

import hott

pytest.importorskip("fastapi")
pytest.importorskip("playwright.sync_api")

from tests.explorer.conftest import HOSTILE, serving
from tests.explorer.pages import PAIR, A, eventually, open_map

pytestmark = pytest.mark.browser

READY = {
    "explore": ".hits li",
    "compare": ".diagram",
    "advanced": ".topic",
    "subjects": ".subject-list > li",
}


def test_the_back_button_goes_through_the_views(open_page, address):
    page = open_page(f"{address}#/search?text=stars")
    page.wait_for_selector(".hits li")
    first = page.locator(".hits .title").all_inner_texts()  # reasons come later
    page.locator(".hits .title").nth(1).click()
    page.wait_for_selector("#reader h2")
    page.click("nav a:has-text('Advanced')")
    page.wait_for_selector(".topic")
    page.go_back()
    page.wait_for_selector(".hits .title[aria-current]", state="attached")  # the reader is in its place
    page.go_back()
    eventually(page, "document.querySelector('#reader').hidden")
    assert page.locator(".hits .title").all_inner_texts() == first
    page.go_forward()
    page.wait_for_selector("#reader h2")


def test_the_keyboard_opens_a_document_and_comes_back(open_page, address):
    page = open_page(f"{address}#/search?text=stars")
    page.wait_for_selector(".hits li")
    reached = set()
    for _ in range(24):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.className || document.activeElement.tagName"))
    assert {"skip", "A", "small", "TEXTAREA", "primary", "title", "stage"} <= reached
    page.locator(".hits .title").first.focus()
    page.keyboard.press("Enter")
    eventually(page, "document.activeElement === document.querySelector('#reader h2')")
    page.keyboard.press("Escape")
    eventually(page, "document.activeElement.classList.contains('title')")
    assert page.evaluate("document.querySelector('#reader').hidden")


def test_the_focus_stays_when_a_view_is_drawn_anew(open_page, address):
    page = open_map(open_page, address)
    entry = page.locator(".legend button", has_text="tennis")
    entry.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".stage[data-lit='20']")
    assert page.evaluate("document.activeElement.closest('.legend') !== null")
    assert page.evaluate("document.activeElement.getAttribute('aria-pressed')") == "true"


@pytest.mark.parametrize("view", READY)
def test_a_phone_needs_no_sideways_scrolling(open_page, address, view):
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "color_scheme": "dark"}
    page = open_page(f"{address}#/{view}?{PAIR}&text=stars", **phone)
    page.wait_for_selector(READY[view])
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert not page.is_visible("#tray")  # nothing waits to be compared
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 22, 26)"
    page.click("#theme")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_to_mend(open_page, address, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = open_page(f"{address}#/explore", color_scheme=scheme)
    for view, ready in READY.items():
        doc = quote(A, safe="") if view in ("explore", "subjects") else ""
        page.goto(f"{address}#/{view}?{PAIR if view == 'compare' else ''}&text=stars&doc={doc}")
        page.wait_for_selector(ready, state="attached")  # the reader may be in its place
        eventually(page, "!document.querySelector('[aria-busy]')")
        assert complaints(axe, page, scheme) == [], view


# What may be wrong in one colour scheme and right in the other.
OF_COLORS = ["color-contrast", "link-in-text-block"]
ALL = ["wcag2a", "wcag2aa", "wcag21aa", "best-practice"]


def complaints(axe, page, scheme):
    only = {"type": "tag", "values": ALL} if scheme == "light" else {"type": "rule", "values": OF_COLORS}
    found = axe.run(page, options={"runOnly": only, "resultTypes": ["violations"]})
    return [
        (one["id"], [node["html"][:160] for node in one["nodes"]]) for one in found.response["violations"]
    ]


MORE_VIEWS = {
    "explore?text=stars": ".snippet.best mark",
    "explore?color=subject": ".legend .line",
    "subjects?subject=0": ".subject-list .list .line",
    "subjects?kind=copies": ".subjects .tools",
    "compare?A=where%3Dlabel%253Dtennis&B=where%3Dlabel%253Dcooking": ".contrast",
    "advanced?tab=distances": ".grid",
    "advanced?tab=over": ".grid",
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_to_mend_in_what_opens_in_a_view(open_page, address, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = open_page(f"{address}#/explore", color_scheme=scheme)
    for hash, ready in MORE_VIEWS.items():
        page.goto(f"{address}#/{hash}")
        page.wait_for_selector(ready, state="attached")
        eventually(page, "!document.querySelector('[aria-busy]')")
        assert complaints(axe, page, scheme) == [], hash
    page.goto(f"{address}#/explore")
    page.click("button:has-text('Filter…')")
    page.select_option(".filter-form select[aria-label=Column]", "date")
    page.wait_for_selector(".filters .histogram")
    page.click(".list .menu summary")
    page.click("button[aria-label='Play through time']")
    assert complaints(axe, page, scheme) == []


def test_motion_is_reduced_where_that_is_asked_for(open_page, address):
    page = open_page(f"{address}#/compare?{PAIR}", reduced_motion="reduce")
    page.wait_for_selector(".diagram .bar")
    assert page.evaluate("getComputedStyle(document.querySelector('.diagram .bar')).transitionDuration") in (
        "0s",
        "",
    )


def test_hostile_documents_stay_text(open_page, hostile, cache):
    one, other = list(HOSTILE)[:2]
    with serving(hostile, cache, name="<b>name</b>") as address:
        pair = f"a={quote(one, safe='')}&b={quote(other, safe='')}"
        page = open_map(open_page, address, f"?a={quote(one, safe='')}&doc={quote(other, safe='')}")
        page.wait_for_selector("#reader .line")
        eventually(
            page, "document.querySelector('#tray').textContent.includes('<script>window.broken=1</script>')"
        )
        for view, ready in (("search", ".hits li"), ("compare", ".diagram"), ("topics", ".topic")):
            page.goto(f"{address}#/{view}?{pair}&text=stars")
            page.wait_for_selector(ready)
        page.goto(f"{address}#/compare?{pair}")
        page.wait_for_selector(".texts .text")
        assert "<img src=x onerror=" in page.inner_text(".texts")
        assert page.evaluate("window.broken") is None
        foreign = "main img:not([src^='api/']), main script, main iframe"  # our own picture is the diagram
        assert page.locator(foreign).count() == 0
        text = page.inner_text("body")
        assert not any(hidden in text for hidden in "\x00\x07\x1b\u202e")


def test_ids_may_be_anything_and_the_first_line_is_the_name_where_there_is_no_title(open_page, cache):
    ids = [".", "..", "constructor", "__proto__"]
    texts = [f"Line number {i}\nplanets and stars shine, football goals win" for i in range(4)]
    odd = hott.Index.build(hott.Corpus(texts, ids=ids), n_topics=2, n_models=1, iterations=20)
    with serving(odd, cache) as address:
        for i, id in enumerate(ids):
            page = open_page(f"{address}#/map?doc={quote(id, safe='')}")
            page.wait_for_selector("#reader h2")
            assert page.inner_text("#reader h2") == f"Line number {i}"
        page.goto(f"{address}#/compare?a=constructor&b=..")
        page.wait_for_selector(".diagram")


def test_an_unknown_document_is_a_message(browser, address):
    page = browser.new_page()
    page.goto(f"{address}#/compare?a=nobody&b=nobody")
    page.wait_for_selector("main [role=alert]")
    assert "No document has the id 'nobody'" in page.inner_text("main [role=alert]")
    page.close()
