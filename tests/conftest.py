import os
import shutil
import sys
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import settings
from threadpoolctl import threadpool_limits

from tests.quick_start import quick_commands

# Processes of tests share the cores, which threads of BLAS would spend on waiting for each other.
# Plugins have loaded NumPy already; what tests start goes by the environment. With more: tools/processors.py.
threadpool_limits(int(os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")), user_api="blas")

# Hundreds of processes are started, and each would compile all of the library again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# How long an example takes says more about what else the machine does than about the code.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")


@pytest.fixture
def whole_numbers(monkeypatch):
    """Let scikit-learn's checks hand in whole numbers, which is what a model of counts takes."""
    from sklearn.utils import estimator_checks

    adapted = estimator_checks._enforce_estimator_tags_X
    monkeypatch.setattr(
        estimator_checks, "_enforce_estimator_tags_X", lambda *given, **how: np.ceil(adapted(*given, **how))
    )


@pytest.fixture(scope="session")
def quick_start(tmp_path_factory):
    """A folder with commands that start at once, or None where processes cannot be copied."""
    if not hasattr(os, "fork"):
        yield None
        return
    with quick_commands(tmp_path_factory.mktemp("quick")) as folder:
        yield folder


@pytest.fixture(scope="session")
def python(quick_start):
    """A command that runs ``-c CODE`` in a process of its own, with hott imported."""
    return sys.executable if quick_start is None else str(quick_start / "python")


@pytest.fixture(scope="session")
def client():
    """A real Dask cluster of two processes, one for all tests of a process."""
    pytest.importorskip("distributed")
    from hott.blocks.scale import connect

    # Now and then the loop ends before its client, at the end of the process: nothing is left to close then.
    with suppress(RuntimeError), connect(workers=2) as client:
        # It keeps the current folder off the path of workers; processes that tests start may need it there.
        os.environ.pop("PYTHONSAFEPATH", None)
        yield client


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
