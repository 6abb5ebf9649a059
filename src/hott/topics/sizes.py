"""Settings that follow the number of documents."""

MOST_TOPICS = 70


def topics_for(n_documents: int) -> int:
    """The number of topics that suits so many documents.

    A third fewer are worse with one model; half as many again are no better once models are averaged
    (``benchmarks/topic_settings.py --table``; docs/topics.md).

    Examples
    --------
    >>> [topics_for(n) for n in (1, 50, 200, 1000, 100_000)]
    [1, 16, 31, 70, 70]
    """
    return min(MOST_TOPICS, n_documents, round(2.2 * n_documents**0.5))


def strength_for(n_documents: int) -> float:
    """How much words should borrow from their neighbours: ten occurrences, whatever the number of documents.

    The evidence is to let the words themselves decide, as one that occurs often outweighs what it borrows.
    Of 0, 3, 10 and 30, on 200, 1,000 and all documents of five corpora, 10 and 30 did equally well and the
    others worse (``benchmarks/topic_settings.py --table``; docs/topics.md).

    Examples
    --------
    >>> strength_for(200)
    10.0
    """
    return 10.0
