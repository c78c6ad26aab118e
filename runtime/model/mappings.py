"""Mappings whose members may be unset."""

from collections.abc import Mapping
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


def without_nones(values: Mapping[K, V | None]) -> dict[K, V]:
    """Return the members that are set, in their order."""
    return {name: value for name, value in values.items() if value is not None}
