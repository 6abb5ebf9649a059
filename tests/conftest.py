import numpy as np
import pytest
from hypothesis import settings
from sklearn.utils import estimator_checks

# How long an example takes says more about what else the machine does than about the code.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")


@pytest.fixture
def whole_numbers(monkeypatch):
    """Let scikit-learn's checks hand in whole numbers, which is what a model of counts takes."""
    adapted = estimator_checks._enforce_estimator_tags_X
    monkeypatch.setattr(
        estimator_checks, "_enforce_estimator_tags_X", lambda *given, **how: np.ceil(adapted(*given, **how))
    )
