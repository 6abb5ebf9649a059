"""Topic models behind one small protocol, and the inference that reads any document in terms of topics."""

from hott.topics.contextual import ContextualTopics
from hott.topics.fitted import FittedTopics, Inference, Topics
from hott.topics.gibbs import GibbsLDA
from hott.topics.model import TopicModel, topics_for, train
from hott.topics.neighborhood import borrow as borrow
from hott.topics.neighborhood import nearest_weights as nearest_weights
from hott.topics.quality import agreement, coherence, fillers
from hott.topics.truncate import heaviest_words, truncate_proportions, truncate_topics
from hott.topics.words import Topic, distinctive_words, named_topics

__all__ = [
    "ContextualTopics", "FittedTopics", "GibbsLDA", "Inference", "Topic", "TopicModel", "Topics",
    "agreement", "coherence", "distinctive_words", "fillers", "heaviest_words", "named_topics",
    "topics_for", "train", "truncate_proportions", "truncate_topics",
]  # fmt: skip
