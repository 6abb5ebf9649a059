"""Near documents of very many: most of them the nearest, at exact distances."""

import numpy as np
import pytest

from hott import Index
from hott.corpus import demo
from hott.distances.representation import Representation
from hott.distances.vector import DocumentVectors
from hott.neighbors import gathered, mapping, nearby, search
from hott.utils.run import Run


@pytest.fixture(scope="module")
def index():
    return Index.build(demo.corpus(), n_models=2, n_topics=10, iterations=20)


def vectors(n: int, seed: int = 0) -> Representation:
    """Documents in 40 clusters."""
    rng = np.random.default_rng(seed)
    return DocumentVectors().of(
        rng.normal(size=(40, 6))[rng.integers(0, 40, n)] + 0.3 * rng.normal(size=(n, 6))
    )


def test_most_of_the_nearest_are_found_and_the_others_are_hardly_farther():
    documents, distance = vectors(4_000), DocumentVectors()
    true = search(distance, documents, documents, 10, own=np.arange(4_000))
    found = nearby(distance, documents, 10)
    same = np.mean([len({*a} & {*b}) for a, b in zip(true.indices.tolist(), found.indices.tolist())]) / 10
    assert same > 0.9
    assert found.distances.sum() < 1.02 * true.distances.sum()
    assert found.computed < 0.5 * 4_000 * 3_999
    assert found.computed + found.pruned == 4_000 * 3_999


def test_neighbours_of_neighbours_bring_most_of_those_that_were_missed(monkeypatch):
    documents, distance = vectors(4_000), DocumentVectors()
    monkeypatch.setattr(gathered, "AROUND", 2)
    true = search(distance, documents, documents, 10, own=np.arange(4_000)).indices.tolist()
    missed, computed = [], []
    for rounds in (0, 1, 2):
        monkeypatch.setattr(gathered, "ROUNDS", rounds)
        found = nearby(distance, documents, 10)
        missed.append(sum(len({*a} - {*b}) for a, b in zip(true, found.indices.tolist())))
        computed.append(found.computed)
    assert missed[1] < 0.8 * missed[0], missed
    assert missed[2] < 0.6 * missed[0], missed
    assert computed[2] < computed[0] + 4_000 * 300


def test_links_are_turned_around_in_their_order():
    links = np.array([[1, 2], [0, 2], [0, 1], [0, 2]])
    assert gathered._turn_around(links).tolist() == [[1, 2], [0, 2], [0, 1], [3, 3]]


def test_distances_are_exact_ascending_and_of_others(index):
    documents, distance = index.snapshot.combine(index.model), index.distance
    n = len(documents)
    found = nearby(distance, documents, 3)
    exact = distance.between(documents)
    assert (found.indices != np.arange(n)[:, None]).all()
    assert found.distances == pytest.approx(np.take_along_axis(exact, found.indices, 1), abs=1e-12)
    assert (np.diff(found.distances, axis=1) >= 0).all()
    assert all(len({*row}) == 3 for row in found.indices.tolist())


def test_around_all_centres_it_is_the_exact_search(index, monkeypatch):
    for name, value in {"CENTRES": 1, "NEAREST": 99, "AROUND": 99}.items():
        monkeypatch.setattr(gathered, name, value)
    documents, distance = index.snapshot.combine(index.model), index.distance
    own = np.arange(len(documents))
    true = search(distance, documents, documents, 5, own=own)
    found = nearby(distance, documents, 5)
    np.testing.assert_array_equal(found.distances, true.distances)


def test_thousands_of_copies_and_a_document_far_from_all():
    rng = np.random.default_rng(0)
    rows = np.vstack([np.tile([1.0, 0, 0], (3_000, 1)), rng.normal(size=(500, 3)), [[0, 0, -1.0]]])
    found = nearby(DocumentVectors(), DocumentVectors().of(rows), 30)
    assert (found.distances[:3_000] == 0).all()
    assert all(len({*row} - {i}) == 30 for i, row in enumerate(found.indices.tolist()))


def test_the_same_for_any_number_of_threads_and_another_for_another_seed():
    documents, distance = vectors(3_000), DocumentVectors()
    one, two = (nearby(distance, documents, 10, Run(threads=n)) for n in (1, 2))
    np.testing.assert_array_equal(one.indices, two.indices)
    np.testing.assert_array_equal(one.distances, two.distances)
    other = nearby(distance, documents, 10, Run(threads=2), random_state=1)
    assert (other.indices != one.indices).any()


def test_progress_is_told_to_the_end():
    told = []
    nearby(DocumentVectors(), vectors(500), 5, Run(progress=lambda done, total: told.append(done / total)))
    assert told == sorted(told)
    assert told[-1] == 1


def test_a_large_map_goes_by_near_documents(index, monkeypatch):
    pytest.importorskip("openTSNE")
    exact = index.map()
    monkeypatch.setattr(mapping, "EXACT", 3)
    near = index.map()
    assert near.shape == exact.shape
    np.testing.assert_array_equal(np.isnan(near), np.isnan(exact))
