"""The bodies of the routes of ``/security/users``, from and to what the service works with."""

from collections.abc import Collection
from typing import cast

from runtime.principal import DomainContext
from runtime.seams import NewUser, User
from runtime.system.answers import DomainContextBody, RoleListBody, UserAccountBody
from runtime.system.models.user_creation import UserCreation


def new_user(body: UserCreation) -> NewUser:
    """Read a new user as sent; the place it belongs to is filled in later."""
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


def render_roles(names: Collection[str]) -> RoleListBody:
    """Render roles, sorted."""
    return {"roles": sorted(names)}


def render_user(user: User) -> UserAccountBody:
    """Render a user."""
    return {
        "userId": user.user_id,
        "subject": user.subject,
        "authProviderName": user.provider,
        "roles": sorted(user.roles),
        "domainContext": render_context(user.domain),
        "disabled": user.disabled,
        "forceChangePassword": user.force_change_password,
        "emailOfResponsibleParty": user.email,
        "description": user.description,
        "realms": sorted(user.realms) or None,
        "realmRoles": {name: sorted(roles) for name, roles in user.realm_roles.items()} or None,
        "realmRegEx": user.realm_reg_ex,
        "area2RealmOverrides": dict(user.area_realms) or None,
        "impersonationEnabled": user.impersonation_enabled,
        "impersonateFilterScript": user.impersonate_filter_script,
    }


def render_context(domain: DomainContext) -> DomainContextBody:
    """Render where a user belongs."""
    return cast(DomainContextBody, domain.as_document())
