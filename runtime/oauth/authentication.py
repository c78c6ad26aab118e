"""Client authentication (RFC 6749 §2.3): by HTTP Basic or in the form, never both."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import unquote_plus

from runtime.call import Call
from runtime.errors import LoginFailed
from runtime.oauth.refusals import OAuthRefused
from runtime.principal import Client

BASIC = "client_secret_basic"
POST = "client_secret_post"

_FAILED = "the client is unknown or disabled, or its secret is wrong"


class ClientForm(Protocol):
    """The parameters by which a client can sign in."""

    client_id: str | None
    client_secret: str | None
    realm: str | None


@dataclass(frozen=True, slots=True)
class Presented:
    """A client id and secret as they were sent."""

    method: str
    client_id: str
    secret: str = field(repr=False)


async def authenticate_client(call: Call, form: ClientForm, authorization: str | None) -> Client:
    """Return the client that sent the request.

    Raises ``OAuthRefused`` and ``Throttled``.
    """
    presented = read_credentials(form, authorization)
    realm = form.realm or call.service.settings.default_realm
    call.turn.give_back()  # as a login
    try:
        client = await call.service.clients.authenticate(
            realm, presented.client_id, presented.secret, call.address
        )
    except LoginFailed:
        raise OAuthRefused("invalid_client", _FAILED) from None
    if client.auth_method not in (None, presented.method):
        raise OAuthRefused("invalid_client", f"the client is registered for {client.auth_method}")
    return client


def read_credentials(form: ClientForm, authorization: str | None) -> Presented:
    """Read the client id and secret of a request. Raises ``OAuthRefused``."""
    if authorization is None:
        if form.client_id is None or form.client_secret is None:
            raise OAuthRefused(
                "invalid_client", "send client_id and client_secret, by HTTP Basic or in the form"
            )
        return Presented(POST, form.client_id, form.client_secret)
    presented = _read_basic(authorization)
    if form.client_secret is not None:
        raise OAuthRefused("invalid_request", "send the client secret by HTTP Basic or in the form, not both")
    if form.client_id not in (None, presented.client_id):
        raise OAuthRefused("invalid_request", "client_id differs from that of the Authorization header")
    return presented


def _read_basic(authorization: str) -> Presented:
    """Read ``Basic …``, whose two halves are form-encoded before they are joined (RFC 6749 §2.3.1)."""
    scheme, _, encoded = authorization.partition(" ")
    if scheme.lower() != "basic":
        raise OAuthRefused("invalid_client", "clients sign in by HTTP Basic or in the form")
    try:
        joined = base64.b64decode(encoded.strip(), validate=True).decode()
        client_id, colon, secret = joined.partition(":")
        halves = [unquote_plus(half, errors="strict") for half in (client_id, secret)]
    except (binascii.Error, ValueError):
        raise OAuthRefused(
            "invalid_request", "the Authorization header must be: Basic <base64 of id:secret>"
        ) from None
    if not colon or not all(halves):
        raise OAuthRefused("invalid_client", "send a client id and a client secret")
    return Presented(BASIC, *halves)
