"""scikit-learn's own checks of the estimator contract, on one estimator of each family.

The checks hand in documents without words: some of the estimators give those NaN, others leave them out.
"""

import pytest
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

from hott import HOTT, L1, NBOW, WMD, Blend, KNNClassifier, LDADistance, Neighbors
from hott.distances.registry import REGISTRY, Settings

ignore_warnings = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.SkipTestWarning", "ignore:.*cannot tell.*apart"
)


@ignore_warnings
@parametrize_with_checks(
    [
        NBOW(on_empty="drop"),
        WMD(max_words=2, p=2, on_empty="nan"),
        HOTT(n_topics=3, iterations=5, n_models=2, on_empty="nan"),
        Blend([L1(), WMD()], on_empty="drop"),
        Neighbors(L1("tfidf", on_empty="drop")),
        KNNClassifier(NBOW(on_empty="drop"), n_neighbors=3),
        KNNClassifier(WMD(on_empty="nan"), n_neighbors=3, weights="distance"),
    ]
)
def test_scikit_learn_contract(estimator, check, request):
    if getattr(estimator, "whole_counts", False):
        request.getfixturevalue("whole_numbers")
    check(estimator)


@ignore_warnings
@pytest.mark.parametrize("policy", ["nan", "drop"])
@pytest.mark.parametrize("name", REGISTRY)
def test_every_distance_keeps_its_parameters_and_can_be_copied(name, policy, request):
    """What depends on the class alone: how it is made, copied and kept."""
    distance = REGISTRY[name].make(Settings(n_topics=3, n_models=2)).set_params(on_empty=policy)
    if distance.whole_counts or isinstance(distance, LDADistance):
        request.getfixturevalue("whole_numbers")
    for check in (
        "check_estimator_cloneable",
        "check_no_attributes_set_in_init",
        "check_parameters_default_constructible",
        "check_get_params_invariance",
        "check_set_params",
        "check_dict_unchanged",
        "check_estimators_pickle",
        "check_fit_idempotent",
        "check_n_features_in",
        "check_fit2d_1sample",
    ):
        getattr(estimator_checks, check)(name, distance)
