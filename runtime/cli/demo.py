"""``serve --demo``: two tenants with one admin and the example's records each, to look around in.

The passwords are random, made with the users and shown then only.
"""

import secrets
from dataclasses import dataclass

from runtime.call import Call, Service
from runtime.errors import Duplicate
from runtime.identity.users.users import NewUser, create_user
from runtime.principal import DomainContext, Principal
from runtime.seeding import plant

TENANTS = ("acme", "globex")
ORGANISATION = "headquarters"


@dataclass(frozen=True, slots=True)
class DemoUser:
    """``password`` is None for a user that was there already."""

    user_id: str
    tenant_id: str
    password: str | None


async def seed_demo(service: Service) -> list[DemoUser]:
    """Create the admins and seeds of the demo tenants where they are missing.

    The admins come last: if a seed cannot be planted, nobody exists whose password was never shown.
    """
    for tenant in TENANTS:
        await plant(await _open_call(service, tenant))
    return [await _create_admin(service, tenant) for tenant in TENANTS]


async def _open_call(service: Service, tenant: str) -> Call:
    """Open the call of a demo admin, as if it had come with a token."""
    realm, user_id = service.settings.default_realm, _name_admin(tenant)
    domain = DomainContext(tenant, realm, ORGANISATION)
    principal = Principal(user_id, user_id, frozenset({"admin"}), domain)
    rules = await service.rule_book.find_rules(realm, domain)
    return Call(service, principal, realm, realm, "demo", rules=rules)


def _name_admin(tenant: str) -> str:
    return f"admin@{tenant}.example"


async def _create_admin(service: Service, tenant: str) -> DemoUser:
    user_id, password = _name_admin(tenant), secrets.token_urlsafe(12)
    new = NewUser(
        user_id=user_id,
        password=password,
        tenant_id=tenant,
        org_ref_name=ORGANISATION,
        roles=frozenset({"admin"}),
        email=user_id,
        description="Made for the demonstration.",
    )
    try:
        await create_user(service, new)
    except Duplicate:
        return DemoUser(user_id, tenant, None)
    return DemoUser(user_id, tenant, password)
