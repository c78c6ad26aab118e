"""What every command of the store goes through: the connection, and the transaction it belongs to."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

from pymongo.asynchronous.client_session import AsyncClientSession
from pymongo.asynchronous.collection import AsyncCollection

from runtime.filter import Predicate
from runtime.storage.access import Access
from runtime.storage.store.changes import Document
from runtime.storage.store.connection import Connection
from runtime.storage.store.faults import translate_faults


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

    async def _require_searchable(self, access: Access[Any], *matches: Predicate) -> None:
        check = self._connection.search_check
        if check is not None and any(_searches(one.match) for one in matches):
            await check(access)

    async def _require_writable(self, access: Access[Any]) -> None:
        if (check := self._connection.write_check) is not None:
            await check(access)

    def _collection(self, access: Access[Any]) -> AsyncCollection[Document]:
        return self._connection.collection(access)

    def _command(self, access: Access[Any]) -> AbstractContextManager[None]:
        """Run a command in this context: its faults are translated, and its time is recorded."""
        return translate_faults(access, self._session, self._connection.limit)


def _searches(match: Mapping[str, Any]) -> bool:
    """Whether a match has a text search, which only an outermost ``&&`` can hold."""
    return "$text" in match or any(_searches(one) for one in match.get("$and", ()))
