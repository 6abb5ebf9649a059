"""What people come for, done in a real browser and counted in steps: three at most, and one to ask."""

import io
from urllib.parse import quote

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("playwright.sync_api")

import hott
from hott.explorer import export_site
from tests.explorer.conftest import serving
from tests.explorer.pages import eventually, hash_of, open_map, place_of, texts

pytestmark = pytest.mark.browser

QUESTION = "why is dough made of flour"


class Steps:
    """A page whose user is counted: a step is a click, a choice, a drag, or a line that is entered."""

    def __init__(self, page):
        self.page, self.taken = page, 0

    def click(self, selector):
        self.taken += 1
        self.page.locator(selector).first.click()

    def choose(self, selector, value):
        self.taken += 1
        self.page.locator(selector).first.select_option(value)

    def enter(self, text):
        self.taken += 1
        self.page.keyboard.type(text)
        self.page.keyboard.press("Enter")

    def drag(self, selector, start, end):
        self.taken += 1
        box = self.page.locator(selector).first.bounding_box()
        self.page.mouse.move(box["x"] + start * box["width"], box["y"] + 20)
        self.page.mouse.down()
        self.page.mouse.move(box["x"] + end * box["width"], box["y"] + 20)
        self.page.mouse.up()

    def point(self, id):
        self.taken += 1
        self.page.mouse.click(*place_of(self.page, id))

    def save(self, selector):
        with self.page.expect_download() as download:
            self.click(selector)
        with open(download.value.path(), "rb") as file:
            return io.BytesIO(file.read())

    def saw(self, selector):
        self.page.wait_for_selector(selector)


def asked(open_page, address):
    page = open_map(open_page, address, f"?text={quote(QUESTION)}")
    page.wait_for_selector(".hits .title")
    return Steps(page)


def test_to_ask_and_to_read_the_answer_at_its_mark_is_one_step(open_page, address):
    user = Steps(open_map(open_page, address))
    user.page.locator("#ask textarea").focus()
    user.enter(QUESTION)
    user.saw(".hits > li:first-child .snippet.best mark")
    assert user.taken == 1


def test_to_filter_to_a_month_and_a_label(open_page, address, index):
    user = Steps(open_map(open_page, address))
    user.click(".legend .line:has-text('tennis')")
    user.saw(".stage[data-lit='20']")
    bars = user.page.locator(".timeline .histogram rect:not(.brush)").count()
    assert bars == 33  # January 2001 to September 2003
    user.drag(".timeline .histogram", 3.3 / bars, 3.7 / bars)
    chosen = index.matching({"label": "tennis", "date": "2001-04"})
    user.saw(f".stage[data-lit='{len(chosen)}']")
    assert texts(user.page, ".filters .chips li span")[1] == "date 2001-04-01 to 2001-04-30"
    assert user.taken == 2


def test_to_compare_two_hits(open_page, address):
    user = asked(open_page, address)
    user.click(".hits .title")
    user.click("#reader button:has-text('Compare with…')")
    user.click(".hits > li:nth-child(2) .title")
    user.saw(".diagram")
    assert user.taken == 3


def test_to_contrast_two_months(open_page, address):
    user = Steps(open_map(open_page, address))
    user.click("nav a:has-text('Compare')")
    user.choose("select[aria-label='First group']", "date=2001-01")
    user.choose("select[aria-label='Second group']", "date=2002-02")
    user.saw(".contrast .term")
    assert user.taken == 3


def test_to_see_the_copies_and_what_differs_and_to_keep_the_first(open_page, cache, articles, tmp_path):
    changed = articles.texts[3].replace(" the ", " CHANGED ", 2)
    corpus = hott.Corpus([*articles.texts[:20], changed], ids=[*articles.ids[:20], "later"])
    hott.Index.build(corpus, n_topics=2, n_models=1, iterations=20).save(tmp_path / "copies.hott")
    with serving(hott.open(tmp_path / "copies.hott"), cache, name="copies") as address:
        user = Steps(open_page(f"{address}#/subjects"))
        user.click(".tabs a:has-text('Copies')")
        user.click("summary:has-text('What differs')")
        user.saw(".differences ins")
        assert texts(user.page, ".differences ins") == ["CHANGED", "CHANGED"]
        assert texts(user.page, ".differences del") == ["the", "the"]
        saved = user.save("button:has-text('Keep the first')")
        assert user.taken == 3
        (tmp_path / "copies.txt").write_bytes(saved.read())
    from hott.cli.app import run

    assert run(["remove", str(tmp_path / "copies.hott"), "--from", str(tmp_path / "copies.txt")]) == 0
    assert list(hott.open(tmp_path / "copies.hott").documents.ids) == list(articles.ids[:20])


def test_to_rename_to_merge_and_to_undo(open_page, own_address):
    user = Steps(open_map(open_page, own_address))
    user.click("nav a:has-text('Advanced')")
    user.click("button:has-text('Rename')")
    user.enter("my topic")
    user.saw("article h2:has-text('my topic')")
    assert user.taken == 3
    card = user.page.locator("article:has(h2:has-text('my topic'))")
    other = card.locator("select option").nth(1).get_attribute("value")
    user.choose("article:has(h2:has-text('my topic')) select", other)
    user.saw("article:has-text('2 topics merged') h2:has-text('my topic')")  # what was typed stays
    assert user.taken == 4
    user.click("button:has-text('Undo')")
    eventually(user.page, "!document.body.textContent.includes('topics merged')")
    assert user.taken == 5


@pytest.mark.parametrize("kind", ["CSV", "Parquet"])
def test_to_download_the_hits_for_pandas(open_page, address, index, kind):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    user = asked(open_page, address)
    eventually(user.page, "document.querySelector('.hits .why').textContent !== ''")
    user.click(".results .menu summary")
    user.click(".results .menu input")
    file = user.save(f".results .menu button:has-text('{kind}')")
    assert user.taken == 3
    found = pandas.read_csv(file) if kind == "CSV" else pandas.read_parquet(file)
    hits = index.search(QUESTION, k=20)
    assert list(found["id"]) == [hit.id for hit in hits]
    assert found["score"].tolist() == pytest.approx([hit.score for hit in hits])
    assert found["reason"][0] == index.reasons(hits)[0]
    documents = index.documents
    assert list(found["text"]) == [documents[documents.position(hit.id)].text for hit in hits]
    assert set(found) >= {"title", "label", "pages", "date", "passage", "subject", "x", "y"}
    assert found[["x", "y"]].abs().to_numpy().max() <= 1


def test_to_share_what_is_seen_takes_its_address(open_page, address):
    user = asked(open_page, address)
    user.click(".hits .title")
    user.saw("#reader mark[aria-current]")
    other = open_page(f"{address}{hash_of(user.page)}")
    other.wait_for_selector("#reader mark[aria-current]")
    assert texts(other, "#reader h2") == texts(user.page, "#reader h2")
    assert user.taken == 1


def test_to_read_what_a_subject_is_about(open_page, address, index):
    user = Steps(open_map(open_page, address))
    user.click("nav a:has-text('Subjects')")
    user.click(".subject-list .line")
    user.click(".subject-list .list .line")
    user.saw("#reader h2")
    assert texts(user.page, "#reader h2") == [
        index.documents[index.documents.position(i)].name for i in index.subjects()[0].ids[:1]
    ]
    assert user.taken == 3


def test_to_find_more_like_a_point_of_the_map(open_page, address, index):
    user = Steps(open_map(open_page, address))
    user.point("cooking/sourdough")
    user.click("#reader button:has-text('More like this')")
    user.saw(".hits .snippet mark")
    shown = [item.get_attribute("data-hit") for item in user.page.locator(".results > .hits > li").all()]
    assert shown == [hit.id for hit in index.search(id="cooking/sourdough", k=21)][1:]
    assert user.taken == 2


def test_to_know_what_a_term_does_to_a_distance(open_page, address, index):
    a, b = "tennis/grass-courts", "tennis/clay-courts"
    user = Steps(open_page(f"{address}#/compare?a={quote(a, safe='')}&b={quote(b, safe='')}"))
    user.saw(".diagram")
    comparison = index.compare(a, b)
    term = comparison.to_dict()["terms"][0]["text"]
    user.click(f"[data-where] button.term:has-text('{term}')")
    user.saw(".diagram .term:has-text('without it')")
    told = user.page.inner_text(".diagram .term:has-text('without it')")
    assert f"{comparison.without(term):.4}" in told
    assert user.taken == 1


def test_to_watch_time_go_by(open_page, address, index):
    user = Steps(open_map(open_page, address))
    user.click("button[aria-label='Play through time']")
    eventually(
        user.page, "Array.from(document.querySelector('.stage').scatter.lit ?? []).some((one) => !one)"
    )
    user.click("button[aria-label='Pause']")
    user.saw(".filters .chips li:has-text('date ')")
    [condition] = user.page.evaluate("new URLSearchParams(location.hash.split('?')[1]).getAll('where')")
    chosen = index.matching(hott.index.parse_filter(index.documents, [condition]))
    user.saw(f".stage[data-lit='{len(chosen)}']")
    assert user.taken == 2


def test_the_same_on_a_page_without_a_server(open_page, index, tmp_path):
    export_site(index, tmp_path / "site")
    page = open_page((tmp_path / "site" / "index.html").as_uri())
    user = Steps(page)
    user.saw(".stage[data-lit]")
    page.locator("#ask textarea").focus()
    user.enter(QUESTION)
    user.saw(".hits > li:first-child .snippet.best mark")
    assert user.taken == 1
    user.click(".hits .title")
    user.click("#reader button:has-text('Compare with…')")
    user.click(".hits > li:nth-child(2) .title")
    user.saw(".diagram")
    assert user.taken == 4
