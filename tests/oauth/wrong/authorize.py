"""``/oauth/authorize``, by GET and by POST: row by row of the errors of RFC 6749 §4.1.2.1 and what extends it.

A request without a known client and one of its redirect URIs never leads anywhere (RFC 9700 §4.1); whatever else
is wrong goes back to the application, with ``state`` as it was sent and ``iss`` (RFC 9207).
"""

from __future__ import annotations

from typing import Final

from tests.oauth.wrong.shape import (
    AUTHORIZE,
    CALLBACK,
    CHALLENGE,
    LOOPBACK,
    STOCK,
    Answer,
    Rows,
    Sent,
    Value,
    Wrong,
)

NATIVE: Final[Sent] = {"client_id": "native", "redirect_uri": LOOPBACK}

# Shown to the user: who asks, or where to return to, is not known.
SHOWN: Final[dict[str, Sent]] = {
    "no client": {"client_id": None},
    "an empty client": {"client_id": ""},
    "an unknown client": {"client_id": "nobody"},
    "a client in capitals": {"client_id": "WEB"},
    "a client with a blank": {"client_id": "web "},
    "a client with a NUL": {"client_id": "web\0"},
    "an operator for a client": {"client_id": '{"$ne":1}'},
    "a client beyond any length": {"client_id": "w" * 3000},
    "a disabled client": {"client_id": "off"},
    "a user for a client": {"client_id": "user@acme.example"},
    "two clients": {"client_id": ["web", "web"]},
    "two different clients": {"client_id": ["web", "narrow"]},
    "an unknown realm": {"realm": "nowhere"},
    "a malformed realm": {"realm": "../admin"},
    "nowhere to return to": {"redirect_uri": None},
    "an empty address": {"redirect_uri": ""},
    "two addresses": {"redirect_uri": [CALLBACK, CALLBACK]},
    "two addresses, one of them unknown": {"redirect_uri": [CALLBACK, "https://evil.example/"]},
    "another host": {"redirect_uri": "https://evil.example/callback"},
    "another host that ends so": {"redirect_uri": "https://evilapp.example/callback"},
    "another host that begins so": {"redirect_uri": "https://app.example.evil.example/callback"},
    "the host as a user name": {"redirect_uri": "https://app.example@evil.example/callback"},
    "a user name": {"redirect_uri": "https://u@app.example/callback"},
    "a host in capitals": {"redirect_uri": "https://APP.example/callback"},
    "a scheme in capitals": {"redirect_uri": "HTTPS://app.example/callback"},
    "http in place of https": {"redirect_uri": "http://app.example/callback"},
    "another port": {"redirect_uri": "https://app.example:8443/callback"},
    "the usual port": {"redirect_uri": "https://app.example:443/callback"},
    "a path more": {"redirect_uri": f"{CALLBACK}/more"},
    "a slash more": {"redirect_uri": f"{CALLBACK}/"},
    "a path less": {"redirect_uri": "https://app.example/"},
    "a step up": {"redirect_uri": f"{CALLBACK}/../evil"},
    "a step up and back": {"redirect_uri": "https://app.example/x/../callback"},
    "an escaped letter": {"redirect_uri": "https://app.example/%63allback"},
    "a query more": {"redirect_uri": f"{CALLBACK}?a=b"},
    "an empty query": {"redirect_uri": f"{CALLBACK}?"},
    "a query less": {"client_id": "with-query", "redirect_uri": CALLBACK},
    "a fragment": {"redirect_uri": f"{CALLBACK}#a"},
    "a backslash": {"redirect_uri": "https://app.example\\@evil.example/callback"},
    "a line break": {"redirect_uri": f"{CALLBACK}\r\nSet-Cookie: a=b"},
    "a blank before": {"redirect_uri": f" {CALLBACK}"},
    "a relative address": {"redirect_uri": "/callback"},
    "no scheme": {"redirect_uri": "//app.example/callback"},
    "a script": {"redirect_uri": "javascript:alert(1)"},
    "data": {"redirect_uri": "data:text/html,hello"},
    "an address of another client": {"client_id": "narrow", "redirect_uri": LOOPBACK},
    "a port, by a client that is not native": {"client_id": "loopback", "redirect_uri": "http://127.0.0.1:4000/callback"},
    "native, another path": NATIVE | {"redirect_uri": "http://127.0.0.1:4000/other"},
    "native, by name": NATIVE | {"redirect_uri": "http://localhost:4000/callback"},
    "native, the other loopback address": NATIVE | {"redirect_uri": "http://[::1]:4000/callback"},
    "native, another number": NATIVE | {"redirect_uri": "http://127.0.0.2:4000/callback"},
    "native, no port that exists": NATIVE | {"redirect_uri": "http://127.0.0.1:99999/callback"},
    "native, no number for a port": NATIVE | {"redirect_uri": "http://127.0.0.1:4000@evil.example/callback"},
    "native, https": NATIVE | {"redirect_uri": "https://127.0.0.1:4000/callback"},
    "native, a query more": NATIVE | {"redirect_uri": "http://127.0.0.1:4000/callback?a=b"},
    "an unknown pushed request": {"request_uri": "urn:ietf:params:oauth:request_uri:nothing"},
    "a pushed request of another client": {"client_id": "narrow", "request_uri": "$pushed"},
    "a pushed request that was used": {"request_uri": "$spent_pushed"},
}  # fmt: skip

# Returned to the application: the error, and the change.
RETURNED: Final[dict[str, tuple[str, Sent]]] = {
    "no response type": ("invalid_request", {"response_type": None}),
    "an empty response type": ("invalid_request", {"response_type": ""}),
    "two response types": ("invalid_request", {"response_type": ["code", "code"]}),
    "a token at once": ("unsupported_response_type", {"response_type": "token"}),
    "an id token at once": ("unsupported_response_type", {"response_type": "id_token"}),
    "a code and a token": ("unsupported_response_type", {"response_type": "code token"}),
    "a code and an id token": ("unsupported_response_type", {"response_type": "code id_token"}),
    "a code in capitals": ("unsupported_response_type", {"response_type": "CODE"}),
    "nothing at all": ("unsupported_response_type", {"response_type": "none"}),
    "the answer in the fragment": ("invalid_request", {"response_mode": "fragment"}),
    "the answer as a form": ("invalid_request", {"response_mode": "form_post"}),
    "two states": ("invalid_request", {"state": ["a", "b"]}),
    "two scopes": ("invalid_request", {"scope": ["openid", "profile"]}),
    "two challenges": ("invalid_request", {"code_challenge": [CHALLENGE, CHALLENGE]}),
    "two nonces": ("invalid_request", {"nonce": ["a", "b"]}),
    "an unknown parameter twice": ("invalid_request", {"colour": ["red", "blue"]}),
    "a public client without a challenge": (
        "invalid_request", {"client_id": "single-page", "code_challenge": None, "code_challenge_method": None},
    ),
    "a public client with an empty challenge": (
        "invalid_request", {"client_id": "single-page", "code_challenge": ""},
    ),
    "a client that must have a challenge without it": (
        "invalid_request", {"client_id": "pkce", "code_challenge": None, "code_challenge_method": None},
    ),
    "a method without a challenge": ("invalid_request", {"code_challenge": None}),
    "a challenge without a method": ("invalid_request", {"code_challenge_method": None}),
    "a plain challenge": ("invalid_request", {"code_challenge_method": "plain"}),
    "a method in small letters": ("invalid_request", {"code_challenge_method": "s256"}),
    "an unknown method": ("invalid_request", {"code_challenge_method": "S512"}),
    "a challenge too short": ("invalid_request", {"code_challenge": CHALLENGE[:-1]}),
    "a challenge too long": ("invalid_request", {"code_challenge": "a" * 129}),
    "a challenge with padding": ("invalid_request", {"code_challenge": f"{CHALLENGE}="}),
    "a challenge with a plus": ("invalid_request", {"code_challenge": f"+{CHALLENGE[1:]}"}),
    "a challenge with a blank": ("invalid_request", {"code_challenge": f"{CHALLENGE} "}),
    "a client that may not": ("unauthorized_client", {"client_id": "machine"}),
    "an unknown scope": ("invalid_scope", {"scope": "openid everything"}),
    "a scope of an unknown area": ("invalid_scope", {"scope": "nowhere:read"}),
    "a scope in capitals": ("invalid_scope", {"scope": "OpenID"}),
    "a scope with a quote": ("invalid_scope", {"scope": 'openid"'}),
    "a scope that the client may not request": ("invalid_scope", {"client_id": "narrow", "scope": "openid records:write"}),
    "all areas, by a client of one": ("invalid_scope", {"client_id": "narrow", "scope": "records:read"}),
    "an unknown resource": ("invalid_target", {"resource": "https://other.example/api"}),
    "a resource with a slash more": ("invalid_target", {"resource": f"{STOCK}/"}),
    "one of two resources unknown": ("invalid_target", {"resource": [STOCK, "https://other.example/api"]}),
    "a relative resource": ("invalid_target", {"resource": "/api"}),
    "a resource with a fragment": ("invalid_target", {"resource": f"{STOCK}#a"}),
    "a request object": ("request_not_supported", {"request": "eyJhbGciOiJub25lIn0.e30."}),
    "a request object elsewhere": ("request_uri_not_supported", {"request_uri": "https://app.example/request.jwt"}),
    "a registration": ("registration_not_supported", {"registration": "{}"}),
    "none and another prompt": ("invalid_request", {"prompt": "none login"}),
    "none after another prompt": ("invalid_request", {"prompt": "consent none"}),
    "a max_age that is not a number": ("invalid_request", {"max_age": "soon"}),
    "a max_age below nothing": ("invalid_request", {"max_age": "-1"}),
    "none, but consent is needed": ("consent_required", {"client_id": "careful", "prompt": "none"}),
    "none, but the sign-in is too old": ("login_required", {"prompt": "none", "max_age": "0"}),
    "none, for another user": ("login_required", {"prompt": "none", "id_token_hint": "$id_token_of_other"}),
}  # fmt: skip


LOGIN: Final[Sent] = {"username": "user@acme.example", "password": "$password"}

# Forms that did not come from a page of this browser (login CSRF): whether it has a cookie, and the form.
FORMS: Final[dict[str, tuple[bool, Sent]]] = {
    "a login for nothing": (False, LOGIN),
    "a login for a forged request": (False, LOGIN | {"request": f"e30.{'a' * 43}"}),
    "a login for a request that is not signed": (False, LOGIN | {"request": "e30."}),
    "a login for a request of another browser": (False, LOGIN | {"request": "$field"}),
    "a login, in a browser that has a sign-on": (True, LOGIN | {"request": "$field"}),
    "two passwords": (True, {"request": "$own_field", "username": "a", "password": ["$password", "b"]}),
    "two users": (True, {"request": "$own_field", "username": ["user@acme.example", "b"], "password": "$password"}),
    "two requests": (True, LOGIN | {"request": ["$own_field", "$own_field"]}),
    "a consent to a forged request": (True, {"request": f"e30.{'a' * 43}", "decision": "allow"}),
    "a consent to a request of another browser": (True, {"request": "$field", "decision": "allow"}),
    "a consent to nothing": (True, {"decision": "allow"}),
    "two decisions": (True, {"request": "$own_field", "decision": ["allow", "deny"]}),
    "a new password for a forged request": (True, {"request": "e30.a", "change_token": "a.b.c", "new_password": "$password"}),
}  # fmt: skip


def _rows() -> Rows:
    rows: Rows = {}
    for name, (signed_on, form) in FORMS.items():
        request = "POST /oauth/authorize"
        rows[f"POST authorize, {name}"] = Wrong(
            request, 400, None, form=form, answer=Answer.PAGE, signed_on=signed_on
        )
    for how in ("GET", "POST"):
        for name, change in SHOWN.items():
            rows[f"{how} authorize, {name}"] = _wrong(how, 400, None, change, Answer.PAGE)
        for name, (error, change) in RETURNED.items():
            rows[f"{how} authorize, {name}"] = _wrong(how, 303, error, change, Answer.BACK)
    nobody = _wrong("GET", 303, "login_required", {"prompt": "none"}, Answer.BACK, signed_on=False)
    rows["GET authorize, none, without a sign-on"] = nobody
    return rows


def _wrong(
    how: str, status: int, error: str | None, change: Sent, answer: Answer, *, signed_on: bool = True
) -> Wrong:
    sent: dict[str, Value] = {**AUTHORIZE, **change}
    request, pairs = f"{how} /oauth/authorize", sent
    if how == "GET":
        return Wrong(request, status, error, query=pairs, answer=answer, signed_on=signed_on)
    return Wrong(request, status, error, form=pairs, answer=answer, signed_on=signed_on)


AUTHORIZE_ROWS: Final = _rows()
