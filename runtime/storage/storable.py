"""What the store can hold: numbers, keys and free-form JSON are checked before they are stored.

Each raises ``ValidationFailed`` with the path of what it cannot.
"""

import math
from types import NoneType
from typing import Any, Final

from runtime.errors import ValidationFailed
from runtime.model.attribute_names import stored_name
from runtime.model.paths import KEY_RULE, is_key
from runtime.model.scalars import DECIMAL_EXAMPLE, INT64

Document = dict[str, Any]

_MAX_DEPTH = 32
_SAFE: Final = frozenset({str, bool, NoneType})
_NUMBERS: Final = frozenset({int, float})


def free_form(value: Any, path: str, depth: int = 0) -> Any:
    """Check JSON and return the very same objects."""
    if isinstance(value, dict | list):
        _check_free_form(value, path, depth)
    elif type(value) in _NUMBERS:
        _check_number(value, path)
    return value


def _check_free_form(value: Document | list[Any], path: str, depth: int) -> None:
    """Check the members that may be wrong; of most values the type says enough."""
    if depth == _MAX_DEPTH:
        raise refuse_value(path, f"is nested deeper than {_MAX_DEPTH} levels")
    if isinstance(value, dict):
        for name in value:
            check_key(name, path)
    inner = value.values() if isinstance(value, dict) else value
    if _SAFE.issuperset(map(type, inner)):
        return
    for step, one in value.items() if isinstance(value, dict) else enumerate(value):
        kind = type(one)
        if kind is dict or kind is list:
            here = f"{path}.{step}" if isinstance(value, dict) else f"{path}[{step}]"
            _check_free_form(one, here, depth + 1)
        elif kind in _NUMBERS:
            _check_number(one, f"{path}.{step}" if isinstance(value, dict) else f"{path}[{step}]")


def _check_number(value: float, path: str) -> None:
    if isinstance(value, int):
        check_integer(value, path)
    elif not math.isfinite(value):
        raise refuse_value(path, f"is not a finite number; write it as in {DECIMAL_EXAMPLE}")


def check_key(name: str, path: str) -> str:
    """Return the key of a map or of free-form JSON."""
    if not is_key(name):
        raise refuse_value(path, f'cannot have the key "{name[:40]}": {KEY_RULE}')
    return name


def store_attribute_name(name: str, path: str) -> str:
    """Return the name of a dynamic attribute as it is stored: it may have dots."""
    if not name or "\0" in name:
        raise refuse_value(path, f'cannot have the name "{name[:40]}": not empty, no NUL')
    try:
        return stored_name(name)
    except ValueError as error:
        raise refuse_value(path, f"cannot have the name {name[:40]!a}, which {error}") from None


def check_integer(value: int, path: str) -> int:
    """Return an integer that 64 bits hold."""
    if not -INT64 <= value < INT64:
        raise refuse_value(path, "is beyond 64 bits")
    return value


def refuse_value(path: str, message: str) -> ValidationFailed:
    """Build the refusal of a value."""
    return ValidationFailed.at(path[:500], message)
