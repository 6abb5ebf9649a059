"""Optional dependencies: imported where they are used, with a message that says how to get them."""

import importlib
from types import ModuleType


def import_optional(module: str, extra: str) -> ModuleType:
    """Import ``module``, or say which extra of hott brings it."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.split(".")[0] != module.split(".")[0]:
            raise  # the module is there, but something it needs is broken: do not hide that
        raise ImportError(
            f"{module.split('.')[0]} is needed here and not installed. "
            f'Install it with: pip install "hott[{extra}]"'
        ) from error
