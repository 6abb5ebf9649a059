"""Work that takes long, told and stopped; documents as files; a distance without a term."""

import io
import threading
import time

import pytest

import hott

pytest.importorskip("fastapi")

from fastapi.testclient import TestClient

from hott.explorer import create_app
from hott.explorer.answers import Answers
from hott.explorer.layout import Layout
from tests.explorer.conftest import serving
from tests.explorer.pages import eventually

A, B = "tennis/tie-break", "cooking/sourdough"


@pytest.fixture(scope="module")
def client(index, cache):
    return TestClient(create_app(index, cache=cache), base_url="http://localhost")


@pytest.fixture
def slow_subjects(monkeypatch):
    """Subjects that take as long as the event is not set, and report how far they are; the reports."""
    reports, release = [], threading.Event()
    found = hott.Index.subjects

    def subjects(self, **options):
        from hott.utils.run import Run

        with Run.of({}).reporting("subjects") as report:
            while not release.is_set():
                reports.append(time.monotonic())
                report and report(3, 4)
                time.sleep(0.02)
        return found(self, **options)

    monkeypatch.setattr(hott.Index, "subjects", subjects)
    yield reports, release
    release.set()


@pytest.mark.browser
def test_the_page_says_how_far_work_is_and_stops_it(browser, index, tmp_path, slow_subjects):
    pytest.importorskip("playwright.sync_api")
    reports, _ = slow_subjects
    with serving(index, tmp_path) as address:
        page = browser.new_page()
        page.goto(f"{address}#/subjects")
        page.wait_for_selector(".subjects .working:has-text('75 %')")
        page.click(".subjects .working button")
        page.wait_for_selector(".subjects .problem:has-text('Stopped')")
        time.sleep(1)
        last = len(reports)
        time.sleep(0.5)
        assert len(reports) == last  # the server has stopped, too
        page.close()


@pytest.mark.browser
def test_laying_out_is_stopped_from_the_page(open_page, index, monkeypatch, tmp_path):
    def lay_out(self, threads, progress):
        for _ in range(10_000):
            progress(1, 2)
            time.sleep(0.01)

    monkeypatch.setattr(hott.Index, "map", lay_out)
    with serving(index, tmp_path) as address:
        page = open_page(f"{address}#/explore")
        page.wait_for_selector(".map-note:has-text('50 %')")
        page.click("button[aria-label='Stop laying out the map']")
        page.wait_for_selector(".stage[data-state=final]")
        eventually(page, "document.querySelector('.map-note').textContent === ''")


def test_work_is_told_by_the_path_that_was_asked_for(index, tmp_path):
    answers = Answers(index, Layout(index, cache=tmp_path))
    answers.work["/api/subjects"] = type("Patience", (), {"done": 0.25})
    assert answers.progress()["work"] == {"/api/subjects": 0.25}


def table(client, **wanted):
    parquet = pytest.importorskip("pyarrow.parquet")
    answer = client.post("/api/table", json=wanted)
    assert answer.status_code == 200, answer.text
    return parquet.read_table(io.BytesIO(answer.content))


def test_a_parquet_file_has_all_columns_with_their_types(client, index):
    found = table(client, where=["label=tennis"])
    assert found.column_names == ["id", "title", "label", "pages", "date", "subject", "x", "y"]
    assert [str(found.schema.field(name).type) for name in ("pages", "date")] == ["int64", "date32[day]"]
    chosen = index.matching({"label": "tennis"})
    assert found["id"].to_pylist() == chosen
    drawn = client.get("/api/map").json()
    places = [index.documents.position(id) for id in chosen]
    assert found["x"].to_pylist() == [drawn["x"][i] for i in places]
    subjects = {id: one.name for one in index.subjects() for id in one.ids}
    assert found["subject"].to_pylist() == [subjects.get(id) for id in chosen]


def test_hits_are_saved_in_their_order_with_texts_and_what_the_page_knows(client, index):
    found = table(
        client, positions=[7, 2], text=True, extra={"score": [2.5, None], "title": ["own", "names"]}
    )
    assert found["text"].to_pylist() == [index.documents[i].text for i in (7, 2)]
    assert found["score"].to_pylist() == [2.5, None]
    assert found["title_"].to_pylist() == ["own", "names"]  # the documents have a column of this name
    number = index.topics[0].number
    shares = table(client, topic=number)["proportion"].to_pylist()
    assert shares == sorted(shares, reverse=True)
    wrong = client.post("/api/table", json={"positions": [7, 2], "extra": {"score": [1]}})
    assert (wrong.status_code, "each of the 2 documents" in wrong.json()["message"]) == (422, True)


def test_a_distance_without_a_term_is_that_of_the_library(client, index):
    sides = {"a": {"id": A}, "b": {"id": B}}
    found = client.post("/api/without", json={**sides, "term": "tie-break"}).json()
    assert found["distance"] == index.compare(A, B).without("tie-break")
    group = {"selection": {"where": ["label=tennis"]}}
    found = client.post("/api/without", json={"a": group, "b": {"id": B}, "term": "ball"}).json()
    assert found["distance"] == index.compare(hott.index.Label("tennis"), B).without("ball")
