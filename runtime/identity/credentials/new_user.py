"""A user to be made: whether it can be, and the credential that is stored for it. Pure."""

import secrets
from collections.abc import Collection
from datetime import datetime
from typing import cast

from runtime.errors import ValidationFailed
from runtime.identity.credentials.credentials import PROVIDER_NAME, login_name_of
from runtime.identity.credentials.passwords import ALGORITHM
from runtime.identity.credentials.user_id_rules import fault_of_user_id
from runtime.model.documents import AuditInfoDocument
from runtime.model.nearest import hint_or_all
from runtime.model.problems import require_no_faults
from runtime.model.realm_name import REALM_RULE, is_realm_name
from runtime.principal import SHARED, DomainContext
from runtime.seams import NewUser
from runtime.storage.own_documents import SERVICE_USER, complete_document
from runtime.system.documents import CredentialDocument, DomainContextDocument

_RESERVED = frozenset({SERVICE_USER, "anonymous"})


def new_credential(
    new: NewUser, realm: str, hashed: str | None, *, issuer: str, at: datetime, audit: AuditInfoDocument
) -> CredentialDocument:
    """Build the document to store; the store assigns its id. ``audit``: the creator, if any.

    Without a password (``hashed``) it is the credential of an OAuth client, with which nobody logs in.
    """
    login_name = login_name_of(new.user_id) or ""
    context = DomainContext(new.tenant_id, realm, new.org_ref_name, new.account_id, new.data_segment)
    fields: CredentialDocument = {
        **_optional_fields(new),
        "userId": new.user_id,
        "loginName": login_name,
        "subject": secrets.token_hex(16),
        "domainContext": cast(DomainContextDocument, context.as_document()),
        "roles": sorted(new.roles),
        "issuer": issuer,
        "authProviderName": PROVIDER_NAME,
        "tokenEpoch": 1,
        "disabled": False,
        "forceChangePassword": new.force_change_password,
        "lastUpdate": at,
    }
    if hashed is None:
        fields["credentialType"] = "OAUTH"
    else:
        fields |= {"passwordHash": hashed, "hashingAlgorithm": ALGORITHM}
    domain = context.new_data_domain(new.user_id)
    document = complete_document(fields, login_name, domain, at, display_name=new.user_id)
    if audit:
        document["auditInfo"].update({**audit, "createdBy": audit["lastUpdatedBy"]})
    return document


def _optional_fields(new: NewUser) -> CredentialDocument:
    fields: CredentialDocument = {}
    if new.realms:
        fields["realms"] = sorted(new.realms)
    if new.realm_roles:
        fields["realmRoles"] = {name: sorted(roles) for name, roles in new.realm_roles.items()}
    if new.realm_reg_ex is not None:
        fields["realmRegEx"] = new.realm_reg_ex
    if new.email is not None:
        fields["emailOfResponsibleParty"] = new.email
    if new.description is not None:
        fields["description"] = new.description
    return fields


def check_new_user(new: NewUser, realm: str, known_roles: frozenset[str]) -> None:
    """Raise ``ValidationFailed`` naming every fault. Passwords are checked elsewhere."""
    faults = {
        "userId": _fault_of_user_id(new.user_id, new.roles, known_roles),
        **faults_of_place(new, realm),
        "roles": fault_of_roles(new.roles.union(*new.realm_roles.values()), known_roles)
        or (None if new.roles else "must name at least one role"),
    }
    require_no_faults(faults)


def faults_of_place(new: NewUser, realm: str) -> dict[str, str | None]:
    """Describe what is wrong with where a user is to be, by field; None where nothing is."""
    return {
        "realm": None if is_realm_name(realm) else REALM_RULE,
        "tenantId": _fault_of_place(new.tenant_id),
        "orgRefName": None if new.org_ref_name is None else _fault_of_organisation(new.org_ref_name),
        "accountId": None if new.account_id is None else _fault_of_place(new.account_id),
    }


def _fault_of_organisation(name: str) -> str | None:
    if name == SHARED:
        return f"cannot be {SHARED}, which marks records that all organisations share"
    return _fault_of_place(name)


def check_roles(roles: Collection[str], known_roles: frozenset[str]) -> None:
    """Raise ``ValidationFailed`` for an unknown role, with the nearest known one, and for an empty set."""
    fault = fault_of_roles(roles, known_roles) or (None if roles else "must name at least one role")
    if fault:
        raise ValidationFailed.at("roles", fault)


def check_name(user_id: str, roles: frozenset[str], known_roles: frozenset[str]) -> None:
    """Raise ``ValidationFailed`` for a user who is called like a role that they will not have."""
    fault = fault_of_name(user_id, roles, known_roles)
    if fault:
        raise ValidationFailed.at("roles", fault, "roles:")


def fault_of_roles(roles: Collection[str], known_roles: frozenset[str]) -> str | None:
    """Describe what is wrong with a set of roles; None if nothing is. Names are compared exactly."""
    wrong = sorted(set(roles) - known_roles)
    if not wrong:
        return None
    return f"names {wrong[0][:100]}, which is not a role{hint_or_all(wrong[0], known_roles, 'role')}"


def fault_of_name(user_id: str, roles: Collection[str], known_roles: frozenset[str]) -> str | None:
    """Describe what is wrong with a user id that is the name of a role the user does not have.

    Permission rules compare one word with user ids and with roles, so such a user would pass for a holder
    of the role.
    """
    if login_name_of(user_id) in {role.casefold() for role in known_roles.difference(roles)}:
        return f"{user_id} is the name of a role this user does not have: choose another"
    return None


def _fault_of_user_id(user_id: str, roles: frozenset[str], known_roles: frozenset[str]) -> str | None:
    if (fault := fault_of_user_id(user_id)) is not None:
        return fault
    if login_name_of(user_id) in _RESERVED:
        return f"{user_id} is how the service names itself: choose another"
    return fault_of_name(user_id, roles, known_roles)


def _fault_of_place(name: str) -> str | None:
    return None if 0 < len(name) <= 200 and name.isprintable() else "must be 1 to 200 printable characters"
