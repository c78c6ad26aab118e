"""Record types of two versions, side by side: those whose records are stored under the same name."""

from __future__ import annotations

from collections.abc import Iterator

from generator.evolve.pairs import Pair
from generator.evolve.stored import StoredRecord, StoredSpecs


def pair_records(old: StoredSpecs, new: StoredSpecs) -> Iterator[Pair[StoredRecord]]:
    """Pair record types by the name under which their records are stored; those that are gone come last.

    One that no longer says which name that is cannot be paired: it does not find its records either.
    """
    left = {one.stored_name: one for one in old.records}
    yield from (Pair(left.pop(one.stored_name, None), one) for one in new.records)
    yield from (Pair(one, None) for one in left.values())


def pair_names(old: StoredSpecs, new: StoredSpecs) -> dict[str, str]:
    """Return the name that each record type of the old version has in the new one."""
    pairs = ((pair.old, pair.new) for pair in pair_records(old, new))
    return {was.name: now.name for was, now in pairs if was and now}
