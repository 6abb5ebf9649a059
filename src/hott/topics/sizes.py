"""How many topics suit how many documents."""

MOST_TOPICS = 70


def topics_for(n_documents: int) -> int:
    """The number of topics that suits so many documents.

    Examples
    --------
    >>> [topics_for(n) for n in (1, 50, 200, 1000, 100_000)]
    [1, 16, 31, 70, 70]
    """
    return min(MOST_TOPICS, n_documents, round(2.2 * n_documents**0.5))
