"""User ids that are not given out again: a new user would own what the removed one owned.

Ownership, permission rules and impersonation filters name users by user id. So an id is retired in the same
transaction that removes its user, per realm and without case, until the operator releases it.
"""

from collections.abc import Callable

from runtime.call import RealmSource
from runtime.errors import Duplicate
from runtime.filter import equals
from runtime.identity.credentials.credentials import login_name_of
from runtime.model.clock import from_seconds
from runtime.seams import User
from runtime.storage.access import Action
from runtime.storage.as_service import as_service
from runtime.storage.own_documents import complete_document
from runtime.storage.store import AnyStore, Store
from runtime.system.documents import CredentialDocument, RemovedUserDocument
from runtime.system.record_types import REMOVED_USER


class RemovedUsers:
    """The removed users of all realms. Methods that take a store belong to their caller's transaction."""

    def __init__(
        self,
        store: Store,
        realms: RealmSource,
        clock: Callable[[], float],
    ) -> None:
        self._store = store
        self._realms = realms
        self._clock = clock

    async def require_new(self, store: AnyStore, database: str, login_name: str) -> None:
        """Raise ``Duplicate`` for the id of a removed user."""
        access = as_service(REMOVED_USER, database)
        if await store.find_one(access, equals(loginName=login_name)) is not None:
            raise Duplicate("the user id belonged to a removed user: choose another", fields=["userId"])

    async def retire(self, store: AnyStore, database: str, credential: CredentialDocument) -> None:
        """Store the id of a credential that is being removed; once, though it may have been released."""
        login_name = credential.get("loginName") or login_name_of(credential["userId"]) or ""
        domain = credential.get("dataDomain") or {"tenantId": credential["domainContext"]["tenantId"]}
        at = from_seconds(self._clock())
        access = as_service(REMOVED_USER, database, Action.CREATE)
        if await store.find_one(access, equals(loginName=login_name)) is None:
            fields: RemovedUserDocument = {
                "userId": credential["userId"],
                "subject": credential["subject"],
                "loginName": login_name,
                "removedAt": at,
            }
            await store.insert(access, complete_document(fields, login_name, domain, at))

    async def retire_foreign(self, user: User, realm: str) -> None:
        """Retire the user id of a user of another provider."""
        database, login_name = await self._realms.find_database(realm), login_name_of(user.user_id)
        if database is not None and login_name is not None:
            credential: CredentialDocument = {
                "userId": user.user_id,
                "subject": user.subject,
                "loginName": login_name,
                "dataDomain": {"tenantId": user.domain.tenant_id},
            }
            await self.retire(self._store, database, credential)

    async def release(self, user_id: str, realm: str) -> RemovedUserDocument | None:
        """Let the id be given out again; None where it is not the one of a removed user."""
        database, found = await self._realms.find_database(realm), await self.find(user_id, realm)
        if database is None or found is None:
            return None
        access = as_service(REMOVED_USER, database, Action.DELETE)
        gone = await self._store.delete_one(access, equals(loginName=found["loginName"]))
        return found if gone else None

    async def find(self, user_id: str, realm: str) -> RemovedUserDocument | None:
        """Return what is stored about the removed user with this id."""
        database, login_name = await self._realms.find_database(realm), login_name_of(user_id)
        if database is None or login_name is None:
            return None
        return await self._store.find_one(as_service(REMOVED_USER, database), equals(loginName=login_name))


def user_id_taken(user_id: str, realm: str) -> Duplicate:
    """Build the one error for ids in use and ids of removed users, of whatever tenant."""
    message = f"the user id {user_id} is or was in use in the realm {realm}, and ids are given out once"
    return Duplicate(f"{message}: choose another", fields=["userId"])
