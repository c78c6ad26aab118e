"""What every command of the store is sent through: the client, and the transaction it belongs to."""

from __future__ import annotations

from pymongo import AsyncMongoClient
from pymongo.asynchronous.client_session import AsyncClientSession
from pymongo.asynchronous.collection import AsyncCollection

from runtime.access import Access
from runtime.store.changes import Document


class Connection:
    """One client. ``_session`` is that of a transaction, None outside of one; ``_seconds`` the time limit of
    one command."""

    _client: AsyncMongoClient[Document]
    _seconds: float
    _session: AsyncClientSession | None = None

    def _collection(self, access: Access) -> AsyncCollection[Document]:
        return self._client[access.database][access.kind.collection]
