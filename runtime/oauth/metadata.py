"""The metadata of the authorization server (RFC 8414, OpenID Connect Discovery): what there is, nothing else.

Each endpoint is a row of ``ENDPOINTS``, with the members that belong to it; a test compares the rows with the
routes. Both well-known documents are this one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

from runtime.call import Call
from runtime.oauth.authorize.pushed import PAR
from runtime.oauth.introspection import INTROSPECT
from runtime.oauth.presented import METHODS, NONE
from runtime.oauth.revocation import REVOKE
from runtime.oauth.scopes import find_known_scopes
from runtime.oauth.token import GRANTS
from runtime.oauth.well_known import find_described, path_of, render_public
from runtime.storage.wire import Json
from runtime.system.answers import ServerMetadataBody
from runtime.tokens import CLIENT_ALGORITHMS

Members = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where an endpoint is, and which other members go along with it."""

    path: str
    along: Members = field(default_factory=dict)


def _clients_of(endpoint: str, methods: tuple[str, ...] = METHODS) -> Members:
    return {
        f"{endpoint}_auth_methods_supported": methods,
        f"{endpoint}_auth_signing_alg_values_supported": CLIENT_ALGORITHMS,
    }


ENDPOINTS: Final[Mapping[str, Endpoint]] = {
    "authorization_endpoint": Endpoint(
        "/oauth/authorize",
        {
            "response_types_supported": ("code",),
            "response_modes_supported": ("query",),
            "code_challenge_methods_supported": ("S256",),
            "authorization_response_iss_parameter_supported": True,
            "claims_parameter_supported": False,
            "request_parameter_supported": False,
            "request_uri_parameter_supported": False,  # true by default
        },
    ),
    "token_endpoint": Endpoint(
        "/oauth/token", {"grant_types_supported": tuple(GRANTS), **_clients_of("token_endpoint")}
    ),
    "revocation_endpoint": Endpoint(REVOKE, _clients_of("revocation_endpoint")),
    "introspection_endpoint": Endpoint(
        INTROSPECT, _clients_of("introspection_endpoint", tuple(one for one in METHODS if one != NONE))
    ),
    "jwks_uri": Endpoint("/oauth/jwks"),
    "registration_endpoint": Endpoint("/oauth/register"),
    "userinfo_endpoint": Endpoint("/oauth/userinfo"),
    "end_session_endpoint": Endpoint("/oauth/logout"),
    "pushed_authorization_request_endpoint": Endpoint(PAR, {"require_pushed_authorization_requests": False}),
}
"""Member of the metadata → its endpoint."""

CLAIMS: Final = (
    *("sub", "iss", "aud", "exp", "iat", "auth_time", "nonce", "at_hash", "sid"),
    *("preferred_username", "email", "groups"),
)
"""The claims of ID tokens, and of users."""


async def describe_server(call: Call, *, issuer_path: str | None = None) -> Json[Any]:
    """Return the metadata. ``issuer_path``: what follows the well-known path. Raises ``NotFound``."""
    service = call.service
    base, issuer = service.settings.base_url.rstrip("/"), service.tokens.issuer
    find_described({"": issuer, path_of(issuer): issuer}, issuer_path)
    members: dict[str, Any] = {
        "issuer": issuer,
        "subject_types_supported": ("public",),
        "id_token_signing_alg_values_supported": ("RS256",),
        "scopes_supported": find_known_scopes(service),
        "claims_supported": CLAIMS,
    }
    for member, endpoint in ENDPOINTS.items():
        members |= {member: base + endpoint.path, **endpoint.along}
    if service.settings.registration == "off":
        del members["registration_endpoint"]
    if service.settings.document_hosts:
        members["client_id_metadata_document_supported"] = True
    return render_public(cast(ServerMetadataBody, members))
