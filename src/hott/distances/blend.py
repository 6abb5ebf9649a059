"""A weighted sum of distances, each brought to the same scale first."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott.compute.cpu import row_blocks
from hott.distances.base import Distance, OnEmpty, check_distance, fit_if_needed
from hott.distances.representation import Positions, Representation
from hott.utils.checks import check_count
from hott.utils.run import Run


@dataclass(eq=False, repr=False)
class Blend(Distance):
    """A weighted sum of distances, each divided by its standard deviation over random training pairs.

    A sum of metrics is a metric. Eight-model HOTT plus half a TF-IDF L1 distance,
    ``Blend([HOTT(n_models=8), L1("tfidf")], [1, 0.5])``, classifies as well as WMD over TF-IDF weights.

    Parameters
    ----------
    distances : list of Distance
        Those that are fitted already are used as they are; the others are copied and fitted. Put the
        costliest first: its matrix is written straight to the result.
    weights : list of float, optional
        One a distance, not negative; 1 each by default.
    n_pairs : int
        Random pairs of training documents that the standard deviations are taken over.
    random_state : int
        Seed of those pairs.
    on_empty : "error", "nan" or "drop"
        What to do with documents that have no words, whatever the parts say.

    Examples
    --------
    >>> from hott import NBOW, Cosine
    >>> counts = [[2, 0, 1], [0, 1, 1], [1, 1, 1], [3, 0, 0]]
    >>> blend = Blend([NBOW(), Cosine()], weights=[1, 0.5]).fit(counts)
    >>> blend.pairwise(counts).shape, blend.scales_.round(2)
    ((4, 4), array([0.29, 0.31]))
    """

    distances: Sequence[Distance]
    weights: Sequence[float] | None = None
    n_pairs: int = 10_000
    random_state: int = 0
    on_empty: OnEmpty = "error"

    uses_device = True  # its parts, where they can

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return parameters by name, those of the parts by their number: ``distances__0__n_topics``."""
        params: dict[str, Any] = super().get_params(deep=False)
        for number, part in enumerate(self._given if deep else ()):
            params[f"distances__{number}"] = part
            nested = part.get_params(deep=True)
            params |= {f"distances__{number}__{name}": value for name, value in nested.items()}
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters by their names, as :meth:`get_params` gives them."""
        if "distances" in params:
            self.distances = params.pop("distances")
        for name in sorted(name for name in params if name.startswith("distances__")):
            _, number, *inner = name.split("__", 2)
            parts = self._given
            if not number.isdecimal() or int(number) >= len(parts):
                raise ValueError(f"Invalid parameter {name!r}: there are {len(parts)} distances, from 0.")
            if inner:
                parts[int(number)].set_params(**{inner[0]: params.pop(name)})
            else:
                parts[int(number)] = params.pop(name)
                self.distances = parts
        return super().set_params(**params)

    @property
    def _given(self) -> list[Distance]:
        """The parts as they were given; an empty list where something else was, as ``fit`` will say."""
        parts = list(self.distances) if isinstance(self.distances, list | tuple) else []
        return parts if all(isinstance(part, Distance) for part in parts) else []

    @classmethod
    def from_fitted(cls, distances: Sequence[Distance], factors: Sequence[float]) -> Self:
        """Make a sum of fitted distances, each times a factor, for documents that they have represented.

        To be on the same scale, a factor is a weight over :meth:`Distance.deviation`.
        """
        blend = cls(distances)
        blend.distances_ = list(distances)
        blend.factors_ = np.asarray(factors, np.float64)
        blend.scales_ = 1 / blend.factors_
        return blend

    @property
    def bound_is_exact(self) -> bool:  # type: ignore[override]
        return all(part.bound_is_exact for part in self.distances)

    @property
    def whole_counts(self) -> bool:  # type: ignore[override]
        return any(check_distance(part).whole_counts for part in self.distances)

    def _fit(self, counts: sparse.csr_array, run: Run) -> None:
        weights = np.ones(len(self.distances)) if self.weights is None else np.asarray(self.weights, float)
        if len(self.distances) == 0:
            raise ValueError("distances is empty: give at least one.")
        if weights.shape != (len(self.distances),) or not ((weights >= 0) & np.isfinite(weights)).all():
            raise ValueError(
                f"weights must be {len(self.distances)} finite numbers, one a distance, none of them "
                f"negative; they are {self.weights!r}."
            )
        self.distances_ = [fit_if_needed(part, counts, run) for part in self.distances]
        R = self._represent(counts, run.quiet())
        n_pairs = check_count(self.n_pairs, "n_pairs")
        # A part that is the same for all pairs has no scale; as it is, it shifts all distances alike.
        deviations = (
            part.deviation(r, self.random_state, part.where(run.quiet()), n_pairs)
            for part, r in zip(self.distances_, R)
        )
        self.scales_ = np.array([*deviations])
        self.factors_ = weights / self.scales_

    def _represent(self, counts: sparse.csr_array, run: Run) -> tuple[Representation, ...]:
        return tuple(Representation.of(*part._represent(counts, run)) for part in self.distances_)

    def _has_words(self, counts: sparse.csr_array) -> NDArray[np.bool_]:
        """Tell which documents have words that every part knows."""
        return np.logical_and.reduce([part._has_words(counts) for part in self.distances_])

    def _between(
        self, R: Representation, S: Representation | None, run: Run, out: NDArray[np.float64] | None
    ) -> NDArray[np.float64]:
        (first, factor, r, s), *rest = self._parts(R, R if S is None else S)
        total = first.between(r, None if S is None else s, first.where(run), out)
        total *= factor
        for block in row_blocks(*total.shape):
            for part, factor, r, s in rest:
                total[block] += factor * part.between(r.take(block), s, part.where(run.quiet()))
        return total

    def _pairs(
        self, R: Representation, S: Representation, rows: Positions, cols: Positions, run: Run
    ) -> NDArray[np.float64]:
        total = np.zeros(len(rows))
        for part, factor, r, s in self._parts(R, S):
            total += factor * part.pairs(r, s, rows, cols, part.where(run))
        return total

    def _lower_bound(self, R: Representation, S: Representation, run: Run) -> NDArray[np.float64] | None:
        total = None
        for part, factor, r, s in self._parts(R, S):
            bound = part.lower_bound(r, s, part.where(run))
            if bound is not None:  # a part without a bound is at least 0
                total = np.zeros((len(R), len(S))) if total is None else total
                total += factor * bound
        return total

    def fingerprint_arrays(self) -> tuple[NDArray, ...]:
        return self.factors_, *(array for part in self.distances_ for array in part.fingerprint_arrays())

    def _parts(
        self, R: Representation, S: Representation
    ) -> list[tuple[Distance, float, Representation, Representation]]:
        """Return each distance with its factor and the documents as it sees them."""
        return list(zip(self.distances_, self.factors_, R.parts, S.parts))  # type: ignore[arg-type]
