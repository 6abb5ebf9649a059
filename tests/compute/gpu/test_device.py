"""On a device: the same answers as on the CPU."""

import numpy as np
import pytest
from scipy import sparse

import hott
from hott import transport
from hott.compute import cascade, gpu
from hott.compute.gpu import bounds, exact, matrix
from hott.compute.ground import Distributions, Ground, Problem, Problems
from hott.topics import FittedTopics, GibbsLDA
from hott.utils.run import Run
from tests.compute.gpu.emulation import sampled
from tests.compute.gpu.test_kernel import documents, metric_cost
from tests.compute.gpu.test_topics import folder, planted, task_of  # noqa: F401

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not gpu.available(), reason="there is no CUDA device here, or no CuPy"),
]

COST = metric_cost()
PEOPLE = documents(700, 1, largest=36)  # of which some are too large for the device
OTHERS = documents(300, 2, largest=36)


def nearest(P, Q, k, own):
    """The nearest documents by the cascade, all blocks of queries put together."""
    problems = Problems((Problem(P, Q, Ground(COST)),))
    blocks = [cascade.nearest(block, k) for _, block in gpu.bounded_blocks(problems, k, own, Run())]
    indices, distances, computed = zip(*blocks)
    return cascade.Nearest(np.concatenate(indices), np.concatenate(distances), sum(computed))


def test_all_pairs():
    found = transport.pairwise(PEOPLE, OTHERS, cost=COST, device="cuda")
    np.testing.assert_allclose(found, transport.pairwise(PEOPLE, OTHERS, cost=COST), rtol=1e-9)


def test_all_pairs_among_themselves_are_symmetric_and_the_same_again():
    found = transport.pairwise(PEOPLE, cost=COST, device="cuda")
    np.testing.assert_allclose(found, transport.pairwise(PEOPLE, cost=COST), rtol=1e-9)
    assert (found == found.T).all()
    assert (np.diagonal(found) == 0).all()
    assert (found == transport.pairwise(PEOPLE, cost=COST, device="cuda")).all()


def test_documents_that_hardly_differ():
    P = documents(200, 4, largest=12)
    Q = P * (1 + 1e-6 * np.random.default_rng(5).normal(size=P.shape))
    Q /= Q.sum(axis=1, keepdims=True)
    found = transport.pairwise(P, Q, cost=COST, device="cuda")
    np.testing.assert_allclose(found, transport.pairwise(P, Q, cost=COST), rtol=1e-7)


def test_costs_that_are_no_metric():
    for cost in (COST**2, np.random.default_rng(4).random(COST.shape)):
        found = transport.pairwise(PEOPLE, OTHERS, cost=cost, metric=False, device="cuda")
        expected = transport.pairwise(PEOPLE, OTHERS, cost=cost, metric=False)
        np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_listed_pairs_are_those_of_the_matrix():
    rows, cols = np.random.default_rng(6).integers(0, 300, (2, 20000))
    found = transport.pairs(PEOPLE, OTHERS, rows, cols, cost=COST, device="cuda")
    everything = transport.pairwise(PEOPLE, OTHERS, cost=COST, device="cuda")
    assert (found == everything[rows, cols]).all()


def test_documents_that_are_all_too_large():
    P = np.random.default_rng(9).dirichlet(np.ones(len(COST)), 60)
    expected = transport.pairwise(P, cost=COST)
    assert (transport.pairwise(P, cost=COST, device="cuda") == expected).all()
    rows, cols = np.divmod(np.arange(3600), 60)
    assert (transport.pairs(P, P, rows, cols, cost=COST, device="cuda") == expected.ravel()).all()
    distances = nearest(Distributions.of(P), None, 3, np.arange(60)).distances
    np.testing.assert_allclose(distances, np.sort(expected, axis=1)[:, 1:4], rtol=1e-12)


def test_masses_that_do_not_sum_to_one():
    found = transport.pairwise(3 * PEOPLE, 3 * OTHERS, cost=COST, device="cuda")
    np.testing.assert_allclose(found, 3 * transport.pairwise(PEOPLE, OTHERS, cost=COST), rtol=1e-9)


def test_bounds_never_exceed_distances():
    bound = transport.lower_bound(PEOPLE, OTHERS, cost=COST, device="cuda")
    distance = transport.pairwise(PEOPLE, OTHERS, cost=COST)
    assert (bound <= distance).all()
    np.testing.assert_allclose(bound, transport.lower_bound(PEOPLE, OTHERS, cost=COST), atol=1e-4)


def test_small_blocks_and_a_memory_map(monkeypatch, tmp_path):
    monkeypatch.setattr(matrix, "ENTRIES", 20000)
    monkeypatch.setattr(matrix, "PIECE", 5000)
    monkeypatch.setattr(matrix, "SLICE", 1000)
    out = np.memmap(tmp_path / "distances", np.float64, "w+", shape=(700, 700))
    seen = []
    transport.pairwise(
        PEOPLE, cost=COST, device="cuda", out=out, progress=lambda done, total: seen.append((done, total))
    )
    np.testing.assert_allclose(out, transport.pairwise(PEOPLE, cost=COST), rtol=1e-9)
    assert seen == sorted(seen)
    assert seen[-1] == (490000, 490000)


def test_more_failures_than_there_is_room_for(monkeypatch):
    """Costs of many magnitudes leave a good part to the CPU."""
    monkeypatch.setattr(exact.Failures, "ROOM", 10)
    points = 10 ** np.random.default_rng(2).uniform(-6, 0, (40, 1)) * np.random.default_rng(3).normal(
        size=(40, 3)
    )
    cost = np.linalg.norm(points[:, None] - points, axis=2)
    found = transport.pairwise(PEOPLE, cost=cost, metric=True, device="cuda")
    np.testing.assert_allclose(found, transport.pairwise(PEOPLE, cost=cost, metric=True), rtol=1e-7)


def test_arrays_on_the_device():
    import cupy
    from cupyx.scipy import sparse as device_sparse

    expected = transport.pairwise(PEOPLE, OTHERS, cost=COST, device="cuda")
    found = transport.pairwise(cupy.asarray(PEOPLE), cupy.asarray(OTHERS), cost=COST, device="cuda")
    assert (found == expected).all()
    rows = device_sparse.csr_matrix(sparse.csr_matrix(PEOPLE))
    assert (transport.pairwise(rows, OTHERS, cost=COST, device="cuda") == expected).all()


def test_pytorch_tensors_on_the_device():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("this PyTorch has no CUDA")
    tensor = torch.tensor(PEOPLE, device="cuda", requires_grad=True)
    found = transport.pairwise(tensor, OTHERS, cost=COST, device="cuda")
    assert (found == transport.pairwise(PEOPLE, OTHERS, cost=COST, device="cuda")).all()


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("entries", [1 << 29, 40000])
def test_nearest_documents(monkeypatch, own, entries):
    monkeypatch.setattr(bounds, "ENTRIES", entries)
    P = Distributions.of(PEOPLE)
    Q = None if own else Distributions.of(OTHERS)
    numbers = np.arange(700) if own else None
    found = nearest(P, Q, 9, numbers)
    expected = transport.pairwise(PEOPLE, None if own else OTHERS, cost=COST)
    if own:
        np.fill_diagonal(expected, np.inf)
    first = np.argsort(expected, axis=1, kind="stable")[:, :9]
    assert (found.indices == first).all()
    np.testing.assert_allclose(found.distances, np.take_along_axis(expected, first, axis=1), rtol=1e-9)
    assert found.computed < expected.size / 2


def test_nearest_documents_among_many_equal_ones():
    """Ties far beyond k: the first in the order of the documents are found."""
    P = Distributions.of(np.repeat(documents(5, 7), 60, axis=0))
    found = nearest(P, None, 6, np.arange(300))
    for row in (0, 100, 299):
        same = [d for d in range(row // 60 * 60, row // 60 * 60 + 60) if d != row]
        assert list(found.indices[row]) == same[:6]
    assert (found.distances == 0).all()


@pytest.mark.parametrize(("p", "models"), [(1, 1), (2, 1), (1, 3)])
def test_distances_over_topics(p, models):
    rng = np.random.default_rng(8)
    counts, vectors = rng.poisson(0.4, (150, 60)) + np.eye(150, 60, dtype=int), rng.normal(size=(60, 5))
    distance = hott.HOTT(vectors, n_topics=12, iterations=10, p=p, n_models=models).fit(counts)
    np.testing.assert_allclose(
        distance.pairwise(counts, device="cuda"), distance.pairwise(counts), rtol=1e-7, atol=1e-12
    )
    there = hott.Neighbors(distance).fit(counts).kneighbors(k=5, device="cuda")
    here = hott.Neighbors(distance).fit(counts).kneighbors(k=5)
    np.testing.assert_allclose(there.distances, here.distances, rtol=1e-7, atol=1e-12)
    assert there.computed + there.pruned == here.computed + here.pruned


# -- topics -----------------------------------------------------------------------------------------------


def learned(counts, seeds, n_topics=5, sweeps=30, vectors=None, **options):
    model = GibbsLDA(n_topics, sweeps, word_vectors=vectors)
    return model.learn_many(sparse.csr_array(counts.astype(float)), seeds, Run(device="cuda", **options))


@pytest.mark.parametrize("n_topics", [1, 5, 32, 33, 70, 200, 1000])
def test_topics_are_the_same_again(n_topics):
    """Although documents are drawn in no order: same seed, same topics, alone or in company."""
    rng = np.random.default_rng(11)
    counts = rng.poisson(0.3, (400, 90)) + np.eye(400, 90, dtype=int)
    vectors = rng.normal(size=(90, 6))
    first = learned(counts, [4, 5, 6], n_topics, vectors=vectors)
    again = learned(counts, [6, 5], n_topics, vectors=vectors)
    assert np.array_equal(first[1].components, again[1].components)
    assert np.array_equal(first[2].components, again[0].components)
    assert first[0].components.sum(axis=1) == pytest.approx(1, abs=1e-4)
    assert n_topics == 1 or not np.array_equal(first[0].components, first[1].components)


def test_one_sweep_draws_nearly_what_the_emulation_draws(folder):  # noqa: F811
    """A warp adds up weights in another order than one lane does: few draws differ by that."""
    import cupy

    from hott.compute.gpu.topics import Chains, start_kernel

    counts, _ = planted(300)
    task = task_of(counts, n_topics=20, sweeps=1, seeds=[1, 2])
    chains = Chains(cupy, start_kernel, task, task.seeds)
    chains.sweep(0)
    expected = sampled(folder, task).arrays
    assert (chains.arrays["topic"].get() == expected["topic"]).mean() > 0.99
    kept = np.zeros((2, 15, 32), int)
    for model in range(2):
        np.add.at(kept[model], (expected["word"], chains.arrays["topic"][model].get()), 1)
    assert (chains.arrays["count"].get() == kept).all()
    assert (chains.arrays["total"].get() == kept.sum(axis=1)).all()


def test_topics_find_planted_themes():
    counts, theme = planted(120)
    heard = []
    for topics in learned(counts, [0, 1], 3, progress=lambda *now: heard.append(now)):
        found = topics.transform(counts).argmax(axis=1)
        assert (found == found[:3][theme]).all()
        assert len(set(found[:3])) == 3
    assert heard[-1] == (60, 60)


def test_topics_of_few_words_and_documents():
    for counts in ([[5]], [[1]], [[3, 1, 4]], [[2, 0], [0, 0], [0, 3]]):
        for topics in learned(np.array(counts), [0], 2, vectors=np.eye(2)[np.arange(len(counts[0])) % 2]):
            assert topics.components.sum(axis=1) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("n_topics", [1, 3, 8, 70, 333, 3000])
def test_documents_are_read_as_on_the_cpu_to_the_bit(n_topics):
    rng = np.random.default_rng(12)
    components = rng.dirichlet(np.full(400, 0.05), n_topics)
    components[:, :20] = 0  # words that no topic knows
    topics = FittedTopics(components / components.sum(axis=1, keepdims=True), alpha=rng.random(n_topics))
    counts = rng.poisson(rng.choice([0, 0.02, 0.2, 2], (700, 1)), (700, 400))
    assert (counts.sum(axis=1) == 0).any()
    assert np.array_equal(topics.transform(counts, device="cuda"), topics.transform(counts))


def test_documents_read_in_several_blocks(monkeypatch):
    from hott.compute.gpu import topics

    monkeypatch.setattr(topics, "ENTRIES", 500)
    rng = np.random.default_rng(13)
    topics = FittedTopics(rng.dirichlet(np.full(60, 0.1), 7))
    counts = rng.poisson(0.4, (900, 60))
    assert np.array_equal(topics.transform(counts, device="cuda"), topics.transform(counts))


def test_an_index_built_on_the_device():
    words = np.array(["goal", "team", "striker", "market", "profit", "bank", "tree", "leaf", "root"])
    rng = np.random.default_rng(14)
    texts = [" ".join(rng.choice(words[3 * (i % 3) : 3 * (i % 3) + 3], 12)) for i in range(60)]
    index = hott.Index.build(texts, n_topics=3, n_models=2, embeddings=False, device="cuda")
    for i, hits in enumerate(index.neighbors(k=5).indices):
        assert (hits % 3 == i % 3).all()
