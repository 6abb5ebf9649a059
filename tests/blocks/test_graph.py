"""Neighbours block by block: the same numbers, resumed after a stop."""

import numpy as np
import pyarrow.parquet as pq
import pytest

from tests.blocks.stops import Stop, stop_after

pytest.importorskip("zarr")


@pytest.mark.parametrize("name", ["g.zarr", "g.parquet"])
def test_the_graph_in_blocks_is_the_same_and_goes_on_where_it_was(index, tmp_path, name):
    whole = index.graph(5)
    with pytest.raises(Stop):
        index.graph(5, out=tmp_path / name, block=13, progress=stop_after(2))
    done = []
    graph = index.graph(5, out=tmp_path / name, progress=lambda now, total: done.append(now))
    assert len(done) == 5 - 2
    for part in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(graph, part), getattr(whole, part))
    with pytest.raises(ValueError, match="something else than the 6 nearest"):
        index.graph(6, out=tmp_path / name)


def test_the_graph_as_a_table_goes_by_names(index, tmp_path):
    index.graph(3, out=tmp_path / "g.parquet", block=13)
    table = pq.read_table(tmp_path / "g.parquet").to_pylist()
    assert len(table) == 60 * 3
    found = index.neighbors(3)
    assert [row["neighbor"] for row in table[:3]] == [f"d{i}" for i in found.indices[0]]
    assert [row["distance"] for row in table[:3]] == found.distances[0].tolist()
    assert [(row["id"], row["rank"]) for row in table[-2:]] == [("d59", 2), ("d59", 3)]
