"""Compact proportions, the bounds that are scanned over them, and search by these: never another answer."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hott
from hott import Blend, Corpus
from hott.compute import cpu, scan
from hott.compute.ground import UNITS, Distributions, Ground, Problem, Problems
from hott.distances.representation import Representation
from hott.distances.topic import HOTT
from hott.distances.topic_space import TopicSpace
from hott.distances.vector import L1
from hott.index import Index
from hott.neighbors import Offset, search
from hott.topics import FittedTopics
from hott.utils.run import Run

RUN = Run(threads=1)


def proportions(n: int, n_topics: int, seed: int, spread: float = 0.2) -> Distributions:
    """Documents like those of an index: some topics each, copies and single topics among them."""
    rng = np.random.default_rng(seed)
    dense = rng.dirichlet(np.full(n_topics, spread), size=n) + 1e-12
    dense[dense < 1 / (n_topics + 1)] = 0
    dense[np.arange(n), rng.integers(0, n_topics, n)] += 0.05
    dense[: n // 10] = np.eye(n_topics)[rng.integers(0, n_topics, n // 10)]
    dense[n // 2 : n // 2 + n // 10] = dense[n // 3]
    return Distributions.of(dense / dense.sum(axis=1, keepdims=True))


def metric(n_topics: int, seed: int) -> np.ndarray:
    points = np.random.default_rng(seed).normal(size=(n_topics, 3))
    return np.linalg.norm(points[:, None] - points, axis=2)


def rounded_slowly(masses: list[float]) -> list[int]:
    """Down to whole units; what is missing goes to those that lost most."""
    units = [int(mass * UNITS) for mass in masses]
    lost = sorted(range(len(masses)), key=lambda i: (units[i] - masses[i] * UNITS, i))
    for i in lost[: UNITS - sum(units)]:
        units[i] += 1
    return [unit for unit in units if unit]


@given(st.lists(st.lists(st.floats(1e-9, 1e6), min_size=1, max_size=9), min_size=1, max_size=4))
def test_rounded_rows_sum_to_one_and_are_as_near_as_can_be(weights):
    rows = np.zeros((len(weights), 9))
    for row, given_weights in zip(rows, weights):
        row[: len(given_weights)] = given_weights
    exact = Distributions.of(rows / rows.sum(axis=1, keepdims=True))
    compact = exact.compact()
    assert compact.is_compact
    for i in range(len(exact)):
        masses, units = exact[i : i + 1].csr.data, compact[i : i + 1].csr.data * UNITS
        assert units.tolist() == rounded_slowly(masses.tolist())
        assert compact[i : i + 1].csr.data.sum() == 1.0
        moved = np.abs(exact.csr[[i]] - compact.csr[[i]]).sum() / 2 * UNITS
        assert moved <= len(masses) / 4 + 1e-9
    again = Distributions.of(compact.csr).compact()
    assert again.masses.tolist() == compact.masses.tolist()
    assert compact.compact() is compact


@pytest.mark.parametrize(("n_topics", "dtype"), [(5, np.uint8), (256, np.uint8), (257, np.uint16)])
def test_rows_are_taken_joined_and_unpacked_in_compact_form(n_topics, dtype):
    exact = proportions(40, n_topics, 0)
    compact = exact.compact()
    assert compact.sites.dtype == dtype
    assert compact.masses.itemsize == 2
    assert (compact.csr[[3, 1]] != compact[[3, 1]].csr).nnz == 0
    assert (compact.csr[5:9] != compact[5:9].unpack().csr).nnz == 0
    joined = Distributions.concat([compact[:10], exact[10:]])
    assert joined.is_compact
    assert (joined.csr != compact.csr).nnz == 0
    assert not Distributions.concat([exact[:10], compact[10:]]).is_compact
    rows = np.array([7, 2, 7])
    arrays, places = compact.only(rows, *np.unique(rows, return_inverse=True))
    assert len(arrays[0]) == 3
    assert places.tolist() == [1, 0, 1]


@pytest.mark.parametrize("n_topics", [4, 30, 70])
def test_a_distance_of_rounded_rows_is_wrong_by_no_more_than_stated(n_topics):
    exact, cost = proportions(60, n_topics, 1), metric(n_topics, 1)
    distances = hott.transport.pairwise(exact, cost=cost)
    rounded = hott.transport.pairwise(exact.compact(), cost=cost)
    sizes = np.diff(exact.starts)
    stated = (sizes[:, None] + sizes) / 2**18 * cost.max()
    assert (abs(distances - rounded) <= stated).all()
    assert abs(distances - rounded).max() > 0


def problems_of(seed: int, n_topics: int, n_models: int, n: int = 150) -> Problems:
    parts = [proportions(n, n_topics, seed + model).compact() for model in range(n_models)]
    return Problems(
        tuple(
            Problem(rows[40:60], rows, Ground(metric(n_topics, seed + model) * (model + 1)))
            for model, rows in enumerate(parts)
        )
    )


def coarse_slowly(problems: Problems) -> np.ndarray:
    """The coarse bound, mass by mass: 8 heaviest topics, bytes for masses and costs."""
    n, m = problems.shape
    out = np.zeros((n, m))
    for i in range(n):
        nearest = []
        for problem in problems.each:
            costs = problem.ground.distances + np.diag(np.full(len(problem.ground.distances), np.inf))
            near = costs[problem.P[i : i + 1].csr.indices].min(axis=0)
            nearest.append(np.minimum(near, problem.ground.distances.max()))
        unit = max(near.max() for near in nearest) / 127
        for problem, near in zip(problems.each, nearest):
            own = np.ceil(problem.P[i : i + 1].csr.toarray()[0] * 256).clip(max=255)
            for j in range(m):
                row = problem.others[j : j + 1].csr
                heaviest = np.lexsort((row.indices, -row.data))[:8]
                for site, mass in zip(row.indices[heaviest], row.data[heaviest]):
                    excess = max(min(int(mass * 256), 255) - own[site], 0)
                    out[i, j] += excess / 256 * int(near[site] / unit * (1 - 1e-6)) * unit * problems.share
    return out


@pytest.mark.parametrize(("n_topics", "n_models"), [(3, 2), (16, 1), (17, 2), (70, 2), (140, 1), (256, 1)])
def test_bounds_are_what_they_say_and_never_above_the_distance(n_topics, n_models):
    problems = problems_of(n_topics, n_topics, n_models)
    assert scan.can_scan(problems)
    exact = cpu.pairwise(problems, RUN)
    coarse = scan.coarse_bound(problems, RUN)
    assert coarse == pytest.approx(coarse_slowly(problems), rel=1e-5, abs=1e-6)
    relaxed = cpu.lower_bound(problems, RUN)
    assert (coarse <= relaxed + 1e-5 * relaxed.max()).all()
    rows, cols = np.divmod(np.arange(exact.size), exact.shape[1])
    bounds = scan.relaxed_bound(problems, rows, cols, np.full(len(rows), np.inf), RUN)
    assert bounds == pytest.approx(relaxed.ravel(), abs=1e-4 * float(relaxed.max()))
    for bound in (coarse, bounds.reshape(exact.shape)):
        assert (bound <= exact + 1e-9 * exact.max()).all()
    limits = np.random.default_rng(0).uniform(0, exact.max(), len(rows))
    some = scan.relaxed_bound(problems, rows, cols, limits, RUN)
    assert some.tolist() == np.where(bounds <= limits, bounds, np.inf).tolist()
    few = np.arange(7, len(rows), 140)  # of many queries one pair each
    alone = scan.relaxed_bound(problems, rows[few], cols[few], np.full(len(few), np.inf), RUN)
    assert alone.tolist() == bounds[few].tolist()


def test_bounds_of_many_documents_are_those_of_a_few_at_a_time():
    rows = proportions(
        2_049, 20, 0
    ).compact()  # of 16 documents, 64 blocks to a task: one more than two tasks

    def problems(others: Distributions) -> Problems:
        return Problems((Problem(rows[3:6], others, Ground(metric(20, 0))),))

    pieces = [scan.coarse_bound(problems(rows[start : start + 300]), RUN) for start in range(0, 2_049, 300)]
    assert scan.coarse_bound(problems(rows), RUN).tolist() == np.hstack(pieces).tolist()
    i, j = np.divmod(np.arange(4_097), 2_049)  # 4,096 pairs to a task
    bounds = scan.relaxed_bound(problems(rows), i, j, np.full(4_097, np.inf), RUN)
    last = scan.relaxed_bound(problems(rows), i[-9:], j[-9:], np.full(9, np.inf), RUN)
    assert bounds[-9:].tolist() == last.tolist()
    assert last[-1] > 0


@pytest.mark.parametrize("scale", [1e-40, 1e39, 1e200])
def test_bounds_hold_for_costs_beyond_single_precision(scale):
    rows = proportions(30, 20, 0).compact()
    problems = Problems((Problem(rows[3:6], rows, Ground(metric(20, 0) * scale)),))
    relaxed, exact = cpu.lower_bound(problems, RUN), cpu.pairwise(problems, RUN)
    i, j = np.divmod(np.arange(exact.size), exact.shape[1])
    bounds = scan.relaxed_bound(problems, i, j, np.full(len(i), np.inf), RUN)
    assert (bounds <= exact.ravel()).all()
    assert bounds == pytest.approx(relaxed.ravel(), abs=1e-4 * float(relaxed.max()))


def hott_of(problems: Problems) -> tuple[HOTT, Representation]:
    spaces = []
    for problem in problems.each:
        n_topics = len(problem.ground.distances)
        spaces.append(TopicSpace(FittedTopics(np.eye(n_topics), alpha=0.1), problem.ground.distances))
    return HOTT.from_models(spaces), Representation.of(*(problem.others for problem in problems.each))


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 10_000),
    st.sampled_from([2, 9, 40]),
    st.integers(1, 3),
    st.integers(1, 12),
    st.sampled_from(["plain", "own", "offset", "filter", "blend"]),
)
def test_search_over_compact_proportions_is_that_of_brute_force(seed, n_topics, n_models, k, how):
    rng = np.random.default_rng(seed)
    problems = problems_of(seed, n_topics, n_models)
    distance, documents = hott_of(problems)
    n = len(documents)
    chosen = rng.integers(0, n, 1 if how in ("offset", "filter") else 7)
    offset, own = None, None
    if how == "blend":
        words = L1().fit(rng.integers(1, 3, (2, 30)))
        seen = words.represent(
            rng.poisson(0.3, (n, 30))
            + np.eye(n, 30, dtype=int)
            + np.eye(n, 30, -100, int)
            + (np.arange(30) == 0)
        )
        distance = Blend.from_fitted([distance, words], [0.7, 1.3])
        documents = Representation.of(documents, seen)
    queries = documents.take(chosen)
    sought = distance.between(queries, documents)
    if how in ("offset", "filter"):
        values = rng.uniform(-3, 0, n) * (rng.random(n) < 0.2)
        if how == "filter":
            values[rng.random(n) < 0.8] = np.inf
            k = min(k, int(np.isfinite(values).sum()))
        offset = Offset(0.5, values)
        sought = 0.5 * sought + values
    if how == "own":
        own = chosen
        sought[np.arange(len(chosen)), own] = np.inf
    found = search(distance, queries, documents, k, RUN, own=own, offset=offset)
    best = np.argsort(sought, axis=1, kind="stable")[:, :k]
    assert found.distances == pytest.approx(np.take_along_axis(sought, best, axis=1), abs=1e-9)
    assert np.take_along_axis(sought, found.indices, axis=1) == pytest.approx(found.distances, abs=1e-9)
    if how in ("plain", "own"):  # to the bit, ties in the order of the documents
        assert found.indices.tolist() == best.tolist()
    assert found.computed + found.pruned == len(chosen) * (n - (own is not None))


@pytest.mark.parametrize("factor", [1e-200, 1e-44, 1e-38, 1e-30, 1e30, 1e38, 1e39, 1e200])
@pytest.mark.parametrize("alone", [True, False])
def test_search_is_exact_for_factors_beyond_single_precision(factor, alone):
    distance, documents = hott_of(problems_of(5, 20, 2))
    seen = L1().fit(np.eye(2, 30, dtype=int))
    counts = np.random.default_rng(5).poisson(0.5, (len(documents), 30)) + 1
    others = [] if alone else [seen]
    blend = Blend.from_fitted([distance, *others], [factor, factor][: 1 + len(others)])
    both = Representation.of(documents, *(part.represent(counts) for part in others))
    queries = both.take(np.arange(7))
    sought = blend.between(queries, both)
    found = search(blend, queries, both, 9, RUN)
    assert found.distances == pytest.approx(np.sort(sought, axis=1)[:, :9], rel=1e-12, abs=1e-12 * factor)


def test_what_differs_in_the_eighth_digit_is_told_apart():
    """The bounds are looked at in single precision, which has seven."""
    distance, documents = hott_of(problems_of(6, 20, 1, n=1_000))
    query, rng = documents.take(np.arange(1)), np.random.default_rng(6)
    distances = distance.between(query, documents)[0]
    assert (distances == 0).sum() > 1
    less = 1e-8 * rng.random(len(distances)) + 1.5e-8 * (distances == 0)
    offset = Offset(0.5, 1 - 0.5 * distances - less)
    found = search(distance, query, documents, 10, RUN, offset=offset)
    sought = offset.add(distances, slice(None))
    assert found.indices[0].tolist() == np.argsort(sought)[:10].tolist()


def test_distances_that_are_no_numbers_are_refused():
    distance, documents = hott_of(problems_of(5, 20, 2))
    blend = Blend.from_fitted([distance], [1e308])
    with np.errstate(over="ignore"), pytest.raises(ValueError, match="larger than any number"):
        search(blend, Representation.of(documents), Representation.of(documents), 3, RUN)


def test_blocks_that_are_searched_at_once_find_what_one_after_the_other_finds():
    distance, documents = hott_of(problems_of(3, 20, 2, n=4_200))  # five blocks of queries
    own = np.arange(len(documents))
    one, two = (search(distance, documents, documents, 3, Run(threads=n), own=own) for n in (1, 2))
    assert one.indices.tolist() == two.indices.tolist()
    assert one.distances.tolist() == two.distances.tolist()
    assert one.computed == two.computed


TEXTS = [
    "A planet orbits its star.", "Stars and planets shine at night.", "The moon orbits a planet.",
    "Goals win a football match.", "A striker scores goals.", "The match was won by a late goal.",
    "Bread needs flour and yeast.", "Yeast makes bread rise.", "Flour, water and salt make dough.",
]  # fmt: skip


@pytest.fixture(scope="module")
def both() -> tuple[Index, Index]:
    corpus = Corpus(TEXTS * 3, ids=[str(i) for i in range(27)])
    rounded, exact = (
        Index.build(corpus, n_topics=4, n_models=2, iterations=30, exact_proportions=exact)
        for exact in (False, True)
    )
    return rounded, exact


def test_an_index_rounds_proportions_once_and_goes_by_the_rounded_ones(both, tmp_path):
    rounded, exact = both
    assert all(part.is_compact for part in rounded.snapshot.topics.distributions)
    assert not any(part.is_compact for part in exact.snapshot.topics.distributions)
    assert np.unique(rounded.proportions.data * UNITS % 1) == [0.0]
    assert abs(rounded.distances() - exact.distances()).max() < 1e-3
    query = rounded.search(TEXTS[4], by="topics", k=27)
    twin = exact.search(TEXTS[4], by="topics", k=27)
    assert [hit.distance for hit in query] == pytest.approx([hit.distance for hit in twin], abs=1e-3)
    rounded.save(tmp_path / "x.hott")
    opened = hott.open(tmp_path / "x.hott")
    assert np.array_equal(opened.distances(), rounded.distances())
    assert (opened.proportions != rounded.proportions).nnz == 0


@pytest.mark.parametrize("by", ["both", "words", "topics"])
def test_every_way_to_search_finds_the_same_in_both_forms(both, by):
    rounded, exact = both
    for text in ("planet and star", "goals", "yeast bread moon"):
        found, twin = (index.search(text, by=by, k=6) for index in (rounded, exact))
        assert [hit.score for hit in found] == pytest.approx([hit.score for hit in twin], abs=1e-2)
        assert found.computed + found.pruned == len(rounded)


def test_an_index_is_sent_to_another_process_without_what_is_soon_made_again(both, tmp_path):
    both[0].save(tmp_path / "x.hott")
    index = hott.open(tmp_path / "x.hott")
    before = len(pickle.dumps(index.snapshot.topics))
    nearest = index.neighbors(3).distances  # makes sketches and an inverted index
    assert len(pickle.dumps(index.snapshot.topics)) == before
    assert np.array_equal(pickle.loads(pickle.dumps(index)).neighbors(3).distances, nearest)


def test_weights_of_words_are_read_when_neighbours_are_asked_for(both, tmp_path):
    both[0].save(tmp_path / "x.hott")
    index = hott.open(tmp_path / "x.hott")
    assert len(index.search("goals", k=3)) == 3
    (tmp_path / "x.hott").write_bytes(b"")
    with pytest.raises(hott.storage.StorageError, match="written to while it was open"):
        index.neighbors(3)


def test_files_of_before_are_read_and_stay_exact(both, tmp_path):
    path = tmp_path / "x.hott"
    both[1].save(path)
    stored = hott.storage.read(path)
    header = stored.header | {"version": 2}
    del header["parameters"]["exact_proportions"]
    arrays = {name: stored.arrays[name] for name in stored.arrays}
    arrays["postings.counts"] = arrays["postings.counts"].astype(np.int32)
    tables = {name: stored.tables[name].read() for name in stored.tables}
    hott.storage.write(path, header, arrays, tables)
    opened = hott.open(path)
    assert opened.parameters["exact_proportions"]
    assert np.array_equal(opened.distances(), both[1].distances())
    assert opened.search("goals", k=3)[0].score == both[1].search("goals", k=3)[0].score
