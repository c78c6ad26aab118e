"""What the routes of ``/security/users`` are sent and answer, by wire name."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from runtime.model.mappings import without_nones
from runtime.seams import NewUser, User
from runtime.system.models.user_creation import UserCreation


def new_user(body: UserCreation) -> NewUser:
    """As it was sent; where it stands is filled in later."""
    return NewUser(
        user_id=body.user_id,
        password=body.password,
        tenant_id=body.tenant_id or "",
        roles=frozenset(body.roles),
        org_ref_name=body.org_ref_name,
        account_id=body.account_id,
        data_segment=body.data_segment,
        email=body.email_of_responsible_party,
        description=body.description,
        force_change_password=bool(body.force_change_password),
        realms=frozenset(body.realms or ()),
        realm_roles={name: frozenset(roles) for name, roles in (body.realm_roles or {}).items()},
    )


def listed(names: Collection[str]) -> Mapping[str, Any]:
    """Roles, sorted."""
    return {"roles": sorted(names)}


def render_user(user: User) -> Mapping[str, Any]:
    """Render a user; members that are not set are left out."""
    members = {
        "userId": user.user_id,
        "subject": user.subject,
        "authProviderName": user.provider,
        "roles": sorted(user.roles),
        "domainContext": user.domain.as_document(),
        "disabled": user.disabled,
        "forceChangePassword": user.force_change_password,
        "emailOfResponsibleParty": user.email,
        "description": user.description,
        "realms": sorted(user.realms) or None,
        "realmRoles": {name: sorted(held) for name, held in user.realm_roles.items()} or None,
        "realmRegEx": user.realm_reg_ex,
        "area2RealmOverrides": dict(user.area_realms) or None,
        "impersonationEnabled": user.impersonation_enabled,
        "impersonateFilterScript": user.impersonate_filter_script,
    }
    return without_nones(members)
