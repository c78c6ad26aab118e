"""What is wrong with settings, in words; no value is shown, as it may be a secret."""

from collections.abc import Collection, Mapping
from typing import Any, Final

from pydantic import ValidationError

from runtime.model.counting import count_things
from runtime.model.nearest import hint

_WANTED: Final = {
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "string": "text",
    "path": "a path",
}
"""By the first word of the kind of a finding of Pydantic."""


def describe_faults(error: ValidationError, known: Collection[str]) -> str:
    """Return what is wrong with each setting and what would be right; ``known``: the names of all."""
    return "; ".join(
        _describe(found, known) for found in error.errors(include_url=False, include_input=False)
    )


def _describe(found: Mapping[str, Any], known: Collection[str]) -> str:
    name, kind, said = ".".join(map(str, found["loc"])), str(found["type"]), str(found["msg"])
    if kind == "extra_forbidden":
        return f"{name} is not a setting{hint(name, known)}"
    if kind == "value_error":
        reason = said.removeprefix("Value error, ")
        return f"{name}: {reason}" if name else reason
    if kind in ("too_short", "string_too_short"):
        return f"{name} must have {count_things(found['ctx']['min_length'], 'character')} at least"
    if wanted := _WANTED.get(kind.partition("_")[0]):
        return f"{name} must be {wanted}"
    return f"{name} must be {said.removeprefix('Input should be ')}"
