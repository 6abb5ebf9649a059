"""Completion in the shell: ids, labels, columns and their values, out of the index that was typed before."""

from collections.abc import Callable, Iterable
from typing import Any

import typer

MAX_OFFERED = 200  # suggestions
MAX_VALUES = 10_000  # of a column that are looked at


def _completion(list_values: Callable[[Any, str], Iterable[str]]) -> Callable[..., list[str]]:
    def complete(ctx: typer.Context, incomplete: str) -> list[str]:
        from hott.cli._arguments import open_searchable

        try:
            index = (
                ctx.params.get("index") or ctx.args[0]
            )  # the latter before an option still without a value
            values = list_values(open_searchable(index).documents, incomplete)
            return [value for value in dict.fromkeys(values) if value.startswith(incomplete)][:MAX_OFFERED]
        except Exception:  # a traceback amid what someone types helps nobody
            return []

    return complete


def _list_values(documents: Any, column: str) -> list[str]:
    values = documents.column(column)[:MAX_VALUES]
    return sorted({str(value)[:10] if hasattr(value, "year") else str(value) for value in values} - {"None"})


def _list_conditions(documents: Any, incomplete: str) -> list[str]:
    column, equals, _ = incomplete.partition("=")
    if equals:
        return [f"{column}={value}" for value in _list_values(documents, column)]
    return [f"{name}=" for name in _list_columns(documents)]


def _list_columns(documents: Any) -> list[str]:
    return ["label", *documents.columns]


complete_id = _completion(lambda documents, _: documents.ids)
complete_label = _completion(lambda documents, _: _list_values(documents, "label"))
complete_column = _completion(lambda documents, _: _list_columns(documents))
complete_condition = _completion(_list_conditions)
