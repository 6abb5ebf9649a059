import pytest

import hott
from hott.corpus import demo


@pytest.fixture(scope="session")
def articles():
    """Sixty of the demo articles: three themes."""
    corpus = demo.corpus()
    return corpus[[i for i, label in enumerate(corpus.labels) if label in ("astronomy", "tennis", "cooking")]]


@pytest.fixture(scope="session")
def index_file(articles, tmp_path_factory):
    path = tmp_path_factory.mktemp("index") / "some articles.hott"
    hott.Index.build(articles, n_topics=6, n_models=2, iterations=50).save(path)
    return path
