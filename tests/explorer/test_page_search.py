"""Search in a real browser."""

from urllib.parse import quote

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("playwright.sync_api")

import hott
from tests.explorer.conftest import serving
from tests.explorer.pages import A, eventually, hash_of, open_map, texts

pytestmark = pytest.mark.browser


def hit_ids(page):
    return [item.get_attribute("data-hit") for item in page.locator(".results > .hits > li").all()]


def test_search_finds_the_right_document_and_a_long_text_survives(open_page, address, index, articles):
    long = (articles[5].text + " ") * 3
    assert len(long) > 1500
    page = open_page(f"{address}#/search")
    page.fill("textarea", long)
    page.click("#ask button[type=submit]")
    page.wait_for_selector(".hits li")
    expected = index.search(text=long.strip(), k=20)
    assert hit_ids(page) == [hit.id for hit in expected]
    assert page.inner_text(".hits > li:first-child .title").strip() == articles[5].title
    shown = page.locator(".hits .distance span:first-child").all_inner_texts()
    assert [float(value) for value in shown if value] == pytest.approx([h.score for h in expected], abs=0.006)
    eventually(page, "document.querySelector('.hits > li:nth-child(2) .why').textContent.includes('has ')")
    page.click("nav a:has-text('Advanced')")
    page.wait_for_selector(".topic")
    page.go_back()
    page.wait_for_selector(".hits li")
    assert page.input_value("textarea") == long.strip()
    page.reload()
    page.wait_for_selector(".hits li")
    assert page.input_value("textarea") == long.strip()


def test_enter_searches_and_hits_show_the_words_that_were_searched_for(open_page, address, index):
    page = open_page(f"{address}#/search")
    page.click("#ask textarea")
    page.keyboard.type("stars")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("planets")
    assert page.input_value("textarea") == "stars\nplanets"
    page.fill("textarea", "stars")
    page.keyboard.press("Enter")
    page.wait_for_selector(".hits .snippet mark")
    assert hash_of(page) == "#/explore?text=stars"
    marked = {word.lower() for word in page.locator(".snippet:not(.best) mark").all_inner_texts()}
    assert marked <= {"star", "stars", "starred"}
    second = index.search("stars", k=2)[1]
    assert page.inner_text(".hits > li:nth-child(2) .snippet") == second.snippet.text


def test_search_by_words_alone_and_by_words_that_are_in_no_document(open_page, address, index):
    page = open_page(f"{address}#/search?text=tenniss")
    page.wait_for_selector(".hits li")
    [match] = index.search(text="tenniss").query.matches
    assert match.how == "spelled like"
    assert texts(page, ".words li span") == [f"tenniss ≈ {match.words[0]}", f"≈ {match.words[0]}"]
    page.goto(f"{address}#/search?text=tennis+zzzz")
    page.wait_for_selector(".unknown-word")
    assert texts(page, ".unknown-word") == ["“zzzz” is in no document"]
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
    assert texts(page, ".filters .chips li span") == ["label: cooking"]
    page.wait_for_selector(f".stage[data-lit='{len(expected)}']")
    ids = list(index.documents.ids)
    lit = page.evaluate("Array.from(document.querySelector('.stage').scatter.lit)")
    assert {ids[i] for i, is_lit in enumerate(lit) if is_lit} == set(expected)


def test_more_like_this_leaves_no_old_query_behind(open_page, address, index):
    page = open_page(f"{address}#/search?text=stars&doc={A}")
    page.click("button:has-text('More like this')")
    page.wait_for_selector(".links a")
    assert page.input_value("textarea") == ""
    assert hit_ids(page) == [hit.id for hit in index.search(id=A, k=21)][1:]
    assert (
        texts(page, ".filters .chips li span") == ["like “The tie-break”"]
        or "like" in texts(page, ".filters .chips li span")[0]
    )


def test_unsent_text_is_kept_between_views(open_page, address):
    page = open_page(f"{address}#/search")
    page.fill("textarea", "half a thought")
    page.click("nav a:has-text('Advanced')")
    page.wait_for_selector(".topic")
    page.click("nav a:has-text('Explore')")
    assert page.input_value("textarea") == "half a thought"


QUESTION = "why is dough made of flour"


def test_a_question_in_ones_own_words_is_read_at_its_mark(open_page, address, index):
    """One step: type, Enter, read. The map lights up, the panel ranks; a click opens the document, marked."""
    page = open_page(address)
    page.fill("#ask textarea", QUESTION)
    page.keyboard.press("Enter")
    expected = index.search(QUESTION, k=20)
    page.wait_for_selector(f".stage[data-lit='{len(expected)}']")
    assert hit_ids(page) == [hit.id for hit in expected]
    reasons = index.reasons(expected)
    eventually(page, f"document.querySelector('.hits .why').textContent === {reasons[0]!r}")
    page.locator(".hits .title").first.click()
    page.wait_for_selector("#reader .text mark[aria-current]")
    assert page.is_visible(".stage")
    marked = {word.lower() for word in page.locator("#reader mark").all_inner_texts()}
    assert marked & {"dough", "flour", "doughs"}
    best = index.documents[index.documents.position(expected[0].id)]
    assert page.inner_text("#reader .text").strip() == best.text.strip()
    page.click("button[aria-label='Next mark']")
    page.wait_for_selector("#reader .steps:has-text('2 of ')")
    page.go_back()
    eventually(page, "document.querySelector('#reader').hidden")
    assert hit_ids(page) == [hit.id for hit in expected]


def test_typing_and_enter_is_all_it_takes_to_read_the_answer(open_page, address, index):
    page = open_page(address)
    page.keyboard.press("/")
    page.keyboard.type(QUESTION)
    page.keyboard.press("Enter")
    page.wait_for_selector(".hits > li:first-child .snippet.best mark")
    read = page.inner_text(".hits > li:first-child .snippet.best").strip("…").strip()
    first = index.search(QUESTION, k=1)[0]
    whole = " ".join(index.documents[index.documents.position(first.id)].text.split())
    assert " ".join(read.split()) in whole
    assert len(read) > 300
    marked = {word.lower() for word in page.locator(".snippet.best mark").all_inner_texts()}
    assert marked & {"dough", "flour", "doughs"}


def test_copies_and_passages_are_folded_under_the_first_hit(open_page, cache, articles):
    texts_ = list(articles.texts[:20]) + [articles.texts[3]] * 2
    ids = [f"book#{i}" if i in (7, 8) else f"d{i}" for i in range(len(texts_))]
    passages = [1 if i != 8 else 2 for i in range(len(texts_))]
    corpus = hott.Corpus(texts_, ids=ids, columns={"passage": passages})
    index = hott.Index.build(corpus, n_topics=2, n_models=1, iterations=20)
    with serving(index, cache) as address:
        page = open_page(f"{address}#/explore?text={quote(articles.texts[3][:200])}")
        page.wait_for_selector(".folded summary:has-text('2 copies')")
        page.wait_for_selector(".folded summary:has-text('1 more passage of this document')")
        found = [hit.id for hit in index.search(articles.texts[3][:200], k=20)]
        assert sorted(hit_ids(page)) == sorted(
            set(found) - {"d20", "d21", *sorted({"book#7", "book#8"}, key=found.index)[1:]}
        )
        page.click(".folded summary:has-text('2 copies')")
        assert page.is_visible("[data-hit=d21] .title")


def test_the_reader_begins_at_the_passage_that_has_the_most(open_page, cache, articles):
    long = [f"{'Nothing of it here. ' * 150}\n\n{text}" for text in articles.texts[:12]]
    index = hott.Index.build(hott.Corpus(long, ids=articles.ids[:12]), n_topics=2, n_models=1, iterations=20)
    with serving(index, cache) as address:
        page = open_map(open_page, address, "?text=planet+orbit")
        page.locator(".hits .title").first.click()
        page.wait_for_selector("#reader mark[aria-current]")
        top, height = page.evaluate(
            "[document.querySelector('#reader mark[aria-current]').getBoundingClientRect().top, innerHeight]"
        )
        assert 0 < top < height
        assert page.evaluate("document.querySelector('#reader').scrollTop") > 500


def test_a_word_of_the_question_is_taken_out_and_put_back(open_page, address, index):
    page = open_page(f"{address}#/explore?text=tennis+dough")
    page.wait_for_selector(".words li")
    both = [hit.id for hit in index.search("tennis dough", k=20)]
    assert hit_ids(page) == both
    page.click("button[aria-label='Leave out: dough']")
    alone = [hit.id for hit in index.search("tennis", k=20)]
    eventually(page, f"document.querySelector('.hits li').dataset.hit === {alone[0]!r}")
    page.wait_for_selector("button[aria-label='Put back: dough']")
    assert hit_ids(page) == alone
    assert page.input_value("#ask textarea") == "tennis dough"
    page.reload()
    page.wait_for_selector("button[aria-label='Put back: dough']")
    assert hit_ids(page) == alone
    page.click("button[aria-label='Put back: dough']")
    page.wait_for_selector("button[aria-label='Leave out: dough']")
    eventually(page, f"document.querySelectorAll('.hits > li').length === {len(both)}")
    assert hit_ids(page) == both


def test_each_word_of_the_question_tells_what_it_met(open_page, address, index):
    page = open_page(f"{address}#/explore?text=sick+from+heat")
    page.wait_for_selector(".hits li")
    hits = index.search("sick from heat", k=20)
    met = {word for found in index.meetings(hits) for one in found if one.word == "sick" for word in one.met}
    assert met
    page.wait_for_selector(".words li:has-text('sick ≈')")
    told = page.inner_text(".words li:has-text('sick') .faint").strip().removeprefix("≈ ").split(", ")
    assert set(told) <= met


def test_quoted_words_are_looked_for_as_letters(open_page, address, index):
    phrase = "the milky way"
    page = open_page(f"{address}#/explore")
    page.fill("#ask textarea", f'"{phrase}"')
    page.keyboard.press("Enter")
    page.wait_for_selector(".hits li")
    has = {d.id for d in index.documents if phrase in f"{d.title} {d.text}".lower()}
    assert set(hit_ids(page)) == has
    assert has


def test_the_panel_is_dimmed_while_the_server_searches(open_page, address):
    page, held = open_page(f"{address}#/explore"), []
    page.wait_for_selector(".map-side li")
    page.route("**/api/search", lambda route: route.continue_() if held else held.append(route))
    page.fill("#ask textarea", "light of stars")
    page.keyboard.press("Enter")
    page.wait_for_selector(".map-side[aria-busy='true']")
    assert page.evaluate("getComputedStyle(document.querySelector('.map-side')).opacity") == "0.6"
    while not held:
        page.wait_for_timeout(20)
    held[0].continue_()
    page.wait_for_selector(".hits li")
    page.wait_for_selector(".map-side:not([aria-busy])")


def test_documents_like_another_have_passages_and_marks_of_what_both_have(open_page, address, index):
    page = open_page(f"{address}#/explore?like={A}")
    page.wait_for_selector(".hits .snippet mark")
    assert page.locator(".hits .snippet:has(mark)").count() > 15
    page.locator(".hits .title").first.click()
    page.wait_for_selector("#reader mark")
    shared = {word.lower() for word in texts(page, "#reader .group-names > span")}
    own = index.documents[index.documents.position(A)].text.lower()
    assert shared
    assert sum(word.rstrip("s") in own for word in shared) >= 0.5 * len(shared)


@pytest.mark.parametrize(
    ("former", "ready"),
    [
        ("map", ".stage[data-lit]"),
        ("search?text=stars", ".hits li"),
        ("topics", ".topic"),
        ("groups", ".subject-list > li"),
    ],
)
def test_addresses_of_former_views_lead_to_what_has_taken_their_place(open_page, address, former, ready):
    page = open_page(f"{address}#/{former}")
    page.wait_for_selector(ready)
    assert page.locator("#views a[aria-current]").count() == 1


def test_what_is_typed_while_the_page_loads_is_kept(open_page, address):
    page = open_page(f"{address}#/compare")
    page.route("**/api/corpus", lambda route: (page.wait_for_timeout(500), route.continue_()))
    page.reload(wait_until="commit")
    page.fill("#ask textarea", "half a thought")
    page.wait_for_selector("nav a:has-text('Advanced')")
    assert page.input_value("#ask textarea") == "half a thought"


def test_words_behind_an_emoji_are_marked(open_page, hostile, cache):
    with serving(hostile, cache) as address:
        page = open_page(f"{address}#/explore?text=planets stars whistle")
        page.wait_for_selector(".hits .snippet:not(.best):has-text('😀') mark")
        assert "whistle" in texts(page, ".hits .snippet:not(.best):has-text('😀') mark")
