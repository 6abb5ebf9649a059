"""scikit-learn's own checks of the estimator contract, on every distance of the table.

The checks hand in documents without words, so the distances under test give those NaN.
"""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from hott import HOFTT, NBOW, WMD, KNNClassifier, LDADistance
from hott.distances.registry import REGISTRY, Settings

NAN = {"on_empty": "nan"}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning", "ignore:.*cannot tell.*apart")
@parametrize_with_checks(
    [
        *(entry.make(Settings(n_topics=3, n_models=2)).set_params(**NAN) for entry in REGISTRY.values()),
        HOFTT(n_topics=3, iterations=5, n_models=2, **NAN),
        WMD(max_words=2, p=2, **NAN),
        KNNClassifier(NBOW(**NAN), n_neighbors=3),
        KNNClassifier(WMD(**NAN), n_neighbors=3, weights="distance"),
    ]
)
def test_scikit_learn_contract(estimator, check, request):
    if getattr(estimator, "whole_counts", False) or isinstance(estimator, LDADistance):
        request.getfixturevalue("whole_numbers")
    check(estimator)
