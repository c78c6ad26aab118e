"""The only door to MongoDB. No method works without an ``Access``; its scope is part of every command.

Documents are as stored: wire names, ``_id`` an object id, dates naive UTC in milliseconds. Hidden
fields are projected away here, so they never leave the store. Every command has one deadline, retries
included (``mongodb.timeout-ms``). Faults of the driver become ``Duplicate``, ``TooLarge`` or
``StoreUnavailable``; anything else is a fault of ours.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from pymongo import AsyncMongoClient, ReturnDocument
from pymongo.asynchronous.collection import AsyncCollection
from pymongo.asynchronous.database import AsyncDatabase
from pymongo.errors import (
    BulkWriteError,
    ConnectionFailure,
    DocumentTooLarge,
    DuplicateKeyError,
    OperationFailure,
    PyMongoError,
    WaitQueueTimeoutError,
)

from runtime.access import Access
from runtime.errors import Denied, Duplicate, ServiceError, StoreUnavailable, TooLarge
from runtime.filter import Predicate, Projection

Document = dict[str, Any]
Order = Sequence[tuple[str, int]]

_DUPLICATE_KEY = 11000
_TOO_LARGE = (10334, 17420)


@dataclass(frozen=True, slots=True)
class Changes:
    """A partial write of one record. Paths are dotted wire names; values are as stored."""

    set: Mapping[str, Any] = field(default_factory=dict)
    unset: Sequence[str] = ()
    increment: Mapping[str, int] = field(default_factory=dict)
    push: Mapping[str, Any] = field(default_factory=dict)
    set_on_insert: Mapping[str, Any] = field(default_factory=dict)

    def as_update(self) -> dict[str, Any]:
        """As a MongoDB update. A data domain never changes this way: the scope check is on whole records."""
        if any(path.split(".")[0] in ("dataDomain", "_id") for path in (*self.set, *self.unset)):
            raise ValueError("a partial write cannot move a record to another data domain or id")
        parts: dict[str, Any] = {
            "$set": dict(self.set),
            "$unset": dict.fromkeys(self.unset, ""),
            "$inc": dict(self.increment),
            "$push": dict(self.push),
            "$setOnInsert": dict(self.set_on_insert),
        }
        return {operator: values for operator, values in parts.items() if values}


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
            _visible(access, projection),
            sort=list(order) or None,
            skip=skip,
            limit=limit,
            batch_size=limit,
        )
        with _faults(access):
            return await cursor.to_list()

    async def find_one(
        self, access: Access, match: Predicate, *, projection: Projection | None = None
    ) -> Document | None:
        """The first record in scope that matches, or None."""
        with _faults(access):
            return await self._collection(access).find_one(access.scoped(match), _visible(access, projection))

    async def count(self, access: Access, match: Predicate) -> int:
        """How many records in scope match."""
        with _faults(access):
            return await self._collection(access).count_documents(access.scoped(match))

    async def insert(self, access: Access, document: Document) -> None:
        """Raises ``Duplicate``, and ``Denied`` when the document lies outside the scope."""
        if not access.domain.admits(document.get("dataDomain", {})):
            raise _outside(access)
        with _faults(access):
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
            refused = await self._insert_batch(access, [documents[at] for at in rest])
            errors |= {rest[at]: error for at, error in refused.items()}
        return errors

    async def _insert_batch(self, access: Access, batch: list[Document]) -> dict[int, ServiceError]:
        with _faults(access):
            try:
                await self._collection(access).insert_many(batch, ordered=False)
            except BulkWriteError as error:
                faults = error.details.get("writeErrors", [])
                passing = error.details.get("writeConcernErrors")
                if passing or any(fault["code"] != _DUPLICATE_KEY for fault in faults):
                    raise
                return {fault["index"]: _duplicate(access, fault) for fault in faults}
        return {}

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
        with _faults(access):
            if keep:
                result = await collection.update_one(scoped, _replacing(document, sorted(keep)))
            else:
                result = await collection.replace_one(scoped, document)
        return result.matched_count == 1

    async def update_one(
        self, access: Access, match: Predicate, changes: Changes, *, upsert: bool = False
    ) -> Document | None:
        """Change one record; answers with it as it is after the write, or None when none matched."""
        with _faults(access):
            return await self._collection(access).find_one_and_update(
                access.scoped(match),
                changes.as_update(),
                projection=_visible(access, None),
                upsert=upsert,
                return_document=ReturnDocument.AFTER,
            )

    async def update_many(self, access: Access, match: Predicate, changes: Changes) -> int:
        """Change all records in scope that match; answers with their number."""
        with _faults(access):
            result = await self._collection(access).update_many(access.scoped(match), changes.as_update())
        return result.modified_count

    async def delete_one(self, access: Access, match: Predicate) -> bool:
        """Delete the one record that matches; False when none does."""
        with _faults(access):
            result = await self._collection(access).delete_one(access.scoped(match))
        return result.deleted_count == 1

    async def ping(self) -> None:
        """Raises ``StoreUnavailable`` when no primary answers in time."""
        with _faults(None):
            await self._client.admin.command("ping")

    def database(self, realm: str) -> AsyncDatabase[Document]:
        """The database of a realm, for ``runtime.indexes`` alone: data goes through an ``Access``."""
        return self._client[realm]

    async def close(self) -> None:
        """Close all connections."""
        await self._client.close()

    def _collection(self, access: Access) -> AsyncCollection[Document]:
        return self._client[access.realm][access.kind.collection]


def _visible(access: Access, projection: Projection | None) -> Mapping[str, Any] | None:
    if projection is not None:
        return projection.as_mongo(access.hidden)
    return dict.fromkeys(sorted(access.hidden), 0) or None


def _outside(access: Access) -> Denied:
    return Denied(f"this {access.kind.name} would lie outside your data domain")


def _replacing(document: Document, keep: Sequence[str]) -> list[dict[str, Any]]:
    """A full replace as an update pipeline; ``$literal`` makes sure that no value is read as an operator."""
    kept = {f"kept{at}": f"${path}" for at, path in enumerate(keep)}
    restored = {path: {"$ifNull": [f"${path}", f"$__kept.kept{at}"]} for at, path in enumerate(keep)}
    return [
        {"$replaceWith": {"$mergeObjects": [{"$literal": document}, {"__kept": kept}]}},
        {"$set": restored},
        {"$unset": "__kept"},
    ]


def _duplicate(access: Access, fault: Mapping[str, Any]) -> Duplicate:
    values = {
        path: value
        for path, value in (fault.get("keyValue") or {}).items()
        if path != "dataDomain.tenantId" and path not in access.hidden
    }
    said = ", ".join(f"{path} {value}" for path, value in values.items())
    return Duplicate(f"another {access.kind.name} has the {said or 'same key'}", fields=[*values] or None)


@contextmanager
def _faults(access: Access | None) -> Iterator[None]:
    """Faults of the driver as errors of the service."""
    try:
        yield
    except DuplicateKeyError as error:
        if access is None:
            raise
        raise _duplicate(access, error.details or {}) from error
    except DocumentTooLarge as error:
        raise TooLarge("the record is larger than the store can keep (16 MiB)", cause=error) from error
    except (ConnectionFailure, WaitQueueTimeoutError) as error:
        raise StoreUnavailable("the store did not answer; try again", cause=error) from error
    except OperationFailure as error:
        if error.code in _TOO_LARGE:
            raise TooLarge("the record is larger than the store can keep (16 MiB)", cause=error) from error
        _raise_if_passing(error)
        raise
    except PyMongoError as error:
        _raise_if_passing(error)
        raise


def _raise_if_passing(error: PyMongoError) -> None:
    """A time-out or a change of primary is for the caller to retry; anything else is our fault."""
    if error.timeout or error.has_error_label("RetryableWriteError"):
        raise StoreUnavailable("the store did not answer in time; try again", cause=error) from error
