"""The removing part of the store, inside the scope of the ``Access``."""

from typing import Any

from runtime.filter import Predicate
from runtime.storage.access import Access
from runtime.storage.store.commands import Commands


class Removals(Commands):
    """What takes records out of the store."""

    async def delete_one(self, access: Access[Any], match: Predicate) -> bool:
        """Delete the one record that matches; False when none does."""
        with self._command(access):
            result = await self._collection(access).delete_one(access.scoped(match), session=self._session)
        return result.deleted_count == 1

    async def delete_many(self, access: Access[Any], match: Predicate) -> int:
        """Delete all records in scope that match; answers with their number."""
        with self._command(access):
            result = await self._collection(access).delete_many(access.scoped(match), session=self._session)
        return result.deleted_count
