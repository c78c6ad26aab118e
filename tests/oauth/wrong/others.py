"""Pushed requests, revocation, introspection, userinfo and logout: what each refuses for reasons of its own."""

from __future__ import annotations

from typing import Final

from tests.oauth.wrong.authorize import RETURNED
from tests.oauth.wrong.shape import AUTHORIZE, CALLBACK, Answer, Rows, Sent, Value, Wrong

PUSHED_ALIKE: Final = {
    name: row
    for name, row in RETURNED.items()
    if row[0] not in ("login_required", "consent_required", "request_uri_not_supported")
}
"""Pushed requests are validated as authorization requests are (RFC 9126 §2.3)."""

PUSHED_CLIENTS: Final = {"single-page", "pkce", "machine", "narrow"}

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
    "no token": (401, "invalid_token", {"Authorization": "Bearer "}),
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


OTHER_ROWS: Final[Rows] = _pushed() | TOKENS
