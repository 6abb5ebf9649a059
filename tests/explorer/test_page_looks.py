"""What can be seen in a real browser: nothing lies over another, nothing is cut that there is room for."""

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("playwright.sync_api")

from tests.explorer.pages import PAIR, A, eventually, open_map, texts

pytestmark = pytest.mark.browser

PHONE = {"viewport": {"width": 390, "height": 800}}


def box(page, selector):
    return page.locator(selector).first.bounding_box()


def test_no_name_of_a_subject_lies_under_the_buttons_that_zoom(open_page, address):
    page = open_map(open_page, address, **PHONE)
    eventually(page, "document.querySelector('.stage').labels?.length > 0")
    # The largest cluster is moved to where the buttons are.
    page.evaluate("""() => {
        const {scatter, labels: [{node}]} = document.querySelector(".stage");
        const {offsetLeft: left, offsetTop: top} = document.querySelector(".zooms");
        const [x, y] = scatter.placeOf(node.positions[0]);
        scatter.panBy(left - x, top - y);
    }""")
    page.wait_for_timeout(200)
    labels, (left, top, width, height) = page.evaluate("""() => {
        const zooms = document.querySelector(".zooms");
        const {offsetLeft: left, offsetTop: top, offsetWidth: width, offsetHeight: height} = zooms;
        const corner = (one) => [one.x - one.width / 2, one.y - one.height / 2, one.width, one.height];
        return [document.querySelector(".stage").labels.map(corner), [left, top, width, height]];
    }""")
    assert labels
    for x, y, wide, tall in labels:
        assert x + wide <= left or y + tall <= top or x >= left + width or y >= top + height


@pytest.mark.parametrize("size", [{}, PHONE])
def test_the_reading_pane_gives_the_text_its_room(open_page, address, index, size):
    page = open_page(f"{address}#/search?doc={A}", **size)
    page.wait_for_selector("#reader .lines .line")
    tall, whole, window = page.evaluate(
        "[document.querySelector('#reader .text').clientHeight, "
        "document.querySelector('#reader .text').scrollHeight, innerHeight]"
    )
    assert tall >= min(whole, 0.4 * window) - 2
    if size:
        assert tall == whole  # of a phone the pane is all there is: it scrolls, not a box in it


@pytest.mark.parametrize("size", [{}, PHONE])
def test_pictures_of_topics_fill_the_width_and_no_more(open_page, address, size):
    page = open_page(f"{address}#/topics?tab=over&over=label", **size)
    page.wait_for_selector(".scroll .grid")
    room, drawn = page.evaluate(
        "[document.querySelector('.scroll').clientWidth, document.querySelector('.grid').clientWidth]"
    )
    assert room - 2 <= drawn <= room
    assert texts(page, ".grid [scope=col]") == ["astronomy", "cooking", "tennis"]


@pytest.mark.parametrize("size", [{}, PHONE])
def test_the_field_of_a_new_name_is_not_covered(open_page, own_address, size):
    page = open_page(f"{own_address}#/advanced", **size)
    page.click("button:has-text('Rename')")
    page.wait_for_selector(".topic h2 input")
    card, name, save = (box(page, of) for of in (".topic", ".topic h2 input", ".topic h2 button"))
    assert card["x"] <= name["x"]
    assert name["x"] + name["width"] <= save["x"]
    assert save["x"] + save["width"] <= card["x"] + card["width"]
    assert name["width"] > 100


def test_near_topics_stand_out_in_the_grid(open_page, address, index):
    page = open_page(f"{address}#/topics?tab=distances")
    page.wait_for_selector(".grid[data-drawn='6']")
    fills = page.evaluate(
        "[...document.querySelectorAll('.grid .cell')].map((cell) => cell.style.getPropertyValue('--c'))"
    )
    titles = [cell.get_attribute("title") for cell in page.locator(".grid .cell").all()]
    light = [sum(int(fill[i : i + 2], 16) for i in (1, 3, 5)) for fill in fills]
    apart = [float(title.rpartition(": ")[2]) for title in titles]
    others = [i for i in range(36) if i % 7]  # not on the diagonal, which is grey
    assert {fills[i] for i in range(0, 36, 7)} == {"#8C8C8C"}
    nearest = min(others, key=lambda i: apart[i])
    farthest = max(others, key=lambda i: apart[i])
    assert light[nearest] == min(light[i] for i in others)  # on a white page dark stands out
    assert light[farthest] == max(light[i] for i in others)


def test_hits_come_before_what_is_special_about_them(open_page, address):
    page = open_page(f"{address}#/search?text=stars")
    page.wait_for_selector(".about .summary", state="attached")
    assert not page.is_visible(".summary")
    assert box(page, ".hits > li")["y"] < 400
    page.click("summary:has-text('What is special about these')")
    assert page.is_visible(".summary")


def test_documents_like_another_are_told_their_distance(open_page, address):
    page = open_page(f"{address}#/search?like={A}")
    page.wait_for_selector(".hits li")
    assert {*texts(page, ".hits .distance .note")} == {"distance"}
    assert page.locator(".hits .bar").count() == 0  # distances hardly differ: bars would say nothing
    eventually(page, "document.querySelector('.hits .why').textContent.startsWith('Both: ')")


def test_of_distances_from_a_document_the_legend_names_the_document_itself(open_page, address):
    page = open_map(open_page, address, f"?color=distance&from={A}")
    page.wait_for_selector(".scale")
    assert "the document itself" in page.inner_text(".classes")
    assert "without a value" not in page.inner_text(".classes")


def test_two_labels_can_be_compared_from_the_empty_view(open_page, address):
    page = open_page(f"{address}#/compare")
    page.select_option("select[aria-label='First group']", "label=tennis")
    page.select_option("select[aria-label='Second group']", "label=cooking")
    page.wait_for_selector(".diagram")
    assert texts(page, ".heads h2") == ["Atennis", "Bcooking"]
    page.go_back()
    page.wait_for_selector("select[aria-label='First group']")
    page.goto(f"{address}#/compare?{PAIR}")
    page.wait_for_selector(".diagram")


def test_the_first_picture_does_not_wait_for_names(open_page, address):
    """Names of 200,000 documents are read from their texts, which takes seconds."""
    page = open_page(f"{address}favicon.ico")
    held = []
    page.route("**/api/names", lambda route: held.append(route))
    page.goto(f"{address}#/map")
    page.wait_for_selector(".stage[data-state=final][data-drawn='60'][data-lit]")
    assert len(held) == 1
    assert page.locator(".list .line").count() == 0
    held[0].continue_()
    page.wait_for_selector(".list .line")
    page.unroute("**/api/names")


@pytest.mark.parametrize("width", [360, 390])
def test_a_phone_has_one_row_of_buttons_above_the_map(open_page, address, width):
    page = open_map(open_page, address, viewport={"width": width, "height": 800})
    buttons = page.locator(".map-main > .tools > button, .tools select, .tools summary, .filter-row > button")
    middles = [box["y"] + box["height"] / 2 for box in (one.bounding_box() for one in buttons.all())]
    assert len(middles) == 5  # colours, lasso, in view, save, filter
    assert max(middles) - min(middles) < 8
    assert page.locator("header").bounding_box()["height"] < 100


def test_bars_of_a_comparison_have_no_colour_of_a_mark(open_page, address):
    """There a colour is a group of terms."""
    page = open_page(f"{address}#/compare?{PAIR}")
    page.wait_for_selector(".diagram .bar")
    bars, dots = (
        page.locator(selector).evaluate_all("all => all.map(one => getComputedStyle(one).backgroundColor)")
        for selector in (".diagram .bar", ".group-names .dot")
    )
    assert dots
    assert len(set(bars)) == 1
    assert not set(bars) & set(dots)
