"""The appendix: k-NN classification again with the 2-Wasserstein distance, with stemming, and with both."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from hott.ground import Power
from hott.paper.knn import UNAFFORDABLE, classify
from hott.paper.methods import PUBLISHED, Method
from hott.paper.runner import Cell
from hott.paper.study import Study

KEYS = ("dataset", "p", "stem", "method")
VARIANTS: tuple[tuple[Power, str], ...] = ((2, "no"), (1, "yes"), (2, "yes"))


def cells(study: Study) -> list[Cell]:
    """The published methods under the paper's protocol, first split. Only transport depends on p."""
    return [
        Cell(
            {"dataset": source.name, "p": p, "stem": stem, "method": method.name},
            partial(_classify, study, source.name, p, stem, method),
            weight=source.documents * (5 if method.slow else 1),
        )
        for slow in (False, True)
        for p, stem in VARIANTS
        for source in study.sources
        for method in PUBLISHED
        if method.slow == slow
        and (p == 1 or method.transport)
        and (source.name, method.name) not in UNAFFORDABLE
    ]


def _classify(study: Study, name: str, p: Power, stem: str, method: Method) -> Mapping[str, Any]:
    return classify(study.task(name, "paper", 0, stem == "yes"), method, p, study.sizes.appendix_pairs)
