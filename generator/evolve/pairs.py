"""Things of two versions, side by side: those of the same name, and those renamed by ``renamedFrom``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from generator.evolve.stored import StoredField, StoredRecord, StoredSpecs, StoredState

ThingT = TypeVar("ThingT", StoredField, StoredState)


def pair_up(old: Iterable[ThingT], new: Iterable[ThingT]) -> Iterator[tuple[ThingT | None, ThingT | None]]:
    """Pair things in the order of the new version; those that are gone come last.

    A former name counts only where the old version still has it, so that it may be declared for years.
    """
    left = {one.name: one for one in old}
    present = list(new)
    names = {one.name for one in present}
    for one in present:
        former = one.renamed_from
        is_renamed = former is not None and one.name not in left and former not in names
        yield left.pop(former if is_renamed and former else one.name, None), one
    yield from ((one, None) for one in left.values())


def pair_records(
    old: StoredSpecs, new: StoredSpecs
) -> Iterator[tuple[StoredRecord | None, StoredRecord | None]]:
    """Pair record types by the name under which their records are stored; those that are gone come last.

    One that no longer says which name that is cannot be paired: it does not find its records either.
    """
    left = {one.stored_name: one for one in old.records}
    yield from ((left.pop(one.stored_name, None), one) for one in new.records)
    yield from ((one, None) for one in left.values())


def pair_names(old: StoredSpecs, new: StoredSpecs) -> dict[str, str]:
    """Return the name that each record type of the old version has in the new one."""
    return {was.name: now.name for was, now in pair_records(old, new) if was and now}
