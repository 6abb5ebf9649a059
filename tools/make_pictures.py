"""Draw the pictures of the README and the docs from the bundled corpus.

    python tools/make_pictures.py [FOLDER]

Needs the extra hott[plots]. On dark pages docs/_static/hott.css turns the colours over.
"""

import sys
from pathlib import Path

import hott
from hott.corpus import demo

folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent / "docs" / "images")
folder.mkdir(parents=True, exist_ok=True)
comparison = hott.Index.build(demo.corpus()).compare("tennis/grass-courts", "tennis/clay-courts")
comparison.plot().save(folder / "transport-diagram.png")
comparison.plot(width=390).save(folder / "transport-diagram-narrow.png")
print(*sorted(path.name for path in folder.iterdir()))
