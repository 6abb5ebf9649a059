"""Settings that follow the number of documents."""

MAX_TOPICS = 70


def topics_for(n_documents: int) -> int:
    """The number of topics that suits so many documents.

    From 200 documents of five corpora, a third fewer were worse with one model; from 200 and 1,000, half as
    many again were no better once models are averaged (``benchmarks/topic_settings.py --table``).

    Examples
    --------
    >>> [topics_for(n) for n in (1, 50, 200, 1000, 100_000)]
    [1, 16, 31, 70, 70]
    """
    return min(MAX_TOPICS, n_documents, round(2.2 * n_documents**0.5))


def strength_for(n_documents: int) -> float:
    """How much words should borrow from their neighbours: ten occurrences, however many documents there are.

    A word that occurs often outweighs what it borrows, so one number serves all sizes: from 200, 1,000 and up
    to 5,100 documents 10 and 30 did about equally well, 0 and 1 worse (``benchmarks/topic_settings.py
    --table``, docs/topics.md).

    Examples
    --------
    >>> strength_for(200)
    10.0
    """
    return 10.0
