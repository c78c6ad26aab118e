"""A client as a value, from its record or from a document with the same fields."""

from collections.abc import Mapping

from runtime.client import Client
from runtime.permissions.token_scopes import always_narrows
from runtime.principal import SYSTEM, DomainScope, find_organisation
from runtime.storage.own_documents import SERVICE_USER
from runtime.system.documents import OauthClientDocument


def client_of(stored: OauthClientDocument, realm: str, subject: str | None) -> Client:
    """Return a stored client as a value. ``subject``: its own credential."""
    current = stored.get("clientSecretHash")
    hashes = (current, stored.get("previousSecretHash")) if current else ()
    is_public = stored.get("publicClient") is True
    return Client(
        record_id=str(stored.get("_id", "")),
        realm=realm,
        client_id=stored["clientId"],
        subject=subject,
        users=find_users(stored),
        name=stored.get("clientName"),
        is_vouched=not stored.get("selfRegistered"),
        is_public=is_public,
        is_native=stored.get("applicationType") == "native",
        redirect_uris=tuple(stored.get("redirectUris") or ()),
        post_logout_redirect_uris=frozenset(stored.get("postLogoutRedirectUris") or ()),
        grant_types=frozenset(stored.get("allowedGrantTypes") or ()),
        scopes=find_scopes(stored),
        resources=frozenset(stored.get("allowedResources") or ()),
        auth_method=stored.get("tokenEndpointAuthMethod"),
        jwks=stored.get("jwks"),
        needs_pkce=is_public or stored.get("requirePkce", False),
        needs_consent=stored.get("requireConsent", False),
        writer_roles=find_writer_roles(stored),
        is_unused="unusedUntil" in stored,  # registered itself, and has got no token yet
        secret_hashes=tuple(one for one in hashes if one and isinstance(one, str)),
    )


def is_active(stored: OauthClientDocument) -> bool:
    """Whether a stored client is neither disabled nor archived. No value but ``true`` enables one.

    One with a data domain that names no tenant is not active: only without one is it for all tenants.
    """
    is_enabled = stored.get("active", True) is True and stored.get("activeStatus", "ACTIVE") == "ACTIVE"
    return is_enabled and ("dataDomain" not in stored or _names_tenant(stored["dataDomain"]))


def _names_tenant(domain: object) -> bool:
    return isinstance(domain, Mapping) and isinstance(domain.get("tenantId"), str)


def find_scopes(stored: OauthClientDocument) -> tuple[str, ...] | None:
    """Return the scopes that a client may request; None for any."""
    return tuple(stored.get("allowedScopes") or ()) or None


def is_limited(stored: OauthClientDocument) -> bool:
    """Whether all tokens of a client are narrowed to scopes, also those that name none about records."""
    return always_narrows(find_scopes(stored))


def find_users(stored: OauthClientDocument) -> DomainScope | None:
    """Return where the users of a client are, by what they may see: in its data domain, or None for anywhere.

    Who manages a client gets the tokens of its users, so these must not be beyond the reach of the manager.
    Segment 0 is that of records whose owner is bound to no segment.
    """
    domain = stored.get("dataDomain")
    if domain is None or stored.get("allTenants") is True or stored.get("selfRegistered"):
        return None
    own = find_organisation(domain)
    return DomainScope(domain["tenantId"], own, domain.get("accountId"), domain.get("dataSegment") or None)


def find_writer_roles(stored: OauthClientDocument) -> frozenset[str]:
    """Return the roles that everybody had who has written a client; ``system`` stands for all of them.

    Clients from before this was recorded: ``system`` for what the service itself or another tool has stored,
    those of any administrator for what a caller has written, since only administrators write clients.
    """
    if (recorded := stored.get("writerRoles")) is not None:
        return frozenset(recorded)
    audit = stored.get("auditInfo") or {}
    writers = {audit.get("createdBy", SERVICE_USER), audit.get("lastUpdatedBy", SERVICE_USER)}
    return frozenset({SYSTEM} if writers == {SERVICE_USER} else {"admin", "user"})
