"""Things of two versions, side by side: those of the same name, and those renamed by ``renamedFrom``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from generator.evolve.stored import StoredRecord, StoredSpecs


class Renamable(Protocol):
    """What has a name, and perhaps a former one."""

    @property
    def name(self) -> str:
        """Its name."""
        ...

    @property
    def renamed_from(self) -> str | None:
        """Its former name."""
        ...


ThingT_co = TypeVar("ThingT_co", bound=Renamable, covariant=True)
ThingT = TypeVar("ThingT", bound=Renamable)


@dataclass(frozen=True, slots=True)
class Pair(Generic[ThingT_co]):
    """The former and the present thing; one of them may be missing."""

    old: ThingT_co | None
    new: ThingT_co | None


def pair_up(old: Iterable[ThingT], new: Iterable[ThingT]) -> Iterator[Pair[ThingT]]:
    """Pair things in the order of the new version; those that are gone come last.

    A former name counts only where the old version still has it, so that it may be declared for years.
    """
    left = {one.name: one for one in old}
    present = list(new)
    names = {one.name for one in present}
    for one in present:
        former = one.renamed_from
        is_renamed = former is not None and one.name not in left and former not in names
        yield Pair(left.pop(former if is_renamed and former else one.name, None), one)
    yield from (Pair(one, None) for one in left.values())


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
