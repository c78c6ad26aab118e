"""The writing half of the store: stored and new record both lie inside the scope of the ``Access``."""

from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import Any, Final, cast

from pymongo import ReturnDocument, UpdateMany, UpdateOne, timeout
from pymongo.asynchronous.client_session import AsyncClientSession
from pymongo.errors import BulkWriteError

from runtime.errors import ServiceError
from runtime.filter import Predicate, any_of, by_ids
from runtime.storage.access import Access, DocumentT
from runtime.storage.store.changes import (
    Changes,
    Document,
    Replacement,
    build_full_replace,
    build_replace_many,
    difference,
)  # fmt: skip
from runtime.storage.store.converting import is_shared
from runtime.storage.store.faults import FaultTranslation, refusals
from runtime.storage.store.insertions import Insertions, require_same_place, require_sound
from runtime.storage.store.spellings import guard
from runtime.storage.store.stages import build_projection

Update = list[dict[str, Any]]

_LEAST_AT_ONCE: Final = 8
"""Replacements that are worth a statement of their own."""

_MOST_AT_ONCE: Final = 100
"""Replacements of one statement: MongoDB searches through half of its ids for each record."""


class Writes(Insertions):
    """Commands of the store that change records."""

    async def replace(
        self,
        access: Access[Any],
        match: Predicate,
        document: Document,
        *,
        keep: Collection[str] = (),
        before: Document | None = None,
    ) -> bool:
        """Replace the one record that matches; False when none does. Both sides must be in scope.

        Fields in ``keep`` (dotted) that the document lacks keep their stored value, which is copied
        inside the store: hidden values are never read out. Members that the record type does not declare
        stay. ``before``: the record that matches, if it is known, all of it that its type declares and does
        not hide; then only what differs is sent.
        """
        require_sound(access, document)
        access = await self._prepare_to_write(access)
        if is_shared(access):
            return await self._share(
                access, match, lambda own, to: own.replace(to, match, document, keep=keep, before=before)
            )
        update = _update(access, document, keep, before)
        await self._convert(access, match)
        with self._command(access):
            collection = self._collection(access)
            result = await collection.update_one(guard(access, match), update, session=self._session)
        return result.matched_count == 1

    async def replace_many(
        self, access: Access[Any], replacements: Sequence[Replacement]
    ) -> tuple[int, dict[int, ServiceError]]:
        """Replace records that are still as they were read; return how many were, and each error by position.

        Both sides must be in scope. Many go in few updates in one transaction. It is tried once: where one is
        refused, another writer interferes or the primary changes, each is sent alone, and those replaced
        before are not found any more. An error ends the caller's transaction, if any.
        """
        for one in replacements:
            require_sound(access, one.document)
        access = await self._prepare_to_write(access)
        match = by_ids([one.document["_id"] for one in replacements])
        if is_shared(access):
            return await self._share(access, match, lambda own, to: own.replace_many(to, replacements))
        await self._convert(access, match)
        enough = len(replacements) >= _LEAST_AT_ONCE
        if enough and (updates := _build_together(access, replacements)) is not None:
            if self._session is not None:
                return await self._replace_in_one(access, updates, self._session), {}
            with suppress(ServiceError):
                return await self._replace_together(access, updates), {}
        return await self._send(access, [_build_request(access, one) for one in replacements])

    async def replace_across(
        self,
        access: Access[Any],
        replacement: Replacement,
        others: Sequence[tuple[Access[Any], Replacement]],
    ) -> int:
        """Replace records of one type in one command, each in the scope of its own access.

        Return how many were still as they had been read; raise what ``replace`` raises for one of them. In a
        transaction nothing is stored then.
        """
        for one, its in (parts := ((access, replacement), *others)):
            require_same_place(access, one)
            require_sound(one, its.document, its.size)
        if self.takes_several_commands(access):
            done = [
                await self.replace(one, its.match, its.document, keep=its.keep, before=its.before)
                for one, its in parts
            ]
            return sum(done)
        await self._require_writable(access)
        spelled = [(self._spell(one), its) for one, its in parts]
        found, errors = await self._send(access, [_build_request(one, its) for one, its in spelled])
        for refused in errors.values():
            raise refused
        return found

    async def _replace_together(self, access: Access[Any], updates: Sequence[UpdateMany]) -> int:
        """Replace records in a transaction of its own, which the store logs in one piece."""
        with FaultTranslation(access), timeout(self.seconds):
            async with self._connection.start_session() as session, await session.start_transaction():
                return await self._replace_in_one(access, updates, session)

    async def _replace_in_one(
        self, access: Access[Any], updates: Sequence[UpdateMany], session: AsyncClientSession
    ) -> int:
        """Send updates as one command; return how many records they changed. Raises the first refusal."""
        with FaultTranslation(access, session, self._connection.limit):
            try:
                result = await self._collection(access).bulk_write(updates, session=session)
            except BulkWriteError as error:
                for refused in refusals(access, error).values():
                    raise refused from error
                raise
        return result.modified_count

    async def _send(
        self, access: Access[Any], requests: Sequence[UpdateOne]
    ) -> tuple[int, dict[int, ServiceError]]:
        """Send updates as one command; return how many found their record, and each error by position."""
        collection = self._collection(access)
        with self._command(access):
            try:
                result = await collection.bulk_write(requests, ordered=self._ordered, session=self._session)
            except BulkWriteError as error:
                return error.details["nMatched"], refusals(access, error)
        return result.matched_count, {}

    async def update_one(
        self, access: Access[DocumentT], match: Predicate, changes: Changes
    ) -> DocumentT | None:
        """Change one record; return it as it is after the write, or None when none matched."""
        access = await self._prepare_to_write(access)
        if is_shared(access):
            return await self._share(access, match, lambda own, to: own.update_one(to, match, changes))
        await self._convert(access, match)
        with self._command(access):
            changed = await self._collection(access).find_one_and_update(
                guard(access, match),
                changes.as_update(),
                projection=build_projection(access, None),
                return_document=ReturnDocument.AFTER,
                session=self._session,
            )
        return cast(DocumentT | None, changed)

    async def update_many(self, access: Access[Any], match: Predicate, changes: Changes) -> int:
        """Change all records in scope that match; answers with their number."""
        access = await self._prepare_to_write(access)
        if is_shared(access):
            return await self._share(access, match, lambda own, to: own.update_many(to, match, changes))
        await self._convert(access, match)
        with self._command(access):
            result = await self._collection(access).update_many(
                guard(access, match), changes.as_update(), session=self._session
            )
        return result.modified_count

    async def update_each(self, access: Access[Any], updates: Sequence[tuple[Predicate, Changes]]) -> int:
        """Change the one record in scope that each match names, in one command; answers with their number."""
        access = await self._prepare_to_write(access)
        whole = any_of([match for match, _changes in updates])
        if is_shared(access):
            return await self._share(access, whole, lambda own, to: own.update_each(to, updates))
        requests = [UpdateOne(guard(access, match), changes.as_update()) for match, changes in updates]
        await self._convert(access, whole)
        collection = self._collection(access)
        with self._command(access):
            result = await collection.bulk_write(requests, ordered=self._ordered, session=self._session)
        return result.matched_count


def _build_request(access: Access[Any], one: Replacement) -> UpdateOne:
    return UpdateOne(guard(access, one.match), _update(access, one.document, one.keep, one.before))


def _build_together(access: Access[Any], replacements: Sequence[Replacement]) -> list[UpdateMany] | None:
    """Build updates that replace many records each; None where a record needs one of its own."""
    updates = []
    for start in range(0, len(replacements), _MOST_AT_ONCE):
        some = replacements[start : start + _MOST_AT_ONCE]
        if (update := build_replace_many(some, access.kind)) is None:
            return None
        updates.append(UpdateMany(guard(access, by_ids([one.document["_id"] for one in some])), update))
    return updates


def _update(
    access: Access[Any], document: Document, keep: Collection[str], before: Document | None
) -> dict[str, Any] | Update:
    """Build a full replace as the smallest update that expresses it."""
    least = None if before is None else difference(before, document, keep, access.kind)
    return least or build_full_replace(document, keep, access.kind)
