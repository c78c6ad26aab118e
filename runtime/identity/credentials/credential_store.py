"""The stored credentials of all realms: the one place that reads and writes them, with a short memory.

Every command is bound twice to where the asker may act: by the data domain of the record, as for any other,
and by the domain context of the credential, which says what its user may see. A credential without a
data segment sees all of them, so an administrator of segment 0 must not reach it.
"""

from collections.abc import Sequence
from contextlib import aclosing, suppress

from runtime.call import RealmSource
from runtime.errors import ServiceError
from runtime.filter import EVERYTHING, NOTHING, Predicate, Projection, equals
from runtime.identity.credentials.credentials import (
    is_usable,
    match_inside,
    match_user,
    standing_of,
    tenant_in,
)
from runtime.identity.credentials.families import OF_CLIENTS, revoke_families
from runtime.identity.credentials.passwords import has_lower_cost, hash_off_loop
from runtime.identity.credentials.removed_users import RemovedUsers
from runtime.identity.memory import Freshness, RecordMemory
from runtime.model.clock import from_seconds
from runtime.seams import UserKey, Within
from runtime.standing import Standing
from runtime.storage.access import Access, Action
from runtime.storage.as_service import as_service
from runtime.storage.own_documents import build_update
from runtime.storage.store import AnyStore, Changes, Store, Transaction
from runtime.system.documents import CredentialDocument, RefreshFamilyDocument
from runtime.system.record_types import CONSENT, CREDENTIAL, REFRESH_FAMILY, SERVICE_TOKEN, SIGN_ON

_MOST_REMEMBERED = 10_000


class CredentialStore:
    """The clock of ``freshness`` counts from 1970.

    ``standings``: of usable credentials, by realm and subject, as old as ``freshness`` allows.
    """

    def __init__(
        self,
        store: Store,
        realms: RealmSource,
        *,
        default_realm: str,
        freshness: Freshness,
    ) -> None:
        self.clock = freshness.clock
        self.standings: RecordMemory[tuple[str, str], Standing] = RecordMemory(freshness, _MOST_REMEMBERED)
        self.removed = RemovedUsers(store, realms, self.clock)
        self._store = store
        self._realms = realms
        self._default = default_realm

    async def find(self, key: UserKey, within: Within) -> CredentialDocument | None:
        """Find a credential with its hidden fields; None if it is absent, out of scope, or in no realm.

        What cannot be there costs as long as what could: one read of the store.
        """
        named, database = match_user(key), await self._realms.find_database(within.realm)
        access = as_service(CREDENTIAL, database or self._default, domain=within.domain)
        found = await self._store.find_one(access, (named or NOTHING) & match_inside(within.domain))
        return None if database is None else found

    async def find_standing(self, realm: str, subject: str) -> Standing | None:
        """Return the state of a credential, as remembered; None unless it is usable."""
        return await self.standings.get((realm, subject), lambda: self._read_standing(realm, subject))

    async def read_page(self, within: Within, skip: int = 0, limit: int = 0) -> list[CredentialDocument]:
        """Read credentials by refName, without hidden fields; all when ``limit`` is 0."""
        access = await self._open_access(within, Action.VIEW)
        if access is None:
            return []
        return await self._store.find(
            access,
            match_inside(within.domain),
            order=[("refName", 1)],
            projection=Projection(exclude=tuple(sorted(CREDENTIAL.hidden))),
            skip=skip,
            limit=limit,
        )

    async def list_tenants(self, database: str) -> list[str]:
        """List the tenants of the users of a realm, sorted."""
        named = Projection(include=("domainContext.tenantId",))
        users = await self._store.stream(as_service(CREDENTIAL, database), EVERYTHING, projection=named)
        async with aclosing(users):
            named_by = {tenant_in(user) async for batch in users for user in batch}
            return sorted(tenant for tenant in named_by if tenant is not None)

    async def insert(self, document: CredentialDocument, within: Within) -> bool:
        """Store a credential; False when its realm does not exist.

        Raises ``Denied`` outside the scope, and ``Duplicate`` for a user id that is in use, or belonged to
        a removed user.
        """
        access = await self._open_access(within, Action.CREATE)
        if access is None:
            return False

        async def work(transaction: Transaction) -> None:
            # In this order: the snapshot that misses the removal still has the credential.
            await transaction.insert(access, document)
            await self.removed.require_new(transaction, access.database, document["loginName"])

        await self._store.transact(work)
        return True

    async def change(
        self,
        key: UserKey,
        within: Within,
        values: CredentialDocument,
        *,
        unset: Sequence[str] = (),
        same: Predicate = EVERYTHING,
        ends_tokens: bool = True,
        ends_applications: bool = False,
    ) -> CredentialDocument | None:
        """Change a credential and return it; None when no credential also matches ``same``.

        ``ends_tokens``: access tokens end with this write, refresh tokens right after it.
        ``ends_applications``: the tokens that clients have of the user end with it, and the sign-ons of
        browsers, from which they could get others.
        """
        found = await self._find_place(key, within, Action.UPDATE)
        if found is None:
            return None
        now = self.clock()
        at = from_seconds(now)
        ended = {"tokenEpoch": 1} if ends_tokens else {}
        written = {**values, "lastUpdate": at}
        changes = build_update(written, at, unset=unset, audit=within.audit, increment=ended)
        database = found[0].database

        async def work(store: AnyStore) -> CredentialDocument | None:
            changed = await store.update_one(found[0], found[1] & same, changes)
            if changed is not None and ends_applications:
                await _revoke(store, database, changed["subject"], now, OF_CLIENTS)
            return changed

        changed = await (self._store.transact(work) if ends_applications else work(self._store))
        if changed is not None:
            self.standings.forget_key((within.realm, changed["subject"]))
            if ends_tokens:
                await _revoke(self._store, database, changed["subject"], now)
        return changed

    async def renew_hash(self, credential: CredentialDocument, password: str, cost: int, realm: str) -> None:
        """Hash the right password again where its hash has a lower cost, unless it was changed since.

        Nothing changes for anybody, so the record has no new version and no token ends. Where it cannot be
        done now, the next login tries again: none depends on it.
        """
        hashed = credential["passwordHash"]
        if not has_lower_cost(hashed, cost):
            return
        with suppress(ServiceError):
            changes = Changes({"passwordHash": await hash_off_loop(password, cost)})
            if (database := await self._realms.find_database(realm)) is not None:
                same = equals(subject=credential["subject"], passwordHash=hashed)
                access = as_service(CREDENTIAL, database, Action.UPDATE)
                await self._store.update_one(access, same, changes)

    async def remove(self, key: UserKey, within: Within) -> CredentialDocument | None:
        """Remove a credential with all its tokens and consents, retire its user id and return it."""
        found = await self._find_place(key, within, Action.DELETE)
        if found is None:
            return None
        access, match = found

        async def work(transaction: Transaction) -> CredentialDocument | None:
            return await self.remove_in(transaction, within.realm, access, match)

        return await self._store.transact(work)

    async def remove_in(
        self, transaction: Transaction, realm: str, access: Access[CredentialDocument], match: Predicate
    ) -> CredentialDocument | None:
        """Do what ``remove`` does as a part of a transaction, after which the tokens end."""
        stored = await transaction.find_one(access, match)
        if stored is None or not await transaction.delete_one(access, equals(subject=stored["subject"])):
            return None
        await self.removed.retire(transaction, access.database, stored)
        subject = stored["subject"]
        consents = as_service(CONSENT, access.database, Action.DELETE)
        await transaction.delete_many(consents, equals(subject=subject))

        async def end_tokens(_store: Store) -> None:
            now = self.clock()
            self.standings.forget_key((realm, subject))
            await _revoke(self._store, access.database, subject, now)
            tokens = as_service(SERVICE_TOKEN, access.database, Action.UPDATE)
            await revoke_families(self._store, tokens, subject, now)

        await transaction.run_after_storing(end_tokens)
        return stored

    async def end_sessions(self, subject: str, within: Within) -> None:
        """End every session and sign-on of the subject; service tokens stay in force."""
        access = await self._open_access(within, Action.UPDATE)
        if access is not None:
            await _revoke(self._store, access.database, subject, self.clock())

    async def open_families(self, realm: str, action: Action) -> Access[RefreshFamilyDocument] | None:
        """Return access to the refresh families of a realm; None when the realm does not exist."""
        database = await self._realms.find_database(realm)
        return None if database is None else as_service(REFRESH_FAMILY, database, action)

    async def _find_place(
        self, key: UserKey, within: Within, action: Action
    ) -> tuple[Access[CredentialDocument], Predicate] | None:
        named = match_user(key)
        access = None if named is None else await self._open_access(within, action)
        if named is None or access is None:
            return None
        unchanged = EVERYTHING if within.version is None else equals(version=within.version)
        return access, named & match_inside(within.domain) & unchanged

    async def _open_access(self, within: Within, action: Action) -> Access[CredentialDocument] | None:
        database = await self._realms.find_database(within.realm)
        return None if database is None else as_service(CREDENTIAL, database, action, within.domain)

    async def _read_standing(self, realm: str, subject: str) -> Standing | None:
        database = await self._realms.find_database(realm)
        if database is None:
            return None
        credential = await self._store.find_one(as_service(CREDENTIAL, database), equals(subject=subject))
        if credential is None or not is_usable(credential):
            return None
        return standing_of(credential, realm)


async def _revoke(
    store: AnyStore, database: str, subject: str, now: float, which: Predicate = EVERYTHING
) -> None:
    """Revoke the sign-ons first, so that no new session comes of one in the meantime.

    ``which``: the sessions that are revoked.
    """
    for kind, match in ((SIGN_ON, EVERYTHING), (REFRESH_FAMILY, which)):
        await revoke_families(store, as_service(kind, database, Action.UPDATE), subject, now, match)
