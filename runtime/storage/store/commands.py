"""What every command of the store goes through: the connection, and the transaction it belongs to."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractContextManager, asynccontextmanager
from typing import Any, Final

import pymongo
from pymongo.asynchronous.client_session import AsyncClientSession
from pymongo.asynchronous.collection import AsyncCollection

from runtime.errors import StoreUnavailable
from runtime.filter import Predicate
from runtime.storage.access import Access, DocumentT
from runtime.storage.lane import LaneCollection
from runtime.storage.store.changes import Document
from runtime.storage.store.connection import AnyCollection, Connection
from runtime.storage.store.faults import FaultTranslation

UNLIMITED: Final = 86400  # seconds


class Commands:
    """Commands over one connection, in the transaction of ``session``; None: outside of one."""

    def __init__(self, connection: Connection, session: AsyncClientSession | None = None) -> None:
        self._connection = connection
        self._session = session

    @property
    def seconds(self) -> float:
        """The time limit of one command, and of waiting for a turn."""
        return self._connection.seconds

    @property
    def _ordered(self) -> bool:
        """Whether nothing is sent after a document that is refused, since that ends its transaction.

        What is sent to an ended transaction reads as a conflict, and would run it again until the deadline.
        """
        return self._session is not None

    def _spell(self, access: Access[DocumentT]) -> Access[DocumentT]:
        """Return the access with the spelling in force; where no record type changes, as it is."""
        return self._connection.spellings.apply(access)

    async def _require_searchable(self, access: Access[Any], *matches: Predicate) -> None:
        check = self._connection.search_check
        if check is not None and any(one.has_search for one in matches):
            await check(access)

    async def _require_open(self, access: Access[Any]) -> None:
        if (check := self._connection.open_check) is not None:
            await check(access)

    async def _require_writable(self, access: Access[Any]) -> None:
        await self._require_open(access)
        if (check := self._connection.write_check) is not None:
            await check(access)

    async def _prepare_to_change(self, access: Access[DocumentT]) -> Access[DocumentT]:
        """Return the access with the spelling in force once the change may be sent: a check may begin one."""
        await self._require_open(access)
        return self._spell(access)

    async def _prepare_to_write(self, access: Access[DocumentT]) -> Access[DocumentT]:
        """Do the same for what stores records."""
        await self._require_writable(access)
        return self._spell(access)

    def _collection(self, access: Access[Any]) -> AnyCollection:
        return self._connection.collection(access)

    def _encoded_collection(self, access: Access[Any]) -> AnyCollection:
        """Return the collection for reads whose documents stay as the store encodes them."""
        return self._connection.collection(access, encoded=True)

    def _driver_collection(self, access: Access[Any]) -> AsyncCollection[Document]:
        """Return the collection for what is not sent through the lane."""
        found = self._collection(access)
        return found.driver if isinstance(found, LaneCollection) else found

    async def _aggregate(
        self, access: Access[Any], stages: list[dict[str, Any]], **options: Any
    ) -> list[Document]:
        """Return all that a pipeline puts out; ``options``: of the driver."""
        with self._command(access):
            cursor = await self._collection(access).aggregate(stages, session=self._session, **options)
            return await cursor.to_list()

    def _command(self, access: Access[Any]) -> AbstractContextManager[None]:
        """Run a command in this context: its faults are translated, and its time is recorded."""
        return FaultTranslation(access, self._session, self._connection.limit)

    @asynccontextmanager
    async def _limit_time(self, access: Access[Any]) -> AsyncIterator[None]:
        """Surround one of several commands of a cursor with the time limit.

        The limit is held here: the store would count the driver's for all commands of the cursor together.
        """
        try:
            with self._command(access), pymongo.timeout(UNLIMITED):
                async with asyncio.timeout(self.seconds):
                    yield
        except TimeoutError as error:
            raise StoreUnavailable("the store did not answer in time; try again", cause=error) from error
