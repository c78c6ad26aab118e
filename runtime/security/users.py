"""Managing the users of a realm: what the command line does, and later the routes under /security/users.

Every change that takes something away (a password, the account) also ends the tokens handed out before:
it raises the credential's token epoch and revokes its refresh families. Answers never hold hidden fields.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from runtime.access import Action
from runtime.as_service import as_service
from runtime.call import Service
from runtime.errors import Duplicate, NotFound, ValidationFailed
from runtime.filter import EVERYTHING, Projection, equals
from runtime.nearest import hint
from runtime.passwords import ALGORITHM, hash_off_loop
from runtime.principal import DomainScope
from runtime.security.credentials import MOST_USER_ID_CHARACTERS, PROVIDER_NAME, login_name_of
from runtime.security.documents import SERVICE_USER, Document, moment, new_document, touched
from runtime.security.families import revoke_families
from runtime.security.realm import is_realm_name
from runtime.store import Changes

BUILT_IN_ROLES = frozenset({"user", "admin", "system"})

_RESERVED = frozenset({SERVICE_USER, "anonymous"})


@dataclass(frozen=True, slots=True)
class NewUser:
    """A user to be made. ``realm`` is where the credential lives and, by default, where its calls act."""

    user_id: str
    password: str = field(repr=False)
    tenant_id: str
    roles: frozenset[str]
    realm: str | None = None
    org_ref_name: str | None = None
    account_id: str | None = None
    data_segment: int | None = None
    email: str | None = None
    description: str | None = None
    force_change_password: bool = False
    realms: frozenset[str] = frozenset()
    realm_roles: Mapping[str, frozenset[str]] = field(default_factory=dict)
    realm_reg_ex: str | None = None


async def create_user(
    service: Service, new: NewUser, known_roles: Collection[str] = BUILT_IN_ROLES
) -> Document:
    """Store a credential; answers with it. The realm needs its indexes: they keep user ids unique.

    Raises ``ValidationFailed`` naming every fault, ``Duplicate`` for a user id that exists in the realm.
    """
    realm = new.realm or service.settings.default_realm
    _require_sound(new, realm, frozenset(known_roles))
    hashed = await hash_off_loop(new.password, service.settings.bcrypt_cost)
    document = _document(new, realm, hashed, service)
    kind = service.system.credential
    try:
        await service.store.insert(as_service(kind, realm, Action.CREATE), document)
    except Duplicate:
        message = f"a user {new.user_id} exists in the realm {realm}"
        raise Duplicate(message, fields=["userId"]) from None
    return {name: value for name, value in document.items() if name not in kind.hidden}


async def list_users(service: Service, realm: str, tenant: str | None = None) -> list[Document]:
    """The credentials of a realm, or of one tenant in it, by refName; without hidden fields."""
    kind = service.system.credential
    return await service.store.find(
        as_service(kind, realm, domain=DomainScope(tenant_id=tenant)),
        EVERYTHING,
        order=[("refName", 1)],
        projection=Projection(exclude=tuple(sorted(kind.hidden))),
    )


async def disable_user(service: Service, realm: str, user_id: str, disabled: bool) -> None:
    """Take the account away, or give it back. Raises ``NotFound``."""
    await _change(service, realm, user_id, {"disabled": disabled})


async def set_password(
    service: Service, realm: str, user_id: str, password: str, force_change: bool = False
) -> None:
    """Replace the password; with ``force_change`` only for long enough to set another.

    Raises ``NotFound`` and ``ValidationFailed``.
    """
    hashed = await hash_off_loop(password, service.settings.bcrypt_cost)
    values = {"passwordHash": hashed, "hashingAlgorithm": ALGORITHM, "forceChangePassword": force_change}
    await _change(service, realm, user_id, values)


async def _change(service: Service, realm: str, user_id: str, values: Mapping[str, Any]) -> None:
    """One write that also ends all access tokens; then the refresh tokens."""
    login_name = login_name_of(user_id)
    changed = None
    now = service.tokens.clock()
    if login_name is not None and is_realm_name(realm):
        at = moment(now)
        changed = await service.store.update_one(
            as_service(service.system.credential, realm, Action.UPDATE),
            equals(loginName=login_name),
            Changes(
                set={**values, "lastUpdate": at, **touched(at)}, increment={"tokenEpoch": 1, "version": 1}
            ),
        )
    if changed is None:
        raise NotFound(f"no user {user_id[:MOST_USER_ID_CHARACTERS]} in the realm {realm}")
    families = as_service(service.system.refresh_family, realm, Action.UPDATE)
    await revoke_families(service.store, families, changed["subject"], now)


def _document(new: NewUser, realm: str, hashed: str, service: Service) -> Document:
    login_name = login_name_of(new.user_id) or ""
    place = {"tenantId": new.tenant_id, "orgRefName": new.org_ref_name, "accountId": new.account_id}
    at = moment(service.tokens.clock())
    domain = {**place, "ownerId": new.user_id, "dataSegment": new.data_segment or 0}
    context = {**place, "defaultRealm": realm, "dataSegment": new.data_segment}
    document = new_document(login_name, _given(domain), at, display_name=new.user_id) | {
        "userId": new.user_id,
        "loginName": login_name,
        "subject": secrets.token_hex(16),
        "domainContext": _given(context),
        "roles": sorted(new.roles),
        "realms": sorted(new.realms) or None,
        "realmRoles": {name: sorted(roles) for name, roles in new.realm_roles.items()} or None,
        "realmRegEx": new.realm_reg_ex,
        "emailOfResponsibleParty": new.email,
        "description": new.description,
        "issuer": service.settings.token_issuer,
        "authProviderName": PROVIDER_NAME,
        "passwordHash": hashed,
        "hashingAlgorithm": ALGORITHM,
        "tokenEpoch": 1,
        "disabled": False,
        "forceChangePassword": new.force_change_password,
        "lastUpdate": at,
    }
    return _given(document)


def _given(values: Mapping[str, Any]) -> Document:
    return {name: value for name, value in values.items() if value is not None}


def _require_sound(new: NewUser, realm: str, known_roles: frozenset[str]) -> None:
    faults = {
        "userId": _fault_of_user_id(new.user_id, new.roles, known_roles),
        "realm": None if is_realm_name(realm) else "must be 1 to 38 of a-z, 0-9, - and _, a letter first",
        "tenantId": _fault_of_place(new.tenant_id),
        "orgRefName": None if new.org_ref_name is None else _fault_of_place(new.org_ref_name),
        "accountId": None if new.account_id is None else _fault_of_place(new.account_id),
        "roles": _fault_of_roles(new, known_roles),
    }
    violations = [{"path": path, "message": fault} for path, fault in faults.items() if fault]
    if violations:
        said = "; ".join(f"{fault['path']} {fault['message']}" for fault in violations)
        raise ValidationFailed(f"the user cannot be made: {said}", violations=violations)


def _fault_of_user_id(user_id: str, roles: frozenset[str], known_roles: frozenset[str]) -> str | None:
    login_name = login_name_of(user_id)
    if login_name is None or not user_id.isprintable() or any(map(str.isspace, user_id)):
        return f"must be 1 to {MOST_USER_ID_CHARACTERS} printable characters without blanks"
    if login_name in _RESERVED:
        return f"{user_id} is how the service names itself: choose another"
    # Permission rules compare one and the same word with user ids and with roles (decisions §3).
    if login_name in {role.casefold() for role in known_roles - roles}:
        return f"{user_id} is the name of a role this user does not have: choose another"
    return None


def _fault_of_place(name: str) -> str | None:
    return None if 0 < len(name) <= 200 and name.isprintable() else "must be 1 to 200 printable characters"


def _fault_of_roles(new: NewUser, known_roles: frozenset[str]) -> str | None:
    if not new.roles:
        return "must name at least one role"
    wrong = sorted(new.roles.union(*new.realm_roles.values()) - known_roles)
    return f"names {wrong[0]}, which is no role{hint(wrong[0], known_roles)}" if wrong else None
