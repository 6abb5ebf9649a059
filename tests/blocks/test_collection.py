"""The documents that blocks are computed of, and the tiles of their matrix."""

import numpy as np

from hott.blocks.collection import tiles
from hott.index import Index
from tests.themes import made_corpus


def test_tiles_cover_the_matrix_once():
    seen = np.zeros((23, 23), int)
    for tile in tiles(23, 5):
        seen[tile.rows, tile.columns] += 1
        if tile.row != tile.column:
            seen[tile.columns, tile.rows] += 1
    assert (seen == 1).all()
    assert sum(tile.pairs for tile in tiles(23, 5)) == 23 * 23


def test_the_fingerprint_tells_indexes_apart_and_opened_ones_are_the_same(index, tmp_path):
    index.save(tmp_path / "x.hott")
    one = index._collection().fingerprint()
    assert Index.open(tmp_path / "x.hott")._collection().fingerprint() == one
    fewer = Index.build(made_corpus()[:59], n_topics=6, n_models=2, iterations=20, on_empty="nan")
    assert fewer._collection().fingerprint() != one
