"""A stored credential: what finds it, and what it is as an ``Identity``, ``User`` and ``Standing``."""

import unicodedata
from collections.abc import Mapping
from typing import Any

from runtime.errors import LoginFailed
from runtime.filter import Predicate, equals, has_any
from runtime.identity.credentials.stored_granter import granter_of
from runtime.principal import DomainContext, DomainScope, Identity
from runtime.seams import User, UserKey
from runtime.standing import Standing
from runtime.system.documents import CredentialDocument

PROVIDER_NAME = "store"
"""``authProviderName`` of credentials whose password is kept here."""

MOST_USER_ID_CHARACTERS = 100
_MOST_SUBJECT_CHARACTERS = 200

IS_USER = has_any(["userId"]) & has_any(["subject"]) & has_any(["domainContext.tenantId"])
"""Match what is the credential of a user: another tool may have stored one without a name or a tenant."""


def login_name_of(user_id: str) -> str | None:
    """Return what user ids are compared by: without case, in one Unicode form (NFKC, case-folded).

    None for what cannot be anybody's user id: empty, too long, half a surrogate pair.
    """
    if not 0 < len(user_id) <= MOST_USER_ID_CHARACTERS:
        return None
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", user_id).casefold())
    return None if any("\ud800" <= character <= "\udfff" for character in folded) else folded


def match_user(key: UserKey) -> Predicate | None:
    """Match the credential of a key; None for what cannot be anybody's name."""
    if key.subject is not None:
        sane = 0 < len(key.subject) <= _MOST_SUBJECT_CHARACTERS and key.subject.isprintable()
        return equals(subject=key.subject) if sane else None
    login_name = login_name_of(key.user_id or "")
    return None if login_name is None else equals(loginName=login_name)


def match_inside(domain: DomainScope) -> Predicate:
    """Match the credentials of users who may see nothing outside the scope."""
    bound = {f"domainContext.{name}": value for name, value in zip(*domain.bound, strict=True)}
    return equals(**bound) & IS_USER


def is_usable(credential: CredentialDocument) -> bool:
    """Return whether a credential has a tenant, and is neither disabled nor archived."""
    is_active = not credential.get("disabled") and credential.get("activeStatus", "ACTIVE") == "ACTIVE"
    return is_active and tenant_in(credential) is not None


def tenant_in(credential: Mapping[str, Any]) -> str | None:
    """Return the tenant of a credential; None where another tool has stored one without it."""
    tenant: str | None = (credential.get("domainContext") or {}).get("tenantId")
    return tenant


def epoch_of(credential: CredentialDocument) -> int:
    """Return the generation of tokens that is accepted."""
    return int(credential.get("tokenEpoch") or 0)


def identity_of(credential: CredentialDocument, realm: str) -> Identity:
    """Return the identity behind a credential that lives in ``realm``."""
    context = credential["domainContext"]
    return Identity(
        user_id=credential["userId"],
        subject=credential["subject"],
        realm=realm,
        roles=frozenset(credential.get("roles") or ()),
        domain=DomainContext.of(context, context.get("defaultRealm") or realm),
        realm_reg_ex=credential.get("realmRegEx"),
        area_realms=credential.get("area2RealmOverrides") or {},
        realms=frozenset(credential.get("realms") or ()),
        realm_roles={name: frozenset(roles) for name, roles in (credential.get("realmRoles") or {}).items()},
        impersonation_script=_script_of(credential),
        impersonation_granter=granter_of(credential),
    )


def standing_of(credential: CredentialDocument, realm: str) -> Standing:
    """Return what a usable credential that lives in ``realm`` says."""
    return Standing(
        identity_of(credential, realm),
        epoch_of(credential),
        str(credential["_id"]),
        credential.get("emailOfResponsibleParty"),
        bool(credential.get("forceChangePassword")),
    )


def user_of(credential: CredentialDocument, realm: str) -> User:
    """Return the public view of a credential that lives in ``realm``."""
    identity = identity_of(credential, realm)
    return User(
        user_id=identity.user_id,
        subject=identity.subject,
        provider=owner_of(credential),
        roles=identity.roles,
        domain=identity.domain,
        disabled=bool(credential.get("disabled")),
        force_change_password=bool(credential.get("forceChangePassword")),
        email=credential.get("emailOfResponsibleParty"),
        description=credential.get("description"),
        realms=identity.realms,
        realm_roles=identity.realm_roles,
        realm_reg_ex=identity.realm_reg_ex,
        area_realms=identity.area_realms,
        impersonation_enabled=credential.get("impersonationEnabled") is True,
        impersonate_filter_script=credential.get("impersonateFilterScript"),
        impersonation_granter=identity.impersonation_granter,
        version=credential.get("version"),
    )


def _script_of(credential: CredentialDocument) -> str | None:
    """Return the filter of the users that it may act as; None unless that is enabled."""
    script = credential.get("impersonateFilterScript")
    return script if script and credential.get("impersonationEnabled") is True else None


def owner_of(credential: CredentialDocument) -> str:
    """Return the name of the provider that owns the credential."""
    return str(credential.get("authProviderName") or PROVIDER_NAME)


def login_failed() -> LoginFailed:
    """Build the one answer to callers that cannot prove to be a user."""
    text = "The user id or the password is wrong."
    return LoginFailed(text, reason="badCredentials", message=text)
