"""How good a distance is on labelled documents, and labels for new ones."""

from hott.evaluation.crossvalidation import CrossValidation, cross_validate
from hott.evaluation.prediction import Prediction, predict

__all__ = ["CrossValidation", "Prediction", "cross_validate", "predict"]
