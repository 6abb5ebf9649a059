"""scikit-learn's own checks of the estimator contract.

The checks hand in documents without words, so the distances under test give those NaN.
"""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from hott import L1, LSI, NBOW, RWMD, SIF, TFIDF, WCD, WMD, Blend, Cosine, KNNClassifier

NAN = {"on_empty": "nan"}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(
    [
        NBOW(**NAN),
        Cosine(**NAN),
        TFIDF(**NAN),
        L1("tfidf", **NAN),
        LSI(n_components=2, **NAN),
        SIF(**NAN),
        WMD(**NAN),
        WMD(max_words=2, p=2, **NAN),
        RWMD(**NAN),
        WCD(**NAN),
        Blend([NBOW(), L1()], **NAN),
        KNNClassifier(NBOW(**NAN), n_neighbors=3),
        KNNClassifier(WMD(**NAN), n_neighbors=3, weights="distance"),
    ]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
