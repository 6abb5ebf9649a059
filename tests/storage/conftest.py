"""Where the tests of storage write."""

import pytest


@pytest.fixture
def path(tmp_path):
    return tmp_path / "some index.hott"
