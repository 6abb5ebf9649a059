"""Laws of represented documents: whichever way they are taken apart and put together, they stay the same."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from hott import HOTT, L1, NBOW, RWMD, SIF, WMD, Blend
from hott.compute.ground import Distributions
from hott.distances.representation import Representation
from tests.distances.corpora import random_counts

KINDS = ("dense", "sparse", "distributions", "blended")


def part_of(kind, rows):
    if kind == "dense":
        return rows
    if kind == "sparse":
        return sparse.csr_array(rows)
    if kind == "blended":
        return Representation.of(sparse.csr_array(rows), rows)
    return Distributions.of(np.vstack([rows, np.full((1, rows.shape[1]), 1 / rows.shape[1])]))[: len(rows)]


@st.composite
def represented(draw, kinds=None, drops_empty=None):
    """Up to nine documents, some of them without words, in one part or more."""
    words = np.array(draw(st.lists(st.booleans(), max_size=9)), bool)
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=3)) if kinds is None else kinds
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    parts = [part_of(kind, random.dirichlet(np.ones(4), int(words.sum()))) for kind in kinds]
    drops = draw(st.booleans()) if drops_empty is None else drops_empty
    return Representation.of(
        *parts, positions=np.flatnonzero(words), n_documents=len(words), drops_empty=drops
    )


def dense(documents):
    matrix = documents.matrix()
    return matrix.toarray() if sparse.issparse(matrix) else matrix


def same(a, b):
    np.testing.assert_array_equal(a.positions, b.positions)
    assert (a.n_documents, a.drops_empty) == (b.n_documents, b.drops_empty)
    for one, other in zip(a.arrays(), b.arrays(), strict=True):
        np.testing.assert_array_equal(one, other)


@given(represented(), st.data())
def test_slices_put_together_are_the_whole(documents, data):
    cuts = sorted(data.draw(st.lists(st.integers(0, documents.n_documents), max_size=4)))
    edges = [0, *cuts, documents.n_documents]
    same(Representation.concat([documents[a:b] for a, b in pairwise(edges)]), documents)


@given(represented(drops_empty=False), st.integers(-10, 10), st.integers(-10, 10))
def test_a_slice_has_the_rows_of_the_matrix(documents, start, stop):
    np.testing.assert_array_equal(dense(documents[start:stop]), dense(documents)[start:stop])


@given(represented(kinds=["dense", "blended"]), represented(kinds=["dense", "blended"]))
def test_documents_put_together_have_the_rows_of_both(first, second):
    both = Representation.concat([first, second])
    assert (len(both), both.n_documents) == (len(first) + len(second), first.n_documents + second.n_documents)
    rows = np.vstack([dense(part.take(slice(None))) for part in (first, second)])
    np.testing.assert_array_equal(dense(both.take(slice(None))), rows)


@given(represented(), st.data())
def test_documents_are_taken_by_their_rows_among_those_with_words(documents, data):
    everyone = st.lists(st.integers(0, len(documents) - 1), max_size=6) if len(documents) else st.just([])
    rows = data.draw(everyone)
    taken = documents.take(np.array(rows, np.intp))
    assert taken.is_complete
    whole = dense(documents.take(slice(None)))
    np.testing.assert_array_equal(dense(taken), whole[rows])
    np.testing.assert_array_equal(dense(documents.take(slice(1, 4))), whole[1:4])


@given(represented())
def test_the_matrix_has_nan_for_documents_without_words_or_leaves_them_out(documents):
    matrix, whole = dense(documents), dense(documents.take(slice(None)))
    if documents.is_complete:
        np.testing.assert_array_equal(matrix, whole)
        return
    assert len(matrix) == documents.n_documents
    assert np.flatnonzero(~np.isnan(matrix).any(axis=1)).tolist() == documents.positions.tolist()
    np.testing.assert_array_equal(matrix[documents.positions], whole)


@given(represented(drops_empty=False), represented())
def test_values_find_their_places_and_the_others_are_nan(documents, others):
    values = np.random.default_rng(0).random((len(documents), len(others)))
    known = np.zeros((documents.n_documents, others.n_documents), bool)
    known[np.ix_(documents.positions, others.positions)] = True
    if others.drops_empty:
        known = known[:, others.positions]
    full = documents.scatter(values, others)
    assert full.shape == known.shape
    np.testing.assert_array_equal(~np.isnan(full), known)
    np.testing.assert_array_equal(full[known], values.ravel())
    alone = documents.scatter(values[:, :1].repeat(3, axis=1)) if len(others) else np.empty((0, 0))
    if len(others):
        assert alone.shape == (documents.n_documents, 3)
        np.testing.assert_array_equal(alone[documents.positions, 2], values[:, 0])
    left_out = Representation((), documents.positions, documents.n_documents, drops_empty=True)
    assert left_out.scatter(values) is values


def test_steps_and_parts_that_are_no_topics_are_refused():
    documents = Representation.of(np.eye(3))
    with pytest.raises(ValueError, match="by runs, without steps"):
        documents[::2]
    with pytest.raises(ValueError, match="not represented by topic proportions"):
        _ = documents.distributions


@pytest.mark.parametrize("policy", ["nan", "drop"])
@pytest.mark.parametrize("kind", [NBOW, L1, SIF, WMD, RWMD, HOTT, Blend])
def test_represented_documents_serve_in_place_of_counts(kind, policy):
    """With documents without words at both ends, and a batch that has no other."""
    counts = np.vstack([np.zeros((1, 8), int), random_counts(10, 8, seed=0).toarray(), np.zeros((2, 8), int)])
    how = {HOTT: {"n_topics": 3, "n_models": 2}, Blend: {"distances": [NBOW(), L1()]}}.get(kind, {})
    distance = kind(**how, on_empty=policy).fit(counts)
    R = distance.represent(counts)
    assert (len(R), R.n_documents) == (10, 13)
    np.testing.assert_array_equal(distance.pairwise(R), distance.pairwise(counts))
    np.testing.assert_array_equal(distance.pairwise(R[:6], R[3:]), distance.pairwise(counts[:6], counts[3:]))
    np.testing.assert_array_equal(distance.paired(R[:6], R[3:9]), distance.paired(counts[:6], counts[3:9]))
    assert distance.represent(R) is R
    batches = [distance.represent(counts[start : start + 4]) for start in (0, 4, 8)] + [R[12:]]
    same(Representation.concat(batches), R)
    nobody = distance.represent(counts[11:])
    assert (len(nobody), nobody.n_documents) == (0, 2)
    expected = (2, 13) if policy == "nan" else (0, 10)
    assert distance.pairwise(nobody, R).shape == expected


def test_a_broken_matrix_of_counts_does_not_reach_compiled_code():
    distance = HOTT(n_topics=3, iterations=5).fit(random_counts(10, 8, seed=0))
    wrong = random_counts(2, 8, seed=1)
    wrong.indices[0] = 8
    for ask in (distance.transform, distance.pairwise, lambda X: distance.paired(X, X), distance.fit):
        with pytest.raises(ValueError, match="broken CSR matrix"):
            ask(wrong)


def test_documents_without_words_have_their_rows():
    documents = Representation.of(np.array([[1.0, 0.0], [0.0, 1.0]]), positions=[0, 2], n_documents=3)
    assert repr(documents) == "Representation(3 documents, 2 of them with words)"
    np.testing.assert_array_equal(documents.scatter(np.array([5.0, 7.0])), [5, np.nan, 7])
    np.testing.assert_array_equal(documents[1:].matrix(), [[np.nan, np.nan], [0, 1]])
