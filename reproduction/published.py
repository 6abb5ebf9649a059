"""The numbers that were published, to stand beside ours."""

import json
from collections.abc import Collection
from functools import cache
from importlib import resources
from typing import Any


@cache
def published() -> dict[str, Any]:
    """All published figures, with their source.

    Examples
    --------
    >>> published()["pairs_per_second"]["r8"][-1]
    989
    """
    return json.loads(resources.files("reproduction").joinpath("published.json").read_text(encoding="utf-8"))


def column(table: str, row: str, name: str) -> float | None:
    """One published number, None where there is none.

    Examples
    --------
    >>> column("knn_error_w1_no_stemming", "r8", "HOTT"), column("knn_error_w1_no_stemming", "r8", "Blend")
    (4.8, None)
    """
    found = published()[table]
    names = found.get("methods") or found["columns"]
    if row not in found or name not in names:
        return None
    return found[row][names.index(name)]


def reevaluated(method: str, dataset: str) -> float | None:
    """A number of the ICML 2022 re-evaluation, None where there is none.

    Examples
    --------
    >>> reevaluated("WMD-TF-IDF", "r8")
    4.0
    """
    found = published()["reevaluation_icml_2022"]
    # Their tables name the vector distances by normalisation and metric.
    name = {
        "BOW L1/L1": "BOW (L1/L1)", "TF-IDF L1/L1": "TF-IDF (L1/L1)", "TF-IDF": "TF-IDF (L2/L2)",
    }.get(method, method)  # fmt: skip
    if name not in found or dataset not in found["columns"]:
        return None
    return found[name][found["columns"].index(dataset)]


def published_normalised(method: str, datasets: Collection[str] | None = None) -> float:
    """The published error of a method divided by that of nBOW, mean over data sets (figure 5).

    Examples
    --------
    >>> round(published_normalised("HOTT"), 2)
    0.52
    """
    table = published()["knn_error_w1_no_stemming"]
    place, reference = (table["methods"].index(name) for name in (method, "nBOW"))
    chosen = [name for name in table if name != "methods" and (datasets is None or name in datasets)]
    return sum(table[name][place] / table[name][reference] for name in chosen) / len(chosen)
