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
    "Blend": "hott.distances.blend",
    "ContextualHOTT": "hott.distances.contextual",
    "Corpus": "hott.corpus",
    "Cosine": "hott.distances.vector",
    "HOFTT": "hott.distances.topic",
    "HOTT": "hott.distances.topic",
    "Index": "hott.index",
    "KNNClassifier": "hott.evaluation.classify",
    "L1": "hott.distances.vector",
    "LDADistance": "hott.distances.vector",
    "LSI": "hott.distances.vector",
    "NBOW": "hott.distances.vector",
    "Neighbors": "hott.neighbors",
    "RWMD": "hott.distances.word",
    "SIF": "hott.distances.vector",
    "Shards": "hott.index",
    "TFIDF": "hott.distances.vector",
    "TextDistance": "hott.distances.text",
    "Vocabulary": "hott.vocabulary",
    "WCD": "hott.distances.word",
    "WMD": "hott.distances.word",
    "config_context": "hott.utils.run",
    "open": "hott.index",
    "read": "hott.corpus",
}
_ROOMS = {"classify", "corpus", "demo", "distances", "embeddings", "encoder", "evaluation", "explain",
          "frames", "index", "languages", "mapping", "neighbors", "plots", "scale", "storage", "terms",
          "topics", "transport", "vocabulary"}  # fmt: skip

__all__ = sorted([*_HOME, *_ROOMS])

sys.meta_path.insert(0, MovedModules(public={*_ROOMS, "gpu", "run"}))

if TYPE_CHECKING:  # the same names for type checkers; tests/test_house.py compares the two lists
    from hott import corpus as corpus
    from hott import distances as distances
    from hott import embeddings as embeddings
    from hott import evaluation as evaluation
    from hott import explain as explain
    from hott import index as index
    from hott import neighbors as neighbors
    from hott import plots as plots
    from hott import storage as storage
    from hott import terms as terms
    from hott import topics as topics
    from hott import transport as transport
    from hott import vocabulary as vocabulary
    from hott.blocks import scale as scale
    from hott.corpus import Corpus as Corpus
    from hott.corpus import demo as demo
    from hott.corpus import read as read
    from hott.distances.blend import Blend as Blend
    from hott.distances.contextual import ContextualHOTT as ContextualHOTT
    from hott.distances.text import TextDistance as TextDistance
    from hott.distances.topic import HOFTT as HOFTT
    from hott.distances.topic import HOTT as HOTT
    from hott.distances.vector import L1 as L1
    from hott.distances.vector import LSI as LSI
    from hott.distances.vector import NBOW as NBOW
    from hott.distances.vector import SIF as SIF
    from hott.distances.vector import TFIDF as TFIDF
    from hott.distances.vector import Cosine as Cosine
    from hott.distances.vector import LDADistance as LDADistance
    from hott.distances.word import RWMD as RWMD
    from hott.distances.word import WCD as WCD
    from hott.distances.word import WMD as WMD
    from hott.embeddings import encoder as encoder
    from hott.evaluation import classify as classify
    from hott.evaluation.classify import KNNClassifier as KNNClassifier
    from hott.index import Index as Index
    from hott.index import Shards as Shards
    from hott.index import frames as frames
    from hott.index import open as open
    from hott.neighbors import Neighbors as Neighbors
    from hott.neighbors import mapping as mapping
    from hott.text import languages as languages
    from hott.utils.run import config_context as config_context
    from hott.vocabulary import Vocabulary as Vocabulary
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
