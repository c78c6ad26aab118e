"""How a function becomes a command: options that several commands share, and what is raised."""

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from inspect import Parameter, Signature, signature
from typing import Any, TypeVar, get_type_hints

import typer

from runtime.cli.output import report_failures

CommandT = TypeVar("CommandT", bound=Callable[..., None])


def command_of(group: typer.Typer, name: str, **settings: Any) -> Callable[[CommandT], CommandT]:
    """Add a function to a group as one of its commands. ``settings``: those of ``Typer.command``.

    A parameter that is a dataclass becomes the options that are its fields. The function reports errors by
    raising ``ServiceError`` or ``CommandFailed``.
    """

    def add(function: CommandT) -> CommandT:
        group.command(name, **settings)(_spread(function))
        return function

    return add


def _spread(function: Callable[..., None]) -> Callable[..., None]:
    """Replace each parameter that is a dataclass by its fields, for Typer to read."""
    hints = get_type_hints(function, include_extras=True)
    groups: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}

    def command(**values: Any) -> None:
        with report_failures(values["as_json"]):
            for name, kind in groups.items():
                values[name] = kind(**{field.name: values.pop(field.name) for field in fields(kind)})
            function(**values)

    parameters = list(_flatten(function, hints))
    command.__dict__["__signature__"] = Signature(parameters)
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    command.__name__, command.__doc__ = function.__name__, function.__doc__
    return command


def _flatten(function: Callable[..., None], hints: dict[str, Any]) -> Iterator[Parameter]:
    for parameter in signature(function).parameters.values():
        kind = hints[parameter.name]
        if not is_dataclass(kind):
            yield parameter.replace(annotation=kind, kind=Parameter.KEYWORD_ONLY)
            continue
        own = get_type_hints(kind, include_extras=True)
        for field in fields(kind):
            yield Parameter(
                field.name, Parameter.KEYWORD_ONLY, default=field.default, annotation=own[field.name]
            )
