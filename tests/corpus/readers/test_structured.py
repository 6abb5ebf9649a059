"""Whatever structure a file has, it is read or refused by name, in steps that grow with its size."""

import warnings
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import hott
from tests.corpus.readers.structured import make_file
from tests.corpus.readers.test_bombs import outcome_of
from tests.corpus.readers.work import count_work

ALLOWED = 100_000  # bytes that may come out of any file, in place of 64 million


@pytest.fixture(autouse=True)
def small_limits(monkeypatch):
    monkeypatch.setattr("hott.corpus.readers.lines.ALWAYS_ALLOWED", ALLOWED)


def test_many_parameters_of_a_header_are_read_in_linear_time(tmp_path):
    path = tmp_path / "case.eml"
    path.write_bytes(b"Content-Type: text/plain" + b";a*0=b;a*1=c" * 54 + b"\n\nA letter.\n")
    read: list[hott.Corpus] = []
    assert count_work(lambda: read.append(hott.read(path, id=False))) < 100_000
    assert read[0].texts == ["A letter."]


@given(st.randoms(use_true_random=False), st.sampled_from(["skip", "raise"]))
@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_no_structure_breaks_a_reader(tmp_path, rng: Random, on_error):
    file = make_file(rng)
    path = tmp_path / file.name
    path.write_bytes(file.content)
    outcome: list[hott.Corpus | str] = []

    def read() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            outcome.append(outcome_of(lambda: hott.read(path, on_error=on_error, id=False)))

    work = count_work(read)
    assert work < 100_000 + 80 * file.raw
    [result] = outcome
    if isinstance(result, str):
        assert "case" in result
    else:
        size = sum(len(document.text) + len(document.title) for document in result)
        assert size <= 2 * max(ALLOWED, 200 * len(file.content))
