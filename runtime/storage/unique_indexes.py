"""Whether record types have their unique indexes: without one, two writers could store the same name twice.

Production expects indexes and does not create them. So before a type is written its unique indexes are looked
at, and the answer is believed for some seconds: a dropped index is noticed, and so is one that was created.
"""

import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

from runtime.bounded_cache import BoundedCache
from runtime.errors import IndexMissing
from runtime.model.catalog import Catalog
from runtime.model.record_type import RecordType
from runtime.plain_structlog import log
from runtime.storage.access import Access
from runtime.storage.indexes import find_missing_text_index, find_missing_unique_indexes
from runtime.storage.store import Store

_SOUND_SECONDS: Final = 10.0
_MISSING_SECONDS: Final = 1.0
_READY_SECONDS: Final = 300.0
"""How much longer readiness believes that indexes are there: it takes a command for each collection of all
realms. Writes notice sooner that one is missing, and readiness with them."""

_MOST_REMEMBERED: Final = 10_000
_COMMAND: Final = "an operator creates them with `recordsmith indexes apply`"

_Collection = tuple[str, str]
_Find = Callable[[Store, str, RecordType[Any]], Awaitable[tuple[str, ...]]]


class UniqueIndexes:
    """What one process knows of unique indexes. ``databases`` lists those of the active realms."""

    def __init__(
        self,
        store: Store,
        catalog: Catalog,
        databases: Callable[[], Awaitable[Sequence[str]]],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._catalog = catalog
        self._databases = databases
        self._clock = clock
        self._known: BoundedCache[_Collection, tuple[float, tuple[str, ...]]] = BoundedCache(_MOST_REMEMBERED)

    async def require(self, access: Access[Any]) -> None:
        """Raise ``IndexMissing`` when records of the type cannot be written safely; ``StoreUnavailable``."""
        if await self._find_missing(access.database, access.kind):
            raise IndexMissing(
                f"{access.kind.shown_name} cannot be written, its unique indexes are missing: {_COMMAND}"
            )

    async def require_text(self, access: Access[Any]) -> None:
        """Raise ``IndexMissing`` when the text index covers other fields than the type searches now.

        A field of an earlier specification may be hidden. Raises ``StoreUnavailable`` without an answer.
        """
        if await self._find_missing(access.database, access.kind, find_missing_text_index, " text"):
            what = f"{access.kind.shown_name} cannot be searched"
            raise IndexMissing(f"{what}, its text index is missing or outdated: {_COMMAND}")

    async def require_everywhere(self) -> None:
        """Check every record type in every active realm as ``require`` does."""
        for database in await self._databases():
            for kind in self._catalog:
                is_sound = self._was_sound((database, kind.collection))
                if not is_sound and await self._find_missing(database, kind):
                    raise IndexMissing(f"unique indexes are missing: {_COMMAND}")

    def _was_sound(self, key: _Collection) -> bool:
        """Return whether nothing was missing at the last look, some minutes ago at most."""
        known = self._known.get(key)
        return known is not None and not known[1] and self._clock() < known[0] + _READY_SECONDS

    async def _find_missing(
        self, database: str, kind: RecordType[Any], find: _Find = find_missing_unique_indexes, of: str = ""
    ) -> tuple[str, ...]:
        key = (database, kind.collection + of)
        known = self._known.get(key)
        if known is not None and self._clock() < known[0]:
            return known[1]
        missing = await find(self._store, database, kind)
        self._remember(key, missing)
        return missing

    def _remember(self, key: _Collection, missing: tuple[str, ...]) -> None:
        before = self._known.get(key)
        if missing and (before is None or before[1] != missing):
            log.error("indexes.missing", database=key[0], collection=key[1], indexes=missing)
        seconds = _MISSING_SECONDS if missing else _SOUND_SECONDS
        self._known.keep(key, (self._clock() + seconds, missing))
