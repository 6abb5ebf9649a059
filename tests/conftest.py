import shutil

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


@pytest.fixture(scope="session")
def browser():
    """A real browser, one for all tests of a process: a second one would not start beside it."""
    playwright = pytest.importorskip("playwright.sync_api")
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    quiet = [
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
    ]
    with playwright.sync_playwright() as p:
        try:
            browser = p.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu", *quiet])
        except playwright.Error as error:
            pytest.skip(f"no browser to draw with: {str(error).splitlines()[0]}")
        yield browser
        browser.close()
