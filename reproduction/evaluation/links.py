"""Link prediction: is there a citation between two papers?"""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hott.text.tokens import tokenize
from hott.vocabulary import ENGLISH
from reproduction.evaluation.splits import Split


class Paper(NamedTuple):
    """What is known of a paper besides its abstract.

    Attributes
    ----------
    title, authors : str
    year : int

    Examples
    --------
    >>> Paper("Black hole entropy", "A. Sen", 1995).year
    1995
    """

    title: str
    authors: str
    year: int


def pair_features(papers: Sequence[Paper], pairs: ArrayLike) -> NDArray[np.float64]:
    """Four numbers for each pair of papers, given as rows: those of the paper's phi_1 to phi_4.

    Common words of the titles (without stop words), common authors, difference of the years with its sign,
    and without.

    Parameters
    ----------
    papers : sequence of Paper
    pairs : array-like of shape (pairs, 2)
        Positions in ``papers``.

    Examples
    --------
    >>> papers = [Paper("Black hole entropy", "A. Sen", 1995), Paper("Entropy of a hole", "A. Sen", 1997)]
    >>> pair_features(papers, [[0, 1]])
    array([[ 2.,  1., -2.,  2.]])
    """
    words = [set(tokenize(paper.title)) - ENGLISH for paper in papers]
    authors = [names(paper.authors) for paper in papers]
    pairs = np.asarray(pairs)
    common = [(len(words[a] & words[b]), len(authors[a] & authors[b])) for a, b in pairs]
    years = np.array([paper.year for paper in papers])
    apart = years[pairs[:, 0]] - years[pairs[:, 1]]
    return np.column_stack([np.array(common, float), apart, abs(apart)])


def names(authors: str) -> set[str]:
    """The authors of a paper, as they are written, in lower case and without affiliations in brackets.

    Examples
    --------
    >>> sorted(names("M. Cvetic (Penn), H. Lu and C.N. Pope"))
    ['c.n.pope', 'h.lu', 'm.cvetic']
    """
    plain = re.sub(r"\([^()]*\)", "", authors.lower())
    parts = re.split(r",|;|&|\band\b", plain)
    return {name for part in parts if (name := re.sub(r"\s+", "", part))}


def predicted_links(features: ArrayLike, linked: ArrayLike, split: Split) -> NDArray[np.bool_]:
    """Which test pairs a linear support vector machine takes for linked.

    Features are brought to mean 0 and deviation 1 over the training pairs.

    Parameters
    ----------
    features : array-like of shape (pairs, features)
    linked : array-like of bool
        Whether the papers of each pair are linked.
    split : Split
        Pairs to learn from and pairs to test on.

    Examples
    --------
    >>> features, linked = [[0.1], [0.2], [0.8], [0.9], [0.15], [0.85]], [1, 1, 0, 0, 1, 0]
    >>> predicted_links(features, linked, Split(np.arange(4), np.array([4, 5])))
    array([ True, False])
    """
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import LinearSVC

    X, y = np.asarray(features, float), np.asarray(linked, bool)
    model = make_pipeline(StandardScaler(), LinearSVC(dual=False)).fit(X[split.train], y[split.train])
    return np.asarray(model.predict(X[split.test]), bool)
