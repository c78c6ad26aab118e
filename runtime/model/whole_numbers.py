"""Integers that were written with a fraction.

374.0 and 1e2 are integers to JSON Schema, and to programs that know one kind of number. Classes refuse them;
only then the text is written again, with integers in their place, so that all others cost nothing.
"""

import json
from collections.abc import Iterable
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json

M = TypeVar("M", bound=BaseModel)

_NOT_AN_INTEGER: Final = "int_type"
_EXACT: Final = 2**53
"""Of whole numbers below it, a float has each exactly; other numbers are rounded to it."""

_MOST: Final = 20_000


def read_json(model: type[M], body: bytes) -> M:
    """Read a JSON text as a model. Raises ``ValidationError``."""
    checked: M
    try:
        checked = model.__pydantic_validator__.validate_json(body)  # as model_validate_json
    except ValidationError as error:
        again = _spell_whole_numbers(body, error)
        if again is None:
            raise
        checked = model.__pydantic_validator__.validate_json(again)
    return checked


def _spell_whole_numbers(body: bytes, error: ValidationError) -> bytes | None:
    """Write a JSON text again, with the integers that were refused for their fraction; None without any."""
    if error.error_count() > _MOST:
        return None
    found = error.errors(include_url=False, include_context=False)
    places = [one["loc"] for one in found if one["type"] == _NOT_AN_INTEGER and is_whole_float(one["input"])]
    if not places:
        return None
    document = from_json(body)
    for place in places:
        _write_whole(document, place)
    return json.dumps(document, ensure_ascii=False).encode()


def is_whole_float(value: Any) -> bool:
    """Whether a number was written with a fraction or an exponent, and is an integer all the same."""
    return isinstance(value, float) and value.is_integer() and abs(value) < _EXACT


def _write_whole(here: Any, place: Iterable[int | str]) -> None:
    """Write the value at a place. Steps that only name a branch of the class are passed over."""
    steps = list(place)
    for at, step in enumerate(steps):
        below = _child(here, step)
        if is_whole_float(below) and at == len(steps) - 1:
            here[step] = int(below)
        elif below is not None:
            here = below


def _child(here: Any, step: int | str) -> Any:
    if isinstance(here, dict):
        return here.get(step)
    return here[step] if isinstance(here, list) and isinstance(step, int) and step < len(here) else None
