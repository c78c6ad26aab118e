"""The hidden field ``request`` of the pages: an authorization request on its way through them.

The service stores nothing about it. The field has all parameters of the request, is signed, expires, and is
good in one browser only.
"""

import hmac
import re
from collections.abc import Collection
from dataclasses import asdict, dataclass, field
from typing import Any, Final

import orjson

from runtime.base64url import decode_base64url, encode_base64url
from runtime.client import Client
from runtime.oauth.browser import Browser
from runtime.tokens import Tokens

FIELD_SECONDS: Final = 600

_PURPOSE: Final = "authorization-request"
_FIELD: Final = re.compile(r"([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{43})")


@dataclass(frozen=True, slots=True)
class SignedRequest:
    """An authorization request that a page is about.

    ``hidden_field`` goes into its form as ``request``. ``cookie`` is the Set-Cookie header that the
    page must have; None if the browser has its cookie. ``user_id``: whom the client suggests.
    """

    client: Client
    redirect_uri: str
    scope: str
    resources: tuple[str, ...]
    hidden_field: str = field(repr=False)
    cookie: str | None = field(default=None, repr=False)
    user_id: str = ""


@dataclass(frozen=True, slots=True)
class Journey:
    """What a field says: the parameters as they were sent, and how far the user has come.

    ``sign_on``: that of the user whom the page shows, by its refName. ``is_fresh``: whether they have entered
    a password for this request. ``wanted``: what a consent page asks for.
    """

    pairs: tuple[tuple[str, str], ...]
    sign_on: str | None = None
    is_fresh: bool = False
    wanted: tuple[str, ...] = ()


def sign_journey(tokens: Tokens, journey: Journey, browser: Browser) -> str:
    """Return the field for a browser."""
    says = {
        **asdict(journey),
        "until": int(tokens.clock()) + FIELD_SECONDS,
        "browser": browser.digest,
    }
    body = encode_base64url(orjson.dumps(says))
    return f"{body}.{encode_base64url(tokens.sign(_PURPOSE, body.encode()))}"


def read_journey(tokens: Tokens, text: str, browsers: Collection[Browser]) -> Journey | None:
    """Read a field; None for one that is not ours, has expired, or was created for none of the browsers."""
    parts = _FIELD.fullmatch(text)
    if parts is None:
        return None
    body, signature = parts.groups()
    octets = decode_base64url(body)
    if octets is None or not hmac.compare_digest(
        encode_base64url(tokens.sign(_PURPOSE, body.encode())), signature
    ):
        return None
    says: dict[str, Any] = orjson.loads(octets)
    if tokens.clock() >= says["until"] or says["browser"] not in [one.digest for one in browsers]:
        return None
    pairs = tuple((name, value) for name, value in says["pairs"])
    return Journey(pairs, says["sign_on"], says["is_fresh"], tuple(says["wanted"]))
