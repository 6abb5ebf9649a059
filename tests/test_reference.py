"""The reference shows every public name with what it takes and an example."""

import importlib
import inspect
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

import hott

PROPERTY = (property, cached_property)
PAGES = Path(__file__).parent.parent / "docs" / "reference"


def is_protocol(value: Any) -> bool:
    return getattr(value, "_is_protocol", False)


def is_compiled(value: Any) -> bool:
    return value.__module__ == "hott._core"


def shown() -> Iterator[Any]:
    """Every class and function that the pages of the reference list, as Sphinx finds them."""
    for page in sorted(PAGES.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        for name in re.findall(r"automodule:: (\S+)", text):
            module = importlib.import_module(name)
            own = [key for key in vars(module) if getattr(getattr(module, key), "__module__", "") == name]
            for key in getattr(module, "__all__", own):
                value = getattr(module, key)
                if key.startswith("_"):
                    continue
                if inspect.isfunction(value) or (inspect.isclass(value) and not is_compiled(value)):
                    yield pytest.param(value, id=f"{name}.{key}")
    yield pytest.param(hott.config_context, id="hott.config_context")


NAMES = list(shown())


@pytest.mark.parametrize("value", NAMES)
def test_it_has_an_example(value):
    takes = len(inspect.signature(value).parameters) if inspect.isfunction(value) else 2
    assert takes < 2 or ">>> " in inspect.getdoc(value)


@pytest.mark.parametrize("value", NAMES)
def test_it_says_what_it_takes(value):
    """The parameters of a function or class; of a result, which nobody makes by hand, what it holds."""
    is_made = not inspect.isclass(value) or not (issubclass(value, Exception) or is_protocol(value))
    if is_made and len(inspect.signature(value).parameters) > 1:
        assert re.search(r"^(Parameters|Attributes)\n---", inspect.getdoc(value), re.MULTILINE)


@pytest.mark.parametrize("value", [name for name in NAMES if inspect.isclass(name.values[0])])
def test_no_summary_of_a_property_has_a_colon(value):
    """Sphinx would take what stands before it for the type, and show the rest as the summary."""
    held = [thing for name, thing in inspect.getmembers(value) if not name.startswith("_")]
    summaries = [
        (thing.__doc__ or "").strip().split("\n")[0] for thing in held if isinstance(thing, PROPERTY)
    ]
    assert not [summary for summary in summaries if ":" in re.sub(r":\w+:`", "", summary)]


def test_every_public_name_is_shown():
    values = [name.values[0] for name in NAMES]
    homes = [getattr(hott, name) for name in hott._HOME]
    assert not [value for value in homes if value not in values]
