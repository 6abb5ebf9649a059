"""Protocols and statistics of the study: splits, k-NN errors, intervals and tests."""

from reproduction.evaluation.knn import KnnErrors, knn_errors
from reproduction.evaluation.links import Paper, pair_features, predicted_links
from reproduction.evaluation.relation import Mantel, agreement, difference, mantel
from reproduction.evaluation.significance import (
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
from reproduction.evaluation.splits import Split, random_split, split_in_order, unrepeated, without_copies

__all__ = [
    "Interval",
    "KnnErrors",
    "Mantel",
    "McNemar",
    "Paper",
    "Ranks",
    "Split",
    "agreement",
    "bootstrap",
    "correlation_interval",
    "difference",
    "f1_interval",
    "friedman",
    "knn_errors",
    "mantel",
    "mcnemar",
    "mean_interval",
    "pair_features",
    "predicted_links",
    "random_split",
    "split_in_order",
    "unrepeated",
    "without_copies",
]
