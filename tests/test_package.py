import subprocess
import sys

import pytest

import hott
from hott._optional import need


def test_importing_hott_loads_nothing_heavy():
    heavy = "sklearn scipy pandas tomotopy gensim plotly matplotlib dask fastapi cupy torch ot"
    program = f"import sys, hott; print([m for m in '{heavy}'.split() if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_public_name_can_be_had():
    for name in hott.__all__:
        assert getattr(hott, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        hott.nonsense  # noqa: B018


def test_a_missing_optional_dependency_names_the_extra():
    with pytest.raises(ImportError, match=r'pip install "hott\[plots\]"'):
        need("a_package_that_is_not_there", extra="plots")
