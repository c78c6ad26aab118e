"""Moving the records of a type from one spelling to another: by ranges of ids, inside the store.

Only what scope and rules of the ``Access`` admit is moved, and nothing leaves the store but numbers and a few
examples without hidden fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple

import pymongo
from bson import ObjectId

from runtime.filter import by_id_range
from runtime.model.paths import overlap_any
from runtime.spelling import Spelling
from runtime.storage.access import Access
from runtime.storage.store.changes import Document
from runtime.storage.store.commands import Commands
from runtime.storage.store.digests import expose_fractions
from runtime.storage.store.faults import FaultTranslation
from runtime.storage.store.stages import Stages

_MODULUS: Final = 2**31
"""Sums of so small parts of hashes are exact for any number of records."""

_NOTHING: Final[Document] = {"$literal": {}}
"""An empty object, which a projection refuses as it is."""


Range = tuple[ObjectId | None, ObjectId]
"""The records behind one id and up to another."""


class Digest(NamedTuple):
    """What some records hold, as computed in the shape of now: their number, a checksum, and the last id."""

    records: int
    checksum: int
    last: ObjectId | None = None


class Moving(Commands):
    """What a migration does to records. ``access`` names the spelling in force."""

    async def find_range_end(self, access: Access[Any], after: ObjectId | None, size: int) -> ObjectId | None:
        """Return the id of the last of the next records behind one, of at most ``size``; None without any."""
        match = _range(access, after, None)
        for order, skip in ((1, size - 1), (-1, 0)):
            cursor = self._collection(access).find(
                match, {"_id": 1}, sort=[("_id", order)], skip=skip, limit=1
            )
            with self._command(access):
                if found := await cursor.to_list():
                    last: ObjectId = found[0]["_id"]
                    return last
        return None

    async def rewrite_range(
        self,
        access: Access[Any],
        spelling: Spelling,
        after: ObjectId | None,
        until: ObjectId,
        records: int,
    ) -> int:
        """Store the records of a range in the spelling that is asked for; return how many were not.

        ``records``: how many there are. When so many have been moved, nothing further is sent. Raises
        ``StoreUnavailable`` where the phases were not read lately: a process that was stopped for a while
        would move records that another one has brought back.
        """
        moved = 0
        for match, update in spelling.moves:
            if moved < records:
                moved += await self._update_range(access, after, until, match, update)
        return moved

    async def withdraw_range(
        self, access: Access[Any], spelling: Spelling, after: ObjectId | None, until: ObjectId
    ) -> int:
        """Store the records of a range in the former spelling alone; return how many were not."""
        withdrawn = 0
        for match, update in spelling.withdrawals:
            withdrawn += await self._update_range(access, after, until, match, update)
        return withdrawn

    async def _update_range(
        self,
        access: Access[Any],
        after: ObjectId | None,
        until: ObjectId,
        match: Mapping[str, Any],
        update: Any,
    ) -> int:
        self._spell(access)
        where = {"$and": [_range(access, after, until), match]}
        with self._command(access):
            result = await self._collection(access).update_many(where, update, session=self._session)
        return result.modified_count

    async def find_marked(self, access: Access[Any], spelling: Spelling) -> bool:
        """Return whether workers of the shape of now have written a record."""
        match = {"$and": [_range(access, None, None), spelling.marked]}
        cursor = self._collection(access).find(match, {"_id": 1}, limit=1)
        with self._command(access):
            return bool(await cursor.to_list())

    async def read_digest(
        self,
        access: Access[Any],
        spelling: Spelling,
        after: ObjectId | None,
        until: ObjectId | None,
        most: int,
    ) -> Digest:
        """Return the digest of what steps touch in the first records of a range, ``most`` of them.

        A move writes nothing else: it sets these members, their former names and the mark.
        """
        touched = {"_id": "$_id", **expose_fractions(spelling.values, access.kind.fields)}
        part = {"$mod": [{"$toHashedIndexKey": touched}, _MODULUS]}
        stages: Stages = [
            {"$match": _range(access, after, until)},
            {"$sort": {"_id": 1}},
            {"$limit": most},
            {
                "$group": {
                    "_id": None,
                    "records": {"$sum": 1},
                    "checksum": {"$sum": part},
                    "last": {"$last": "$_id"},
                }
            },
        ]
        found = await self._aggregate(access, stages, allowDiskUse=True)
        return Digest(found[0]["records"], found[0]["checksum"], found[0]["last"]) if found else Digest(0, 0)

    async def count_unmoved(
        self, access: Access[Any], spelling: Spelling, after: ObjectId | None, until: ObjectId
    ) -> int:
        """Return how many records of a range are not in the spelling that ``spelling`` asks for."""
        match = {"$and": [_range(access, after, until), spelling.unmoved]}
        return await self._count(access, {"$match": match})

    async def count_lost(self, access: Access[Any], lossy: Spelling, sound: Spelling, within: Range) -> int:
        """Return in how many records of a range one spelling keeps less than another, with fewer steps."""
        differs = [{"$ne": [f"$lossy.{name}", f"$sound.{name}"]} for name in sorted(lossy.tops)]
        computed = {word: _compute(one) for word, one in (("lossy", lossy), ("sound", sound)) if one.steps}
        stages: Stages = [
            {"$match": {"$and": [_range(access, *within), lossy.unsettled]}},
            {"$set": {"sound": {name: f"${name}" for name in lossy.tops}}},
            {"$set": computed},
            {"$match": {"$expr": {"$or": differs}}},
        ]
        return await self._count(access, *stages)

    async def sample_unmoved(
        self, access: Access[Any], spelling: Spelling, within: Range, number: int
    ) -> list[Document]:
        """Return what steps change in a few records of a range that need it: ``before`` and ``after``."""
        former = {name: spelling.root.children[name].former or name for name in sorted(spelling.tops)}
        shown = [name for name in former if not overlap_any(name, access.hidden | access.kind.hidden)]
        before = {name: f"${name}" for name in (*(former[one] for one in shown), *shown)}
        computed = _compute(spelling)
        changes = [
            {"$ne": [f"${old}", "$$REMOVE" if old != name else computed[name]]}
            for name, old in former.items()
        ]
        stages: Stages = [
            {"$match": {"$and": [_range(access, *within), spelling.unsettled]}},
            {"$match": {"$expr": {"$or": changes}}},
            {"$limit": number},
            {
                "$project": {
                    "refName": 1,
                    "before": before or _NOTHING,
                    "after": {name: computed[name] for name in shown} or _NOTHING,
                }
            },
        ]
        return await self._aggregate(access, stages, allowDiskUse=True)

    async def count_holding(self, access: Access[Any], path: str, within: Range) -> int:
        """Return how many records of a range hold a value at a path that their type does not declare."""
        return await self._count(access, {"$match": _holding(access, path, *within)})

    async def sample_holding(
        self, access: Access[Any], path: str, within: Range, number: int
    ) -> list[Document]:
        """Return the refName and the value in a few of these records."""
        stages: Stages = [
            {"$match": _holding(access, path, *within)},
            {"$limit": number},
            {"$project": {"_id": 0, "refName": 1, "value": f"${path}"}},
        ]
        return await self._aggregate(access, stages, allowDiskUse=True)

    async def remove_range(
        self, access: Access[Any], path: str, after: ObjectId | None, until: ObjectId
    ) -> int:
        """Remove the values at a path from the records of a range; return how many had one."""
        with self._command(access):
            result = await self._collection(access).update_many(
                _holding(access, path, after, until), {"$unset": {path: ""}}, session=self._session
            )
        return result.modified_count

    async def count_served(self) -> int | None:
        """Return how many reads and writes the store has served; None where it does not say."""
        with FaultTranslation(None), pymongo.timeout(self.seconds):
            return await self._connection.count_served()

    async def read_clock(self) -> datetime:
        """Return the present time, the same for all processes. Raises ``StoreUnavailable``."""
        with FaultTranslation(None), pymongo.timeout(self.seconds):
            answer = await self._connection.client.admin.command("hello")
        moment: datetime = answer["localTime"]
        return moment

    async def _count(self, access: Access[Any], *stages: dict[str, Any]) -> int:
        found = await self._aggregate(access, [*stages, {"$count": "records"}], allowDiskUse=True)
        return int(found[0]["records"]) if found else 0


def _range(access: Access[Any], after: ObjectId | None, until: ObjectId | None) -> Mapping[str, Any]:
    """Return the match of the records behind one id and up to another."""
    return access.spelled(_UNCHANGED).scoped(by_id_range(after, until))


def _compute(spelling: Spelling) -> Document:
    """Return the members that a spelling sets in the shape of now, each with its expression."""
    return {name: value for stage in spelling.unification for name, value in stage["$set"].items()}


def _holding(
    access: Access[Any], path: str, after: ObjectId | None, until: ObjectId | None
) -> Mapping[str, Any]:
    return {"$and": [_range(access, after, until), {path: {"$exists": True}}]}


_UNCHANGED: Final = Spelling(0)
