"""Names on the map of the explorer: whether they lie on one another, miss points, or stand far from them.

    python benchmarks/labels.py --data FOLDER [--only NAME ...] [--keep FOLDER] [--pictures FOLDER]

FOLDER holds the paper's data sets (docs/reproduction.md). The map of each is opened in headless Chromium,
in a wide window and in that of a phone, as a whole and then 2, 4 and 10 times as near, about a typical
document of each of the three largest subjects. The table says how many names were seen, how many pairs of
them overlap, which share of the points in view lies within a named cluster (the mean, and the worst view),
and which share of the names of clusters stands farther from the middle of its cluster than that reaches.
--keep saves indexes and maps, and takes from there what is in it; --pictures saves the first views, light
and dark.
"""

import argparse
import itertools
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from subjects import NAMES, build, read_corpus

import hott

WINDOWS = {"1280": {"width": 1280, "height": 800}, "390": {"width": 390, "height": 800}}
NEARNESS = (1, 2, 4, 10)
N_PLACES = 3  # about which the map is looked at from near
HEAD = [
    "set",
    "documents",
    "width",
    "names",
    "overlaps",
    "points named",
    "in the worst view",
    "names that are far",
]

SEEN = """([nearness, position]) => {
    const {scatter} = document.querySelector(".stage");
    if (nearness > 1) scatter.show([scatter.x[position], scatter.y[position], nearness]);
}"""
LABELS = """() => {
    const {scatter, labels} = document.querySelector(".stage");
    const seen = Array.from({length: scatter.n}, (_, i) => i).filter((i) => {
        const [x, y] = scatter.placeOf(i);
        return x >= 0 && y >= 0 && x <= scatter.width && y <= scatter.height;
    });
    const named = labels.filter(({node}) => node);
    const inside = new Set(named.flatMap(({node}) => node.positions));
    return {
        boxes: labels.map(({x, y, width, height, text}) => ({x, y, width, height, text})),
        covered: seen.length ? seen.filter((i) => inside.has(i)).length / seen.length : 1,
        far: named.map(({x, y, width, height, node}) => {
            const middle = [node.x * scatter.zoom + scatter.left, scatter.top - node.y * scatter.zoom];
            const dx = Math.abs(x - middle[0]) - width / 2, dy = Math.abs(y - middle[1]) - height / 2;
            return Math.hypot(Math.max(0, dx), Math.max(0, dy)) > Math.max(12, node.radius * scatter.zoom);
        }),
    };
}"""


@contextmanager
def serving(index: hott.Index, cache: Path) -> Iterator[str]:
    """Serve the explorer of an index; give its address."""
    import uvicorn

    from hott.explorer import create_app
    from hott.explorer.launch import listen

    listener = listen("127.0.0.1", None)
    server = uvicorn.Server(uvicorn.Config(create_app(index, cache=cache), log_level="error"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
    server.should_exit = True
    thread.join()
    listener.close()


def overlaps(boxes: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """List the pairs of names of which one lies on the other."""
    return [
        (a["text"], b["text"])
        for a, b in itertools.combinations(boxes, 2)
        if abs(a["x"] - b["x"]) < (a["width"] + b["width"]) / 2 - 0.01
        and abs(a["y"] - b["y"]) < (a["height"] + b["height"]) / 2 - 0.01
    ]


def look(page: Any, address: str, positions: list[int]) -> list[dict[str, Any]]:
    """Look at a map from all distances, near ones about each position; return what each view has."""
    page.goto(f"{address}#/explore?color=subject")
    page.wait_for_selector(".stage[data-state=final][data-drawn][data-lit]")
    while not page.evaluate("document.querySelector('.stage').labels?.length > 1"):
        page.wait_for_timeout(100)
    views = [(1, 0), *itertools.product(NEARNESS[1:], positions)]
    found = []
    for view in views:
        page.evaluate(SEEN, view)
        page.wait_for_timeout(500)
        found.append(page.evaluate(LABELS))
    return found


def summarize(views: list[dict[str, Any]]) -> list[str]:
    """Return the cells of the table."""
    far = [one for view in views for one in view["far"]]
    covered = [view["covered"] for view in views]
    return [
        f"{sum(len(view['boxes']) for view in views)}",
        f"{sum(len(overlaps(view['boxes'])) for view in views)}",
        f"{np.mean(covered):.0%}",
        f"{min(covered):.0%}",
        f"{np.mean(far):.1%}",
    ]


def main() -> None:
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=NAMES, choices=NAMES)
    parser.add_argument("--documents", type=int, help="of each data set, at random; else all")
    parser.add_argument("--keep", type=Path, help="keep indexes and maps in this folder")
    parser.add_argument("--pictures", type=Path, help="save pictures of the first views in this folder")
    given = parser.parse_args()
    rows = [HEAD]
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for name in given.only:
            corpus = read_corpus(given.data, name, given.documents)
            index = build(corpus, given.keep and given.keep / f"{name}-{len(corpus)}")
            positions = [index.documents.position(one.ids[0]) for one in index.subjects()[:N_PLACES]]
            with serving(index, given.keep or Path(folder)) as address:
                for width, window in WINDOWS.items():
                    for scheme in ("light", "dark"):
                        page = browser.new_context(viewport=window, color_scheme=scheme).new_page()
                        page.set_default_timeout(1_000_000)
                        if scheme == "light" or given.pictures:
                            views = look(page, address, positions if scheme == "light" else [])
                        if scheme == "light":
                            rows.append([name, f"{len(corpus):,}", width, *summarize(views)])
                            print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
                        if given.pictures:
                            page.click("button[aria-label='Show all']")
                            page.wait_for_timeout(1000)
                            given.pictures.mkdir(exist_ok=True)
                            page.screenshot(path=given.pictures / f"{name}-{width}-{scheme}.png")
                        page.context.close()
    head, *rest = rows
    print("\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rest)))


if __name__ == "__main__":
    main()
