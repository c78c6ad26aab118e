"""What a client sent to authenticate (RFC 6749 §2.3, RFC 7523): one method, read from header and form."""

import base64
import binascii
from dataclasses import dataclass, field
from typing import Final, TypeAlias
from urllib.parse import unquote_plus

from runtime.client import PRIVATE_KEY_JWT
from runtime.oauth.refusals import OAuthRefused
from runtime.system.models.presented_token import PresentedToken
from runtime.system.models.pushed_authorization import PushedAuthorization
from runtime.system.models.token_request import TokenRequest
from runtime.tokens import read_claimed_client

BASIC: Final = "client_secret_basic"
POST: Final = "client_secret_post"
NONE: Final = "none"

METHODS: Final = (BASIC, POST, PRIVATE_KEY_JWT, NONE)
"""All there are, by their names in the registry of RFC 7591."""

ASSERTION_TYPE: Final = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"


ClientForm: TypeAlias = PresentedToken | PushedAuthorization | TokenRequest
"""The forms with the parameters by which a client can authenticate."""


@dataclass(frozen=True, slots=True)
class Presented:
    """A method and what belongs to it; ``secrets`` are the ways to read the one that was sent."""

    method: str
    client_id: str
    secrets: tuple[str, ...] = field(default=(), repr=False)
    assertion: str = field(default="", repr=False)


def read_credentials(form: ClientForm, authorization: str | None) -> Presented:
    """Read what a request authenticates with. Raises ``OAuthRefused``."""
    if form.client_assertion is not None or form.client_assertion_type is not None:
        return _read_assertion(form, authorization)
    if authorization is None:
        return _read_form(form)
    presented = _read_basic(authorization)
    if form.client_secret is not None:
        raise OAuthRefused("invalid_request", "send the client secret by HTTP Basic or in the form, not both")
    if form.client_id not in (None, presented.client_id):
        raise OAuthRefused("invalid_request", "client_id differs from that of the Authorization header")
    return presented


def _read_assertion(form: ClientForm, authorization: str | None) -> Presented:
    if authorization is not None or form.client_secret is not None:
        raise OAuthRefused("invalid_request", "send a client assertion or a client secret, not both")
    if form.client_assertion is None or form.client_assertion_type is None:
        raise OAuthRefused("invalid_request", "send client_assertion and client_assertion_type together")
    if form.client_assertion_type != ASSERTION_TYPE:
        raise OAuthRefused("invalid_client", f"client_assertion_type must be {ASSERTION_TYPE}")
    claimed = read_claimed_client(form.client_assertion) or form.client_id or ""
    if form.client_id not in (None, claimed):
        raise OAuthRefused("invalid_request", "client_id differs from the claim sub of the client assertion")
    return Presented(PRIVATE_KEY_JWT, claimed, assertion=form.client_assertion)


def _read_form(form: ClientForm) -> Presented:
    if form.client_id is None:
        raise OAuthRefused("invalid_client", "send client_id and client_secret, by HTTP Basic or in the form")
    if form.client_secret is None:
        return Presented(NONE, form.client_id)
    return Presented(POST, form.client_id, (form.client_secret,))


def _read_basic(authorization: str) -> Presented:
    """Read ``Basic …``, whose two halves are form-encoded before they are joined (RFC 6749 §2.3.1).

    Many clients leave that out, so the secret as it came is tried too. Ids of clients with a secret are the
    same both ways.
    """
    scheme, _, encoded = authorization.partition(" ")
    if scheme.lower() != "basic":
        raise OAuthRefused("invalid_client", "clients authenticate by HTTP Basic or in the form")
    try:
        joined = base64.b64decode(encoded.strip(), validate=True).decode()
    except (binascii.Error, ValueError):
        raise OAuthRefused(
            "invalid_request", "the Authorization header must be: Basic <base64 of id:secret>"
        ) from None
    client_id, _colon, secret = joined.partition(":")
    if not client_id or not secret:
        advice = "a public client sends client_id in the form instead"
        raise OAuthRefused("invalid_client", f"the Authorization header lacks an id or a secret: {advice}")
    secrets = filter(None, (_decode(secret), secret))
    return Presented(BASIC, _decode(client_id) or client_id, tuple(dict.fromkeys(secrets)))


def _decode(half: str) -> str | None:
    """Return the form-decoded half; None where its escapes are not UTF-8."""
    try:
        return unquote_plus(half, errors="strict")
    except UnicodeDecodeError:
        return None
