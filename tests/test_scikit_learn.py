"""KNNClassifier and Neighbors beside scikit-learn's own: what one does the other does.

Rows that sum to 1 are their own shares of words, so the Euclidean distance of the one is NBOW of the other.
Two classes and three neighbours never tie: ties are broken in another way.
"""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import get_tags

from hott import NBOW, KNNClassifier, Neighbors

RANDOM = np.random.default_rng(0)
X = RANDOM.dirichlet(np.ones(6), size=30)
Q = RANDOM.dirichlet(np.ones(6), size=9)
Y = np.where(X[:, 0] > X[:, 1], "sea", "land")
TWO = np.column_stack([Y, X[:, 3] > X[:, 4]])
COMMON = max(["land", "sea"], key=Y.tolist().count)
FRAME = pd.DataFrame(X, columns=list("abcdef"))


def closeness(distances):
    return 1 / (0.1 + distances)


def plain(value):
    """What can be compared: arrays for matrices, frames and results; the type of an error."""
    if isinstance(value, BaseException):
        return type(value)
    if sparse.issparse(value):
        return value.toarray()
    if isinstance(value, str | type | bool | int | float):
        return value
    if isinstance(value, np.ndarray) and value.dtype != object:
        return value
    return [plain(part) for part in value]


def outcome(behaviour, model):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            value = plain(behaviour(model))
        except Exception as error:
            value = ValueError if isinstance(error, ValueError) else type(error)
    return value, {warning.category for warning in told}


def same(a, b):
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, np.ndarray) and a.dtype.kind == "f":
        return isinstance(b, np.ndarray) and a.shape == b.shape and np.allclose(a, b, atol=1e-7)
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and a.dtype.kind == b.dtype.kind and np.array_equal(a, b)
    return a == b


CLASSIFIER = {
    "predict": lambda m: m.fit(X, Y).predict(Q),
    "predict_proba": lambda m: m.fit(X, Y).predict_proba(Q),
    "score": lambda m: m.fit(X, Y).score(X, Y),
    "score with weights": lambda m: m.fit(X, Y).score(X, Y, sample_weight=np.arange(30)),
    "predict without queries": lambda m: m.fit(X, Y).predict(None),
    "predict_proba without queries": lambda m: m.fit(X, Y).predict_proba(None),
    "classes": lambda m: m.fit(X, Y).classes_,
    "classes of numbers": lambda m: m.fit(X, X[:, 0] > 0.2).classes_,
    "labels are numbers": lambda m: m.fit(X, np.arange(30) % 2).predict(Q),
    "labels in a series": lambda m: m.fit(X, pd.Series(Y)).predict(Q),
    "labels in a column": lambda m: m.fit(X, Y[:, None]).predict(Q),
    "labels in a list": lambda m: m.fit(X, Y.tolist()).predict(Q),
    "several outputs": lambda m: m.fit(X, TWO).predict(Q),
    "shares of several outputs": lambda m: m.fit(X, TWO).predict_proba(Q),
    "classes of several outputs": lambda m: m.fit(X, TWO).classes_,
    "many labels": lambda m: m.fit(X, X[:, :4] > 0.2).predict(Q),
    "uniform weights": lambda m: m.set_params(weights="uniform").fit(X, Y).predict_proba(Q),
    "no weights": lambda m: m.set_params(weights=None).fit(X, Y).predict_proba(Q),
    "weights by distance": lambda m: m.set_params(weights="distance").fit(X, Y).predict_proba(Q),
    "weights by distance, at 0": lambda m: m.set_params(weights="distance").fit(X, Y).predict_proba(X),
    "callable weights": lambda m: m.set_params(weights=closeness).fit(X, Y).predict_proba(Q),
    "wrong weights": lambda m: m.set_params(weights="rank").fit(X, Y),
    "other n_neighbors": lambda m: m.set_params(n_neighbors=1).fit(X, Y).predict_proba(Q),
    "n_neighbors of 0": lambda m: m.set_params(n_neighbors=0).fit(X, Y),
    "n_neighbors a fraction": lambda m: m.set_params(n_neighbors=2.5).fit(X, Y),
    "kneighbors": lambda m: m.fit(X, Y).kneighbors(Q),
    "kneighbors, so many": lambda m: m.fit(X, Y).kneighbors(Q, 2),
    "kneighbors by name": lambda m: m.fit(X, Y).kneighbors(X=Q, n_neighbors=2),
    "kneighbors without distances": lambda m: m.fit(X, Y).kneighbors(Q, return_distance=False),
    "kneighbors of the documents": lambda m: m.fit(X, Y).kneighbors(),
    "kneighbors, too many": lambda m: m.fit(X, Y).kneighbors(Q, 31),
    "kneighbors before fit": lambda m: m.kneighbors(Q),
    "graph": lambda m: m.fit(X, Y).kneighbors_graph(Q),
    "graph of the documents": lambda m: m.fit(X, Y).kneighbors_graph(),
    "graph, so many": lambda m: m.fit(X, Y).kneighbors_graph(Q, 2),
    "graph of distances": lambda m: m.fit(X, Y).kneighbors_graph(Q, mode="distance"),
    "graph of something else": lambda m: m.fit(X, Y).kneighbors_graph(Q, mode="likeness"),
    "graph before fit": lambda m: m.kneighbors_graph(Q),
    "number of features": lambda m: m.fit(X, Y).n_features_in_,
    "number of documents": lambda m: m.fit(X, Y).n_samples_fit_,
    "names of features": lambda m: list(m.fit(FRAME, Y).feature_names_in_),
    "no names of features": lambda m: hasattr(m.fit(FRAME, Y).fit(X, Y), "feature_names_in_"),
    "features before fit": lambda m: hasattr(m, "n_features_in_"),
    "a frame": lambda m: m.fit(FRAME, Y).predict(FRAME[:5]),
    "a frame with other columns": lambda m: m.fit(FRAME, Y).predict(FRAME.rename(columns={"a": "z"})),
    "an array after a frame": lambda m: m.fit(FRAME, Y).predict(Q),
    "a frame after an array": lambda m: m.fit(X, Y).predict(FRAME[:5]),
    "sparse": lambda m: m.fit(sparse.csr_matrix(X), Y).predict(sparse.csr_array(Q)),
    "other words": lambda m: m.fit(X, Y).predict(Q[:, :4]),
    "one document": lambda m: m.fit(X, Y).predict(Q[0]),
    "no document": lambda m: m.fit(X, Y).predict(Q[:0]),
    "not a number": lambda m: m.fit(X, Y).predict(np.where(Q > 0.3, np.nan, Q)),
    "no labels": lambda m: m.fit(X, None),
    "other number of labels": lambda m: m.fit(X, Y[:20]),
    "labels without bounds": lambda m: m.fit(X, X[:, 0]),
    "predict before fit": lambda m: m.predict(Q),
    "fit returns the model": lambda m: m.fit(X, Y) is m,
    "fit again": lambda m: m.fit(X[:10], Y[:10]).fit(X, Y).predict(Q),
    "clone": lambda m: clone(m).fit(X, Y).predict(Q),
    "pickle": lambda m: pickle.loads(pickle.dumps(m.fit(X, Y))).predict(Q),
    "pipeline": lambda m: make_pipeline(FunctionTransformer(), m).fit(X, Y).predict(Q),
    "cross-validation": lambda m: cross_val_predict(m, X, Y, cv=3),
    "grid search": lambda m: GridSearchCV(m, {"n_neighbors": [1, 3]}, cv=3).fit(X, Y).best_score_,
    "is a classifier": is_classifier,
    "tags of targets": lambda m: [get_tags(m).target_tags.multi_output, get_tags(m).target_tags.required],
    "tags of many labels": lambda m: get_tags(m).classifier_tags.multi_label,
    "tags of sparse input": lambda m: get_tags(m).input_tags.sparse,
}  # fmt: skip

NEIGHBORS = {
    "kneighbors": lambda m: m.fit(X).kneighbors(Q, 4),
    "kneighbors by name": lambda m: m.fit(X).kneighbors(X=Q, n_neighbors=4),
    "kneighbors without distances": lambda m: m.fit(X).kneighbors(Q, 4, return_distance=False),
    "kneighbors without distances, by place": lambda m: m.fit(X).kneighbors(Q, 4, False),
    "kneighbors of the documents": lambda m: m.fit(X).kneighbors(n_neighbors=4),
    "radius": lambda m: [np.sort(row) for rows in m.fit(X).radius_neighbors(Q, 0.5) for row in rows],
    "radius without distances": lambda m: [
        np.sort(row) for row in m.fit(X).radius_neighbors(Q, radius=0.5, return_distance=False)
    ],
    "graph": lambda m: m.fit(X).kneighbors_graph(Q, 4),
    "graph of distances": lambda m: m.fit(X).kneighbors_graph(None, 4, "distance"),
    "number of features": lambda m: m.fit(X).n_features_in_,
    "number of documents": lambda m: m.fit(X).n_samples_fit_,
    "names of features": lambda m: list(m.fit(FRAME).feature_names_in_),
    "before fit": lambda m: m.kneighbors(Q),
    "tags": lambda m: [get_tags(m).input_tags.sparse, get_tags(m).requires_fit],
}


@pytest.mark.parametrize("name", CLASSIFIER)
def test_the_classifier_behaves_as_scikit_learns(name):
    theirs = outcome(CLASSIFIER[name], KNeighborsClassifier(3, algorithm="brute"))
    ours = outcome(CLASSIFIER[name], KNNClassifier(NBOW(), 3))
    assert same(theirs[0], ours[0])
    assert theirs[1] == ours[1]


@pytest.mark.parametrize("name", NEIGHBORS)
def test_neighbors_behaves_as_scikit_learns(name):
    theirs = outcome(NEIGHBORS[name], NearestNeighbors(algorithm="brute"))
    ours = outcome(NEIGHBORS[name], Neighbors(NBOW()))
    assert same(theirs[0], ours[0])
    assert theirs[1] == ours[1]


@pytest.mark.parametrize("policy", ["nan", "drop"])
def test_there_are_as_many_labels_as_documents(policy):
    documents = np.vstack([Q[:3], np.zeros(6)])
    model = KNNClassifier(NBOW(on_empty=policy), 3).fit(X, Y)
    assert model.predict(documents).tolist() == [*model.predict(Q[:3]), COMMON]
    assert model.predict_proba(documents)[3] == pytest.approx([np.mean(c == Y) for c in model.classes_])
    assert model.score(documents, [*model.predict(Q[:3]), COMMON]) == 1
    training = np.vstack([np.zeros(6), X])
    alone = KNNClassifier(NBOW(on_empty=policy), 3).fit(training, ["sea", *Y]).predict(None)
    assert len(alone) == 31
    assert alone[1:].tolist() == model.predict(None).tolist()
    assert model.kneighbors_graph(documents).shape == (4, 30)
    assert np.diff(model.kneighbors_graph(documents).indptr).tolist() == [3, 3, 3, 0]


def test_weights_that_cannot_be_votes_are_told():
    with pytest.raises(ValueError, match=r"weights must return a number .* each of \(9, 3\)"):
        KNNClassifier(NBOW(), 3, weights=lambda distances: distances[:, 0]).fit(X, Y).predict(Q)
    with pytest.raises(ValueError, match=r"at least 0"):
        KNNClassifier(NBOW(), 3, weights=lambda distances: -distances).fit(X, Y).predict(Q)


def test_represented_documents_are_taken_in():
    distance = NBOW(on_empty="nan").fit(X)
    documents = np.vstack([np.zeros(6), X])
    model = KNNClassifier(distance, 3).fit(distance.represent(documents), ["sea", *Y])
    assert (
        model.predict(Q).tolist()
        == KNNClassifier(distance, 3).fit(documents, ["sea", *Y]).predict(Q).tolist()
    )
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        KNNClassifier(distance, 3).fit(distance.represent(documents), Y)


def test_results_are_taken_apart_as_distances_and_indices():
    found = Neighbors(NBOW()).fit(X).kneighbors(Q, 2)
    distances, indices = found
    assert distances is found.distances
    assert indices is found.indices
    with pytest.raises(NotFittedError):
        Neighbors(NBOW()).kneighbors_graph(Q)
