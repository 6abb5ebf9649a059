"""What can be told without a device: arguments, messages, the choice of the device, kernel sources."""

import itertools
import shutil
import subprocess
import sys

import numpy as np
import pytest

import hott
from hott import transport
from hott.compute import backends, cpu, gpu
from hott.compute.gpu import device, matrix
from hott.compute.gpu.layout import (
    COLUMN_CLASSES,
    FEWER_CLASSES,
    MAX_SIDE,
    ROW_CLASSES,
    DeviceDocuments,
    DeviceGround,
    Shape,
    first_gives_columns,
    segments,
)
from hott.compute.ground import Distributions, Ground, Order, Problem, Problems
from hott.utils.run import Run

COST = np.array([[0.0, 1, 2], [1, 0, 1], [2, 1, 0]])
P = np.array([[1.0, 0, 0], [0, 0.5, 0.5]])

without_device = pytest.mark.skipif(gpu.available(), reason="there is a device here")


@pytest.fixture
def no_cupy(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)  # as if it were not installed
    device.cupy.cache_clear()
    yield
    device.cupy.cache_clear()


# -- which device -----------------------------------------------------------------------------------------


def test_without_cupy_the_message_says_how_to_get_it(no_cupy):
    with pytest.raises(ImportError, match=r'pip install "hott\[gpu\]"'):
        transport.pairwise(P, cost=COST, device="cuda")
    with pytest.raises(ImportError, match=r"hott\[gpu\]"):
        hott.Neighbors(topic_distance()).fit(COUNTS).kneighbors(k=1, device="cuda")


def test_without_cupy_auto_uses_the_cpu(no_cupy, monkeypatch):
    monkeypatch.setattr(backends, "MIN_PAIRS", 1)
    assert not gpu.available()
    assert (transport.pairwise(P, cost=COST, device="auto") == transport.pairwise(P, cost=COST)).all()


@without_device
def test_cuda_without_a_device_is_an_error():
    with pytest.raises((ImportError, gpu.NoDeviceError)):
        transport.pairs(P, P, [0], [1], cost=COST, device="cuda")


def test_auto_leaves_little_work_to_the_cpu(monkeypatch):
    monkeypatch.setattr(gpu, "available", lambda: True)

    def chosen(where, n_pairs):
        return backends.dispatch(Run(device=where), n_pairs, lambda: "device", lambda: "here")

    assert chosen("auto", backends.MIN_PAIRS - 1) == "here"
    assert chosen("auto", backends.MIN_PAIRS) == "device"
    assert chosen("cpu", 10**12) == "here"


def test_too_little_memory_is_an_error_or_left_to_the_cpu(monkeypatch):
    def full(*arguments, **options):
        raise MemoryError("The distances need 9.0 GiB of device memory and 1.0 GiB are free.")

    for name in ("pairwise", "pairs", "lower_bound", "bounded_blocks", "fold_in"):
        monkeypatch.setattr(gpu, name, full)
    monkeypatch.setattr(backends, "is_worthwhile", lambda run, pairs: run.device != "cpu")
    distance = topic_distance().fit(COUNTS)
    calls = [
        lambda where: transport.pairwise(P, cost=COST, device=where),
        lambda where: transport.pairs(P, P, [0], [1], cost=COST, device=where),
        lambda where: transport.lower_bound(P, cost=COST, device=where),
        lambda where: distance.pairwise(COUNTS, device=where),
        lambda where: distance.models_[0].topics.transform(COUNTS, device=where),
        lambda where: hott.Neighbors(distance).fit(COUNTS).kneighbors(k=2, device=where).distances,
    ]
    for call in calls:
        assert (call("auto") == call("cpu")).all()
        with pytest.raises(MemoryError, match=r"9\.0 GiB of device memory"):
            call("cuda")


@pytest.mark.parametrize("function", ["pairwise", "lower_bound"])
def test_unknown_devices_are_named(function):
    with pytest.raises(ValueError, match='device must be "cpu", "cuda" or "auto", not \'gpu\''):
        getattr(transport, function)(P, cost=COST, device="gpu")


COUNTS = np.random.default_rng(0).poisson(1.0, (12, 6)) + np.eye(12, 6, dtype=int)


def topic_distance():
    return hott.HOTT(np.eye(6), n_topics=3, iterations=5)


def test_distances_that_a_gpu_does_not_help_say_so(monkeypatch):
    monkeypatch.setattr(backends, "is_worthwhile", lambda run, pairs: True)
    wmd = hott.WMD(np.eye(6)).fit(COUNTS)
    with pytest.raises(ValueError, match='WMD is computed on the CPU only: choose device="cpu" or "auto"'):
        wmd.pairwise(COUNTS, device="cuda")
    assert (wmd.pairwise(COUNTS, device="auto") == wmd.pairwise(COUNTS)).all()


@pytest.mark.parametrize(("p", "models"), [(1, 1), (2, 3)])
def test_a_distance_over_topics_is_a_sum_of_problems(p, models):
    """Solved one by one on the CPU they give the distance: what the device is asked for is right."""
    distance = topic_distance().set_params(p=p, n_models=models).fit(COUNTS)
    problems = distance._problems(distance.represent(COUNTS), None)
    rows, cols = np.divmod(np.arange(144), 12)
    values = cpu.pairs(problems, rows, cols, Run(threads=1))
    np.testing.assert_allclose(values.reshape(12, 12), distance.pairwise(COUNTS), rtol=1e-12)
    total = np.zeros((12, 12))
    for problem in problems.each:
        ground = problem.ground
        costs = transport.pairwise(problem.P, cost=ground.cost, metric=ground.keeps_common)
        alone = problems.contribution(problem, costs)
        bound = transport.lower_bound(problem.P, cost=ground.distances)
        assert (problems.share * bound <= alone + 1e-12).all()
        total += alone
    np.testing.assert_allclose(total, distance.pairwise(COUNTS), rtol=1e-12)


# -- where results go -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("mirror", "step"), [(False, 1), (True, 1), (False, 128)])
@pytest.mark.parametrize(("n", "m"), [(1, 1), (7, 7), (1000, 1000)])
def test_blocks_cover_the_matrix(n, m, mirror, step):
    times = np.zeros((n, m), int)
    for block in matrix.blocks(n, m, mirror, 3000, step):
        assert block.rows.start % step == 0
        rows = slice(block.rows.start, block.rows.stop)
        times[rows, block.skip :] += 1
        if mirror:
            times[block.rows.stop :, rows] += 1
    assert (times == 1).all()


# -- what the kernels read --------------------------------------------------------------------------------


def on_device(cost, metric):
    return DeviceGround.of(np, Ground(cost, is_metric=metric))


def test_documents_are_laid_out_by_size_and_mass():
    rng = np.random.default_rng(1)
    X = np.zeros((60, 40))
    for row, size in zip(X, rng.integers(1, 41, 60)):
        row[rng.choice(40, size, replace=False)] = rng.random(size) + 0.01
    X /= X.sum(axis=1, keepdims=True)
    sizes = (X > 0).sum(axis=1)
    laid = DeviceDocuments.of(np, Distributions.of(X), on_device(np.ones((40, 40)), False))
    assert sorted(laid.number) == list(np.flatnonzero(sizes <= MAX_SIDE))
    assert (np.diff(laid.sizes) >= 0).all()
    for place, row in enumerate(laid.number):
        size = sizes[row]
        assert laid.size[place] == size
        assert (np.diff(laid.mass[:size, place]) >= 0).all()
        assert (laid.mass[size:, place] == 0).all()
        np.testing.assert_allclose(X[row, laid.site[:size, place]], laid.mass[:size, place])
        np.testing.assert_allclose(laid.mass_at[:, place], X[row])


def test_a_slice_of_distributions_is_laid_out_like_a_copy():
    rows = Distributions.of(np.random.default_rng(2).dirichlet(np.ones(5), 9))
    ground = on_device(np.ones((5, 5)), False)
    part, copy = (DeviceDocuments.of(np, some, ground) for some in (rows[3:7], rows[[3, 4, 5, 6]]))
    assert (part.mass == copy.mass).all()
    assert (part.number == copy.number).all()


def test_rounded_costs_and_rests_make_up_the_cost():
    cost = np.random.default_rng(3).random((20, 20))
    ground = on_device(cost, False)
    again = ((ground.rounded >> 4) + ground.rest.astype(float)) * ground.unit
    np.testing.assert_allclose(again, cost, rtol=1e-12, atol=1e-15)
    assert ground.rounding <= 0.5
    assert on_device(1 - np.eye(4), True).rounding == 0


def test_every_class_of_sizes_has_a_shape_that_fits():
    for shared in (99 << 10, 163 << 10, 227 << 10):  # a desktop card, A100, H100
        for rows, columns in itertools.product(ROW_CLASSES, COLUMN_CLASSES):
            for few in (False, True):
                assert Shape.fit(rows, columns, 70, shared, few).shared_bytes(70) <= shared
    with pytest.raises(MemoryError, match="100000 sites are too many for the device's shared memory, 227 KB"):
        Shape.fit(16, 16, 100_000, 227 << 10, False)


def test_a_pair_goes_the_way_of_its_classes():
    """The same way in a matrix and in a list, so that it has the same bits."""
    for p, q in itertools.product(range(1, MAX_SIDE + 1), repeat=2):
        for classes in ((COLUMN_CLASSES, ROW_CLASSES), (FEWER_CLASSES, FEWER_CLASSES)):
            p_class, q_class = (next(limit for limit in c if limit >= n) for c, n in zip(classes, (p, q)))
            assert first_gives_columns(p_class, q_class) == first_gives_columns(p, q)
        assert first_gives_columns(p, q) or first_gives_columns(q, p)
    sizes = np.array([3, 16, 17, 16]), np.array([16, 3, 16, 17])
    assert first_gives_columns(*sizes).tolist() == [True, True, True, False]


@pytest.mark.parametrize("mirror", [False, True])
def test_pairs_too_large_for_the_device_are_those_with_a_large_document(monkeypatch, mirror):
    rng = np.random.default_rng(4)
    P, Q = (many_sizes(rng, 50) for _ in range(2))
    problem = Problem(P, None if mirror else Q, Ground(np.ones((40, 40)) - np.eye(40)))
    monkeypatch.setattr(matrix, "AT_ONCE", 30)
    listed = np.zeros(problem.shape, int)
    for part in matrix.too_large(problem, mirror):
        listed[np.ix_(part.rows, part.cols)] += 1
        if part.mirrored:
            listed[np.ix_(part.cols, part.rows)] += 1
    p, q = np.diff(P.starts), np.diff(problem.others.starts)
    assert (listed == ((p[:, None] > MAX_SIDE) | (q > MAX_SIDE))).all()


@pytest.mark.parametrize("ahead", [0, 1 << 20], ids=["after", "ahead"])
def test_the_cpu_adds_its_part_of_every_problem(monkeypatch, ahead):
    """The device's part is 0 here, so that what is added is what the CPU solves."""
    monkeypatch.setattr(matrix, "IN_ADVANCE", ahead)
    rng = np.random.default_rng(5)
    P, cost = many_sizes(rng, 40), np.ones((40, 40)) - np.eye(40)
    problems = Problems(tuple(Problem(P, None, Ground(cost, Order(p))) for p in (1, 2)))
    out = np.zeros((40, 40))
    on_cpu = matrix.OnCPU(problems, True, Run(threads=1))
    on_cpu.add_to(out)
    sizes = np.diff(P.starts)
    left = (sizes[:, None] > MAX_SIDE) | (sizes > MAX_SIDE)
    expected = (transport.pairwise(P, cost=cost) + np.sqrt(transport.pairwise(P, cost=cost))) / 2
    np.testing.assert_allclose(out, np.where(left, expected, 0), rtol=1e-9, atol=1e-12)
    assert (out == out.T).all()
    assert on_cpu.pairs == 2 * left.sum()


def many_sizes(rng, count):
    X = np.zeros((count, 40))
    for row, size in zip(X, rng.integers(1, 40, count)):
        row[rng.choice(40, size, replace=False)] = 1 / size
    return Distributions.of(X)


def test_segments_of_sorted_sizes():
    assert list(segments(np.array([1, 2, 2, 5, 16]), (2, 4, 6, 16))) == [(2, 0, 3), (6, 3, 4), (16, 4, 5)]


# -- arrays of other libraries ----------------------------------------------------------------------------


def test_tensors_are_taken_like_arrays():
    class Tensor:
        """Speaks DLPack and nothing else."""

        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    assert (transport.pairwise(Tensor(P), cost=COST) == transport.pairwise(P, cost=COST)).all()


def test_pytorch_tensors_with_gradients():
    torch = pytest.importorskip("torch")
    tensor = torch.tensor(P, requires_grad=True)
    assert (transport.pairwise(tensor, cost=COST) == transport.pairwise(P, cost=COST)).all()


# -- the source of the kernels ----------------------------------------------------------------------------

SHAPES = [{"ROWS": rows, "COLUMNS": columns} for rows, columns in ((8, 6), (16, 16), (12, 20), (20, 20))]
FILES = [("exact", {"COPIES": 8, "THREADS": 256, "BLOCKS": 1, "METRIC": 1} | shape) for shape in SHAPES]
FILES += [("bound", {}), ("nearest", {}), ("sampler", {"ROWS": 3}), ("sampler", {"ROWS": 32}), ("foldin", {})]


@pytest.mark.parametrize(("file", "macros"), FILES)
def test_source_has_every_header_once(file, macros):
    code = device.source(file)
    assert '#include "' not in code
    assert "#pragma once" not in code
    assert code.count("class Simplex") == (file == "exact")


@pytest.mark.parametrize(("file", "macros"), FILES)
def test_source_compiles_with_nvcc(file, macros, tmp_path):
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        pytest.skip("nvcc is not installed")
    (tmp_path / "kernel.cu").write_text(device.source(file))
    flags = [
        "-std=c++17",
        "-arch=sm_80",
        "--ptx",
        "-G",
        *(f"-D{key}={value}" for key, value in macros.items()),
    ]
    subprocess.run([nvcc, *flags, "kernel.cu", "-o", "kernel.ptx"], cwd=tmp_path, check=True)


@pytest.mark.parametrize(("file", "macros"), FILES)
def test_source_compiles_with_nvrtc(file, macros):
    nvrtc = pytest.importorskip("cupy_backends.cuda.libs.nvrtc", exc_type=ImportError)
    program = nvrtc.createProgram(device.source(file), "kernel.cu", (), ())
    options = ["-std=c++17", "-arch=compute_80", *(f"-D{key}={value}" for key, value in macros.items())]
    nvrtc.compileProgram(program, options)
