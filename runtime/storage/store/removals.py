"""The removing part of the store, inside the scope of the ``Access``."""

from typing import Any

from runtime.filter import Predicate
from runtime.storage.access import Access
from runtime.storage.store.converting import Converting, is_shared
from runtime.storage.store.spellings import guard


class Removals(Converting):
    """Commands of the store that remove records."""

    async def delete_one(self, access: Access[Any], match: Predicate) -> bool:
        """Delete the one record that matches; False when none does."""
        access = await self._prepare_to_change(access)
        if self._must_compute(access, match):
            if is_shared(access):
                return await self._share(access, match, lambda own, to: own.delete_one(to, match))
            await self._convert(access, match)
        with self._command(access):
            result = await self._collection(access).delete_one(guard(access, match), session=self._session)
        return result.deleted_count == 1

    async def delete_many(self, access: Access[Any], match: Predicate) -> int:
        """Delete all records in scope that match; answers with their number."""
        access = await self._prepare_to_change(access)
        if self._must_compute(access, match):
            if is_shared(access):
                return await self._share(access, match, lambda own, to: own.delete_many(to, match))
            await self._convert(access, match)
        with self._command(access):
            result = await self._collection(access).delete_many(guard(access, match), session=self._session)
        return result.deleted_count
