import pytest

from hott.blocks.scale import connected
from tests.themes import made_index


@pytest.fixture(scope="session")
def index():
    return made_index()


@pytest.fixture(scope="session")
def client():
    with connected(workers=2) as client:
        yield client
