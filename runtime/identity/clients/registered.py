"""The registered OAuth clients of all realms, with a short memory of the active ones."""

from contextlib import suppress
from typing import Final, Protocol

from runtime.call import RealmSource
from runtime.client import Client, is_url
from runtime.errors import ServiceError
from runtime.filter import by_id, equals
from runtime.identity.clients.own_credential import find_own_credential
from runtime.identity.clients.stored_client import client_of, is_active
from runtime.identity.credentials.passwords import has_lower_cost, hash_off_loop
from runtime.identity.memory import Freshness, RecordMemory
from runtime.storage.access import Action
from runtime.storage.as_service import as_service
from runtime.storage.store import Changes, Store
from runtime.system.record_types import OAUTH_CLIENT

_MOST_REMEMBERED = 1000
_MOST_ID_CHARACTERS = 100
_HASHES: Final = ("clientSecretHash", "previousSecretHash")


class DocumentSource(Protocol):
    """The clients whose ids are URLs of documents (``oauth.client_documents``)."""

    async def find(self, realm: str, client_id: str) -> Client | None: ...
    async def find_live(self, realm: str, client_id: str) -> Client | None: ...


class RegisteredClients:
    """Clients by realm and client id, as old as ``freshness`` allows; a disabled one is not found.

    ``documents``: of clients whose ids are URLs, which no registered one can have; None to have only those.
    """

    documents: DocumentSource | None = None

    def __init__(self, store: Store, realms: RealmSource, freshness: Freshness) -> None:
        self._store = store
        self._realms = realms
        self._found: RecordMemory[tuple[str, str], Client] = RecordMemory(freshness, _MOST_REMEMBERED)
        self.forget_record = self._found.forget_record

    async def find(self, realm: str, client_id: str) -> Client | None:
        """Return the active client with this id; None for one that is absent or disabled."""
        if is_url(client_id):
            return None if self.documents is None else await self.documents.find(realm, client_id)
        if not 0 < len(client_id) <= _MOST_ID_CHARACTERS:
            return None
        return await self._found.get((realm, client_id), lambda: self._read(realm, client_id))

    async def find_live(self, realm: str, client_id: str, subject: str | None) -> Client | None:
        """Return the client if it is active, and the credential of its own tokens is still ``subject``."""
        if is_url(client_id):  # without fetching its document
            return None if self.documents is None else await self.documents.find_live(realm, client_id)
        client = await self.find(realm, client_id)
        return client if client is not None and subject in (None, client.subject) else None

    async def renew_hash(self, client: Client, secret: str, hashed: str, cost: int) -> str:
        """Hash the right secret again where its hash has a lower cost, unless it was changed since.

        Return the hash that is stored. Where it cannot be renewed now, the next sign-in tries again.
        """
        if not has_lower_cost(hashed, cost):
            return hashed
        with suppress(ServiceError):
            renewed = await hash_off_loop(secret, cost)
            if (database := await self._realms.find_database(client.realm)) is not None:
                access = as_service(OAUTH_CLIENT, database, Action.UPDATE)
                for name in _HASHES:  # by a rotation in the meantime the hash moves from one to the other
                    same = by_id(client.record_id) & equals(**{name: hashed})
                    if await self._store.update_one(access, same, Changes({name: renewed})) is not None:
                        self.forget_record(database, client.record_id)
                        return renewed
        return hashed

    async def _read(self, realm: str, client_id: str) -> Client | None:
        database = await self._realms.find_database(realm)
        if database is None:
            return None
        stored = await self._store.find_one(as_service(OAUTH_CLIENT, database), equals(clientId=client_id))
        if stored is None or not is_active(stored):
            return None
        if "subject" not in stored and "client_credentials" not in (stored.get("allowedGrantTypes") or ()):
            return client_of(stored, realm, None)
        credential = await find_own_credential(self._store, database, stored)
        return client_of(stored, realm, None if credential is None else credential["subject"])
