"""What every command of the store is sent through: the client, and the transaction it belongs to."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any, Final

from pymongo import AsyncMongoClient, WriteConcern
from pymongo.asynchronous.client_session import AsyncClientSession
from pymongo.asynchronous.collection import AsyncCollection
from pymongo.client_session_shared import TransactionOptions
from pymongo.read_concern import ReadConcern

from runtime.admission import AdaptiveLimit
from runtime.filter import Predicate
from runtime.storage.access import Access
from runtime.storage.store.batches import Room
from runtime.storage.store.changes import Document
from runtime.storage.store.faults import faults

_TRANSACTIONS: Final = TransactionOptions(
    read_concern=ReadConcern("snapshot"), write_concern=WriteConcern("majority")
)


class Connection:
    """One client and what its commands share.

    ``_session`` is that of a transaction, None outside of one; ``_seconds`` the time limit of one command;
    ``_room`` is shared by its streams. ``limit``: how many requests may use the store at once, by how long
    its commands take.
    """

    limit: AdaptiveLimit

    _client: AsyncMongoClient[Document]
    _seconds: float
    _collections: dict[tuple[str, str], AsyncCollection[Document]]
    _session: AsyncClientSession | None = None
    _room: Room
    _check: Callable[[Access], Awaitable[None]] | None = None
    _search_check: Callable[[Access], Awaitable[None]] | None = None

    def check_before_writing(self, check: Callable[[Access], Awaitable[None]]) -> None:
        """Await ``check`` before each command that stores records; what it raises refuses the command."""
        self._check = check

    def check_before_searching(self, check: Callable[[Access], Awaitable[None]]) -> None:
        """Await ``check`` before each command that searches texts; what it raises refuses the command."""
        self._search_check = check

    async def _require_searchable(self, access: Access, *matches: Predicate) -> None:
        if self._search_check is not None and any(_searches(one.match) for one in matches):
            await self._search_check(access)

    async def _require_writable(self, access: Access) -> None:
        if self._check is not None:
            await self._check(access)

    def _for_transactions(self) -> AsyncClientSession:
        """Start a session whose transactions each see one snapshot and commit with a majority."""
        return self._client.start_session(default_transaction_options=_TRANSACTIONS)

    def _collection(self, access: Access) -> AsyncCollection[Document]:
        """Made once: the driver takes as long for that as for a tenth of a small command."""
        name = access.database, access.kind.collection
        found = self._collections.get(name)
        if found is None:
            found = self._collections[name] = self._client[name[0]][name[1]]
        return found

    def _command(self, access: Access) -> AbstractContextManager[None]:
        """Run a command in this context: its faults are translated, and its time is recorded."""
        return faults(access, self._session, self.limit)


def _searches(match: Mapping[str, Any]) -> bool:
    """Whether a match has a text search, which only an outermost ``&&`` can hold."""
    return "$text" in match or any(_searches(one) for one in match.get("$and", ()))
