"""A distance between texts: a vocabulary and a distance over its words, learned together."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import Tags

from hott.compute.ground import Problems
from hott.distances.base import Distance, OnEmpty
from hott.distances.blend import Blend
from hott.distances.representation import Part, Representation
from hott.distances.topic import HOTT
from hott.utils.run import Run
from hott.vocabulary import Vocabulary


class TextDistance(Distance):
    """Texts in, distances out: words, their vectors and the distance are learned in one ``fit``.

    So they are refitted in each fold of a cross-validation, and a grid search reaches all of them:
    ``vocabulary__min_df``, ``distance__n_topics``, ``distance__distances__0__n_models`` of a blend.

    Parameters
    ----------
    distance : Distance
        Any of the library; copied, and given the vectors of the words where it takes any and has none.
        HOTT by default.
    vocabulary : Vocabulary
        Copied too. By default one with the vectors that come with the library.
    on_empty : "error", "nan" or "drop"
        What to do with texts of which no word is known. NaN by default: a part of a corpus that the words
        are learned from need not have those of another.

    Attributes
    ----------
    vocabulary_, distance_
        Fitted.

    Examples
    --------
    >>> from hott import KNNClassifier, TextDistance, TFIDF
    >>> texts = ["Stars shine.", "A star and the moon.", "Bread and butter.", "Fresh bread."]
    >>> model = KNNClassifier(TextDistance(TFIDF()), n_neighbors=1).fit(texts, ["sky", "sky", "food", "food"])
    >>> model.predict(["the bread is fresh", "moon and star"]).tolist()
    ['food', 'sky']
    """

    vocabulary_: Vocabulary
    distance_: Distance
    uses_device = True  # its distance, where it can

    def __init__(
        self,
        distance: Distance | None = None,
        vocabulary: Vocabulary | None = None,
        on_empty: OnEmpty = "nan",
    ) -> None:
        self.distance = distance
        self.vocabulary = vocabulary
        self.on_empty = on_empty

    @property
    def bound_is_exact(self) -> bool:  # type: ignore[override]
        return self.distance_.bound_is_exact

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Names of the columns that ``transform`` gives."""
        return self.distance_.get_feature_names_out(self.vocabulary_.words_)

    def _check(self, X: Any, *, reset: bool) -> sparse.csr_array:
        if self.on_empty not in ("error", "nan", "drop"):
            raise ValueError(f'on_empty must be "error", "nan" or "drop", not {self.on_empty!r}.')
        if isinstance(X, np.ndarray):
            X = X.ravel().tolist()
        if not reset:
            return sparse.csr_array(self.vocabulary_.transform(X))
        if self.vocabulary is None:
            from hott import embeddings

            self.vocabulary_ = Vocabulary(word_vectors=embeddings.default())
        else:
            self.vocabulary_ = clone(self.vocabulary)
        counts = sparse.csr_array(self.vocabulary_.fit_transform(X))
        self.vocabulary_.word_vectors = None  # those of its own words are in vectors_
        self.n_features_in_ = counts.shape[1]
        return counts

    def _fit(self, counts: sparse.csr_array, run: Run) -> None:
        distance = HOTT() if self.distance is None else clone(self.distance)
        vectors = self.vocabulary_.vectors_
        if vectors is not None:
            _give_vectors(distance, vectors)
        self.distance_ = distance.set_params(on_empty="nan").fit(counts, **distance.where(run).options)

    def _represent(self, counts: sparse.csr_array, run: Run) -> tuple[Part, ...]:
        return self.distance_._represent(counts, self.distance_.where(run))

    def _has_words(self, counts: sparse.csr_array) -> NDArray[np.bool_]:
        return self.distance_._has_words(counts)

    def _problems(self, R: Representation, S: Representation | None) -> Problems | None:
        return self.distance_._problems(R, S)

    def _between(
        self, R: Representation, S: Representation | None, run: Run, out: NDArray[np.float64] | None
    ) -> NDArray[np.float64]:
        return self.distance_.between(R, S, run, out)

    def _pairs(
        self,
        R: Representation,
        S: Representation,
        rows: NDArray[np.integer],
        cols: NDArray[np.integer],
        run: Run,
    ) -> NDArray[np.float64]:
        return self.distance_.pairs(R, S, rows, cols, run)

    def _lower_bound(self, R: Representation, S: Representation, run: Run) -> NDArray[np.floating] | None:
        return self.distance_.lower_bound(R, S, run)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def _give_vectors(distance: Distance, vectors: NDArray[np.float32]) -> None:
    """The vectors of the words, to a distance and its parts that take some and have none."""
    for part in distance.distances if isinstance(distance, Blend) else [distance]:
        if "word_vectors" in part.get_params(deep=False) and part.word_vectors is None:
            part.set_params(word_vectors=vectors)
