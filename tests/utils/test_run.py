"""Where work runs: options, defaults of a block of code, and the threads of joblib's workers."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from operator import attrgetter

import joblib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import cross_val_score

import hott
from hott import HOTT, NBOW, KNNClassifier, Neighbors
from hott.utils.run import MAX_THREADS, Run, config_context
from tests.distances.corpora import random_counts


def report(done, total):
    """Somebody listens."""


OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "threads": st.none() | st.integers(1, 1000),
        "device": st.none() | st.sampled_from(["cpu", "cuda", "auto"]),
        "client": st.none() | st.just("tcp://127.0.0.1:1"),
        "progress": st.none() | st.booleans() | st.just(report),
    },
)
DEFAULTS = {"threads": None, "device": "cpu", "client": None, "progress": None}


def layered(*options):
    """The options one over the other, where None says nothing."""
    return DEFAULTS | {name: value for some in options for name, value in some.items() if value is not None}


@given(OPTIONS, OPTIONS, OPTIONS)
def test_a_call_goes_before_the_inner_context_and_that_before_the_outer(outer, inner, call):
    with config_context(**outer):
        with config_context(**inner):
            assert Run.of(call).options == layered(outer, inner, call)
        assert Run.of(call).options == layered(outer, call)
    assert Run.of(call).options == layered(call)


@given(OPTIONS, OPTIONS)
def test_a_run_is_passed_on_whole_as_keywords(context, call):
    run = Run(**layered(context, call))
    assert Run.of(run.options) == run
    with config_context(**context):
        here = Run.of(call)
        assert Run.of(here.options) == here
        assert Run.of(here.quiet().options).progress is False
        assert Run.of(here.on_cpu().options).device == "cpu"


def test_a_context_ends_with_an_error_and_is_that_of_its_thread():
    with pytest.raises(KeyError), config_context(threads=1):
        raise KeyError
    assert Run.of({}) == Run()
    with config_context(threads=1), ThreadPoolExecutor(1) as pool:
        assert pool.submit(Run.of, {}).result() == Run()


@pytest.mark.parametrize("threads", [0, -1, 1.5, "2", "two", np.nan, np.inf])
def test_threads_are_positive_whole_numbers(threads):
    with pytest.raises(ValueError, match="threads must be a positive whole number or None, not"):
        Run(threads=threads)


def test_options_of_a_call_and_of_its_context():
    assert (Run(threads=2).n_threads, Run.of({"progress": None}).device) == (2, "cpu")
    with config_context(threads=1):
        assert Run.of({}).n_threads == 1


def test_bad_options_are_named():
    with pytest.raises(ValueError, match='device must be "cpu", "cuda" or "auto", not \'gpu\''):
        Run(device="gpu")
    with pytest.raises(TypeError, match="There is no option 'thread'; there are X, y, threads, device"):
        NBOW().fit([[1]], thread=1)
    with pytest.raises(TypeError, match="There is no option 'n_jobs'"), config_context(n_jobs=2):
        pass


class TestNumberOfThreads:
    def test_what_was_told_up_to_a_limit(self):
        assert Run(threads=3).n_threads == Run(threads=np.int64(3)).n_threads == 3
        assert Run(threads=10**6).n_threads == MAX_THREADS

    @pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="cores are counted otherwise")
    def test_the_cores_of_this_process(self, monkeypatch):
        monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
        monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 3, 5})
        assert Run().n_threads == 3

    @pytest.mark.parametrize(("counted", "number"), [(6, 6), (None, 1)])
    def test_the_cores_of_the_machine_where_a_process_does_not_know_its_own(
        self, monkeypatch, counted, number
    ):
        monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
        monkeypatch.delattr(os, "sched_getaffinity", raising=False)
        monkeypatch.setattr(os, "cpu_count", lambda: counted)
        assert Run().n_threads == number

    @pytest.mark.parametrize(("said", "number"), [("5", 5), (" 4,2 ", 4)])
    def test_the_environment(self, monkeypatch, said, number):
        monkeypatch.setenv("OMP_NUM_THREADS", said)
        assert Run().n_threads == number
        assert Run(threads=2).n_threads == 2

    @pytest.mark.parametrize("said", ["", "0", "many"])
    def test_an_environment_that_says_nothing(self, monkeypatch, said):
        monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
        usual = Run().n_threads
        monkeypatch.setenv("OMP_NUM_THREADS", said)
        assert Run().n_threads == usual

    def test_workers_of_joblib_share_the_cores(self, monkeypatch):
        monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
        number = joblib.delayed(attrgetter("n_threads"))
        share = max(1, joblib.cpu_count() // 2)
        assert joblib.Parallel(n_jobs=2)([number(Run())] * 2) == [share, share]
        with joblib.parallel_config("loky", inner_max_num_threads=7):
            assert joblib.Parallel(n_jobs=2)([number(Run())] * 2) == [7, 7]


class Recording(NBOW):
    """Remembers what it was fitted with."""

    threads: list[int | None] = []  # noqa: RUF012

    def _fit(self, counts, run):
        self.threads.append(run.threads)


def test_scikit_learns_tools_run_as_the_context_says():
    counts = random_counts(20, 8, seed=0)
    with hott.config_context(threads=1):
        cross_val_score(KNNClassifier(Recording(), n_neighbors=1), counts, [0, 1] * 10, cv=2)
    assert Recording.threads == [1, 1]


def test_a_part_of_the_work_does_not_report_to_the_context():
    counts, heard = random_counts(30, 8, seed=0), []
    model = Neighbors(HOTT(n_topics=3, iterations=5)).fit(counts)
    classifier = KNNClassifier(model.distance_, n_neighbors=1).fit(counts, [0, 1] * 15)
    with config_context(progress=lambda done, total: heard.append((done, total))):
        model.kneighbors(counts[:7], k=2)
        classifier.predict(counts[:7])
        model.distance_.pairwise(counts[:7], counts)
    assert {total for _, total in heard} == {7 * 30}


class TestAtOnce:
    def test_results_come_in_order_and_each_is_the_work_of_one_thread(self):
        items = [0.03, 0.0, 0.01, 0.0, 0.02]

        def work(item, run):
            time.sleep(item)
            return run.n_threads, threading.get_ident()

        found = list(Run(threads=3).map_threads(work, items))
        assert [item for item, _ in found] == items
        assert {threads for _, (threads, _) in found} == {1}
        assert len({thread for _, (_, thread) in found}) > 1

    def test_one_item_has_all_threads(self):
        assert list(Run(threads=3).map_threads(lambda _, run: run.n_threads, ["one"])) == [("one", 3)]

    def test_an_error_ends_it(self):
        begun = []

        def work(item, run):
            begun.append(item)
            raise ValueError(f"item {item}")

        with pytest.raises(ValueError, match="item 0"):
            list(Run(threads=2).map_threads(work, range(10_000)))
        assert len(begun) < 10_000
