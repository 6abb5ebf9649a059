"""Warnings that name the line of the user."""

import sys
import warnings


def warn(message: str) -> None:
    """Warn, with a capital, at the line outside of the package that led here."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("hott."):
        level, frame = level + 1, frame.f_back
    warnings.warn(message[0].upper() + message[1:], stacklevel=level)
