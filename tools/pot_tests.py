"""Run POT's own tests with our solver in the place of its network simplex (needs a copy of POT's sources).

python tools/pot_tests.py path/to/POT test/test_ot.py [options of pytest]
"""

import os
import sys
from typing import Any

import numpy as np
import ot.lp._network_simplex as pot
import pytest
from numpy.typing import NDArray

from hott import transport

OPTIMAL = 1  # POT's number


class OurSolver:
    """A plugin of pytest: counts the problems that POT hands over."""

    def __init__(self) -> None:
        self.solved = 0

    def solve(self, a: Any, b: Any, cost: Any, *_: Any) -> tuple[NDArray, float, NDArray, NDArray, int]:
        """Solve as ``emd_c`` does; POT knows negative costs, which a constant makes costs of ours."""
        self.solved += 1
        shift = min(0.0, float(np.min(cost, initial=0.0)))
        t = transport.solve(a, b * (a.sum() / b.sum()), cost - shift)
        u, v = t.potentials
        return t.plan.toarray(), t.value + shift * float(a.sum()), u + shift, v, OPTIMAL

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        terminalreporter.write_line(f"{self.solved:,} problems were solved by hott.")


if __name__ == "__main__":
    folder, *options = sys.argv[1:]
    plugin = OurSolver()
    pot.emd_c = plugin.solve
    os.chdir(folder)
    sys.exit(pytest.main([*options, "-p", "no:cacheprovider"], plugins=[plugin]))
