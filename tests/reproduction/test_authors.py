"""Our distances are those of the authors' code."""

import pytest

from reproduction import authors
from reproduction.cli import run

pytest.importorskip("ot")


def test_distances_are_those_of_the_authors_code():
    """The same counts, topics, proportions and vectors in; the same distances out."""
    found = authors.compare(authors.Problem.draw(n=15))
    assert found.keys() == {"topics", "HOTT", "HOFTT", "RWMD", "WMD-T20", "WMD"}
    assert max(found.values()) < 1e-12


def test_another_cut_is_another_distance():
    """The comparison can fail: a topic at the threshold stays, and a stricter one would be seen."""
    problem = authors.Problem.draw(n=10)

    def stricter(p, q, cost):
        least = 1.5 / (len(p) + 1)
        return authors.transport(p * (p > least), q * (q > least), cost)

    assert authors.compare(problem, {"HOTT": stricter})["HOTT"] > 1e-6


def test_a_checkout_stands_for_our_account_of_it(tmp_path, capsys):
    """Their module is called hott like ours, and their distances import it."""
    import hott

    (tmp_path / "hott.py").write_text(
        "from reproduction.authors import hoftt, hott, transport as sparse_ot\n", encoding="utf-8"
    )
    (tmp_path / "distances.py").write_text(
        "from hott import sparse_ot\n"
        "from reproduction.authors import keep_heaviest, rwmd\n"
        "def wmd(p, q, C, truncate=300):\n"
        "    return sparse_ot(keep_heaviest(p, truncate), keep_heaviest(q, truncate), C)\n",
        encoding="utf-8",
    )
    found = authors.compare(authors.Problem.draw(n=8), authors.load_checkout(tmp_path))
    assert max(found.values()) < 1e-12
    assert hott.__file__.endswith("__init__.py")
    assert run(["authors", "--checkout", str(tmp_path / "none")]) == 1
    assert "IBM/HOTT" in capsys.readouterr().err
