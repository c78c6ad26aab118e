"""What every endpoint that takes a form refuses, whatever it is for (RFC 6749 §3.2), and who may not send one at all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tests.oauth.wrong.shape import Rows, Sent, Wrong

CHALLENGED: Final = {"response_type": "code", "redirect_uri": "https://app.example/callback"}

RIGHT: Final[Mapping[str, Sent]] = {
    "/oauth/token": {"grant_type": "client_credentials"},
    "/oauth/revoke": {"token": "$refresh"},
    "/oauth/introspect": {"token": "$access"},
    "/oauth/par": CHALLENGED,
}
"""A right request to each endpoint, by the client ``web`` with HTTP Basic."""

BROKEN: Final[Mapping[str, bytes]] = {
    "a broken escape": b"&x=%zz",
    "an escape cut off": b"&x=%4",
    "bytes that are not UTF-8": b"&x=\xff",
    "escapes that are not UTF-8": b"&x=%ff",
    "a name without a value": b"&scope",
    "too many parameters": b"".join(b"&p%d=1" % number for number in range(101)),
    "an unknown parameter twice": b"&x=1&x=2",
    "an empty parameter twice": b"&x=&x=",
}

FORM: Final = "application/x-www-form-urlencoded"
SECRET: Final = {"client_id": "web", "client_secret": "$web"}
ASSERTION: Final = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

# How clients fail to say who they are: status, error, what is in the form, HTTP Basic, headers.
UNKNOWN: Final[Mapping[str, tuple[int, str, Sent, str | None, Mapping[str, str]]]] = {
    "no credentials": (401, "invalid_client", {}, None, {}),
    "an id alone": (401, "invalid_client", {"client_id": "web"}, None, {}),
    "a secret alone": (401, "invalid_client", {"client_secret": "$web"}, None, {}),
    "a wrong secret": (401, "invalid_client", {"client_id": "web", "client_secret": "wrong"}, None, {}),
    "an empty secret": (401, "invalid_client", {"client_id": "web", "client_secret": ""}, None, {}),
    "the secret of another": (401, "invalid_client", {"client_id": "web", "client_secret": "$narrow"}, None, {}),
    "a secret that bcrypt cannot take": (401, "invalid_client", {"client_id": "web", "client_secret": "x" * 100}, None, {}),
    "an unknown client": (401, "invalid_client", {"client_id": "nobody", "client_secret": "$web"}, None, {}),
    "a disabled client": (401, "invalid_client", {"client_id": "off", "client_secret": "$off"}, None, {}),
    "a user with a password": (401, "invalid_client", {"client_id": "user@acme.example", "client_secret": "$password"}, None, {}),
    "an operator": (401, "invalid_client", {"client_id": '{"$gt":""}', "client_secret": "$web"}, None, {}),
    "another realm": (401, "invalid_client", SECRET | {"realm": "nowhere"}, None, {}),
    "a public client with a secret": (401, "invalid_client", {"client_id": "single-page", "client_secret": "x"}, None, {}),
    "a client with keys, by its id alone": (401, "invalid_client", {"client_id": "keyed"}, None, {}),
    "a client with keys, by a secret": (401, "invalid_client", {"client_id": "keyed", "client_secret": "x"}, None, {}),
    "a wrong secret by Basic": (401, "invalid_client", {}, None, {"Authorization": "Basic d2ViOndyb25n"}),
    "no colon in Basic": (401, "invalid_client", {}, None, {"Authorization": "Basic d2Vi"}),
    "a bearer token": (401, "invalid_client", {}, None, {"Authorization": "Bearer $access"}),
    "an unknown scheme": (401, "invalid_client", {}, None, {"Authorization": "Digest a=b"}),
    "Basic that is not base64": (400, "invalid_request", {}, None, {"Authorization": "Basic ###"}),
    "Basic and a secret in the form": (400, "invalid_request", SECRET, "web", {}),
    "Basic, and another client in the form": (400, "invalid_request", {"client_id": "narrow"}, "web", {}),
    "Basic and an assertion": (
        400, "invalid_request", {"client_assertion": "$assertion", "client_assertion_type": ASSERTION}, "web", {},
    ),
    "a secret and an assertion": (
        400, "invalid_request", SECRET | {"client_assertion": "$assertion", "client_assertion_type": ASSERTION}, None, {},
    ),
    "an assertion by a client with a secret": (
        401, "invalid_client", {"client_assertion": "$assertion_of_web", "client_assertion_type": ASSERTION}, None, {},
    ),
    "an assertion that is not a token": (
        401, "invalid_client", {"client_id": "keyed", "client_assertion": "a.b.c", "client_assertion_type": ASSERTION}, None, {},
    ),
    "an assertion of another kind": (
        401, "invalid_client", {"client_assertion": "$assertion", "client_assertion_type": "saml"}, None, {},
    ),
    "an assertion without its kind": (400, "invalid_request", {"client_assertion": "$assertion"}, None, {}),
    "an assertion for another server": (
        401, "invalid_client", {"client_assertion": "$assertion_for_other", "client_assertion_type": ASSERTION}, None, {},
    ),
    "an assertion that has expired": (
        401, "invalid_client", {"client_assertion": "$assertion_expired", "client_assertion_type": ASSERTION}, None, {},
    ),
    "an assertion for years": (
        401, "invalid_client", {"client_assertion": "$assertion_for_years", "client_assertion_type": ASSERTION}, None, {},
    ),
    "an assertion by another key": (
        401, "invalid_client", {"client_assertion": "$assertion_by_other", "client_assertion_type": ASSERTION}, None, {},
    ),
    "an assertion without a signature": (
        401, "invalid_client", {"client_assertion": "$assertion_unsigned", "client_assertion_type": ASSERTION}, None, {},
    ),
    "an assertion that was used": (
        401, "invalid_client", {"client_assertion": "$assertion_used", "client_assertion_type": ASSERTION}, None, {},
    ),
}  # fmt: skip


def _rows() -> Rows:
    rows: Rows = {}
    for path, right in RIGHT.items():
        for name, tail in BROKEN.items():
            body = b"token=a&grant_type=client_credentials&response_type=code" + tail
            rows[f"{path}, {name}"] = Wrong(f"POST {path}", 400, "invalid_request", form=body, basic="web")
        for name, (status, error, sent, basic, headers) in UNKNOWN.items():
            rows[f"{path}, {name}"] = Wrong(
                f"POST {path}", status, error, None, {**right, **sent}, basic, headers
            )
        rows |= _of_media(path, right)
        for method in ("GET", "PUT", "PATCH", "DELETE"):
            rows[f"{path}, {method}"] = Wrong(f"{method} {path}", 405, "invalid_request", basic="web")
    return rows


def _of_media(path: str, right: Sent) -> Rows:
    request = f"POST {path}"
    return {
        f"{path}, no media type": Wrong(request, 415, "invalid_request", None, right, "web", {"Content-Type": ""}),
        f"{path}, JSON": Wrong(request, 415, "invalid_request", None, b"{}", "web", {"Content-Type": "application/json"}),
        f"{path}, a form with files": Wrong(
            request, 415, "invalid_request", None, right, "web", {"Content-Type": "multipart/form-data; boundary=a"}
        ),
        f"{path}, compressed": Wrong(request, 415, "invalid_request", None, right, "web", {"Content-Encoding": "gzip"}),
        f"{path}, too large": Wrong(request, 413, "invalid_request", None, b"x=" + b"a" * 70_000, "web"),
        f"{path}, in the query": Wrong(request, 400, "invalid_request", right, {"x": "1"}, "web"),
    }  # fmt: skip


FORM_ROWS: Final = _rows()
