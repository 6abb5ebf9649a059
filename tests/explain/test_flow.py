"""The flow between words: what it adds up to, which words it is between, and that it has no direction."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from hott import HOFTT, HOTT
from hott.explain.flow import Carriers, flow_between
from tests.explain.models import documents, fitted

models = st.fixed_dictionaries(
    {
        "p": st.sampled_from([1, 2]),
        "n_models": st.integers(1, 3),
        "vectors": st.booleans(),
        "kind": st.sampled_from([HOTT, HOFTT]),
        "sparse": st.booleans(),
    }
)


def carriers(hott, counts):
    counts = sparse.csr_array(np.atleast_2d(counts))
    R = hott.represent(counts)
    return Carriers.of(hott, R, sparse.csr_array(counts[R.positions]))


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 10_000), model=models)
def test_masses_sum_to_one_and_costs_to_the_distance(seed, model):
    hott, counts = fitted(seed, **model), documents(seed)
    R = hott.represent(counts)
    if len(R) < 2:
        return
    flow = flow_between(hott, carriers(hott, counts[0]), carriers(hott, counts[1]))
    assert flow.masses.sum() == pytest.approx(1, abs=1e-12)
    assert flow.distance == pytest.approx(hott.between(R[:1], R[1:])[0, 0], abs=1e-9)
    assert (flow.masses > 0).all()
    assert (flow.costs >= 0).all()
    assert counts[0][flow.sources].all()  # only words of the document
    assert counts[1][flow.targets].all()


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10_000), model=models)
def test_the_way_back_is_the_same_way(seed, model):
    hott, (x, y) = fitted(seed, **model), documents(seed)
    if len(hott.represent([x, y])) < 2:
        return
    there = flow_between(hott, carriers(hott, x), carriers(hott, y))
    back = flow_between(hott, carriers(hott, y), carriers(hott, x))
    entries = [
        {(s, t): (m, c) for s, t, m, c in zip(f.sources, f.targets, f.masses, f.costs)}
        for f in (there, back.reversed)
    ]
    assert entries[0] == entries[1]


def test_topics_are_carried_by_responsibility():
    hott = fitted(0)
    counts = documents(3)[0]
    R = hott.represent([counts])
    p = R.distributions[0].csr.toarray()[0]
    found = carriers(hott, counts)
    topics = hott.models_[0].topics.components.astype(float)[:, found.words]
    expected = p[:, None] * topics
    expected = expected / expected.sum(axis=0) * counts[found.words]
    expected = np.where(p[:, None] > 0, expected, 0)
    expected[expected < 0.002 * expected.sum(axis=1, keepdims=True)] = 0
    sums = expected.sum(axis=1, keepdims=True)
    expected = np.divide(expected, sums, out=np.zeros_like(expected), where=sums > 0) * p[:, None]
    assert found.masses[0] == pytest.approx(expected, abs=1e-12)


def test_a_topic_that_no_word_carries_is_carried_by_all():
    """Under HOFTT the prior gives every topic a little, also those that have no word of the document."""
    hott = fitted(1, kind=HOFTT, sparse=True)
    counts = np.eye(14, dtype=int)[:1]
    R = hott.represent(counts)
    assert len(R) == 1
    masses = carriers(hott, counts).masses[0]
    assert (R.distributions[0].csr.toarray() > 0).all()
    assert masses.sum(axis=1) == pytest.approx(R.distributions[0].csr.toarray()[0], abs=1e-12)


def test_a_group_has_the_mean_of_its_documents():
    hott, counts = fitted(5, n_models=2), documents(5, n=4)
    group = carriers(hott, counts)
    R = hott.represent(counts)
    for masses, part in zip(group.masses, R.distributions):
        assert masses.sum(axis=1) == pytest.approx(part.csr.toarray().mean(axis=0), abs=1e-12)
    assert group.occurrences == pytest.approx(counts.sum(axis=0)[group.words])
    assert flow_between(hott, group, carriers(hott, counts[::-1])).distance == pytest.approx(0, abs=1e-9)
