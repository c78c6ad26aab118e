"""Indexes that refuse or remove records, compared between two versions of a record type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from generator.evolve.pairs import pair_up
from generator.evolve.stored import StoredField, StoredIndex, StoredRecord

IndexChange = tuple[str, str, object, object]
"""The name of the kind of change, the fields of the index, what was, what is."""


def compare_indexes(old: StoredRecord, new: StoredRecord) -> Iterator[IndexChange]:
    """Yield what unique indexes and expiries newly ask for, and what they no longer do."""
    names = _list_renames(old.fields, new.fields)
    former = [replace(one, keys=tuple(_rename(key, names) for key in one.keys)) for one in old.indexes]
    pairs = pair_up(old.fields, new.fields)
    # No stored record has a new optional field, so none contradicts an index over one.
    added = {now.name for was, now in pairs if was is None and now and not now.required}
    for one in new.indexes:
        keys = ", ".join(one.keys)
        if one.unique and not any(_implies(other, one) for other in former) and not added & set(one.keys):
            yield "UNIQUE_ADDED", keys, None, keys
        before, after = _find_expiry(former, one), one.expire_after_seconds
        if after is not None and (before is None or after < before):
            yield "EXPIRY_ADDED", keys, before, after
    for one in former:
        keys = ", ".join(one.keys)
        if one.unique and not any(_implies(other, one) for other in new.indexes):
            yield "UNIQUE_REMOVED", keys, keys, None
        before, after = one.expire_after_seconds, _find_expiry(new.indexes, one)
        if before is not None and (after is None or after > before):
            yield "EXPIRY_REMOVED", keys, before, after


def _implies(one: StoredIndex, other: StoredIndex) -> bool:
    """Whether records that the first index admits are all admitted by the second."""
    return (
        one.unique
        and set(one.keys) <= set(other.keys)
        and (one.per_realm or not other.per_realm)
        and (one.language is not None or other.language is None)
    )


def _find_expiry(indexes: tuple[StoredIndex, ...] | list[StoredIndex], like: StoredIndex) -> int | None:
    found = (one.expire_after_seconds for one in indexes if one.keys == like.keys)
    return next((one for one in found if one is not None), None)


def _list_renames(
    old: tuple[StoredField, ...], new: tuple[StoredField, ...], was: str = "", now: str = ""
) -> Mapping[str, str]:
    """Map the paths of renamed fields, as an index names them, to the new ones."""
    names: dict[str, str] = {}
    for one, other in pair_up(old, new):
        if one and other:
            before, after = f"{was}{one.name}", f"{now}{other.name}"
            if before != after:
                names[before] = after
            names |= _list_renames(_inner(one), _inner(other), f"{before}.", f"{after}.")
    return names


def _inner(one: StoredField) -> tuple[StoredField, ...]:
    kind = one.type
    while kind.item is not None:
        kind = kind.item
    return kind.fields


def _rename(path: str, names: Mapping[str, str]) -> str:
    steps = path.split(".")
    for end in range(len(steps), 0, -1):
        if (found := names.get(".".join(steps[:end]))) is not None:
            return ".".join([found, *steps[end:]])
    return path
