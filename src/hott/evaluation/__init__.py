"""How good a distance is: protocols and statistics."""

from hott.evaluation.crossvalidation import CrossValidation, cross_validate
from hott.evaluation.knn import KnnErrors, knn_errors
from hott.evaluation.links import Paper, link_f1, pair_features
from hott.evaluation.prediction import Prediction, predict
from hott.evaluation.relation import Mantel, agreement, difference, mantel
from hott.evaluation.splits import Split, random_split, split_in_order, without_copies

__all__ = [
    "CrossValidation",
    "KnnErrors",
    "Mantel",
    "Paper",
    "Prediction",
    "Split",
    "agreement",
    "cross_validate",
    "difference",
    "knn_errors",
    "link_f1",
    "mantel",
    "pair_features",
    "predict",
    "random_split",
    "split_in_order",
    "without_copies",
]
