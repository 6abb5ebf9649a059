"""Search in a real browser."""

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("playwright.sync_api")

from tests.explorer.pages import A, eventually, hash_of, texts

pytestmark = pytest.mark.browser


def hit_ids(page):
    return [item.get_attribute("data-hit") for item in page.locator(".hits > li").all()]


def test_search_finds_the_right_document_and_a_long_text_survives(open_page, address, index, articles):
    long = (articles[5].text + " ") * 3
    assert len(long) > 1500
    page = open_page(f"{address}#/search")
    page.fill("textarea", long)
    page.click("button[type=submit]")
    page.wait_for_selector(".hits li")
    expected = index.search(text=long.strip(), k=20)
    assert hit_ids(page) == [hit.id for hit in expected]
    assert page.inner_text(".hits > li:first-child .title").strip() == articles[5].title
    shown = page.locator(".hits .distance span:first-child").all_inner_texts()
    assert [float(value) for value in shown if value] == pytest.approx([h.score for h in expected], abs=0.006)
    eventually(
        page, "document.querySelector('.hits > li:nth-child(2) .why').textContent.includes('related: ')"
    )
    page.click("nav a:has-text('Topics')")
    page.wait_for_selector(".topic")
    page.go_back()
    page.wait_for_selector(".hits li")
    assert page.input_value("textarea") == long.strip()
    page.reload()
    page.wait_for_selector(".hits li")
    assert page.input_value("textarea") == long.strip()


def test_enter_searches_and_hits_show_the_words_that_were_searched_for(open_page, address, index):
    page = open_page(f"{address}#/search")
    eventually(page, "document.activeElement.tagName === 'TEXTAREA'")
    page.keyboard.type("stars")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("planets")
    assert page.input_value("textarea") == "stars\nplanets"
    page.fill("textarea", "stars")
    page.keyboard.press("Enter")
    page.wait_for_selector(".hits .snippet mark")
    assert hash_of(page) == "#/search?text=stars"
    marked = {word.lower() for word in page.locator(".hits .snippet mark").all_inner_texts()}
    assert marked <= {"star", "stars", "starred"}
    first = index.search("stars", k=1)[0]
    assert page.inner_text(".hits > li:first-child .snippet") == first.snippet.text


def test_search_by_words_alone_and_by_words_that_are_in_no_document(open_page, address, index):
    page = open_page(f"{address}#/search?text=tenniss")
    page.wait_for_selector(".hits li")
    assert texts(page, ".unknown-word") == list(index.search(text="tenniss").notes)
    page.goto(f"{address}#/search?text=tennis")
    page.wait_for_selector(".hits li")
    page.select_option("select[aria-label='Search by']", "words")
    expected = [hit.id for hit in index.search(text="tennis", k=20, by="words")]
    eventually(page, f"document.querySelectorAll('.hits > li').length === {len(expected)}")
    assert hit_ids(page) == expected
    assert "by=words" in hash_of(page)


def test_hits_are_filtered_by_a_column_and_lit_on_the_map(open_page, address, index):
    page = open_page(f"{address}#/search?text=water&where=label%3Dcooking")
    page.wait_for_selector(".hits li")
    expected = [hit.id for hit in index.search(text="water", k=20, where={"label": "cooking"})]
    assert hit_ids(page) == expected
    assert texts(page, ".chips li span") == ["search “water”", "label: cooking"]
    page.click("button:has-text('Show on the map')")
    page.wait_for_selector(f".stage[data-lit='{len(expected)}']")
    ids = list(index.documents.ids)
    lit = page.evaluate("Array.from(document.querySelector('.stage').scatter.lit)")
    assert {ids[i] for i, is_lit in enumerate(lit) if is_lit} == set(expected)
    eventually(page, f"document.querySelectorAll('.list .line').length === {len(expected)}")


def test_more_like_this_leaves_no_old_query_behind(open_page, address, index):
    page = open_page(f"{address}#/search?text=stars&doc={A}")
    page.click("button:has-text('More like this')")
    page.wait_for_selector(".links a")
    assert page.input_value("textarea") == ""
    assert hit_ids(page) == [hit.id for hit in index.search(id=A, k=21)][1:]
    assert (
        texts(page, ".chips li span") == ["like “The tie-break”"]
        or "like" in texts(page, ".chips li span")[0]
    )


def test_unsent_text_is_kept_between_views(open_page, address):
    page = open_page(f"{address}#/search")
    page.fill("textarea", "half a thought")
    page.click("nav a:has-text('Topics')")
    page.wait_for_selector(".topic")
    page.click("nav a:has-text('Search')")
    assert page.input_value("textarea") == "half a thought"
