"""The spellings in force (``runtime.spelling``), and what reads send for records in either spelling.

Without a migration the table is empty, and a command pays for looking at it. An entry without steps says that
no record has former names any more, whatever its record type declares.
"""

import time
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple, cast

from runtime.errors import StoreUnavailable
from runtime.filter import Predicate
from runtime.model.paths import top_of
from runtime.spelling import MARK, Spelling, Step, values_by_name
from runtime.storage.access import Access, DocumentT
from runtime.storage.store.changes import Document

Stages = list[dict[str, Any]]
Place = tuple[str, str]
"""A database and a collection."""


class Spellings:
    """What one process knows; ``runtime.migrations`` writes to it.

    ``valid_until``: as long as nobody can have advanced a migration by two phases since it was read. Behind
    that no record in two spellings is read or written. ``refused``: collections whose records are in a
    shape that this process does not know.
    """

    def __init__(self) -> None:
        self.table: Mapping[Place, Spelling] = {}
        self.valid_until = float("inf")
        self.refused: frozenset[Place] = frozenset()

    def find(self, place: Place) -> Spelling | None:
        """Return the spelling in force of a collection. Raises ``StoreUnavailable`` if that is not known."""
        if not self.knows(place):
            raise StoreUnavailable("the migrations in force are not known at the moment; try again")
        return self.table.get(place)

    def knows(self, place: Place) -> bool:
        """Return whether the spelling of a collection is certain."""
        if place in self.refused:
            return False
        found = self.table.get(place)
        return found is None or not found.steps or time.monotonic() <= self.valid_until

    def apply(self, access: Access[DocumentT]) -> Access[DocumentT]:
        """Return the access with the spelling in force."""
        if (not self.table and not self.refused) or access.spelling is not None:
            return access
        found = self.find((access.database, access.kind.collection))
        return access if found is None else access.spelled(found)


def spelling_of(access: Access[Any]) -> Spelling | None:
    """Return the spelling by which records have to be computed."""
    return access.spelling if access.spelling is not None and access.spelling.steps else None


def unify_names(access: Access[Any]) -> Stages:
    """Build the stages that show records in the shape of now; none where they all have it."""
    if (spelling := spelling_of(access)) is not None:
        return spelling.unification
    return [{"$set": values_by_name(access.renamed)}] if access.renamed else []


def widen(access: Access[Any], match: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the match that a read begins with: where records have to be computed, one that may find more."""
    spelling = spelling_of(access)
    return match if spelling is None or not spelling.touches(match) else spelling.widen(match)


def decide(access: Access[Any], match: Mapping[str, Any]) -> Stages:
    """Build the stages behind it: they compute the records, and decide where the first match could not."""
    spelling = spelling_of(access)
    if spelling is None or not spelling.touches(match):
        return unify_names(access)
    return [*spelling.unification, {"$match": _without_search(match)}]


def _without_search(match: Mapping[str, Any]) -> dict[str, Any]:
    """Return a condition without its text search, which only the first stage of a pipeline can have."""
    rest = {key: value for key, value in match.items() if key not in ("$text", "$and")}
    parts = [part for one in match.get("$and", ()) if (part := _without_search(one))]
    return rest | ({"$and": parts} if parts else {})


class Reading(NamedTuple):
    """What a find asks for, and how its rows are shown in the shape of now; None: as they are.

    It costs the store half of what a pipeline does that computes the same.
    """

    projection: Mapping[str, Any]
    spelling: Spelling | None = None
    members: frozenset[str] = frozenset()

    def show(self, rows: list[Document]) -> list[Document]:
        """Return the rows in the shape of now, with the members that are shown."""
        if (spelling := self.spelling) is None:
            return rows
        return [
            {name: value for name, value in spelling.unify(row).items() if name in self.members}
            for row in rows
        ]


def plan_reading(
    access: Access[Any], match: Mapping[str, Any], keys: Iterable[str], shown: Mapping[str, Any]
) -> Reading | None:
    """Plan a find by a scoped match, in the order of ``keys``; None where only a pipeline can answer.

    That is where match or order look at what steps touch, or where a part of it is shown.
    """
    if (spelling := spelling_of(access)) is not None:
        is_decided = not spelling.touches(match)
    elif access.renamed:  # the match looks at both names
        spelling, is_decided = _spell_names(tuple(access.renamed.items())), True
    else:
        return Reading(shown)
    members, projection = frozenset(map(top_of, shown)), {**shown, MARK: 1, "version": 1}
    touched = {name: child for name, child in spelling.root.children.items() if name in members}
    if not is_decided or any(top_of(path) in spelling.tops for path in keys):
        return None
    if any(shown.get(name) != 1 for name in touched):
        return None
    projection |= {child.former: 1 for child in touched.values() if child.former is not None}
    return Reading(projection, spelling, members)


@lru_cache(maxsize=1024)
def _spell_names(renamed: tuple[tuple[str, str], ...]) -> Spelling:
    """Return the spelling of a record type that declares former names while no migration is in force."""
    return Spelling(0, tuple(Step(name, (name,), former) for name, former in renamed))


def guard(access: Access[Any], match: Predicate) -> Mapping[str, Any]:
    """Return the match of a write: it finds no record that is not stored in the shape of now.

    A condition on such a record could be true although it is false of the computed one.
    """
    spelling, scoped = spelling_of(access), access.scoped(match)
    return {"$and": [spelling.settled, scoped]} if spelling and spelling.touches(scoped) else scoped


def spell(access: Access[Any], document: Mapping[str, Any]) -> Document:
    """Return a new record as it is stored."""
    spelling = spelling_of(access)
    return cast(Document, document) if spelling is None else spelling.spell(document)
