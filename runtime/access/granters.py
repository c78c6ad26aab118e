"""Look up what those who let others act as somebody may do, as it is now.

A grant of impersonation records who gave it (``Granter``). It never carries further than the granter could go
at this moment, so the rights of the granter are read from the store each time a grant is used.
"""

from typing import Protocol

from runtime.access.asking import build_identity
from runtime.call import RealmSource
from runtime.errors import NotFound
from runtime.filter import equals
from runtime.identity.credentials.credentials import identity_of, is_usable
from runtime.identity.realms.realm import may_act_in, roles_in
from runtime.identity.users.users import everywhere
from runtime.principal import SYSTEM, Granter, Identity, Principal
from runtime.rights import Rights
from runtime.seams import UserKey, UserManagement, Within
from runtime.storage.as_service import as_service
from runtime.storage.store import Store
from runtime.system.record_types import CREDENTIAL


class Managers(Protocol):
    """Who manages which user (``identity.login.providers``)."""

    async def find_manager(self, key: UserKey, within: Within) -> UserManagement: ...


class Granters:
    """``managers`` are asked about granters of whom the store has no credential."""

    def __init__(
        self,
        store: Store,
        realms: RealmSource,
        managers: Managers,
        *,
        default_realm: str,
    ) -> None:
        self._store = store
        self._realms = realms
        self._managers = managers
        self._default = default_realm

    async def read_rights(self, granter: Granter | None, realm: str) -> Rights | None:
        """Return what a grant carries now, among the users of ``realm``; None for nothing.

        It is what the granter had then and still has. A granter that is gone, disabled or may no longer act
        in ``realm`` carries nothing.
        """
        if granter is None or granter.subject is None:
            return _reach_of(granter, realm)
        identity, is_active = await self._find(granter.subject, granter.realm)
        if identity is None or not is_active or not may_act_in(identity, realm):
            return None
        return self.rights_in(identity, realm).bounded_by(granter.roles, is_operator=granter.is_operator)

    async def find_reach(self, granter: Granter | None, realm: str) -> Rights | None:
        """Return the most that a grant may ever carry; None for nothing.

        It is what the granter had then: a granter that has less now may get it back, and with it a caller
        that manages the holder of the grant today. A granter that was removed does not come back.
        """
        if granter is not None and granter.subject is not None:
            is_there = await self._realms.find_database(granter.realm) is not None
            if is_there and (await self._find(granter.subject, granter.realm))[0] is None:
                return None
        return _reach_of(granter, realm)

    async def read_rights_of_caller(self, principal: Principal, realm: str) -> Rights:
        """Return the rights of a caller in the realm of the call.

        ``system`` of another realm may be the operator as well, which only its credential shows.
        """
        is_operator = SYSTEM in principal.roles and realm == self._default
        if SYSTEM in principal.roles and not is_operator:
            identity, _is_active = await self._find(principal.subject, principal.domain.default_realm)
            is_operator = identity is not None and self.is_operator(identity)
        return Rights(realm, principal.roles, principal.scope, is_operator)

    def rights_in(self, identity: Identity, realm: str) -> Rights:
        """Return the rights of an identity among the users of a realm."""
        principal = Principal(identity.user_id, identity.subject, roles_in(identity, realm), identity.domain)
        return Rights(realm, principal.roles, principal.scope, self.is_operator(identity))

    def is_operator(self, identity: Identity) -> bool:
        """Whether the identity has the role ``system`` in the default realm of the service."""
        return SYSTEM in roles_in(identity, self._default) and may_act_in(identity, self._default)

    async def _find(self, subject: str, realm: str) -> tuple[Identity | None, bool]:
        """Find a user by subject and the realm of the credential, and whether it may be used."""
        database = await self._realms.find_database(realm)
        if database is None:
            return None, False
        access = as_service(CREDENTIAL, database)
        credential = await self._store.find_one(access, equals(subject=subject))
        if credential is not None:
            return identity_of(credential, realm), is_usable(credential)
        key, within = UserKey(subject=subject), everywhere(realm)
        try:
            user = await (await self._managers.find_manager(key, within)).find_user(key, within)
        except NotFound:
            return None, False
        return build_identity(user, realm), not user.disabled


def _reach_of(granter: Granter | None, realm: str) -> Rights | None:
    """Return the rights stored at the grant; their domain contained that of the grant's holder."""
    if granter is None:
        return None
    return Rights(realm, granter.roles, everywhere(realm).domain, granter.is_operator)
