"""One thread for the small matrix products of an answer: several would wait longer than they work."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from threadpoolctl import ThreadpoolController

_limiting = threading.Lock()
_controller = cache(ThreadpoolController)  # which takes milliseconds to find the libraries


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let NumPy's matrix products have one thread in a block; also a decorator.

    Of blocks that overlap, in several threads, the first one limits all of them, and gives the threads back
    when it ends: OpenBLAS takes them from no other thread than the one that limited it.
    """
    if not _limiting.acquire(blocking=False):
        yield
        return
    try:
        with _controller().limit(limits=1, user_api="blas"):
            yield
    finally:
        _limiting.release()
