"""``python -m reproduction``: see README.md."""

import sys

from reproduction.cli import run

if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
