"""Every distance by a short name, with the settings that the paper or our measurements recommend."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from hott.distances.base import Distance


def named_distance(
    name: str,
    word_vectors: ArrayLike | None = None,
    *,
    n_topics: int = 70,
    n_models: int = 8,
    random_state: int = 0,
) -> "Distance":
    """The distance with this name, not fitted yet.

    Examples
    --------
    >>> named_distance("wmd-t20")
    WMD(max_words=20)
    >>> named_distance("chebyshev")
    Traceback (most recent call last):
    ValueError: There is no distance 'chebyshev'. There are: blend, cosine, hoftt, hott, ...
    """
    import hott
    from hott.distances.vector import L1

    topic = {"n_topics": n_topics, "random_state": random_state}

    def averaged() -> "Distance":
        return hott.HOTT(word_vectors, n_models=n_models, **topic)

    makers: dict[str, Callable[[], Distance]] = {
        "blend": lambda: hott.Blend([averaged(), L1("tfidf")], [1, 0.5], random_state=random_state),
        "cosine": hott.Cosine,
        "hoftt": lambda: hott.HOFTT(word_vectors, **topic),
        "hott": averaged,
        "hott-1": lambda: hott.HOTT(word_vectors, **topic),
        "l1": L1,
        "lda": lambda: hott.LDADistance(**topic),
        "lsi": lambda: hott.LSI(n_components=n_topics, random_state=random_state),
        "nbow": hott.NBOW,
        "rwmd": lambda: hott.RWMD(word_vectors),
        "sif": lambda: hott.SIF(word_vectors),
        "tfidf": hott.TFIDF,
        "tfidf-l1": lambda: L1("tfidf"),
        "wcd": lambda: hott.WCD(word_vectors),
        "wmd": lambda: hott.WMD(word_vectors),
        "wmd-t20": lambda: hott.WMD(word_vectors, max_words=20),
        "wmd-tfidf": lambda: hott.WMD(word_vectors, weights="tfidf"),
    }
    if name not in makers:
        raise ValueError(f"There is no distance {name!r}. There are: {', '.join(makers)}.")
    return makers[name]()


NAMES = (
    "blend", "cosine", "hoftt", "hott", "hott-1", "l1", "lda", "lsi", "nbow",
    "rwmd", "sif", "tfidf", "tfidf-l1", "wcd", "wmd", "wmd-t20", "wmd-tfidf",
)  # fmt: skip
