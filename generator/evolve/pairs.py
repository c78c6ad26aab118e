"""Things of two versions, side by side: those of the same name, and those renamed by ``renamedFrom``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar


class Renamable(Protocol):
    """Something with a name, and perhaps a former one."""

    @property
    def name(self) -> str:
        """The name."""
        ...

    @property
    def renamed_from(self) -> str | None:
        """The former name."""
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
