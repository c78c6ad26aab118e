"""``serve --demo``: two tenants with one admin each, so that there is something to log in to.

The passwords are random, made with the users and shown then only.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from runtime.call import Service
from runtime.errors import Duplicate
from runtime.security.users import NewUser, create_user

TENANTS = ("acme", "globex")
ORGANISATION = "headquarters"


@dataclass(frozen=True, slots=True)
class DemoUser:
    """``password`` is None for a user that was there already."""

    user_id: str
    tenant_id: str
    password: str | None


async def seed_demo(service: Service) -> list[DemoUser]:
    """The admins of the demo tenants, made where they are missing."""
    return [await _admin(service, tenant) for tenant in TENANTS]


async def _admin(service: Service, tenant: str) -> DemoUser:
    user_id, password = f"admin@{tenant}.example", secrets.token_urlsafe(12)
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
