"""Draw the pictures of the README and the docs from the bundled corpus.

    python tools/make_pictures.py [FOLDER]

Needs the extra hott[plots]; for the map also kaleido and a Chrome or Chromium (BROWSER_PATH says where).
"""

import sys
from pathlib import Path

import hott
from hott import demo, plots

folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent / "docs" / "images")
folder.mkdir(parents=True, exist_ok=True)
index = hott.Index.build(demo.corpus())
diagram = index.compare("tennis/grass-courts", "tennis/clay-courts").plot()
diagram.save(folder / "transport-diagram.png")
picture = plots.corpus_map(index.map(), labels=index.colors(), titles=index.names)
picture.write_image(folder / "map.png", scale=1.5)
print(*sorted(path.name for path in folder.iterdir()))
