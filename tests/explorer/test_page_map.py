"""The map in a real browser: points, colours, names, filters, lasso."""

import csv
import io

import numpy as np
import pytest

pytest.importorskip("fastapi")
pytest.importorskip("playwright.sync_api")

from tests.explorer.pages import PAIR, A, eventually, hash_of, open_map, place_of, saved, texts

pytestmark = pytest.mark.browser


def test_the_map_shows_every_document(open_page, address, index):
    page = open_map(open_page, address)
    assert page.inner_text("#corpus") == "three themes · 60 documents"
    assert page.get_attribute(".stage", "data-drawn") == "60"
    box = page.locator(".stage").bounding_box()
    for id in list(index.documents.ids)[::10]:
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
    assert texts(page, ".legend .name") == ["astronomy", "cooking", "tennis"]
    drawn = page.evaluate(
        """() => new Promise(done => requestAnimationFrame(() => {
            const {scatter} = document.querySelector(".stage"), {canvas} = scatter;
            const {width, height} = canvas;
            const copy = Object.assign(document.createElement("canvas"), {width, height});
            const pen = copy.getContext("2d");
            pen.fillStyle = "#ffffff";
            pen.fillRect(0, 0, width, height);
            scatter.drawSmoothly();
            pen.drawImage(canvas, 0, 0);
            const middle = i => { const [x, y] = scatter.placeOf(i).map(v => Math.round(v * scatter.ratio));
                return [...pen.getImageData(x, y, 1, 1).data.slice(0, 3)] };
            done(Array.from({length: scatter.n}, (_, i) => [scatter.placeOf(i), middle(i)]));
        }))"""
    )
    places, pixels = (np.array(part) for part in zip(*drawn))
    labels = index.documents.labels
    apart = np.linalg.norm(places[:, None] - places, axis=2)
    others = np.not_equal.outer(labels, labels)
    alone = np.where(others, apart, np.inf).min(axis=1) > 12  # nothing of another colour shines through
    assert alone.sum() > 40
    palette = {"astronomy": (0, 114, 178), "cooking": (230, 159, 0), "tennis": (0, 158, 115)}
    colors = np.array([palette[label] for label in labels])
    assert np.abs(pixels - colors)[alone].max() <= 32  # white shines through, or another of its colour


def test_a_filter_is_named_lit_summarised_and_saved(open_page, address, index):
    page = open_map(open_page, address)
    page.locator(".legend button", has_text="tennis").click()
    page.wait_for_selector(".stage[data-lit='20']")
    assert texts(page, ".filters .chips li span") == ["label: tennis"]
    lit = page.evaluate("[...document.querySelector('.stage').scatter.lit.keys()]"
                        ".filter(i => document.querySelector('.stage').scatter.lit[i])")  # fmt: skip
    expected = [i for i, label in enumerate(index.documents.labels) if label == "tennis"]
    assert lit == expected
    assert page.inner_text(".list h2") == "20 documents"
    assert "tennis 100 %" in page.inner_text(".summary")
    assert "court" in page.inner_text(".summary") or "wimbledon" in page.inner_text(".summary")
    rows = list(csv.DictReader(io.StringIO(saved(page, ".list button[aria-label$=CSV]").decode())))
    assert [row["id"] for row in rows] == [index.documents.ids[i] for i in expected]
    page.goto(f"{address}{hash_of(page)}&words=wimbledon")  # an address of before there was one search
    words = [
        d.title for d in index.documents if d.label == "tennis" and "wimbledon" in (d.title + d.text).lower()
    ]
    page.wait_for_selector(f".stage[data-lit='{len(words)}']")
    assert texts(page, ".list .name") == words
    assert texts(page, ".filters .chips li span") == ["label: tennis", "has “wimbledon”"]
    page.click("button[aria-label='Remove: label: tennis']")
    eventually(page, "!location.hash.includes('where=')")
    page.click("button[aria-label='Remove: has “wimbledon”']")
    page.wait_for_selector(".stage[data-lit='60']")


def test_any_column_filters_and_colours(open_page, address, index):
    page = open_map(open_page, address)
    page.click("button:has-text('Filter…')")
    page.select_option("select[aria-label=Column]", "pages")
    page.fill("input[aria-label='pages from']", "5")
    page.click(".filter-form button:has-text('Add')")
    expected = len(index.matching({"pages": (5, None)}))
    page.wait_for_selector(f".stage[data-lit='{expected}']")
    assert texts(page, ".filters .chips li span") == ["pages from 5"]
    page.select_option("select[aria-label='Colour by']", "column:date")
    page.wait_for_selector(".scale")
    assert texts(page, ".classes .scale-ends span") == ["2001-01-15", "2003-09-15"]


def test_a_lasso_catches_the_documents_inside_and_has_an_address(open_page, address, index):
    page = open_map(open_page, address)
    box = page.locator(".stage").bounding_box()
    page.click("button[aria-label^=Lasso]")
    left, right = box["x"] + 5, box["x"] + box["width"] / 2
    top, bottom = box["y"] + 5, box["y"] + box["height"] - 5
    places = [place_of(page, id) for id in index.documents.ids]
    expected = [
        title
        for title, (x, y) in zip(index.documents.titles, places)
        if left < x < right and top < y < bottom
    ]
    page.mouse.move(left, top)
    page.mouse.down()
    for corner in ((right, top), (right, bottom), (left, bottom)):
        page.mouse.move(*corner)
    page.mouse.up()
    page.wait_for_selector(f".stage[data-lit='{len(expected)}']")
    assert texts(page, ".list .name") == expected
    assert texts(page, ".filters .chips li span") == ["a region of the map"]
    other = open_map(open_page, address, hash_of(page).removeprefix("#/explore"))
    other.wait_for_selector(f".stage[data-lit='{len(expected)}']")
    assert texts(other, ".list .name") == expected


def test_the_wheel_zooms_about_the_pointer_and_the_view_is_kept(open_page, address):
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
    eventually(page, "location.hash.includes('at=')")
    page.click("nav a:has-text('Advanced')")
    page.wait_for_selector(".topic")
    page.click("nav a:has-text('Explore')")
    page.wait_for_selector(".stage")
    assert place_of(page, A) == pytest.approx(expected, abs=1.5)
    page.click("button[aria-label='Show all']")
    eventually(page, "document.querySelector('.stage').scatter.isWhole")
    eventually(page, "!location.hash.includes('at=')")


LABELS = """() => {
    const stage = document.querySelector(".stage"), {scatter, labels} = stage;
    const seen = Array.from({length: scatter.n}, (_, i) => i).filter((i) => {
        const [x, y] = scatter.placeOf(i);
        return x >= 0 && y >= 0 && x <= scatter.width && y <= scatter.height;
    });
    const named = labels.filter(({node}) => node);
    const inside = new Set(named.flatMap(({node}) => node.positions));
    const box = ({x, y, width, height, number}) => ({x, y, width, height, number});
    return {
        boxes: labels.map(box),
        titles: labels.filter(({node}) => !node).map(({text, position}) => [text, position]),
        covered: seen.filter((i) => inside.has(i)).length / Math.max(1, seen.length),
        beside: named.map(({x, y, width, height, node}) => {
            const middle = [node.x * scatter.zoom + scatter.left, scatter.top - node.y * scatter.zoom];
            const dx = Math.abs(x - middle[0]) - width / 2, dy = Math.abs(y - middle[1]) - height / 2;
            return Math.hypot(Math.max(0, dx), Math.max(0, dy)) <= Math.max(12, node.radius * scatter.zoom);
        }),
        inside: labels.every(({x, y, width, height}) => x >= width / 2 && y >= height / 2
            && x <= scatter.width - width / 2 && y <= scatter.height - height / 2),
    };
}"""


@pytest.mark.parametrize("width", [1280, 390])
def test_every_cluster_that_is_seen_has_a_name_and_no_name_lies_on_another(open_page, address, index, width):
    page = open_map(open_page, address, "?level=1", viewport={"width": width, "height": 800})
    eventually(page, "document.querySelector('.stage').labels?.length > 1")
    numbers, titles = set(), []
    for nearness in (1, 2, 4, 10):
        page.evaluate(
            """([id, nearness]) => fetch("api/names").then((found) => found.json()).then(({ids}) => {
                const {scatter} = document.querySelector(".stage"), i = ids.indexOf(id);
                if (nearness > 1) scatter.show([scatter.x[i], scatter.y[i], nearness]);
            })""",
            [A, nearness],
        )
        page.wait_for_timeout(150)
        found = page.evaluate(LABELS)
        boxes = found["boxes"]
        assert not [
            (a, b)
            for i, a in enumerate(boxes)
            for b in boxes[:i]
            if abs(a["x"] - b["x"]) < (a["width"] + b["width"]) / 2 - 0.01
            and abs(a["y"] - b["y"]) < (a["height"] + b["height"]) / 2 - 0.01
        ]
        assert found["covered"] >= 0.8
        assert found["inside"]
        assert sum(found["beside"]) >= len(found["beside"]) - 1
        if nearness == 1:
            assert all(found["beside"])
        numbers |= {box["number"] for box in boxes}
        titles = found["titles"]
    assert len(numbers) > len(index.subjects(level=1))  # from near, names of parts
    assert [(text, index.names[position]) for text, position in titles][:1]  # at last, titles of documents
    assert all(index.names[position].startswith(text.removesuffix("…")) for text, position in titles)


def test_a_name_outlines_its_cluster_and_a_point_tells_its_text(open_page, address, index):
    page = open_map(open_page, address, "?color=subject")
    eventually(page, "document.querySelector('.stage').labels?.length > 1")
    x, y = page.evaluate("""() => {
        const stage = document.querySelector(".stage"), {left, top} = stage.getBoundingClientRect();
        const {scatter, labels} = stage;
        const free = labels.flatMap((one) => [-0.4, 0, 0.4].map((part) => [one.x + part * one.width, one.y]))
            .find(([x, y]) => scatter.at(x, y) < 0);
        return [left + free[0], top + free[1]];
    }""")
    page.mouse.move(x, y)
    page.wait_for_selector(".lasso .rim[d]", state="attached")
    page.mouse.move(*place_of(page, A))
    page.wait_for_selector(".tip .excerpt:has-text('…')")
    text = " ".join(index.documents[index.documents.position(A)].text.split())
    assert text.startswith(page.inner_text(".tip .excerpt").removesuffix("…"))
    eventually(page, "!document.querySelector('.lasso .rim').hasAttribute('d')")


PALETTES = """async () => {
    const {hueAt, N_HUES} = await import("/static/colors.js");
    const root = document.documentElement, found = [];
    for (const theme of ["light", "dark"]) {
        root.dataset.theme = theme;
        found.push([getComputedStyle(root).getPropertyValue("--back").trim(),
            Array.from({length: N_HUES}, (_, i) => hueAt(i))]);
    }
    return found;
}"""


def test_colours_of_subjects_stand_out_from_the_page(open_page, address):
    page = open_map(open_page, address)
    for back, hues in page.evaluate(PALETTES):
        assert len(set(hues)) == 12
        assert all(contrast(hue, back) >= 3 for hue in hues)


def contrast(one, other):
    def luminance(color):
        parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def test_filters_lasso_and_search_hold_together(open_page, address, index):
    """Each is named, and what all of them leave is lit, listed, summarised and saved."""
    page = open_map(open_page, address)
    page.click("button:has-text('Select what is in view')")
    page.wait_for_selector(".chips li:has-text('a region of the map')")
    page.locator(".legend button", has_text="astronomy").click()
    page.wait_for_selector(".stage[data-lit='20']")
    page.goto(f"{address}{hash_of(page)}&words=water")
    left = [d.label == "astronomy" and "water" in f"{d.title}\n{d.text}".lower() for d in index.documents]
    page.wait_for_selector(f".stage[data-lit='{sum(left)}']")
    assert 1 < sum(left) < 20
    page.fill("#ask textarea", "planets and stars")
    page.keyboard.press("Enter")
    page.wait_for_selector(".hits li")
    named = ["label: astronomy", "has “water”", "a region of the map"]
    assert texts(page, ".filters .chips li span") == named
    expected = [hit.id for hit in index.search("planets and stars", k=20, where=np.array(left))]
    hits = [item.get_attribute("data-hit") for item in page.locator(".hits > li").all()]
    assert hits == expected
    page.click("summary:has-text('What is special about these')")
    page.wait_for_selector(".summary:has-text('astronomy 100 %')")
    assert page.get_attribute(".stage", "data-lit") == str(len(expected))
    rows = list(csv.DictReader(io.StringIO(saved(page, ".results button[aria-label$=CSV]").decode())))
    assert [row["id"] for row in rows] == expected
    page.click(".map-side button[aria-label='Remove: has “water”']")
    page.wait_for_selector(".stage[data-lit='20']")


def test_the_hits_of_a_search_are_compared_as_a_group(open_page, address, index):
    page = open_map(open_page, address, "?text=tennis&where=label%3Dtennis")
    page.click("summary:has-text('What is special about these')")
    page.click(".summary button:has-text('Compare this group')")
    page.wait_for_selector("#tray:has-text('20 hits')")
    page.goto(f"{address}{hash_of(page).replace('text=tennis', 'text=bread').replace('tennis', 'cooking')}")
    page.click(".summary button:has-text('Compare with this group')")
    page.wait_for_selector(".diagram")
    documents = index.documents
    sides = [[hit.id for hit in index.search(text=text, k=20, where={"label": label})]
             for text, label in (("tennis", "tennis"), ("bread", "cooking"))]  # fmt: skip
    sides = [sorted(side, key=documents.position) for side in sides]
    shown = float(page.get_attribute(".distance", "data-value"))
    assert shown == pytest.approx(index.compare(*sides).distance, abs=1e-9)


def test_a_click_opens_the_document_and_comparing_is_asked_for(open_page, address, index):
    page = open_map(open_page, address)
    page.mouse.click(*place_of(page, A))
    page.wait_for_selector("#reader h2")
    opened = page.evaluate("new URLSearchParams(location.hash.split('?')[1]).get('doc')")
    assert page.inner_text("#reader .text") == index.documents[index.documents.position(opened)].text.strip()
    assert not page.is_visible("#tray")
    assert "a=" not in hash_of(page)
    page.click("button:has-text('Compare with…')")
    page.wait_for_selector("#tray:not([hidden])")
    other = next(id for id in index.documents.ids if id != opened)
    page.click(f".list [data-id='{other}']")  # the list is back, and a click in it is the other side
    page.wait_for_selector(".diagram")
    shown = float(page.get_attribute(".distance", "data-value"))
    assert shown == index.compare(opened, other).distance


def test_distances_from_a_hit_are_those_of_all_documents(open_page, address):
    page = open_map(open_page, address, f"?text=stars&doc={A}")
    page.click("button[title='Distances on the map']")
    page.wait_for_selector(".stage[data-lit='60']")
    assert "text=" not in hash_of(page)


def test_the_map_is_coloured_by_the_distance_from_a_document(open_page, address, index):
    page = open_map(open_page, address, f"?doc={A}")
    page.click("button[title='Distances on the map']")
    eventually(page, "document.querySelector('.classes .scale-ends')?.textContent.length > 2")
    others = [hit.distance for hit in index.search(id=A, k=60) if hit.id != A]
    assert [
        float(end)
        for end in page.evaluate(
            "[...document.querySelectorAll('.classes .scale-ends span')].map(e => e.textContent)"
        )
    ] == pytest.approx([min(others), max(others)], rel=1e-3)


def test_pictures_can_be_saved(open_page, address):
    page = open_map(open_page, address, f"?{PAIR}")
    page.wait_for_selector(".marker")
    drawing = saved(page, ".tools button[aria-label$=SVG]").decode()
    assert drawing.count("<circle") == 60 + 2 + 3  # the two that are compared, and the legend
    assert "three themes: 60 documents, by label; A: The tie-break; B: Sourdough" in drawing
    picture = saved(page, ".tools button[aria-label$=PNG]")
    assert picture.startswith(b"\x89PNG")
    assert int.from_bytes(picture[16:20], "big") == 2 * page.evaluate(
        "document.querySelector('.stage').clientWidth"
    )


def test_the_list_is_saved_with_all_columns_subject_and_place(open_page, address, index):
    page = open_map(open_page, address, "?where=label%3Dtennis")
    page.wait_for_selector(".list .line")
    rows = list(csv.DictReader(io.StringIO(saved(page, ".list button[aria-label$=CSV]").decode())))
    assert list(rows[0]) == ["id", "title", "label", "pages", "date", "subject", "x", "y"]
    subjects = index.subjects()
    for row in rows:
        document = index.documents[index.documents.position(row["id"])]
        assert row["title"] == document.title
        assert row["pages"] == str(document.columns["pages"])
        assert row["date"] == document.columns["date"].isoformat()
        named = {subject.name for subject in subjects if row["id"] in subject.ids}
        assert {row["subject"]} - {""} <= named
        assert abs(float(row["x"])) <= 1
    page.goto(f"{address}#/explore?text=serve")
    page.wait_for_selector(".hits li")
    eventually(page, "document.querySelector('.hits .why').textContent")
    rows = list(csv.DictReader(io.StringIO(saved(page, ".results button[aria-label$=CSV]").decode())))
    hits = index.search("serve", k=20)
    assert [row["id"] for row in rows] == [hit.id for hit in hits]
    assert [float(row["score"]) for row in rows] == pytest.approx([hit.score for hit in hits])
    assert rows[0]["reason"] == index.reasons(hits)[0]


def test_enter_in_a_filter_applies_it(open_page, address, index):
    page = open_map(open_page, address)
    page.click("button:has-text('Filter…')")
    page.select_option(".filter-form select[aria-label=Column]", "date")
    page.fill("input[aria-label='date from']", "2003")
    page.keyboard.press("Enter")
    expected = len(index.matching({"date": ("2003", None)}))
    page.wait_for_selector(f".stage[data-lit='{expected}']")
    assert 0 < expected < 60


def test_a_range_is_chosen_by_dragging_over_bars_and_counts_follow(open_page, address, index):
    page = open_map(open_page, address)
    page.click("button:has-text('Filter…')")
    page.select_option(".filter-form select[aria-label=Column]", "pages")
    page.wait_for_selector(".filters .histogram")
    assert page.locator(".filters .histogram rect:not(.brush)").count() == 7
    box = page.locator(".filters .histogram").bounding_box()
    page.mouse.move(box["x"] + 2.5 * box["width"] / 7, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + 4.5 * box["width"] / 7, box["y"] + 20)
    page.mouse.up()
    chosen = index.matching({"pages": (2, 4)})
    page.wait_for_selector(f".stage[data-lit='{len(chosen)}']")
    assert texts(page, ".filters .chips li span") == ["pages 2 to 4"]
    counts = "[...document.querySelectorAll('.legend .note')].map((one) => Number(one.textContent))"
    eventually(page, f"{counts}.reduce((a, b) => a + b) === {len(chosen)}", seconds=10)


def test_the_bars_of_time_are_those_of_the_hits_before_all_documents(open_page, address, index):
    page = open_map(open_page, address, "?text=stars and planets")
    page.wait_for_selector(".stage[data-lit='20']")
    page.wait_for_selector(".timeline .others")
    told = page.locator(".timeline title").all_text_contents()
    assert sum(int(one.split(": ")[1].split(" of ")[0]) for one in told) == 20
    assert sum(int(one.split(" of ")[1].split()[0]) for one in told) == len(index)
    page.click("#ask button[aria-label='Clear the search']")
    page.wait_for_selector(f".stage[data-lit='{len(index)}']")
    eventually(page, "!document.querySelector('.timeline .others')")


def test_a_legend_folds_classes_without_documents_until_one_is_chosen(open_page, address):
    page = open_map(open_page, address, "?where=pages%3D0..6&words=galaxy")
    page.wait_for_selector(".legend .line:has-text('astronomy')")
    eventually(page, "document.querySelectorAll('.classes > div > .legend .line').length === 1")
    page.click(".classes details summary")
    page.click(".legend .line:has-text('tennis')")
    eventually(page, "document.querySelectorAll('.classes > div > .legend .line').length === 3")


def test_a_value_is_chosen_by_arrow_keys_and_enter(open_page, address, index):
    page = open_map(open_page, address)
    page.click("button:has-text('Filter…')")
    page.select_option(".filter-form select[aria-label=Column]", "label")
    page.locator(".filter-form select[aria-label='Value of label']").focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowDown"):
        page.keyboard.press(key)
    assert page.is_visible(".filter-form")
    page.keyboard.press("Enter")
    page.wait_for_selector(".stage[data-lit='20']")
    assert texts(page, ".filters .chips li span") == ["label: tennis"]


def test_words_in_the_text_filter_while_they_are_typed(open_page, address, index):
    page = open_map(open_page, address)
    page.click("button:has-text('Filter…')")
    page.select_option(".filter-form select[aria-label=Column]", label="words in the text")
    page.click("input[aria-label='Words in the text']")
    page.keyboard.type("milky way")
    expected = sum(
        "milky" in f"{d.title} {d.text}".lower() and "way" in f"{d.title} {d.text}".lower()
        for d in index.documents
    )
    page.wait_for_selector(f".stage[data-lit='{expected}']")
    assert 0 < expected < 60


def test_arrows_go_from_point_to_point_and_enter_opens(open_page, address, index):
    page = open_map(open_page, address)
    page.focus(".stage")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector(".tip strong")
    first = page.inner_text(".tip strong")
    ring, stage = (page.locator(one).bounding_box() for one in (".marker.open", ".stage"))
    x, y = page.evaluate("(({scatter}) => scatter.placeOf(scatter.cursor))(document.querySelector('.stage'))")
    middle = [ring["x"] + ring["width"] / 2 - stage["x"], ring["y"] + ring["height"] / 2 - stage["y"]]
    assert middle == pytest.approx([x, y], abs=1.5)
    page.keyboard.press("ArrowLeft")
    eventually(page, f"document.querySelector('.tip strong').textContent !== {first!r}")
    name = page.inner_text(".tip strong")
    assert page.inner_text("#status") == name
    page.keyboard.press("Enter")
    page.wait_for_selector("#reader h2")
    assert page.inner_text("#reader h2") == name


def test_keys_search_go_through_lists_and_help(open_page, address):
    page = open_map(open_page, address)
    page.keyboard.press("/")
    page.keyboard.type("light of stars and planets")
    page.keyboard.press("Enter")
    page.wait_for_selector(".hits li")
    page.locator(".hits .title").first.focus()
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.dataset.id") == page.locator(".hits .title").nth(
        1
    ).get_attribute("data-id")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.wait_for_selector("#reader mark[aria-current]")
    before = page.inner_text("#reader .steps .note")
    page.keyboard.press("n")
    assert page.inner_text("#reader .steps .note") != before
    page.keyboard.press("?")
    page.wait_for_selector("dialog[open]")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="hidden")
