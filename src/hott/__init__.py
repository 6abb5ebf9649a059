"""Compare documents by hierarchical optimal transport: exact, fast, and able to say why.

>>> import hott
>>> hott.transport.solve([0.5, 0.5], [1.0], [[2.0], [4.0]]).value
3.0
"""

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Where each public name lives. Modules load on first use, so that `import hott` stays instant.
_HOME = {
    "Blend": "hott.distances.blend",
    "Corpus": "hott.corpus",
    "Cosine": "hott.distances.vector",
    "HOFTT": "hott.distances.topic",
    "HOTT": "hott.distances.topic",
    "Index": "hott.index",
    "KNNClassifier": "hott.classify",
    "L1": "hott.distances.vector",
    "LDADistance": "hott.distances.vector",
    "LSI": "hott.distances.vector",
    "NBOW": "hott.distances.vector",
    "Neighbors": "hott.neighbors",
    "RWMD": "hott.distances.word",
    "SIF": "hott.distances.vector",
    "TFIDF": "hott.distances.vector",
    "Vocabulary": "hott.vocabulary",
    "WCD": "hott.distances.word",
    "WMD": "hott.distances.word",
    "open": "hott.index",
    "read": "hott.corpus",
}
_ROOMS = {"classify", "corpus", "demo", "distances", "embeddings", "evaluation", "explain",
          "index", "languages", "mapping", "neighbors", "plots", "scale", "storage", "topics",
          "transport", "vocabulary"}  # fmt: skip

__all__ = sorted([*_HOME, *_ROOMS])

if TYPE_CHECKING:
    from hott import transport as transport


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(importlib.import_module(_HOME[name]), name)
    elif name in _ROOMS:
        value = importlib.import_module(f"hott.{name}")
    else:
        raise AttributeError(f"module 'hott' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
