"""Options that several commands share: a dataclass of options, as one parameter of each command."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from inspect import Parameter, Signature, signature
from typing import Any, get_type_hints


def spread(function: Callable[..., None]) -> Callable[..., None]:
    """Replace each parameter that is a dataclass by its fields, for Typer to read."""
    hints = get_type_hints(function, include_extras=True)
    groups: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}

    def command(**values: Any) -> None:
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
