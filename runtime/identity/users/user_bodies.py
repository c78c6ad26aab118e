"""What the routes of ``/security/users`` are sent and answer, by wire name."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Protocol

from runtime.model.mappings import without_nones
from runtime.seams import NewUser, User


class UserCreation(Protocol):
    """The body of a creation; what is left out of the place is the caller's own."""

    @property
    def user_id(self) -> str: ...
    @property
    def password(self) -> str: ...
    @property
    def roles(self) -> list[str]: ...
    @property
    def tenant_id(self) -> str | None: ...
    @property
    def org_ref_name(self) -> str | None: ...
    @property
    def account_id(self) -> str | None: ...
    @property
    def data_segment(self) -> int | None: ...
    @property
    def email_of_responsible_party(self) -> str | None: ...
    @property
    def description(self) -> str | None: ...
    @property
    def force_change_password(self) -> bool | None: ...
    @property
    def realms(self) -> list[str] | None: ...
    @property
    def realm_roles(self) -> Mapping[str, list[str]] | None: ...
    @property
    def auth_provider_name(self) -> str | None: ...


class RoleList(Protocol):
    """The body of an assignment."""

    @property
    def roles(self) -> list[str]: ...


class PasswordReset(Protocol):
    """The body of a reset; unless said otherwise the user must choose another password at once."""

    @property
    def new_password(self) -> str: ...
    @property
    def force_change_password(self) -> bool | None: ...


class UserStatus(Protocol):
    """The body of disabling and enabling."""

    @property
    def disabled(self) -> bool: ...


class ImpersonationGrant(Protocol):
    """The body of enabling impersonation."""

    @property
    def filter_script(self) -> str: ...


class RealmOverrideGrant(Protocol):
    """The body of enabling the realm override."""

    @property
    def realm_reg_ex(self) -> str: ...


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
