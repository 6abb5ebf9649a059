"""Compare documents by hierarchical optimal transport: exact, fast, and able to say why.

>>> import hott
>>> hott.transport.solve([0.5, 0.5], [1.0], [[2.0], [4.0]]).value
3.0
"""

import importlib
import sys
from typing import TYPE_CHECKING, Any

from hott.utils.moved import MOVED, MovedModules

__version__ = "0.3.0.dev0"  # the one place: pyproject.toml reads it from here

# Where each public name lives. Modules load on first use, so that `import hott` stays instant.
_HOME = {
    name: f"hott.{module}"
    for module, names in {
        "corpus": "Corpus read",
        "distances.blend": "Blend",
        "distances.contextual": "ContextualHOTT",
        "distances.text": "TextDistance",
        "distances.topic": "HOFTT HOTT",
        "distances.vector": "L1 LSI NBOW SIF TFIDF Cosine LDADistance",
        "distances.word": "RWMD WCD WMD",
        "evaluation.classify": "KNNClassifier",
        "index": "Index Shards open",
        "neighbors": "Neighbors",
        "utils.run": "config_context",
        "vocabulary": "Vocabulary",
    }.items()
    for name in names.split()
}
__all__ = [
    "HOFTT", "HOTT", "L1", "LSI", "NBOW", "RWMD", "SIF", "TFIDF", "WCD", "WMD", "Blend", "ContextualHOTT",
    "Corpus", "Cosine", "Index", "KNNClassifier", "LDADistance", "Neighbors", "Shards", "TextDistance",
    "Vocabulary", "classify", "config_context", "corpus", "demo", "distances", "embeddings", "encoder",
    "evaluation", "explain", "frames", "index", "languages", "mapping", "neighbors", "open", "plots",
    "read", "scale", "storage", "terms", "topics", "transport", "vocabulary",
]  # fmt: skip
_ROOMS = {*__all__} - {*_HOME}

sys.meta_path.insert(0, MovedModules(public={*_ROOMS, "gpu", "run"}))

if TYPE_CHECKING:  # the same names for type checkers; tests/test_house.py compares the two lists
    from hott import (
        corpus,
        distances,
        embeddings,
        evaluation,
        explain,
        index,
        neighbors,
        plots,
        storage,
        terms,
        topics,
        transport,
        vocabulary,
    )
    from hott.blocks import scale
    from hott.corpus import Corpus, demo, read
    from hott.distances.blend import Blend
    from hott.distances.contextual import ContextualHOTT
    from hott.distances.text import TextDistance
    from hott.distances.topic import HOFTT, HOTT
    from hott.distances.vector import L1, LSI, NBOW, SIF, TFIDF, Cosine, LDADistance
    from hott.distances.word import RWMD, WCD, WMD
    from hott.embeddings import encoder
    from hott.evaluation import classify
    from hott.evaluation.classify import KNNClassifier
    from hott.index import Index, Shards, frames, open
    from hott.neighbors import Neighbors, mapping
    from hott.text import languages
    from hott.utils.run import config_context
    from hott.vocabulary import Vocabulary
else:
    # A type checker must not see this: it would let any misspelt name pass.
    def __getattr__(name: str) -> Any:
        if name in _HOME:
            value = getattr(importlib.import_module(_HOME[name]), name)
        elif name in _ROOMS or name in MOVED:
            value = importlib.import_module(f"hott.{name}")
        else:
            raise AttributeError(f"module 'hott' has no attribute {name!r}")
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return [*__all__, "__version__"]
