"""Dotted paths of fields: which lie inside others, which a template names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

PLACEHOLDER: Final = re.compile(r"\{([^{}]+)\}")


def overlap(path: str, other: str) -> bool:
    """Return whether two paths name the same field, or one a part of the other."""
    return f"{path}.".startswith(f"{other}.") or f"{other}.".startswith(f"{path}.")


def overlap_any(path: str, others: Iterable[str]) -> bool:
    """Return whether a path overlaps one of the others."""
    return any(overlap(path, other) for other in others)


def placeholders(template: str) -> tuple[str, ...]:
    """Return the paths that a template such as ``"{code} to {target.entityRefName}"`` names, in order."""
    return tuple(PLACEHOLDER.findall(template))
