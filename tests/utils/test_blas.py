"""Matrix products of an answer have one thread, and give the others back."""

import threading

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from hott.utils.blas import one_blas_thread


def n_threads():
    return max((one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"), default=1)


@pytest.fixture(autouse=True)
def two_threads():
    with threadpool_limits(2, user_api="blas"):
        if n_threads() < 2:
            pytest.skip("this BLAS has no threads to limit")
        yield


def test_the_threads_come_back():
    with one_blas_thread():
        assert n_threads() == 1
    assert n_threads() == 2
    with pytest.raises(ZeroDivisionError), one_blas_thread():
        raise ZeroDivisionError
    assert n_threads() == 2


def test_answers_that_overlap_give_the_threads_back():
    inside, end = threading.Event(), threading.Event()

    @one_blas_thread()
    def answer():
        inside.set()
        end.wait(10)

    other = threading.Thread(target=answer)
    with one_blas_thread():
        other.start()
        assert inside.wait(10)
        assert n_threads() == 1
    assert n_threads() == 2
    end.set()
    other.join()
    assert n_threads() == 2
    with one_blas_thread():
        assert n_threads() == 1
