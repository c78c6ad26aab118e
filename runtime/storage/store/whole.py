"""Whole records as bytes, for backups: read at one moment, inserted, removed part by part.

A snapshot session reads all record types as they were at one time, outside of a transaction, while others
write. MongoDB keeps the past for ``minSnapshotHistoryWindowInSeconds`` (300 unless set); what is read later
is refused and never mixed. Unlike all other reads ``read_whole`` returns hidden fields and what no record
type declares; only operators' commands have the service's own ``Access`` to pass.
"""

from collections.abc import AsyncGenerator, Sequence
from typing import Any, Final

import pymongo
from bson.raw_bson import RawBSONDocument
from pymongo.asynchronous.client_session import AsyncClientSession
from pymongo.errors import BulkWriteError, OperationFailure

from runtime.errors import Denied, Misconfigured, ServiceError
from runtime.filter import EVERYTHING
from runtime.storage.access import Access, DocumentT
from runtime.storage.extended_json import is_unambiguous
from runtime.storage.store.commands import UNLIMITED, Commands
from runtime.storage.store.connection import Connection
from runtime.storage.store.faults import refusals
from runtime.storage.store.stages import UNORDERED, build_find_stages, build_public_projection

_GONE: Final = frozenset({239, 246})
"""MongoDB's SnapshotTooOld and SnapshotUnavailable."""

_MOST_AT_ONCE: Final = 2000


class Snapshot(Commands):
    """Reads of one moment: that of its first read. It ends with ``Store.open_snapshot``."""

    def __init__(self, connection: Connection, past: AsyncClientSession) -> None:
        super().__init__(connection)
        self._past = past

    async def read_whole(self, access: Access[Any]) -> AsyncGenerator[bytes, None]:
        """Yield all records in scope as they are stored, some thousand at a time.

        Raises ``Misconfigured`` when the snapshot is older than MongoDB keeps, ``StoreUnavailable``.
        """
        match = access.scoped(EVERYTHING)
        cursor = self._driver_collection(access).find_raw_batches(
            match, session=self._past, batch_size=_MOST_AT_ONCE
        )
        async for batch in self._read_batches(access, cursor):
            yield batch

    async def find_all(self, access: Access[DocumentT]) -> list[DocumentT]:
        """Return all records in scope; for types of which there are few. Raises the same."""
        try:
            async with self._limit_time(access):
                cursor: Any = self._driver_collection(access).find(
                    access.scoped(EVERYTHING), session=self._past
                )
                found: list[DocumentT] = await cursor.to_list()
                return found
        except OperationFailure as error:
            raise _explain(error) from error

    async def read_shown(self, access: Access[Any]) -> AsyncGenerator[bytes, None]:
        """Yield all records in scope without what their type hides or does not declare; raises the same."""
        shown = build_public_projection(access)
        stages = build_find_stages(access, EVERYTHING, UNORDERED, shown)
        collection = self._driver_collection(access)
        try:
            async with self._limit_time(access):
                cursor = await collection.aggregate_raw_batches(
                    stages, session=self._past, batchSize=_MOST_AT_ONCE
                )
        except OperationFailure as error:
            raise _explain(error) from error
        async for batch in self._read_batches(access, cursor):
            yield batch

    async def _read_batches(self, access: Access[Any], cursor: Any) -> AsyncGenerator[bytes, None]:
        try:
            while True:
                async with self._limit_time(access):
                    batch = await anext(cursor, None)
                if batch is None:
                    return
                yield batch
        except OperationFailure as error:
            raise _explain(error) from error
        finally:
            await cursor.close()


def _explain(error: OperationFailure) -> Exception:
    if error.code not in _GONE:
        return error
    message = "MongoDB does not keep the past long enough for one consistent read: nothing was written. Raise"
    more = "db.adminCommand({setParameter: 1, minSnapshotHistoryWindowInSeconds: 3600}), then run it again"
    return Misconfigured(f"{message} it for the time being with {more}", cause=error)


class Whole(Commands):
    """Commands of the store for backups and erasures."""

    async def list_collections(self, access: Access[Any]) -> list[str]:
        """List the collections of the realm, those without a record type as well."""
        with self._command(access):
            names = await self._connection.client[access.database].list_collection_names(
                filter={"type": "collection"}
            )
        return sorted(name for name in names if not name.startswith("system."))

    async def count_all(self, access: Access[Any]) -> int:
        """Count the records in scope, however long it takes."""
        match = access.scoped(EVERYTHING)
        with self._command(access), pymongo.timeout(UNLIMITED):
            return await self._driver_collection(access).count_documents(match)

    async def insert_encoded(
        self, access: Access[Any], documents: Sequence[bytes]
    ) -> dict[int, ServiceError]:
        """Insert documents as they are encoded; return errors by index. None is sent after one that fails.

        Raises ``Denied`` when one of them is outside the scope or could be, before any is sent. Unique
        indexes may be missing: the caller creates them before it is done.
        """
        rows: list[Any] = [RawBSONDocument(one) for one in documents]
        is_bound = bool(access.domain.bound[0])
        if is_bound and not (all(map(access.admits, rows)) and all(map(is_unambiguous, documents))):
            raise Denied(f"this {access.kind.shown_name} would lie outside what you may write")
        for start in range(0, len(rows), _MOST_AT_ONCE):
            with self._command(access):
                try:
                    await self._driver_collection(access).insert_many(
                        rows[start : start + _MOST_AT_ONCE], ordered=False
                    )
                except BulkWriteError as error:
                    return {start + at: one for at, one in refusals(access, error).items()}
        return {}

    async def remove_some(self, access: Access[Any]) -> int:
        """Remove some of the records in scope; return how many: 0 at the end."""
        match = access.scoped(EVERYTHING)
        collection = self._driver_collection(access)
        with self._command(access):
            found = await collection.find(
                match, {"_id": 1}, limit=_MOST_AT_ONCE, batch_size=_MOST_AT_ONCE + 1
            ).to_list()
            if not found:
                return 0
            ids = {"_id": {"$in": [one["_id"] for one in found]}}
            result = await collection.delete_many({"$and": [match, ids]})
        return result.deleted_count
