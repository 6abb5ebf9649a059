"""Topic models behind one small protocol, and the inference that reads any document in terms of topics."""

from hott.topics.fitted import FittedTopics, Inference, Topics
from hott.topics.gibbs import InformedLDA
from hott.topics.model import TopicModel
from hott.topics.sampled import HDP, GibbsLDA
from hott.topics.training import train
from hott.topics.truncate import heaviest_words, truncate_proportions, truncate_topics
from hott.topics.variational import VariationalLDA

__all__ = [
    "HDP",
    "FittedTopics",
    "GibbsLDA",
    "Inference",
    "InformedLDA",
    "TopicModel",
    "Topics",
    "VariationalLDA",
    "heaviest_words",
    "train",
    "truncate_proportions",
    "truncate_topics",
]
