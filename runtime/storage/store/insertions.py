"""New records in the store: each lies inside the scope of its ``Access``."""

from collections.abc import Sequence
from typing import Any, Final

from pymongo.errors import BulkWriteError

from runtime.errors import Denied, Duplicate, ServiceError, TooLarge
from runtime.storage.access import Access, DocumentT
from runtime.storage.store.changes import Document
from runtime.storage.store.faults import refusals
from runtime.storage.store.removals import Removals
from runtime.storage.store.sizes import find_oversize
from runtime.storage.store.spellings import spell

_MOST_AT_ONCE: Final = 250
"""Documents in one insert: the driver writes out all that are refused, which holds the event loop."""


class Insertions(Removals):
    """Commands of the store that add records."""

    async def insert(self, access: Access[DocumentT], document: DocumentT) -> None:
        """Insert a record. Raises ``Duplicate``, and ``Denied`` for a document outside the scope."""
        require_sound(access, document)
        access = await self._prepare_to_write(access)
        with self._command(access):
            await self._collection(access).insert_one(spell(access, document), session=self._session)

    async def insert_many(
        self, access: Access[DocumentT], documents: Sequence[DocumentT]
    ) -> dict[int, ServiceError]:
        """Insert what can be inserted, in a transaction up to the first refusal; return errors by index."""
        errors: dict[int, ServiceError] = {
            at: fault
            for at, document in enumerate(documents)
            if (fault := _find_fault(access, document)) is not None
        }
        rest = [at for at in range(len(documents)) if at not in errors]
        for start in range(0, len(rest), _MOST_AT_ONCE):
            some = rest[start : start + _MOST_AT_ONCE]
            refused = await self._insert_or_split(access, [documents[at] for at in some])
            errors |= {some[at]: error for at, error in refused.items()}
            if refused and self._ordered:
                break
        return errors

    async def insert_across(
        self, access: Access[Any], document: Document, others: Sequence[tuple[Access[Any], Document]]
    ) -> None:
        """Insert records of one type in one command, each in the scope of its own access.

        Raises what ``insert`` raises for one of them; in a transaction nothing is stored then.
        """
        rows = require_sound_together(access, document, others)
        for refused in (await self._insert_batch(access, rows)).values():
            raise refused

    async def _insert_or_split(self, access: Access[Any], batch: list[Any]) -> dict[int, ServiceError]:
        try:
            return await self._insert_batch(access, batch)
        except TooLarge:
            if self._session is not None:
                raise  # the transaction has ended with it
            return await self._insert_singly(access, batch)

    async def _insert_batch(self, access: Access[Any], rows: list[Any]) -> dict[int, ServiceError]:
        access = await self._prepare_to_write(access)
        if access.spelling is not None:
            rows = [spell(access, row) for row in rows]
        with self._command(access):
            try:
                await self._collection(access).insert_many(rows, ordered=self._ordered, session=self._session)
            except BulkWriteError as error:
                return refusals(access, error)
        return {}

    async def _insert_singly(self, access: Access[Any], batch: list[Any]) -> dict[int, ServiceError]:
        """Insert one at a time, after a batch was refused for a record that is far too large.

        A taken id is one that the batch has stored already.
        """
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


def _outside(access: Access[Any]) -> Denied:
    return Denied(f"this {access.kind.shown_name} would lie outside what you may write")


def _find_fault(access: Access[Any], document: Any, size: int | None = None) -> ServiceError | None:
    return find_oversize(access, document, size) if access.admits(document) else _outside(access)


def require_sound(access: Access[Any], document: Any, size: int | None = None) -> None:
    """Raise ``Denied`` for a record outside the scope, ``TooLarge`` for one that cannot be stored.

    ``size``: its bytes as it is stored, where they have been counted.
    """
    if (fault := _find_fault(access, document, size)) is not None:
        raise fault


def require_same_place(access: Access[Any], other: Access[Any]) -> None:
    """Raise ``ValueError`` unless both are for records of one type in one database."""
    if (other.kind, other.database) != (access.kind, access.database):
        raise ValueError("one command writes to one collection")


def require_sound_together(
    access: Access[Any], document: Document, others: Sequence[tuple[Access[Any], Document]]
) -> list[Document]:
    """Return the documents of one command, each in the scope of its own access. Raises the same for each."""
    for one, its in (parts := ((access, document), *others)):
        require_same_place(access, one)
        require_sound(one, its)
    return [its for _one, its in parts]
