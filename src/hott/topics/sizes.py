"""Settings that follow the number of documents."""

MOST_TOPICS = 70


def topics_for(n_documents: int) -> int:
    """The number of topics that suits so many documents.

    Examples
    --------
    >>> [topics_for(n) for n in (1, 50, 200, 1000, 100_000)]
    [1, 16, 31, 70, 70]
    """
    return min(MOST_TOPICS, n_documents, round(2.2 * n_documents**0.5))


def strength_for(n_documents: int) -> float:
    """How much words should borrow from their neighbours, by the number of documents (docs/topics.md).

    Examples
    --------
    >>> strength_for(200)
    10.0
    """
    return 10.0
