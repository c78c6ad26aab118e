"""The only door to MongoDB. No method works without an ``Access``; its scope is part of every command.

Documents are as stored: wire names, ``_id`` an object id, dates naive UTC in milliseconds. Hidden
fields are projected away here, so they never leave the store. Every command has one deadline, retries
included (``mongodb.timeout-ms``). Faults of the driver become ``Duplicate``, ``TooLarge`` or
``StoreUnavailable``; anything else is a fault of ours.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from pymongo import AsyncMongoClient, ReturnDocument
from pymongo.asynchronous.collection import AsyncCollection
from pymongo.asynchronous.database import AsyncDatabase
from pymongo.errors import BulkWriteError

from runtime.access import Access
from runtime.errors import Denied, Duplicate, ServiceError, TooLarge
from runtime.filter import Predicate, Projection
from runtime.store.changes import Changes, Document, replacing
from runtime.store.faults import faults, refusal
from runtime.store.stages import SOURCE, in_order, picked, visible

Order = Sequence[tuple[str, int]]


class Store:
    """One per process; safe for many concurrent calls of one event loop."""

    def __init__(self, uri: str, *, timeout_ms: int = 5000, pool_size: int = 64) -> None:
        self._client: AsyncMongoClient[Document] = AsyncMongoClient(
            uri,
            timeoutMS=timeout_ms,
            serverSelectionTimeoutMS=timeout_ms,
            maxPoolSize=pool_size,
            w="majority",
            appname="recordsmith",
        )

    async def find(
        self,
        access: Access,
        match: Predicate,
        *,
        order: Order = (),
        projection: Projection | None = None,
        skip: int = 0,
        limit: int = 0,
    ) -> list[Document]:
        """The records in scope that match; all of them when ``limit`` is 0."""
        cursor = self._collection(access).find(
            access.scoped(match),
            visible(access, projection),
            sort=list(order) or None,
            skip=skip,
            limit=limit,
            batch_size=limit,
        )
        with faults(access):
            return await cursor.to_list()

    async def find_in_turn(
        self,
        access: Access,
        matches: Sequence[Predicate],
        *,
        order: Order,
        limit: int,
        projection: Projection | None = None,
    ) -> list[Document]:
        """What ``find`` answers for each match, one after the other, up to ``limit`` of all; in one command.

        A match is only looked for when those before it have not filled the limit.
        """
        stages: list[Document] = []
        for match in matches:
            rows = in_order(access, match, order, projection, limit)
            union = [{"$unionWith": {"coll": access.kind.collection, "pipeline": rows}}]
            stages += union if stages else rows
        if not stages:
            return []
        stages.append({"$limit": limit})
        with faults(access):  # a batch that is not filled ends the cursor, which saves asking for the next
            cursor = await self._collection(access).aggregate(stages, batchSize=limit + 1)
            return await cursor.to_list()

    async def find_one(
        self, access: Access, match: Predicate, *, projection: Projection | None = None
    ) -> Document | None:
        """The first record in scope that matches, or None."""
        with faults(access):
            return await self._collection(access).find_one(access.scoped(match), visible(access, projection))

    async def find_across(
        self,
        access: Access,
        match: Predicate,
        others: Sequence[tuple[Access, Predicate]],
        projection: Projection,
    ) -> list[list[Document]]:
        """What ``find`` answers for this and for each of ``others``, in one command. All are of one realm."""
        pipeline = picked(access, match, projection, 0)
        for at, (other, other_match) in enumerate(others, start=1):
            rows = picked(other, other_match, projection, at)
            pipeline.append({"$unionWith": {"coll": other.kind.collection, "pipeline": rows}})
        found: list[list[Document]] = [[] for _each in (access, *others)]
        with faults(access):
            cursor = await self._collection(access).aggregate(pipeline)
            for document in await cursor.to_list():
                found[document.pop(SOURCE)].append(document)
        return found

    async def count(self, access: Access, match: Predicate, *, most: int | None = None) -> int:
        """How many records in scope match; with ``most`` counting ends there."""
        bound: dict[str, Any] = {} if most is None else {"limit": most}
        with faults(access):
            return await self._collection(access).count_documents(access.scoped(match), **bound)

    async def insert(self, access: Access, document: Document) -> None:
        """Raises ``Duplicate``, and ``Denied`` when the document lies outside the scope."""
        if not access.domain.admits(document.get("dataDomain", {})):
            raise _outside(access)
        with faults(access):
            await self._collection(access).insert_one(document)

    async def insert_many(self, access: Access, documents: Sequence[Document]) -> dict[int, ServiceError]:
        """Insert what can be inserted; answers with the error of each position that could not."""
        errors: dict[int, ServiceError] = {
            at: _outside(access)
            for at, document in enumerate(documents)
            if not access.domain.admits(document.get("dataDomain", {}))
        }
        rest = [at for at in range(len(documents)) if at not in errors]
        if rest:
            batch = [documents[at] for at in rest]
            try:
                refused = await self._insert_batch(access, batch)
            except TooLarge:
                refused = await self._insert_singly(access, batch)
            errors |= {rest[at]: error for at, error in refused.items()}
        return errors

    async def _insert_batch(self, access: Access, batch: list[Document]) -> dict[int, ServiceError]:
        with faults(access):
            try:
                await self._collection(access).insert_many(batch, ordered=False)
            except BulkWriteError as error:
                refused = {fault["index"]: refusal(access, fault) for fault in error.details["writeErrors"]}
                errors = {at: reason for at, reason in refused.items() if reason is not None}
                if error.details.get("writeConcernErrors") or len(errors) < len(refused):
                    raise
                return errors
        return {}

    async def _insert_singly(self, access: Access, batch: list[Document]) -> dict[int, ServiceError]:
        """After a batch was refused for one that is far too large; a taken id was stored just before."""
        errors: dict[int, ServiceError] = {}
        for at, document in enumerate(batch):
            try:
                await self.insert(access, document)
            except TooLarge as error:
                errors[at] = error
            except Duplicate as error:
                if error.details["fields"] != ["_id"]:
                    errors[at] = error
        return errors

    async def replace(
        self, access: Access, match: Predicate, document: Document, *, keep: Collection[str] = ()
    ) -> bool:
        """Replace the one record that matches; False when none does. Both sides must be in scope.

        Fields in ``keep`` (dotted) that the document lacks keep their stored value, which is copied
        inside the store: hidden values are never read out.
        """
        if not access.domain.admits(document.get("dataDomain", {})):
            raise _outside(access)
        collection, scoped = self._collection(access), access.scoped(match)
        with faults(access):
            if keep:
                result = await collection.update_one(scoped, replacing(document, keep))
            else:
                result = await collection.replace_one(scoped, document)
        return result.matched_count == 1

    async def update_one(
        self, access: Access, match: Predicate, changes: Changes, *, upsert: bool = False
    ) -> Document | None:
        """Change one record; answers with it as it is after the write, or None when none matched.

        ``upsert`` inserts one that lies inside the scope; raises ``Denied`` for another data domain.
        """
        if upsert and _is_moved_out(access, changes.set_on_insert):
            raise _outside(access)
        with faults(access):
            return await self._collection(access).find_one_and_update(
                access.scoped(match),
                changes.as_update(),
                projection=visible(access, None),
                upsert=upsert,
                return_document=ReturnDocument.AFTER,
            )

    async def update_many(self, access: Access, match: Predicate, changes: Changes) -> int:
        """Change all records in scope that match; answers with their number."""
        with faults(access):
            result = await self._collection(access).update_many(access.scoped(match), changes.as_update())
        return result.modified_count

    async def delete_one(self, access: Access, match: Predicate) -> bool:
        """Delete the one record that matches; False when none does."""
        with faults(access):
            result = await self._collection(access).delete_one(access.scoped(match))
        return result.deleted_count == 1

    async def ping(self) -> None:
        """Raises ``StoreUnavailable`` when no primary answers in time."""
        with faults(None):
            await self._client.admin.command("ping")

    def database(self, realm: str) -> AsyncDatabase[Document]:
        """The database of a realm, for ``runtime.indexes`` alone: data goes through an ``Access``."""
        return self._client[realm]

    async def close(self) -> None:
        """Close all connections."""
        await self._client.close()

    def _collection(self, access: Access) -> AsyncCollection[Document]:
        return self._client[access.realm][access.kind.collection]


def _outside(access: Access) -> Denied:
    return Denied(f"this {access.kind.name} would lie outside your data domain")


def _is_moved_out(access: Access, made: Mapping[str, Any]) -> bool:
    """Whether an upsert names a data domain that the scope does not admit; the scope itself is filled in."""
    if "dataDomain" in made:
        return not access.domain.admits(made["dataDomain"])
    return any(made.get(path, value) != value for path, value in access.domain.as_match().items())
