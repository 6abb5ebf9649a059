"""A distance between texts: a vocabulary and a distance over its words, learned together."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self, Unpack

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott.compute.ground import Problems
from hott.corpus import Corpus
from hott.distances.base import Distance, DocumentsLike, OnEmpty, check_distance
from hott.distances.blend import Blend
from hott.distances.registry import Settings, named_distance
from hott.distances.representation import Part, Positions, Representation
from hott.distances.vector import ENCODER_WEIGHT, MeaningVectors, encoder_knows
from hott.topics import topics_for
from hott.utils.checks import check_choice
from hott.utils.run import Run, RunOptions
from hott.vocabulary import Vocabulary


@dataclass(eq=False, repr=False)
class TextDistance(Distance):
    """Texts in, distances out: words, their vectors and the distance are learned in one ``fit``.

    So they are refitted in each fold of a cross-validation, and a grid search reaches all of them:
    ``vocabulary__min_df``, ``distance__n_topics``, ``distance__distances__0__n_models`` of a blend.

    Parameters
    ----------
    distance : Distance
        Any of the library; copied, and given the vectors of the words where it takes any and has none. By
        default that of an index: HOTT over eight topic models and half a TF-IDF L1.
    vocabulary : Vocabulary
        Copied too. By default one for the language of the texts, with the vectors that suit them: those that
        come with the library, or learned from the texts.
    meaning : "auto" or float
        Weight of the distance by the bundled encoder, over its deviation, beside ``distance`` over its own;
        0 leaves it out. ``"auto"`` is 2 where no distance is given and the texts are English, else 0.
    on_empty : "error", "nan" or "drop"
        What to do with texts of which no word is known. NaN by default: a part of a corpus that the words
        are learned from need not have those of another.

    Attributes
    ----------
    vocabulary_, distance_
        Fitted.
    vectors_ : MeaningVectors or None
        Made by the encoder, where meaning has a weight.

    Examples
    --------
    >>> from hott import KNNClassifier, TextDistance, TFIDF
    >>> texts = ["Stars shine.", "A star and the moon.", "Bread and butter.", "Fresh bread."]
    >>> model = KNNClassifier(TextDistance(TFIDF()), n_neighbors=1).fit(texts, ["sky", "sky", "food", "food"])
    >>> model.predict(["the bread is fresh", "moon and star"]).tolist()
    ['food', 'sky']
    """

    distance: Distance | None = None
    vocabulary: Vocabulary | None = None
    on_empty: OnEmpty = "nan"
    meaning: float | Literal["auto"] = "auto"

    uses_device = True  # its distance, where it can
    reads_texts = True

    def set_params(self, **params: Any) -> Self:
        """Set parameters, also of the vocabulary where it is the default one."""
        if self.vocabulary is None and any(name.startswith("vocabulary__") for name in params):
            self.vocabulary = _make_vocabulary()
        return super().set_params(**params)

    def fit(self, X: Any, y: Any = None, **options: Unpack[RunOptions]) -> Self:
        """Learn words, their vectors and the distance from texts.

        Parameters
        ----------
        X : sequence of str, or Corpus
        y : ignored
        **options : threads, device, progress
        """
        texts, run = _list_texts(X), Run.of(options)
        self.distance_: Distance
        self.vectors_: MeaningVectors | None = None
        super().fit(texts, y, **options)
        weight = self._weigh_meaning()
        if weight:
            seen, words = super()._check_and_represent(texts, run.quiet()), self._over_words
            vectors = MeaningVectors()
            encoded = vectors.fit_encode(texts, run.quiet()).select(seen.positions)
            scale = 1.0 if isinstance(words, Blend) else words.deviation(seen.take(slice(None)))
            factors = [1 / scale, weight / vectors.deviation(encoded)]
            self.distance_, self.vectors_ = Blend.from_fitted([words, vectors], factors), vectors
        return self

    def _weigh_meaning(self) -> float:
        if self.meaning == "auto":
            is_default = self.distance is None and encoder_knows(self.vocabulary_.language_)
            return ENCODER_WEIGHT if is_default else 0.0
        if isinstance(self.meaning, str) or not 0 <= self.meaning < np.inf:
            raise ValueError(f'meaning must be "auto" or a number from 0 on, not {self.meaning!r}.')
        return float(self.meaning)

    def _check_and_represent(self, X: DocumentsLike, run: Run) -> Representation:
        vectors = getattr(self, "vectors_", None)
        if isinstance(X, Representation) or vectors is None:
            return super()._check_and_represent(X, run)
        texts = _list_texts(X)
        seen = super()._check_and_represent(texts, run)
        encoded = vectors.encode(texts, run).select(seen.positions)
        return replace(seen, parts=(seen.take(slice(None)), encoded))

    @property
    def _over_words(self) -> Distance:
        """The part of the distance that sees counts of words."""
        has_parts = isinstance(self.distance_, Blend) and self.vectors_
        return self.distance_.distances_[0] if has_parts else self.distance_  # type: ignore[attr-defined]

    @property
    def bound_is_exact(self) -> bool:  # type: ignore[override]
        return self.distance_.bound_is_exact

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Name the columns that ``transform`` gives."""
        return self.distance_.get_feature_names_out(self.vocabulary_.words_)

    def _check(self, X: Any, *, reset: bool) -> sparse.csr_array:
        check_choice(self.on_empty, "on_empty", ("error", "nan", "drop"))
        X = _list_texts(X)
        if not reset:
            return sparse.csr_array(self.vocabulary_.transform(X))
        from sklearn.base import clone

        self.vocabulary_: Vocabulary = clone(self.vocabulary or _make_vocabulary())
        counts = sparse.csr_array(self.vocabulary_.fit_transform(X))
        self.vocabulary_.word_vectors = None  # those of its own words are in vectors_
        self.n_features_in_ = counts.shape[1]
        return counts

    def _fit(self, counts: sparse.csr_array, run: Run) -> None:
        from sklearn.base import clone

        if self.distance is None:
            distance = named_distance("blend", Settings(n_topics=topics_for(counts.shape[0])))
        else:
            distance = clone(check_distance(self.distance))
        vectors = self.vocabulary_.vectors_
        for part in distance.distances if isinstance(distance, Blend) else [distance]:
            takes = part.get_params(deep=False).get("word_vectors", vectors) is None
            if vectors is not None and takes:
                part.set_params(word_vectors=vectors)
        self.distance_ = distance.set_params(on_empty="nan").fit(counts, **distance.where(run).options)

    def _represent(self, counts: sparse.csr_array, run: Run) -> tuple[Part, ...]:
        return self._over_words._represent(counts, self._over_words.where(run))

    def _has_words(self, counts: sparse.csr_array) -> NDArray[np.bool_]:
        return self._over_words._has_words(counts)

    def _problems(self, R: Representation, S: Representation | None) -> Problems | None:
        return self.distance_._problems(R, S)

    def _between(
        self, R: Representation, S: Representation | None, run: Run, out: NDArray[np.float64] | None
    ) -> NDArray[np.float64]:
        return self.distance_.between(R, S, run, out)

    def _pairs(
        self, R: Representation, S: Representation, rows: Positions, cols: Positions, run: Run
    ) -> NDArray[np.float64]:
        return self.distance_.pairs(R, S, rows, cols, run)

    def _lower_bound(self, R: Representation, S: Representation, run: Run) -> NDArray[np.floating] | None:
        return self.distance_.lower_bound(R, S, run)


def _list_texts(X: Any) -> Any:
    """Return texts that can be read more than once."""
    if isinstance(X, np.ndarray):
        return X.ravel().tolist()
    return X if isinstance(X, Corpus | Sequence | Representation) else list(X)


def _make_vocabulary() -> Vocabulary:
    return Vocabulary(language="auto", word_vectors="auto")
