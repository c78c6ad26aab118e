"""``POST /oauth/token``: what each grant type refuses (RFC 6749 §5.2, RFC 7636 §4.6, RFC 8707 §2.2)."""

from __future__ import annotations

from typing import Final

from tests.oauth.wrong.shape import CALLBACK, STOCK, VERIFIER, Rows, Sent, Wrong

CODE: Final[Sent] = {
    "grant_type": "authorization_code",
    "code": "$code",
    "redirect_uri": CALLBACK,
    "code_verifier": VERIFIER,
}
REFRESH: Final[Sent] = {"grant_type": "refresh_token", "refresh_token": "$refresh"}
OWN: Final[Sent] = {"grant_type": "client_credentials"}
PUBLIC: Final[Sent] = {"client_id": "single-page", "code": "$single_page_code"}

# What is wrong of a request for tokens: error, the right request, the change, the client of HTTP Basic.
WRONG: Final[dict[str, tuple[str, Sent, Sent, str | None]]] = {
    "no grant type": ("invalid_request", {}, {"scope": "openid"}, "web"),
    "an empty grant type": ("invalid_request", {}, {"grant_type": ""}, "web"),
    "two grant types": ("invalid_request", {}, {"grant_type": ["client_credentials", "client_credentials"]}, "web"),
    "a password": ("unsupported_grant_type", {}, {"grant_type": "password", "username": "user@acme.example", "password": "$password"}, "web"),
    "implicit": ("unsupported_grant_type", {}, {"grant_type": "implicit"}, "web"),
    "a device code": ("unsupported_grant_type", {}, {"grant_type": "urn:ietf:params:oauth:grant-type:device_code"}, "web"),
    "an assertion for a grant": ("unsupported_grant_type", {}, {"grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": "a.b.c"}, "web"),
    "an exchange of tokens": ("unsupported_grant_type", {}, {"grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "subject_token": "$access"}, "web"),
    "a grant type in capitals": ("unsupported_grant_type", CODE, {"grant_type": "AUTHORIZATION_CODE"}, "web"),
    "a grant type with a blank": ("unsupported_grant_type", OWN, {"grant_type": "client_credentials "}, "web"),
    "own tokens, a client that may not": ("unauthorized_client", OWN, {}, "narrow"),
    "own tokens, a public client": ("unauthorized_client", OWN, {"client_id": "single-page"}, None),
    "a code, a client that may not": ("unauthorized_client", CODE, {}, "machine"),
    "a refresh, a client that may not": ("unauthorized_client", REFRESH, {}, "machine"),
    "own tokens, an unknown scope": ("invalid_scope", OWN, {"scope": "everything"}, "web"),
    "own tokens, a scope beyond": ("invalid_scope", OWN, {"scope": "records:write"}, "machine"),
    "own tokens, an unknown resource": ("invalid_target", OWN, {"resource": "https://other.example"}, "web"),
    "own tokens, one of two resources unknown": ("invalid_target", OWN, {"resource": [STOCK, "https://other.example"]}, "web"),
    "own tokens, a fragment": ("invalid_target", OWN, {"resource": f"{STOCK}#a"}, "web"),
    "own tokens, a relative resource": ("invalid_target", OWN, {"resource": "/api"}, "web"),
    "no code": ("invalid_request", CODE, {"code": None}, "web"),
    "an empty code": ("invalid_request", CODE, {"code": ""}, "web"),
    "two codes": ("invalid_request", CODE, {"code": ["$code", "$code"]}, "web"),
    "an unknown code": ("invalid_grant", CODE, {"code": "nothing"}, "web"),
    "a code in capitals": ("invalid_grant", CODE, {"code": "$CODE"}, "web"),
    "an operator for a code": ("invalid_grant", CODE, {"code": '{"$ne":1}'}, "web"),
    "a code beyond any length": ("invalid_request", CODE, {"code": "c" * 5000}, "web"),
    "a code of another client": ("invalid_grant", CODE, {}, "narrow"),
    "a code of another client, public": ("invalid_grant", CODE, {"client_id": "single-page"}, None),
    "a code of a public client, by another": ("invalid_grant", CODE, {"code": "$single_page_code"}, "web"),
    "a code that was used": ("invalid_grant", CODE, {"code": "$spent_code"}, "web"),
    "a code that has expired": ("invalid_grant", CODE, {"code": "$old_code"}, "web"),
    "a code of a user who changed the password": ("invalid_grant", CODE, {"code": "$stale_code"}, "web"),
    "an access token for a code": ("invalid_grant", CODE, {"code": "$access"}, "web"),
    "a refresh token for a code": ("invalid_grant", CODE, {"code": "$refresh"}, "web"),
    "no address": ("invalid_request", CODE, {"redirect_uri": None}, "web"),
    "another address": ("invalid_grant", CODE, {"redirect_uri": f"{CALLBACK}/other"}, "web"),
    "another address of the client": ("invalid_grant", CODE, {"redirect_uri": "https://app.example/second"}, "web"),
    "no verifier": ("invalid_grant", CODE, {"code_verifier": None}, "web"),
    "an empty verifier": ("invalid_grant", CODE, {"code_verifier": ""}, "web"),
    "a wrong verifier": ("invalid_grant", CODE, {"code_verifier": VERIFIER[::-1]}, "web"),
    "the challenge for a verifier": ("invalid_grant", CODE, {"code_verifier": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"}, "web"),
    "a verifier too short": ("invalid_grant", CODE, {"code_verifier": "short"}, "web"),
    "a verifier without a challenge": ("invalid_grant", CODE, {"code": "$plain_code"}, "web"),
    "a public client without a verifier": ("invalid_grant", CODE, {**PUBLIC, "code_verifier": None}, None),
    "a code for an unknown resource": ("invalid_target", CODE, {"resource": "https://other.example"}, "web"),
    "a code for a resource that was not granted": ("invalid_target", CODE, {"code": "$stock_code", "resource": "http://127.0.0.1:8080"}, "web"),
    "no refresh token": ("invalid_request", REFRESH, {"refresh_token": None}, "web"),
    "two refresh tokens": ("invalid_request", REFRESH, {"refresh_token": ["$refresh", "$refresh"]}, "web"),
    "an unknown refresh token": ("invalid_grant", REFRESH, {"refresh_token": "nothing"}, "web"),
    "a refresh token of another client": ("invalid_grant", REFRESH, {}, "narrow"),
    "a refresh token, by a public client": ("invalid_grant", REFRESH, {"client_id": "single-page"}, None),
    "a refresh token that was used": ("invalid_grant", REFRESH, {"refresh_token": "$spent_refresh"}, "web"),
    "a refresh token of a login": ("invalid_grant", REFRESH, {"refresh_token": "$login_refresh"}, "web"),
    "an access token for a refresh token": ("invalid_grant", REFRESH, {"refresh_token": "$access"}, "web"),
    "an id token for a refresh token": ("invalid_grant", REFRESH, {"refresh_token": "$id_token"}, "web"),
    "a code for a refresh token": ("invalid_grant", REFRESH, {"refresh_token": "$code"}, "web"),
    "a refresh token without its signature": ("invalid_grant", REFRESH, {"refresh_token": "$unsigned_refresh"}, "web"),
    "a refresh token that was revoked": ("invalid_grant", REFRESH, {"refresh_token": "$revoked_refresh"}, "web"),
    "a refresh token of a user who changed the password": ("invalid_grant", REFRESH, {"refresh_token": "$stale_refresh"}, "web"),
    "a refresh with more scope": ("invalid_scope", REFRESH, {"scope": "openid records:write"}, "web"),
    "a refresh with an unknown scope": ("invalid_scope", REFRESH, {"scope": "everything"}, "web"),
    "a refresh for an unknown resource": ("invalid_target", REFRESH, {"resource": "https://other.example"}, "web"),
    "a refresh for a resource that was not granted": ("invalid_target", REFRESH, {"refresh_token": "$stock_refresh", "resource": "http://127.0.0.1:8080"}, "web"),
}  # fmt: skip

GRANT_ROWS: Final[Rows] = {
    f"token, {name}": Wrong("POST /oauth/token", 400, error, None, {**right, **change}, basic)
    for name, (error, right, change, basic) in WRONG.items()
}
