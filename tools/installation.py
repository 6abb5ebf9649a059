"""Write how to install hott into the README and the docs, as one switch says.

    python tools/installation.py [--check]

The switch is `published` in `[tool.hott]` of pyproject.toml: false as long as the package index does not have
hott, and true from then on. The lines go between the comments `install` of each page.
"""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGES = (ROOT / "README.md", ROOT / "docs" / "install.md")
BLOCK = re.compile(r"(<!-- install: [^\n]* -->\n).*?(<!-- /install -->)", re.DOTALL)
PUBLISHED = """<!-- not run: installs the package -->
```bash
pip install "hott[plots,explore]"
```
"""
CHECKOUT = """hott is not on the package index yet. Install it from a checkout, with a C++ compiler:

<!-- not run: installs the package -->
```bash
git clone {source} && cd hott
pip install ".[plots,explore]"
```
"""


def written(text: str) -> str:
    """Return a page with the lines that the switch asks for."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    lines = PUBLISHED if project["tool"]["hott"]["published"] else CHECKOUT
    lines = lines.format(source=project["project"]["urls"]["Source"])
    return BLOCK.sub(lambda found: found[1] + lines + found[2], text)


if __name__ == "__main__":
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        if "--check" not in sys.argv:
            page.write_text(written(text), encoding="utf-8")
        elif written(text) != text:
            sys.exit(f"{page.relative_to(ROOT)}: run python tools/installation.py")
