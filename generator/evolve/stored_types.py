"""What becomes of stored values when the type of their field changes."""

from __future__ import annotations

from enum import StrEnum

from generator.evolve.stored import StoredType
from runtime.model.type_changes import PLAIN, WIDER


class Fit(StrEnum):
    """Whether values of one type are values of another."""

    SAME = "same"  # of the same kind: compare what is inside
    CONVERTED = "converted"  # each value has one of the new type that loses nothing
    SOME = "some"  # those values that happen to fit
    NONE = "none"


_TEXTS = frozenset({"string", "text"})
_WORDS = frozenset({"enum", "states"})


def compare_types(old: StoredType, new: StoredType) -> Fit:
    """Compare two types by their kinds."""
    if old.kind == new.kind:
        return Fit.SAME
    if new.kind == "list" and new.item is not None and old.kind not in ("list", "map"):
        inner = compare_types(old, new.item)
        return Fit.CONVERTED if inner is Fit.SAME else inner
    if new.kind == "json":
        return Fit.CONVERTED if old.kind in PLAIN | _TEXTS else Fit.NONE
    if (old.kind, new.kind) in WIDER:
        return Fit.CONVERTED
    return _compare_texts(old, new) or Fit.NONE


def _compare_texts(old: StoredType, new: StoredType) -> Fit | None:
    """Compare types whose values are stored as text; None where one is not."""
    if old.kind in _TEXTS | _WORDS and new.kind in _TEXTS:
        return Fit.CONVERTED
    if old.kind in _TEXTS and new.kind in _WORDS:
        return Fit.SOME
    if old.kind in _WORDS and new.kind in _WORDS:
        return Fit.CONVERTED if set(old.values) <= set(new.values) else Fit.SOME
    return None
