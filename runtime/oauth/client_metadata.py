"""The metadata that a client states about itself (RFC 7591 §2), as the fields of a client. Pure.

Nobody vouches for such a client. So users are always asked, it has no rights of its own, and its tokens are
always narrowed to scopes: ``records:read`` is among those it may request, since tokens of a client without
any scope about records would not be narrowed at all. The area ``security`` is out of its reach.
"""

from collections.abc import Collection, Sequence
from typing import Final, cast

from runtime.client import PRIVATE_KEY_JWT
from runtime.oauth.client_check import find_faults
from runtime.oauth.refusals import OAuthRefused
from runtime.permissions.token_scopes import parse
from runtime.system.documents import OauthClientDocument
from runtime.system.models.client_registration import ClientRegistration

LEAST_SCOPE: Final = "records:read"
GRANTS: Final = ("authorization_code", "refresh_token")
WITHOUT_SECRET: Final = ("none", PRIVATE_KEY_JWT)
METHODS: Final = ("client_secret_basic", "client_secret_post", *WITHOUT_SECRET)

_DEFAULT_SCOPES = ("openid", "profile", "email", "offline_access", LEAST_SCOPE, "records:write")
_NEVER = "security:"


def read_metadata(
    stated: ClientRegistration, scopes: Collection[str], methods: Collection[str] = METHODS
) -> OauthClientDocument:
    """Return the fields of a client from its metadata. ``scopes``: those of the service.

    Raises ``OAuthRefused`` with ``invalid_redirect_uri`` or ``invalid_client_metadata``.
    """
    method = stated.token_endpoint_auth_method or "client_secret_basic"
    grants, responses = stated.grant_types or ["authorization_code"], stated.response_types or ["code"]
    _require_among("grant_types", grants, GRANTS)
    _require_among("response_types", responses, ("code",))
    _require_among("token_endpoint_auth_method", [method], methods)
    if "authorization_code" not in grants:
        raise _wrong("grant_types must have authorization_code")
    if not (stated.client_name or "").isprintable():
        raise _wrong("client_name must be printable")
    fields = {
        "clientName": stated.client_name,
        "applicationType": str(stated.application_type or "web"),
        "publicClient": method == "none",
        "redirectUris": list(dict.fromkeys(stated.redirect_uris or ())),
        "postLogoutRedirectUris": list(dict.fromkeys(stated.post_logout_redirect_uris or ())),
        "allowedGrantTypes": list(dict.fromkeys(grants)),
        "allowedScopes": _choose_scopes(stated.scope, scopes),
        "tokenEndpointAuthMethod": method,
        "jwks": stated.jwks,
        "requireConsent": True,
    }
    document = cast(OauthClientDocument, {name: value for name, value in fields.items() if value is not None})
    for path, message in find_faults(document, scopes):
        if "edirectUris" in path:
            raise OAuthRefused("invalid_redirect_uri", f"{_rename(path)} {message}")
        raise _wrong(f"{_rename(path)} {message}")
    return document


def _choose_scopes(requested: str | None, known: Collection[str]) -> list[str]:
    named = _DEFAULT_SCOPES if requested is None else parse(requested)
    chosen = [one for one in named if one in known and not one.startswith(_NEVER)]
    if requested is not None and not chosen:
        raise _wrong("scope has no scope that a client may register for")
    return chosen if LEAST_SCOPE in chosen else [*chosen, LEAST_SCOPE]


def _require_among(name: str, values: Sequence[str], known: Collection[str]) -> None:
    wrong = next((one for one in values if one not in known), None)
    if wrong is not None:
        raise _wrong(f"{name}: {wrong[:100]} is not offered to clients that register, but {', '.join(known)}")


def _rename(path: str) -> str:
    """Return the path of a field as the metadata call it."""
    field, bracket, rest = path.partition("[")
    return _NAMES.get(field, field) + bracket + rest


_NAMES = {
    "redirectUris": "redirect_uris",
    "postLogoutRedirectUris": "post_logout_redirect_uris",
    "tokenEndpointAuthMethod": "token_endpoint_auth_method",
    "allowedGrantTypes": "grant_types",
}


def _wrong(description: str) -> OAuthRefused:
    return OAuthRefused("invalid_client_metadata", description)
