"""Dotted paths of fields: which lie inside others, what is at one, which a template names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

PLACEHOLDER: Final = re.compile(r"\{([^{}]+)\}")


def top_of(path: str) -> str:
    """Return the top-level member that a path names or is inside of."""
    return path.partition(".")[0]


def around(path: str) -> tuple[str, ...]:
    """Return the paths of the objects around a field, outermost first: of ``a.b.c`` ``a`` and ``a.b``."""
    return tuple(path[:at] for at, character in enumerate(path) if character == ".")


def value_at(document: Any, path: str, absent: Any = None) -> Any:
    """Return the value at a path that leads through objects only."""
    if type(document) is dict and "." not in path:  # as most are
        return document.get(path, absent)
    for step in path.split("."):
        document = document.get(step, absent) if isinstance(document, Mapping) else absent
    return document


def overlap(path: str, other: str) -> bool:
    """Return whether two paths name the same field, or one a part of the other."""
    return f"{path}.".startswith(f"{other}.") or f"{other}.".startswith(f"{path}.")


def overlap_any(path: str, others: Iterable[str]) -> bool:
    """Return whether a path overlaps one of the others."""
    return any(overlap(path, other) for other in others)


def placeholders(template: str) -> tuple[str, ...]:
    """Return the paths that a template such as ``"{code} to {target.entityRefName}"`` names, in order."""
    return tuple(PLACEHOLDER.findall(template))
