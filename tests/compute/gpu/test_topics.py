"""Topics as the device samples them, without a device: against a slow twin, and by what they must be."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import hott
from hott.compute import backends, cpu, gpu
from hott.compute.gpu import topics
from hott.compute.ground import CountRows, Sampling
from hott.topics import FittedTopics, GibbsLDA
from hott.topics.counts import TopicCounts
from hott.topics.neighborhood import Neighborhood
from hott.utils.run import Run
from tests.compute.gpu.emulation import TOPICS, sampled

FIRST, INTERVAL, EVERYTHING = 10, 5, 0.1


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("kernel")


def task_of(counts, near=None, n_topics=3, sweeps=12, strength=10.0, seeds=(5,)):
    rows = sparse.csr_array(np.asarray(counts, float))
    n_words = rows.shape[1]
    nobody = np.zeros((n_words, 0), np.int32), np.zeros((n_words, 0), np.float32)
    csr = CountRows(rows.indptr.astype(np.int64), rows.indices.astype(np.int32), rows.data)
    seeds = np.array(seeds, np.uint64)
    return Sampling(csr, n_words, *(near or nobody), n_topics, sweeps, 0.1, 0.01, strength, seeds)


def shares(task, drawn):
    """p(topic | word) of all words, of what was drawn for those that were seen."""
    rows = np.vstack([drawn, np.zeros((len(task.weights) - len(drawn), task.n_topics))])
    near = Neighborhood(task.neighbors, task.weights)
    return TopicCounts.of(sparse.csr_array(rows), near, task.eta, task.strength).shares()


def random_numbers(seed):
    """The n-th number of SplitMix64, without those before."""

    def number(n):
        z = (seed + n * 0x9E3779B97F4A7C15) % 2**64
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) % 2**64
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) % 2**64
        return z ^ (z >> 31)

    return number


def twin(counts, task, batches):
    """The topic of every occurrence, drawn one by one in Python; single precision, as on the device."""
    n_topics, number = task.n_topics, random_numbers(int(task.seeds[0]))
    tokens = [(d, w) for d, row in enumerate(counts) for w in np.flatnonzero(row) for _ in range(row[w])]
    topic_of = [(number(i + 1) >> 32) * n_topics >> 32 for i in range(len(tokens))]
    of_word, total = np.zeros((counts.shape[1], n_topics)), np.zeros(n_topics)
    for (_, w), k in zip(tokens, topic_of):
        of_word[w, k] += 1
        total[k] += 1
    single = np.float32
    prior = np.full(of_word.shape, single(task.eta))
    for sweep in range(task.sweeps):
        if sweep >= FIRST and (sweep - FIRST) % INTERVAL == 0 and task.weights.size:
            for w in range(len(prior)):
                if task.weights[w].any():
                    lent = EVERYTHING + (task.weights[w] * of_word[task.neighbors[w]].sum(axis=1)).sum()
                    counted = (EVERYTHING * total / len(tokens)).astype(single)
                    for v, weight in zip(task.neighbors[w], task.weights[w]):
                        counted = counted + of_word[v].astype(single) * weight
                    prior[w] = single(task.eta) + single(task.strength / lent) * counted
        for batch in batches:
            weight = of_word.astype(single) + prior
            smoothing = task.eta * len(of_word)
            inverse, less = ((1 / (total - own + smoothing)).astype(single) for own in (0, 1))
            for d in batch:
                here = [i for i, (document, _) in enumerate(tokens) if document == d]
                held = np.bincount([topic_of[i] for i in here], minlength=n_topics).astype(single)
                for i in here:
                    w, now = tokens[i][1], topic_of[i]
                    mass = (held + single(task.alpha)) * inverse * weight[w]
                    mass[now] = (held[now] - 1 + single(task.alpha)) * less[now] * (weight[w, now] - 1)
                    uniform = single(number(len(tokens) * (sweep + 1) + i + 1) >> 40) * single(2**-24)
                    passed = np.cumsum(mass, dtype=single)
                    point = uniform * passed[-1]
                    drawn = int(np.argmax((passed > point) & (mass > 0)))
                    held[now] -= 1
                    held[drawn] += 1
                    of_word[w, now] -= 1
                    of_word[w, drawn] += 1
                    total[now] -= 1
                    total[drawn] += 1
                    topic_of[i] = drawn
    return topic_of


@given(st.integers(0, 2**32 - 1), st.sampled_from(TOPICS), st.integers(0, 3), st.sampled_from([0.3, 1, 5]))
@settings(deadline=None, max_examples=12)
def test_draws_what_its_twin_draws(folder, seed, n_topics, per_word, mean):
    random = np.random.default_rng(seed)
    counts = random.poisson(mean, (int(random.integers(1, 9)), int(random.integers(1, 8))))
    counts[:, counts.sum(axis=0) == 0] += 1  # every word occurs
    n_words = counts.shape[1]
    near = (
        random.integers(0, n_words, (n_words, per_word)).astype(np.int32),
        random.random((n_words, per_word)).astype(np.float16).astype(np.float32),
    )
    task = task_of(counts, near, n_topics, sweeps=13, seeds=[seed])
    chains = sampled(folder, task)
    order = chains.arrays["document"]
    batches = [order[batch.start : batch.stop] for batch in chains.batches]
    assert sorted(np.concatenate(batches)) == np.flatnonzero(counts.sum(axis=1)).tolist()
    assert chains.arrays["topic"][0].tolist() == twin(counts, task, batches)


def planted(n_documents=60, seed=0):
    """Documents of three themes of five words each."""
    random, theme = np.random.default_rng(seed), np.arange(n_documents) % 3
    share = np.kron(np.eye(3), np.ones(5)) / 5 * 0.94 + 0.004
    return np.vstack([random.multinomial(30, share[t] / share[t].sum()) for t in theme]), theme


def test_counts_are_those_of_the_topics(folder):
    counts, _ = planted()
    task = task_of(counts, seeds=[1, 2])
    arrays = sampled(folder, task).arrays
    for model in range(2):
        kept = np.zeros((15, 3), int)
        np.add.at(kept, (arrays["word"], arrays["topic"][model]), 1)
        assert (arrays["count"][model] == kept).all()
        assert (arrays["total"][model] == kept.sum(axis=0)).all()


def test_finds_planted_themes_and_models_do_not_meet(folder):
    counts, _ = planted()
    found = sampled(folder, task_of(counts, sweeps=30, seeds=[1, 2])).counts()
    alone = sampled(folder, task_of(counts, sweeps=30, seeds=[2])).counts()
    assert (found[1] == alone[0]).all()
    assert (found.sum(axis=2) == counts.sum(axis=0)).all()
    for drawn in found:
        topic = drawn.argmax(axis=1).reshape(3, 5)
        assert (topic == topic[:, :1]).all()
        assert len(set(topic[:, 0])) == 3


def test_a_word_of_no_document_has_what_it_borrows(folder):
    counts, _ = planted()
    near = np.zeros((16, 1), np.int32), np.zeros((16, 1), np.float32)
    near[0][15], near[1][15] = 3, 0.5
    task = task_of(counts, sweeps=25)
    task = Sampling(task.rows, 15, *near, 3, 25, 0.1, 0.01, 10.0, task.seeds)
    [drawn] = sampled(folder, task).counts()
    found = shares(task, drawn)
    lent = 0.5 * (found[3] * (counts[:, 3].sum() + 0.03) - 0.01)
    total = sampled(folder, task).arrays["total"][0]
    lent = lent + EVERYTHING * total / total.sum()
    assert found[15] == pytest.approx(lent / lent.sum(), rel=1e-4)


def test_is_as_good_as_the_cpu(folder):
    """By the probability of the words: the mean over seeds, where neither is at an advantage."""
    random = np.random.default_rng(3)
    themes = random.dirichlet(np.full(80, 0.08), 20)
    counts = np.vstack(
        [random.multinomial(60, random.dirichlet(np.full(20, 0.1)) @ themes) for _ in range(150)]
    )
    counts = counts[:, counts.sum(axis=0) > 0]
    task = task_of(counts, n_topics=20, sweeps=60, seeds=range(6))

    def likelihood(drawn):
        components = (shares(task, drawn) * (counts.sum(axis=0)[:, None] + 0.2)).T.astype(float)
        topics = FittedTopics(components / components.sum(axis=1, keepdims=True))
        return (counts * np.log(topics.transform(counts) @ topics.components)).sum() / counts.sum()

    there = [likelihood(drawn) for drawn in sampled(folder, task).counts()]
    here = [likelihood(drawn) for drawn in cpu.sample_topics(task, Run(threads=1))]
    error = np.sqrt((np.var(here) + np.var(there)) / 6)
    assert abs(np.mean(here) - np.mean(there)) < 3 * error + 0.01


@pytest.mark.parametrize("lengths", [[5], [9, 1, 1], [4, 3, 3, 2, 2, 1, 1, 0, 0], [1] * 40])
def test_batches_have_every_document_with_words_once(lengths):
    batches = topics._batches(np.array(lengths, float))
    assert [d for batch in batches for d in batch] == list(range(np.count_nonzero(lengths)))
    assert len(batches) <= topics.BATCHES


def test_auto_learns_the_topics_of_the_cpu(monkeypatch):
    """Topics must not depend on whether a machine has a GPU."""
    monkeypatch.setattr(backends, "is_worthwhile", lambda run, pairs: run.device != "cpu")
    monkeypatch.setattr(gpu, "sample_topics", lambda task, run: 1 / 0)
    counts, _ = planted()
    here, auto = (GibbsLDA(3, 5).fit(counts, device=device).components_ for device in ("cpu", "auto"))
    assert (here == auto).all()
    with pytest.raises(ZeroDivisionError):
        GibbsLDA(3, 5).fit(counts, device="cuda")


def test_gibbs_sweeps_are_read_on_the_cpu(monkeypatch):
    monkeypatch.setattr(backends, "is_worthwhile", lambda run, pairs: run.device != "cpu")
    monkeypatch.setattr(gpu, "fold_in", lambda task, run: 1 / 0)
    topics = FittedTopics(np.eye(3), inference="gibbs")
    assert (topics.transform(np.eye(3), device="cuda") == topics.transform(np.eye(3))).all()


def test_too_many_topics_for_a_device():
    with pytest.raises(
        ValueError, match=r"n_topics must be at most 1,024 on a GPU, not 2,000.*device=\"cpu\""
    ):
        gpu.sample_topics(task_of([[1]], n_topics=2000), Run(device="cuda"))


def test_a_distance_hands_the_device_on(monkeypatch):
    asked = []
    monkeypatch.setattr(backends, "is_worthwhile", lambda run, pairs: run.device != "cpu")
    monkeypatch.setattr(gpu, "sample_topics", lambda *task: asked.append("learn") or cpu.sample_topics(*task))
    monkeypatch.setattr(gpu, "fold_in", lambda *task: asked.append("read") or cpu.fold_in(*task))
    counts, _ = planted()
    distance = hott.HOTT(n_topics=3, n_models=2, iterations=3).fit(counts, device="cuda")
    assert asked == ["learn"]
    distance.represent(counts, device="cuda")
    assert asked == ["learn", "read", "read"]
