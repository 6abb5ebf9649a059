"""The directive ``commands``: every command of hott with its arguments and options, read off the program."""

import re
from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin, get_type_hints

import typer.main
from docutils import nodes
from docutils.parsers.rst import Directive

from hott.cli.app import app as program


def commands(group: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    """Every command with its full name, those of groups included."""
    for name, command in sorted(group.commands.items()):
        if hasattr(command, "commands"):
            yield from commands(command, f"{before}{name} ")
        elif not command.hidden:
            yield before + name, command


def value(kind: Any) -> str:
    """The kind of value that an annotation asks for: ``both|words|topics``, ``INT``, ``PATH``."""
    inner = [argument for argument in get_args(kind) if argument is not type(None)]
    if get_origin(kind) is Literal:
        return "|".join(map(str, inner))
    return value(inner[0]) if inner else getattr(kind, "__name__", "value").upper()


def term(parameter: Any, kinds: dict[str, Any]) -> str:
    """How a parameter is written in a call: ``--by both|words|topics``, or ``INDEX``."""
    if parameter.param_type_name == "argument":
        return parameter.metavar or parameter.name.upper()
    names = ", ".join([*parameter.opts, *parameter.secondary_opts])
    flag = getattr(parameter, "is_flag", False)
    return names if flag else f"{names} {parameter.metavar or value(kinds.get(parameter.name, str))}"


def described(parameter: Any) -> str:
    """The help of a parameter, with its default."""
    value = parameter.default
    silent = callable(value) or value in (None, (), [], "", False) or parameter.required
    return (parameter.help or "") + ("" if silent else f" Default: {value}.")


class Commands(Directive):
    def run(self) -> list[nodes.Node]:
        return [self.section(name, command) for name, command in commands(typer.main.get_command(program))]

    def section(self, name: str, command: Any) -> nodes.section:
        shown = [p for p in command.params if not getattr(p, "hidden", False)]
        kinds = get_type_hints(command.callback)
        arguments = [term(p, kinds) for p in shown if p.param_type_name == "argument"]
        told, *examples = re.split(r"\n\nExamples?:\n", command.help)
        section = nodes.section(ids=["hott-" + name.replace(" ", "-")], names=[f"hott {name}"])
        section += nodes.title(text=f"hott {name}")
        section += [nodes.paragraph(text=paragraph) for paragraph in told.split("\n\n")]
        lines = [" ".join(["hott", name, "[OPTIONS]", *arguments])]
        lines += ["", *examples[0].split("\n")] if examples else []
        section += nodes.literal_block(text="\n".join(lines), language="bash")
        parameters = nodes.definition_list()
        for parameter in shown:
            head, text = nodes.term("", "", nodes.literal(text=term(parameter, kinds))), described(parameter)
            parameters += nodes.definition_list_item(
                "", head, nodes.definition("", nodes.paragraph(text=text))
            )
        if shown:
            section += parameters
        return section


def setup(app: Any) -> dict[str, bool]:
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True}
