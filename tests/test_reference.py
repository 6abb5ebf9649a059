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


def shown() -> Iterator[tuple[str, Any]]:
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
                    yield f"{name}.{key}", value
    yield "hott.config_context", hott.config_context


def lacks_an_example(value: Any) -> bool:
    takes = len(inspect.signature(value).parameters) if inspect.isfunction(value) else 2
    return takes > 1 and ">>> " not in (inspect.getdoc(value) or "")


def lacks_what_it_takes(value: Any) -> bool:
    """The parameters of a function or class; of a result, which nobody makes by hand, what it holds."""
    is_made = not inspect.isclass(value) or not (issubclass(value, Exception) or is_protocol(value))
    takes = is_made and len(inspect.signature(value).parameters) > 1
    told = re.search(r"^(Parameters|Attributes)\n---", inspect.getdoc(value) or "", re.MULTILINE)
    return takes and not told


def has_a_property_with_a_colon(value: Any) -> bool:
    """Sphinx would take what stands before it for the type, and show the rest as the summary."""
    if not inspect.isclass(value):
        return False
    held = [thing for name, thing in inspect.getmembers(value) if not name.startswith("_")]
    documented = [thing.__doc__ or "" for thing in held if isinstance(thing, PROPERTY)]
    summaries = [text.strip().split("\n")[0] for text in documented]
    return any(":" in re.sub(r":\w+:`", "", summary) for summary in summaries)


@pytest.mark.parametrize("lacking", [lacks_an_example, lacks_what_it_takes, has_a_property_with_a_colon])
def test_every_name_of_the_reference_is_documented(lacking):
    assert [name for name, value in shown() if lacking(value)] == []


def test_every_public_name_is_shown():
    values = [value for _, value in shown()]
    homes = [getattr(hott, name) for name in hott._HOME]
    assert len(values) > 100
    assert not [value for value in homes if value not in values]
