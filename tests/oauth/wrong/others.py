"""Pushed requests, revocation, introspection, userinfo and logout: what each refuses for reasons of its own."""

from __future__ import annotations

import json
from typing import Any, Final

from tests.oauth.wrong.authorize import RETURNED
from tests.oauth.wrong.shape import AUTHORIZE, CALLBACK, Answer, Rows, Sent, Value, Wrong

PUSHED_ALIKE: Final = {
    name: row
    for name, row in RETURNED.items()
    if row[0] not in ("login_required", "consent_required", "request_uri_not_supported")
}
"""Pushed requests are validated as authorization requests are (RFC 9126 §2.3)."""

PUSHED_ALONE: Final[dict[str, tuple[int, str, Sent]]] = {
    "a pushed request in a pushed one": (400, "invalid_request", {"request_uri": "$pushed"}),
    "a request object elsewhere": (
        400,
        "invalid_request",
        {"request_uri": "https://app.example/request.jwt"},
    ),
    "an address that is not registered": (400, "invalid_request", {"redirect_uri": f"{CALLBACK}/evil"}),
    "nowhere to return to": (400, "invalid_request", {"redirect_uri": None}),
}


def _pushed() -> Rows:
    rows: Rows = {}
    for name, (error, change) in PUSHED_ALIKE.items():
        client = change.get("client_id", "web")
        assert isinstance(client, str)
        sent: dict[str, Value] = {**AUTHORIZE, **change}
        basic = None if client == "single-page" else client
        rows[f"par, {name}"] = Wrong("POST /oauth/par", 400, error, None, sent, basic)
    for name, (status, error, change) in PUSHED_ALONE.items():
        rows[f"par, {name}"] = Wrong("POST /oauth/par", status, error, None, {**AUTHORIZE, **change}, "web")
    return rows


REVOKE: Final = "POST /oauth/revoke"
INTROSPECT: Final = "POST /oauth/introspect"
USERINFO: Final = ("GET /oauth/userinfo", "POST /oauth/userinfo")

TOKENS: Final[Rows] = {
    "revoke, no token": Wrong(REVOKE, 400, "invalid_request", None, {"token_type_hint": "access_token"}, "web"),
    "revoke, an empty token": Wrong(REVOKE, 400, "invalid_request", None, {"token": ""}, "web"),
    "revoke, two tokens": Wrong(REVOKE, 400, "invalid_request", None, {"token": ["$refresh", "$access"]}, "web"),
    "revoke, an id token": Wrong(REVOKE, 400, "unsupported_token_type", None, {"token": "$id_token"}, "web"),
    "introspect, no token": Wrong(INTROSPECT, 400, "invalid_request", None, {"scope": "a"}, "web"),
    "introspect, an empty token": Wrong(INTROSPECT, 400, "invalid_request", None, {"token": ""}, "web"),
    "introspect, two tokens": Wrong(INTROSPECT, 400, "invalid_request", None, {"token": ["$access", "$access"]}, "web"),
}  # fmt: skip

# Credentials that userinfo refuses: status, error code, headers.
CLAIMS: Final[dict[str, tuple[int, str | None, dict[str, str]]]] = {
    "no credentials": (401, None, {}),
    "another scheme": (401, None, {"Authorization": "Basic d2ViOndlYg=="}),
    "no token": (401, None, {"Authorization": "Bearer "}),
    "nonsense": (401, "invalid_token", {"Authorization": "Bearer nothing"}),
    "a refresh token": (401, "invalid_token", {"Authorization": "Bearer $refresh"}),
    "an id token": (401, "invalid_token", {"Authorization": "Bearer $id_token"}),
    "a code": (401, "invalid_token", {"Authorization": "Bearer $code"}),
    "a token without its signature": (401, "invalid_token", {"Authorization": "Bearer $unsigned_access"}),
    "a token that was revoked": (401, "invalid_token", {"Authorization": "Bearer $revoked_access"}),
    "a token of a user who changed the password": (401, "invalid_token", {"Authorization": "Bearer $stale_access"}),
    "a token of a disabled client": (401, "invalid_token", {"Authorization": "Bearer $off_access"}),
}  # fmt: skip


def _claims() -> Rows:
    rows: Rows = {}
    for request in USERINFO:
        for name, (status, error, headers) in CLAIMS.items():
            rows[f"{request}, {name}"] = Wrong(
                request, status, error, None, None, None, headers, Answer.BEARER
            )
        rows[f"{request}, the token in the address"] = Wrong(
            request, 400, "invalid_request", {"access_token": "$access"}, answer=Answer.BEARER
        )
        rows[f"{request}, a token without openid"] = Wrong(
            request, 403, "insufficient_scope", headers={"Authorization": "Bearer $own"}, answer=Answer.BEARER
        )
    twice = {"Authorization": "Bearer $access"}
    rows["POST /oauth/userinfo, twice"] = Wrong(
        USERINFO[1], 400, "invalid_request", None, {"access_token": "$access"}, None, twice, Answer.BEARER
    )
    return rows


AFTER: Final = "https://app.example/"

# Logout never leads to where it may not (OpenID Connect RP-Initiated Logout 1.0 §3).
LOGOUT: Final[dict[str, Sent]] = {
    "an address without a client": {"post_logout_redirect_uri": AFTER},
    "an unregistered address": {"client_id": "web", "post_logout_redirect_uri": "https://evil.example/"},
    "an address with a path more": {"client_id": "web", "post_logout_redirect_uri": f"{AFTER}more"},
    "an address of a sign-in": {"client_id": "web", "post_logout_redirect_uri": CALLBACK},
    "an address for an unknown client": {"client_id": "nobody", "post_logout_redirect_uri": AFTER},
    "an address for a disabled client": {"client_id": "off", "post_logout_redirect_uri": AFTER},
    "a hint of another client": {"client_id": "narrow", "id_token_hint": "$id_token", "post_logout_redirect_uri": AFTER},
    "a hint that is not a token": {"id_token_hint": "nothing", "post_logout_redirect_uri": AFTER},
    "an access token for a hint": {"id_token_hint": "$access", "post_logout_redirect_uri": AFTER},
    "a script": {"client_id": "web", "post_logout_redirect_uri": "javascript:alert(1)"},
    "two addresses": {"client_id": "web", "post_logout_redirect_uri": [AFTER, "https://evil.example/"]},
}  # fmt: skip


def _logouts() -> Rows:
    rows: Rows = {}
    for name, sent in LOGOUT.items():
        rows[f"GET logout, {name}"] = Wrong(
            "GET /oauth/logout", 400, None, query=sent, answer=Answer.PAGE, signed_on=True
        )
        rows[f"POST logout, {name}"] = Wrong(
            "POST /oauth/logout", 400, None, form=sent, answer=Answer.PAGE, signed_on=True
        )
    return rows


NEW_CLIENT: Final[dict[str, Any]] = {"redirect_uris": [CALLBACK], "client_name": "A new client"}
BAD_URI: Final = "invalid_redirect_uri"
BAD_METADATA: Final = "invalid_client_metadata"

# What cannot be registered (RFC 7591 §3.2.2): error, and the change to metadata that can.
REGISTRATION: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "no redirect URI": (BAD_URI, {"redirect_uris": None}),
    "an empty list": (BAD_URI, {"redirect_uris": []}),
    "http": (BAD_URI, {"redirect_uris": ["http://app.example/callback"]}),
    "a fragment": (BAD_URI, {"redirect_uris": [f"{CALLBACK}#a"]}),
    "a wildcard": (BAD_URI, {"redirect_uris": ["https://*.app.example/callback"]}),
    "a script": (BAD_URI, {"redirect_uris": ["javascript:alert(1)"]}),
    "a relative address": (BAD_URI, {"redirect_uris": ["/callback"]}),
    "one of two addresses": (BAD_URI, {"redirect_uris": [CALLBACK, "http://evil.example/"]}),
    "passwords": (BAD_METADATA, {"grant_types": ["password"]}),
    "implicit tokens": (BAD_METADATA, {"grant_types": ["implicit"], "response_types": ["token"]}),
    "own tokens": (BAD_METADATA, {"grant_types": ["client_credentials"]}),
    "an unknown scope": (BAD_METADATA, {"scope": "everything"}),
    "an unknown method": (BAD_METADATA, {"token_endpoint_auth_method": "tls_client_auth"}),
    "a shared key": (BAD_METADATA, {"token_endpoint_auth_method": "client_secret_jwt"}),
    "keys that are missing": (BAD_METADATA, {"token_endpoint_auth_method": "private_key_jwt"}),
    "an unknown realm": (BAD_METADATA, {"realm": "nowhere"}),
}  # fmt: skip


def _registrations() -> Rows:
    rows: Rows = {}
    for name, (error, change) in REGISTRATION.items():
        metadata = {key: value for key, value in (NEW_CLIENT | change).items() if value is not None}
        body, headers = json.dumps(metadata).encode(), {"Content-Type": "application/json"}
        rows[f"register, {name}"] = Wrong("POST /oauth/register", 400, error, form=body, headers=headers)
    rows["register, a form"] = Wrong(
        "POST /oauth/register", 415, "invalid_request", form={"client_name": "a"}
    )
    rows["register, GET"] = Wrong("GET /oauth/register", 405, "invalid_request")
    return rows


OTHER_ROWS: Final[Rows] = _registrations() | _pushed() | TOKENS | _claims() | _logouts()
