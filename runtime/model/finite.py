"""Numbers that JSON and the store can hold. Imports nothing of Pydantic, so that commands start fast."""

from decimal import Decimal
from typing import Any


def is_finite(value: Any) -> bool:
    """Return whether no number of a value, at any depth, is NaN or infinite."""
    if isinstance(value, float | Decimal):
        return Decimal(value).is_finite()
    if isinstance(value, dict | list | tuple):
        return all(map(is_finite, value.values() if isinstance(value, dict) else value))
    return True
