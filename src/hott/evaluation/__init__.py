"""How good a distance is: protocols and statistics."""

from hott.evaluation.crossvalidation import CrossValidation, cross_validate
from hott.evaluation.knn import KnnErrors, knn_errors
from hott.evaluation.links import Paper, pair_features, predicted_links
from hott.evaluation.prediction import Prediction, predict
from hott.evaluation.relation import Mantel, agreement, difference, mantel
from hott.evaluation.significance import (
    Interval,
    McNemar,
    Ranks,
    bootstrap,
    correlation_interval,
    f1_interval,
    friedman,
    mcnemar,
    mean_interval,
)
from hott.evaluation.splits import Split, random_split, split_in_order, unrepeated, without_copies

__all__ = [
    "CrossValidation",
    "Interval",
    "KnnErrors",
    "Mantel",
    "McNemar",
    "Paper",
    "Prediction",
    "Ranks",
    "Split",
    "agreement",
    "bootstrap",
    "correlation_interval",
    "cross_validate",
    "difference",
    "f1_interval",
    "friedman",
    "knn_errors",
    "mantel",
    "mcnemar",
    "mean_interval",
    "pair_features",
    "predict",
    "predicted_links",
    "random_split",
    "split_in_order",
    "unrepeated",
    "without_copies",
]
