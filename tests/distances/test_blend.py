"""A blend is the weighted sum of its parts, each over its standard deviation."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from hott import L1, NBOW, RWMD, WMD, Blend, Cosine
from hott.distances.base import Distance
from tests.distances.corpora import random_counts, random_vectors

TRAIN, NEW = random_counts(20, 15, seed=0), random_counts(8, 15, seed=1)
VECTORS = random_vectors(15, seed=2)


class Unbounded(NBOW):
    """A distance that has no lower bound to offer."""

    bound_is_exact = False
    _lower_bound = Distance._lower_bound


def make_blend(**parameters):
    return Blend([WMD(VECTORS), L1("tfidf"), Unbounded()], weights=[1, 0.5, 2], **parameters)


def test_is_the_weighted_sum_of_scaled_parts():
    blend = make_blend().fit(TRAIN)
    parts = [part.fit(TRAIN).pairwise(NEW, TRAIN) for part in (WMD(VECTORS), L1("tfidf"), NBOW())]
    expected = sum(w * part / scale for w, part, scale in zip([1, 0.5, 2], parts, blend.scales_))
    assert blend.pairwise(NEW, TRAIN) == pytest.approx(expected, abs=1e-9)
    assert blend.pairwise(NEW) == pytest.approx(blend.pairwise(NEW, NEW), abs=1e-9)


def test_scales_are_standard_deviations_over_random_pairs_of_different_documents():
    blend = make_blend(n_pairs=200_000).fit(TRAIN)
    different = ~np.eye(20, dtype=bool)
    for part, scale in zip((WMD(VECTORS), L1("tfidf"), NBOW()), blend.scales_):
        assert scale == pytest.approx(part.fit(TRAIN).pairwise(TRAIN)[different].std(), rel=0.01)


def test_the_seed_decides_the_scales():
    first, again, other = (make_blend(n_pairs=50, random_state=seed).fit(TRAIN).scales_ for seed in (0, 0, 1))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_listed_pairs_and_bounds():
    blend = make_blend().fit(TRAIN)
    R, S = blend.represent(NEW), blend.represent(TRAIN)
    matrix = blend.between(R, S)
    rows, cols = np.divmod(np.arange(160), 20)
    assert blend.pairs(R, S, rows, cols) == pytest.approx(matrix.ravel(), abs=1e-9)
    bound = blend.lower_bound(R, S)
    assert (bound <= matrix + 1e-9).all()
    parts = [part.lower_bound(r, s) for part, r, s in zip(blend.distances_[:2], R.parts, S.parts)]
    assert bound == pytest.approx(sum(factor * part for factor, part in zip(blend.factors_, parts)))


def test_bound_is_exact_when_every_part_is():
    assert Blend([NBOW(), L1()]).bound_is_exact
    assert not make_blend().bound_is_exact


def test_fills_the_array_it_is_given():
    blend, out = make_blend().fit(TRAIN), np.empty((8, 20))
    assert blend.pairwise(NEW, TRAIN, out=out) is out
    assert out == pytest.approx(blend.pairwise(NEW, TRAIN))


def test_fitted_parts_are_used_as_they_are_and_others_copied():
    known, unknown = L1("tfidf").fit(NEW), NBOW()
    blend = Blend([known, unknown]).fit(TRAIN)
    assert blend.distances_[0] is known
    with pytest.raises(NotFittedError):
        unknown.transform(TRAIN)
    assert clone(make_blend()).get_params()["weights"] == [1, 0.5, 2]


def test_documents_without_words_follow_the_policy_of_the_blend():
    counts = NEW.toarray()
    counts[2] = 0
    with pytest.raises(ValueError, match="1 of 8 documents have no word"):
        make_blend().fit(TRAIN).pairwise(counts)
    assert np.isnan(make_blend(on_empty="nan").fit(TRAIN).pairwise(counts, TRAIN)).any(axis=1).tolist() == [
        row == 2 for row in range(8)
    ]
    assert make_blend(on_empty="drop").fit(TRAIN).pairwise(counts, TRAIN).shape == (7, 20)


def test_a_part_that_never_varies_keeps_its_scale():
    one = Blend([NBOW(), Cosine()]).fit([[1, 2]])
    assert one.scales_.tolist() == [1, 1]
    assert one.pairwise([[1, 2]], [[2, 4]]).item() == 0


@pytest.mark.parametrize(
    ("blend", "message"),
    [
        (Blend([]), "distances is empty"),
        (Blend([NBOW()], weights=[1, 2]), r"weights must be 1 finite numbers.*they are \[1, 2\]"),
        (Blend([NBOW(), RWMD()], weights=[1, -1]), "none of them negative"),
        (Blend([NBOW()], n_pairs=0), "n_pairs must be a positive whole number"),
    ],
    ids=str,
)
def test_bad_parameters_are_named(blend, message):
    with pytest.raises(ValueError, match=message):
        blend.fit(TRAIN)
