"""Modules under the names they had at the top of the package, before they moved into a room."""

import importlib
import sys
import warnings
from collections.abc import Collection, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

MOVED = {
    "backends": "compute.backends",
    "cascade": "compute.cascade",
    "checks": "utils.checks",
    "classify": "evaluation.classify",
    "cpu": "compute.cpu",
    "demo": "corpus.demo",
    "encoder": "embeddings.encoder",
    "frames": "index.frames",
    "gpu": "compute.gpu",
    "ground": "compute.ground",
    "languages": "text.languages",
    "mapping": "neighbors.mapping",
    "readers": "corpus.readers",
    "report": "explorer.report",
    "run": "utils.run",
    "scale": "blocks.scale",
    "scan": "compute.scan",
    "tokens": "text.tokens",
    "wording": "utils.wording",
}
"""Where each of them is now, below ``hott``."""


class MovedModules:
    """Import a module by its old name as the one module that it is; warn unless the name is still public."""

    def __init__(self, public: Collection[str]) -> None:
        self._public = public

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        package, _, rest = name.partition(".")
        old = rest.partition(".")[0]
        if package != "hott" or old not in MOVED:
            return None
        if old not in self._public:
            warnings.warn(f"hott.{old} is now hott.{MOVED[old]}.", DeprecationWarning, stacklevel=2)
        return ModuleSpec(name, self)  # type: ignore[arg-type]  # a loader needs no base class

    def create_module(self, spec: ModuleSpec) -> None:
        """Let the import make a module, for a moment: it is replaced at once."""

    def exec_module(self, module: ModuleType) -> None:
        old = module.__name__.split(".")[1]
        sys.modules[module.__name__] = importlib.import_module(
            module.__name__.replace(f"hott.{old}", f"hott.{MOVED[old]}", 1)
        )
