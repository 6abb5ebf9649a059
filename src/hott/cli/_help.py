"""The help of commands: what to type and what it does, without the types of a programming language."""

import re
from inspect import cleandoc
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from typer.core import TyperCommand, TyperGroup

_KINDS = {int: "N", float: "X", Path: "FILE"}


class Command(TyperCommand):
    """A command with plain help."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        _write_about(self, ctx, formatter)
        _write_parameters(self, ctx, formatter)


class Group(TyperGroup):
    """Commands, listed by what they are for."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        _write_about(self, ctx, formatter)
        panels: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            if command is not None and not command.hidden:
                panel = getattr(command, "rich_help_panel", None)
                panels.setdefault(panel if isinstance(panel, str) else "Commands", []).append(
                    (name, _sentence(command.help))
                )
        for panel, rows in panels.items():
            with formatter.section(panel):
                formatter.write_dl(rows)
        _write_parameters(self, ctx, formatter)
        if self.epilog:
            formatter.write_paragraph()
            formatter.write_text(self.epilog)


def _write_about(command: Any, ctx: Any, formatter: Any) -> None:
    arguments = [_argument(p) for p in command.params if p.param_type_name == "argument"]
    asked = ["COMMAND"] if hasattr(command, "commands") else arguments
    formatter.write_usage(ctx.command_path, " ".join([*asked, "[OPTIONS]"]))
    for paragraph in cleandoc(command.help or "").split("\n\n"):
        lines = paragraph.split("\n") if paragraph.startswith("Example") else [" ".join(paragraph.split())]
        formatter.write_paragraph()
        formatter.write_text(lines[0])
        with formatter.indentation():
            for call in lines[1:]:
                formatter.write_text(call)


def _write_parameters(command: Any, ctx: Any, formatter: Any) -> None:
    kinds = get_type_hints(command.callback)  # what typer keeps of them differs between its versions
    panels: dict[str, list[tuple[str, str]]] = {}
    for parameter in command.get_params(ctx):
        if getattr(parameter, "hidden", False):
            continue
        is_argument = parameter.param_type_name == "argument"
        panel = getattr(parameter, "rich_help_panel", None)
        if not isinstance(panel, str):
            panel = "Arguments" if is_argument else "Options"
        panels.setdefault(panel, []).append((_spelling(parameter, kinds), _meaning(parameter)))
    for panel, rows in panels.items():
        with formatter.section(panel):
            formatter.write_dl(rows)


def _spelling(parameter: Any, kinds: dict[str, Any]) -> str:
    """Spell a parameter as it is typed, such as ``-k, --neighbors N``."""
    if parameter.param_type_name == "argument":
        return _argument(parameter)
    names = ", ".join(sorted(parameter.opts, key=len))
    if parameter.secondary_opts:
        names += " / " + ", ".join(parameter.secondary_opts)
    if getattr(parameter, "is_flag", False):
        return names
    return f"{names} {parameter.metavar or _value(kinds.get(parameter.name, str))}"


def _argument(parameter: Any) -> str:
    name = parameter.metavar or parameter.name.upper()
    return name if parameter.required else f"[{name}]"


def _value(kind: Any) -> str:
    """Return what stands for a value, such as ``both|words|topics``, N for a number, or FILE."""
    inner = [argument for argument in get_args(kind) if argument is not type(None)]
    if get_origin(kind) is Literal:
        return "|".join(map(str, inner))
    return _value(inner[0]) if inner else _KINDS.get(kind, "TEXT")


def _meaning(parameter: Any) -> str:
    text = cleandoc(parameter.help or "")
    said = getattr(parameter, "show_default", None)
    default = parameter.default
    if isinstance(said, str):
        return f"{text} Default: {said}."
    silent = parameter.required or said is False or callable(default) or default in (None, (), [], "", False)
    if silent or parameter.param_type_name == "argument" or getattr(parameter, "is_flag", False):
        return text
    shown = ", ".join(map(str, default)) if isinstance(default, list | tuple) else str(default)
    return f"{text} Default: {shown}."


def _sentence(help: str | None) -> str:
    """Return the first sentence of a help text, which says what a command is for."""
    return re.split(r"(?<=\.)\s", " ".join(cleandoc(help or "").split("\n\n")[0].split()))[0]
