"""Every link of the built site to itself leads to a page and a heading that are there.

    python tools/check_links.py build/site

Sphinx warns of wrong links in the sources; this also sees those of the generated reference and of raw HTML.
Links to other sites are for ``make links``, which needs a network.
"""

import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors = {"", "top"}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.anchors |= {given.get("id") or "", given.get("name") or ""}
        link = given.get("href" if tag in ("a", "link") else "src")
        if link is not None:
            self.links.append(link)


def wrong_links(site: Path) -> list[str]:
    """What is wrong, a line for each link."""
    page = cache(Page)
    wrong = []
    for path in sorted(site.rglob("*.html")):
        for link in page(path).links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            there = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if there.is_dir():
                there /= "index.html"
            is_page = there.suffix == ".html"
            if not there.exists() or (is_page and unquote(parts.fragment) not in page(there).anchors):
                wrong.append(f"{path.relative_to(site)} links to {link}")
    return wrong


if __name__ == "__main__":
    found = wrong_links(Path(sys.argv[1]))
    print("\n".join(found) or "every link of the site to itself leads somewhere")
    sys.exit(bool(found))
