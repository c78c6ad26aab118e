"""Dotted paths of fields: which lie inside others."""

from __future__ import annotations

from collections.abc import Iterable


def overlap(path: str, other: str) -> bool:
    """Return whether two paths name the same field, or one a part of the other."""
    return f"{path}.".startswith(f"{other}.") or f"{other}.".startswith(f"{path}.")


def overlap_any(path: str, others: Iterable[str]) -> bool:
    """Return whether a path overlaps one of the others."""
    return any(overlap(path, other) for other in others)
