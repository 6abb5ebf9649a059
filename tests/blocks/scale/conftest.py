import os

import pytest

from hott.blocks.scale import connected
from tests.themes import made_index


@pytest.fixture(scope="session")
def index():
    return made_index()


@pytest.fixture(scope="session")
def client():
    with connected(workers=2) as client:
        os.environ.pop("PYTHONSAFEPATH", None)  # for the workers, not for processes of other tests
        yield client
