"""Managing the users of a realm as the operator does: the command line, set-ups, tests.

What callers of the service may do of it is ``user_routes.py``; both come down to ``StoreUsers``.
"""

from runtime.call import Service
from runtime.identity.credentials.credential_store import CredentialStore
from runtime.identity.memory import Freshness
from runtime.identity.realms.realm import require_realm
from runtime.identity.users.store_users import StoreUsers
from runtime.principal import DomainContext, DomainScope, Granter
from runtime.seams import NewUser as NewUser
from runtime.seams import UserKey, UserManagement, Within
from runtime.system.documents import CredentialDocument


def users_of(service: Service) -> StoreUsers:
    """Return the management of the store's users, for use outside the running service.

    Its workers learn of changes from the store.
    """
    fresh, realm = Freshness(0, service.tokens.clock), service.settings.default_realm
    credentials = CredentialStore(service.store, service.realms, default_realm=realm, freshness=fresh)
    return StoreUsers(credentials, service.settings, service.catalog.roles)


async def check_known(manager: UserManagement, key: UserKey, within: Within) -> bool:
    """Return whether a provider knows a user."""
    if key.subject is not None:
        return await manager.check_subject_exists(key.subject, within)
    return await manager.check_user_id_exists(key.user_id or "", within)


def everywhere(realm: str, tenant: str | None = None) -> Within:
    """Return the scope of all users of a realm, or of one tenant, as the operator manages them."""
    return Within(realm, DomainScope(tenant_id=tenant), granter=Granter.operator())


async def create_user(service: Service, new: NewUser) -> CredentialDocument:
    """Store a credential; answers with it. The realm needs its indexes: they keep user ids unique.

    Raises ``ValidationFailed`` naming every fault, ``Duplicate`` for a user id that exists in the realm.
    """
    realm = new.realm or service.settings.default_realm
    created = await users_of(service).create(new, everywhere(realm))
    await seed_tenant_of(service, realm, new)
    return created


async def seed_tenant_of(service: Service, realm: str, new: NewUser) -> None:
    """Plant the seeds where the user is the first of a tenant, in the organisation of that user."""
    if service.plant_new_tenant is not None:
        domain = DomainContext(new.tenant_id, realm, new.org_ref_name)
        await service.plant_new_tenant(service, realm, domain)


async def list_users(service: Service, realm: str, tenant: str | None = None) -> list[CredentialDocument]:
    """List the credentials of a realm, or of one tenant in it, by refName; without hidden fields.

    Raises ``NotFound`` for an unknown realm.
    """
    await require_realm(service, realm)
    return await users_of(service).credentials.read_page(everywhere(realm, tenant))


async def list_tenants(service: Service, realm: str) -> list[str]:
    """List the tenants that have users in a realm, sorted."""
    return await users_of(service).credentials.list_tenants(await require_realm(service, realm))


async def disable_user(service: Service, realm: str, user_id: str, disabled: bool) -> None:
    """Take the account away, or give it back. Raises ``NotFound``."""
    users, key = users_of(service), UserKey(user_id=user_id)
    change = users.disable_user if disabled else users.enable_user
    await change(key, everywhere(realm))


async def set_password(
    service: Service, realm: str, user_id: str, password: str, force_change: bool = False
) -> None:
    """Replace the password; with ``force_change`` only for long enough to set another.

    Raises ``NotFound`` and ``ValidationFailed``.
    """
    key = UserKey(user_id=user_id)
    await users_of(service).reset_password(key, password, force_change, everywhere(realm))
