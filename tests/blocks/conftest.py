import pytest

from tests.themes import made_index


@pytest.fixture(scope="session")
def index():
    return made_index()
