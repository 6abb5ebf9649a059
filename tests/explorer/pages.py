"""What the tests of the page do again and again."""

import time
from urllib.parse import quote

A, B = "tennis/tie-break", "cooking/sourdough"
PAIR = f"a={quote(A, safe='')}&b={quote(B, safe='')}"


def open_map(open_page, address, hash="", **options):
    page = open_page(f"{address}#/explore{hash}", **options)
    page.wait_for_selector(".stage[data-state=final][data-drawn][data-lit]")
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
            const {ids} = await (await fetch("api/names")).json();
            const stage = document.querySelector(".stage"), box = stage.getBoundingClientRect();
            const [x, y] = stage.scatter.placeOf(ids.indexOf(id));
            return [box.left + x, box.top + y];
        }""",
        id,
    )


def saved(page, button):
    """The content of the file that a button saves; a menu that it is in is opened."""
    if not page.is_visible(button):
        page.locator(button).first.locator("xpath=ancestor::details/summary").click()
    with page.expect_download() as download:
        page.click(button)
    with open(download.value.path(), "rb") as file:
        return file.read()


def texts(page, selector):
    return [text.strip() for text in page.locator(selector).all_inner_texts()]


def hash_of(page):
    return page.evaluate("location.hash")
