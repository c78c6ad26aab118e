"""The gate: token → ``Call``; call + record type + action → ``Access``. What is not allowed is refused.

Every door (HTTP, gateway, MCP) passes here. ``allow`` is one of the two makers of ``Access``.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from runtime.access import Access, Action
from runtime.call import Call, Service
from runtime.errors import Denied, Unauthenticated
from runtime.principal import DomainContext, Identity, Principal
from runtime.record_type import RecordType
from runtime.seams import RealmQuestion
from runtime.security.realm import realm_for, roles_in

SYSTEM = "system"
"""The role that passes every role check and is bound to no tenant."""

_ANONYMOUS = "anonymous"


async def open_call(
    service: Service,
    token: str | None,
    realm_header: str | None,
    request_id: str,
    area: str,
    address: str = "",
) -> Call:
    """The call of whoever holds ``token``, in the realm it asks for.

    Raises ``Unauthenticated`` without a good token, ``Denied`` for a realm that is not open to the
    caller or a caller without a tenant.
    """
    if not token:
        raise Unauthenticated("send an access token: Authorization: Bearer …")
    identity = await _identity(service, token)
    realm = await realm_for(RealmQuestion(realm_header, identity, area), service.seams.realm)
    principal = Principal(
        user_id=identity.user_id,
        subject=identity.subject,
        roles=roles_in(identity, realm),
        domain=identity.domain,
    )
    _require_tenant(principal)
    return Call(service, principal, realm, request_id, address)


def anonymous_call(service: Service, request_id: str, address: str = "") -> Call:
    """The call of nobody, for public routes: no roles, no tenant, the default realm."""
    realm = service.settings.default_realm
    principal = Principal(_ANONYMOUS, "", frozenset(), DomainContext(tenant_id="", default_realm=realm))
    return Call(service, principal, realm, request_id, address)


def allow(call: Call, kind: RecordType[Any], action: Action) -> Access:
    """Leave to do ``action`` on ``kind``, within the caller's scope and without its hidden fields.

    Raises ``Denied`` when the caller has none of the record type's roles (spec 2 §4.1 note 2).
    """
    _require_role(_known(call), kind.roles)
    return Access(kind=kind, action=action, realm=call.realm, domain=call.principal.scope, hidden=kind.hidden)


def admit(call: Call, roles: Collection[str]) -> None:
    """The check of a hand-written endpoint: one of ``roles``, or ``system``; none named: any caller.

    Role names are compared exactly. Raises ``Unauthenticated`` for nobody, ``Denied`` for others.
    """
    principal = _known(call)
    if roles:
        _require_role(principal, roles)


async def _identity(service: Service, token: str) -> Identity:
    """Of the first provider that knows the token, the built-in one last."""
    for provider in service.seams.auth_providers:
        try:
            return await provider.validate(token)
        except Unauthenticated:
            continue
    return await service.provider.validate(token)


def _known(call: Call) -> Principal:
    """The caller of the call, who is somebody and belongs somewhere."""
    if not call.principal.subject:
        raise Unauthenticated("send an access token: Authorization: Bearer …")
    _require_tenant(call.principal)
    return call.principal


def _require_role(principal: Principal, roles: Collection[str]) -> None:
    if SYSTEM not in principal.roles and principal.roles.isdisjoint(roles):
        needed = " or ".join(sorted(roles)) or SYSTEM
        raise Denied(f"this needs the role {needed} in this realm")


def _require_tenant(principal: Principal) -> None:
    if not principal.domain.tenant_id and SYSTEM not in principal.roles:
        raise Denied("your credential belongs to no tenant: ask your administrator")
