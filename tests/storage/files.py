"""A small file, and forgeries of it."""

import json
import zlib

import numpy as np
from scipy import sparse

from hott import storage
from hott.storage import Table
from hott.storage._format import FORMAT, PREAMBLE_SIZE, Preamble


def documents(n=10):
    return Table.of({"id": [f"d{i}" for i in range(n)], "text": [f"Text {i}, naïve 文" for i in range(n)]})


def write_small(path):
    matrix = sparse.csr_array(np.array([[0.0, 0.5, 0.5], [1.0, 0.0, 0.0]]))
    arrays = {"topics": np.arange(6.0).reshape(2, 3), "proportions": matrix}
    storage.write(path, {"what": "small"}, arrays, {"documents": documents()})
    return path.read_bytes()


def rewrite_header(path, change):
    """Change the header of a file and make its checksums right again, as someone with bad intent would."""
    content = path.read_bytes()
    old = Preamble.unpack(content)
    header = json.loads(content[old.header_offset :])
    change(header)
    text = json.dumps(header).encode()
    new = Preamble(FORMAT, zlib.crc32(text), old.header_offset, len(text), old.header_offset + len(text))
    path.write_bytes(new.pack() + content[PREAMBLE_SIZE : old.header_offset] + text)
