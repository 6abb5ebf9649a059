"""How good topics are: do their words occur together, do they say anything, do other models find them too."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott.topics.truncate import heaviest_words

COHERENCE_WORDS = 10
AGREEMENT_WORDS = 20


def coherence(
    components: NDArray[np.floating], counts: sparse.csr_array, n_words: int = COHERENCE_WORDS
) -> NDArray[np.float64]:
    """Measure how much each topic's heaviest words occur in the same documents: mean NPMI of their pairs.

    Normalised pointwise mutual information is 1 for two words that only occur together, 0 for words that
    meet as often as chance has it, and -1 for words that never meet (Bouma, 2009; Lau, Newman and Baldwin,
    2014). Words of no document are left out; a topic with fewer than two words has no coherence (NaN).

    Parameters
    ----------
    components : array of shape (topics, words)
    counts : CSR, documents x words
        The corpus.
    n_words : int
        Heaviest words of a topic that are looked at.

    Examples
    --------
    >>> counts = sparse.csr_array([[1, 1, 0], [2, 1, 0], [0, 0, 1], [0, 0, 1]])
    >>> coherence(np.array([[0.5, 0.4, 0.1], [0.5, 0.1, 0.4]]), counts, n_words=2)
    array([ 1., -1.])
    """
    heavy = heaviest_words(components, n_words)
    words, place = np.unique(heavy, return_inverse=True)
    present = sparse.csr_array(counts[:, words] > 0).astype(np.float64)
    together = (present.T @ present).toarray() / max(counts.shape[0], 1)
    single = np.diagonal(together)
    values = []
    for topic, places in enumerate(place.reshape(heavy.shape)):
        known = places[(single[places] > 0) & (components[topic, heavy[topic]] > 0)]
        i, j = (known[part] for part in np.triu_indices(len(known), 1))
        joint, by_chance = together[i, j], single[i] * single[j]
        with np.errstate(divide="ignore", invalid="ignore"):
            npmi = np.log(joint / by_chance) / -np.log(joint)
        npmi[joint == 0] = -1
        npmi[joint == 1] = 1  # words of every document
        values.append(float(npmi.mean()) if len(i) else np.nan)
    return np.array(values)


def agreement(models: Sequence[NDArray[np.floating]], n_words: int = AGREEMENT_WORDS) -> float:
    """Measure how far models with other seeds find the same topics: mean overlap of each with its best match.

    The overlap is the share of words that two topics have in common among all of theirs (Jaccard), over the
    ``n_words`` heaviest of each. NaN for a single model.

    Parameters
    ----------
    models : sequence of arrays of shape (topics, words)
    n_words : int

    Examples
    --------
    >>> one, other = np.array([[0.6, 0.4, 0.0, 0.0]]), np.array([[0.5, 0.0, 0.5, 0.0]])
    >>> agreement([one, other], n_words=2)
    0.3333333333333333
    """
    marks, best = [], []  # of each model: topics x words, a 1 for each of the heaviest words
    for topics in models:
        heavy = heaviest_words(topics, n_words)
        rows = np.repeat(np.arange(len(heavy)), heavy.shape[1])
        there = topics[rows, heavy.ravel()] > 0
        places = rows[there], heavy.ravel()[there]
        marks.append(sparse.csr_array((np.ones(there.sum()), places), shape=topics.shape))
    for a, ours in enumerate(marks):
        for b, theirs in enumerate(marks):
            if a != b:
                common = (ours @ theirs.T).toarray()
                union = ours.sum(axis=1)[:, None] + theirs.sum(axis=1)[None, :] - common
                best.append((common / union).max(axis=1).mean())
    return float(np.mean(best)) if best else float("nan")


def fillers(coherences: NDArray[np.float64], concentrations: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell which topics are mere filler: words that do not belong together, a little of them everywhere.

    A topic is one when its words occur together less than those of the median topic, and it takes up less
    than 0.7 of what the median topic takes up in the documents that have it.

    Parameters
    ----------
    coherences : array of shape (topics,)
        As :func:`coherence` gives them.
    concentrations : array of shape (topics,)
        Mean proportion of each topic in the documents that have it.

    Examples
    --------
    >>> fillers(np.array([0.3, 0.4, 0.01, 0.02]), np.array([0.2, 0.3, 0.05, 0.2]))
    array([False, False,  True, False])
    """
    known = concentrations[concentrations > 0]
    if not len(known) or np.isnan(coherences).all():
        return np.zeros(len(coherences), bool)
    loose = ~(coherences >= np.nanmedian(coherences))  # not known is not good
    return loose & (concentrations < 0.7 * np.median(known))
