"""``python -m hott`` is the command ``hott``."""

from hott.cli import main

if __name__ == "__main__":
    main()
