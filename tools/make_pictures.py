"""Take the pictures of the README and the docs: the explorer of the bundled articles, in Chromium.

    python tools/make_pictures.py [FOLDER]      # or: make pictures

Each view is taken in a wide and a narrow window, light and dark. An animation shows search and comparison.
`sources.txt` beside the pictures has a digest of the page's sources: a test fails when it is out of date.
Needs the extras hott[explore] and hott[test], and Chromium.
"""

import hashlib
import io
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCES = ROOT / "src" / "hott" / "explorer" / "static"
PICTURES = ROOT / "docs" / "images"
QUESTION = "getting sick from dirty water"
PAIR = "a=tennis%2Fgrass-courts&b=tennis%2Fclay-courts"
VIEWS = {
    "explorer": "#/explore",
    "search": f"#/explore?text={QUESTION.replace(' ', '+')}",
    "compare": f"#/compare?{PAIR}",
}
WINDOWS = {"": {"width": 1240, "height": 780}, "-phone": {"width": 390, "height": 780}}
FRAME = {"width": 960, "height": 600}
MAX_ANIMATION = 2_000_000  # bytes


def digest() -> str:
    """Return a digest of all that decides how the served page looks; `offline/` answers in exported ones."""
    found = hashlib.sha256()
    for path in sorted(SOURCES.glob("*")):
        if path.suffix in (".js", ".css", ".html", ".svg"):
            found.update(path.relative_to(SOURCES).as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()


@contextmanager
def serving() -> Iterator[str]:
    """Serve the explorer of the bundled articles; give its address."""
    import uvicorn

    import hott
    from hott.explorer import create_app
    from hott.explorer.launch import listen

    with tempfile.TemporaryDirectory() as cache:
        app = create_app(hott.Index.build(hott.demo.corpus()), name="articles", cache=Path(cache))
        listener = listen("127.0.0.1", None)
        server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
        server.should_exit = True
        thread.join()
        listener.close()


def settled(page, seconds: float = 1.0) -> None:
    """Wait until the page asks for nothing more and has drawn what it got."""
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(1000 * seconds)


def palette(shot: bytes, colors: int = 256):
    """Return a screenshot with few colours: fewer bytes, and hard to tell apart.

    The colours cover all that are there, not the most frequent ones: a dot of the legend keeps its own.
    """
    from PIL import Image

    picture = Image.open(io.BytesIO(shot)).convert("RGB")
    return picture.quantize(colors, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)


def take_pictures(browser, address: str, folder: Path) -> None:
    for size, window in WINDOWS.items():
        for theme in ("light", "dark"):
            context = browser.new_context(viewport=window, device_scale_factor=1.5, color_scheme=theme)
            page = context.new_page()
            for name, view in VIEWS.items():
                page.goto("about:blank")
                page.goto(address + view)
                settled(page)
                palette(page.screenshot()).save(folder / f"{name}{size}-{theme}.png", optimize=True)
            context.close()


def take_animation(browser, address: str, path: Path) -> None:
    """Ask a question, open a hit, compare two articles; each frame with the time it stays."""
    page = browser.new_context(viewport=FRAME, color_scheme="light").new_page()
    frames, times = [], []

    def keep(milliseconds: int) -> None:
        frames.append(palette(page.screenshot(), 64))
        times.append(milliseconds)

    page.goto(address + VIEWS["explorer"])
    settled(page)
    keep(1500)
    page.click("#ask textarea")
    for end in range(4, len(QUESTION) + 4, 4):
        page.fill("#ask textarea", QUESTION[:end])
        keep(120)
    page.keyboard.press("Enter")
    settled(page)
    keep(2500)
    page.locator(".hits .title").first.click()
    settled(page)
    keep(2500)
    page.goto(address + VIEWS["compare"])
    settled(page)
    keep(2500)
    page.mouse.move(FRAME["width"] / 2, FRAME["height"] / 2)
    for _ in range(4):
        page.mouse.wheel(0, 150)
        page.wait_for_timeout(150)
        keep(250)
    times[-1] = 2500
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=times, loop=0, optimize=True)
    if path.stat().st_size > MAX_ANIMATION:
        raise SystemExit(f"{path.name} has {path.stat().st_size:,} bytes, more than {MAX_ANIMATION:,}")


def main(folder: Path) -> None:
    from playwright.sync_api import sync_playwright

    folder.mkdir(parents=True, exist_ok=True)
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    with serving() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu", "--force-color-profile=srgb"]
        )
        take_pictures(browser, address, folder)
        take_animation(browser, address, folder / "search-and-compare.gif")
        browser.close()
    (folder / "sources.txt").write_text(digest() + "\n", encoding="utf-8")
    for path in sorted(folder.iterdir()):
        print(f"{path.stat().st_size:9,}  {path.name}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURES)
