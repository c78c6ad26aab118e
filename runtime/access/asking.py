"""Who may ask about whom, and the call that another user would make."""

from collections.abc import Collection
from dataclasses import dataclass, replace

from runtime.access.requirements import find_missing_role
from runtime.call import Call, Service
from runtime.errors import Denied, NotFound
from runtime.identity.credentials.credentials import login_name_of
from runtime.identity.realms.realm import may_act_in, not_open, roles_in
from runtime.identity.users.users import everywhere
from runtime.principal import Identity, Principal
from runtime.seams import User, UserKey, Within
from runtime.system.models.permission_question import PermissionQuestion

_ADMIN = frozenset({"admin"})


@dataclass(frozen=True, slots=True)
class Asked:
    """The two sides of a question about permissions.

    ``asker`` is the asking call in the realm of the question; ``call`` is that of the user in question.
    ``against`` lists what prevents that user from calling at all.
    """

    asker: Call
    call: Call
    against: tuple[str, ...] = ()


async def resolve_question(call: Call, of: PermissionQuestion) -> Asked:
    """Resolve a question about a user.

    Raises ``Denied`` for a caller that may not ask it, ``NotFound`` for a user outside the asker's domain.
    """
    own, principal = _is_own(call, of), call.principal
    roles = None if of.roles is None else frozenset(of.roles)
    if own and roles in (None, principal.roles) and of.realm in (None, call.realm):
        return Asked(call, call)
    if find_missing_role(principal, _ADMIN) is not None:
        raise Denied("asking about others, other roles or another realm needs the role admin")
    asker = call if of.realm in (None, call.realm) else await _open_elsewhere(call, of.realm or call.realm)
    if own:
        mine = asker.principal if roles is None else replace(asker.principal, roles=roles)
        return Asked(asker, replace(asker, principal=mine))
    user = await find_user(call, UserKey(user_id=of.identity))
    would_be, against = await build_call(asker, user, call.realm, roles)
    return Asked(asker, would_be, against)


async def find_user(call: Call, key: UserKey) -> User:
    """Find a user of the call's realm in the caller's domain. Raises ``NotFound``."""
    within = Within(call.realm, call.principal.scope)
    manager = await call.service.provider.find_manager(key, within)
    return await manager.find_user(key, within)


async def build_call(
    asker: Call, user: User, home: str, roles: Collection[str] | None = None
) -> tuple[Call, tuple[str, ...]]:
    """Build the call that a user whose credential lives in ``home`` would make in the asker's realm.

    Also returns what prevents the user from calling at all. ``roles`` replaces the roles of the user.
    """
    identity, realm = build_identity(user, home), asker.realm
    against = [*(["the account is disabled"] if user.disabled else [])]
    if not may_act_in(identity, realm):
        against.append(f"it may not act in the realm {realm}")
    held = roles_in(identity, realm) if roles is None else frozenset(roles)
    principal = Principal(identity.user_id, identity.subject, held, identity.domain)
    rules = await asker.service.rule_book.find_rules(asker.database, identity.domain)
    return replace(asker, principal=principal, rules=rules), tuple(against)


def build_identity(user: User, home: str) -> Identity:
    """Build the identity of a user whose credential lives in the realm ``home``."""
    return Identity(
        user_id=user.user_id,
        subject=user.subject,
        realm=home,
        roles=user.roles,
        domain=user.domain,
        realm_reg_ex=user.realm_reg_ex,
        area_realms=user.area_realms,
        realms=user.realms,
        realm_roles=user.realm_roles,
    )


async def require_database(service: Service, realm: str) -> str:
    """Return the database of a realm. Raises ``Denied`` for a realm that is not open."""
    database = await service.realms.find_database(realm)
    if database is None:
        raise not_open()
    return database


def _is_own(call: Call, of: PermissionQuestion) -> bool:
    return of.identity is None or login_name_of(of.identity) == login_name_of(call.principal.user_id)


async def _open_elsewhere(call: Call, realm: str) -> Call:
    """Open the asker's own call in another realm, where it must be administrator. Raises ``Denied``."""
    principal, service = call.principal, call.service
    home, key = principal.domain.default_realm, UserKey(subject=principal.subject)
    try:
        manager = await service.provider.find_manager(key, everywhere(home))
        identity = build_identity(await manager.find_user(key, everywhere(home)), home)
    except NotFound:
        raise not_open() from None
    there = replace(principal, roles=roles_in(identity, realm))
    if not may_act_in(identity, realm) or find_missing_role(there, _ADMIN) is not None:
        raise not_open()
    database = await require_database(service, realm)
    rules = await service.rule_book.find_rules(database, principal.domain)
    return replace(call, principal=there, realm=realm, database=database, rules=rules)
