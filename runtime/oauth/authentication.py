"""Client authentication (RFC 6749 §2.3): one method at a time, and the one the client is registered for.

A client sends its secret by HTTP Basic or in the form, or its id alone if it is public. Without a registered
method a confidential client may send its secret either way.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass, field
from typing import Final, Protocol
from urllib.parse import unquote_plus

from runtime.call import Call
from runtime.errors import LoginFailed
from runtime.oauth.refusals import OAuthRefused
from runtime.principal import Client

BASIC: Final = "client_secret_basic"
POST: Final = "client_secret_post"
NONE: Final = "none"

METHODS: Final = (BASIC, POST, NONE)
"""All there are, by their names in the registry of RFC 7591."""

_FAILED = "the client is unknown or disabled, or its secret is wrong or missing"


class ClientForm(Protocol):
    """The parameters by which a client can sign in."""

    client_id: str | None
    client_secret: str | None
    realm: str | None


@dataclass(frozen=True, slots=True)
class Presented:
    """What a client sent to authenticate; ``secrets`` are the ways to read the one it sent."""

    method: str
    client_id: str
    secrets: tuple[str, ...] = field(default=(), repr=False)


async def authenticate_client(call: Call, form: ClientForm, authorization: str | None) -> Client:
    """Return the client that sent the request.

    Raises ``OAuthRefused`` and ``Throttled``.
    """
    presented = read_credentials(form, authorization)
    realm = form.realm or call.service.settings.default_realm
    call.turn.give_back()  # as a login
    client = await _find_client(call, realm, presented)
    if client is None:
        raise OAuthRefused("invalid_client", _FAILED)
    allowed = allowed_methods(client)
    if presented.method not in allowed:
        # An id alone proves nothing: it must not reveal that there is such a client.
        known = f"the client must authenticate by {' or '.join(allowed) or 'another method'}"
        raise OAuthRefused("invalid_client", known if presented.secrets else _FAILED)
    return client


def allowed_methods(client: Client) -> tuple[str, ...]:
    """Return the methods a client may authenticate by; none if what is registered contradicts itself."""
    if client.is_public:
        return (NONE,) if client.auth_method in (None, NONE) else ()
    if client.auth_method is None:
        return (BASIC, POST)
    return () if client.auth_method == NONE else (client.auth_method,)


def read_credentials(form: ClientForm, authorization: str | None) -> Presented:
    """Read what a request authenticates with. Raises ``OAuthRefused``."""
    if authorization is None:
        return _read_form(form)
    presented = _read_basic(authorization)
    if form.client_secret is not None:
        raise OAuthRefused("invalid_request", "send the client secret by HTTP Basic or in the form, not both")
    if form.client_id not in (None, presented.client_id):
        raise OAuthRefused("invalid_request", "client_id differs from that of the Authorization header")
    return presented


async def _find_client(call: Call, realm: str, presented: Presented) -> Client | None:
    """Find the client that the credentials belong to. Raises ``Throttled``."""
    clients = call.service.clients
    if presented.method == NONE:
        return await clients.find(realm, presented.client_id)
    try:
        return await clients.authenticate(realm, presented.client_id, presented.secrets, call.address)
    except LoginFailed:
        return None


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
        raise OAuthRefused("invalid_client", "send a client id and a client secret")
    secrets = filter(None, (_decode(secret), secret))
    return Presented(BASIC, _decode(client_id) or client_id, tuple(dict.fromkeys(secrets)))


def _decode(half: str) -> str | None:
    """Return the form-decoded half; None where its escapes are not UTF-8."""
    try:
        return unquote_plus(half, errors="strict")
    except UnicodeDecodeError:
        return None
