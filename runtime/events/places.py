"""Signed places: where in the order of all writes a stream or page was, to go on from there. Pure.

A place is base64url text: a signature and the resume token of the store. The signature also covers which
stream it is of: realm, record type or group. A place grants nothing; it only says how far back to read.
"""

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from typing import Final

from runtime.contract.changes import MAX_PLACE
from runtime.errors import InvalidParameter
from runtime.storage.store import Place
from runtime.tokens import Tokens

_PURPOSE: Final = "event-place"
_SIGNATURE: Final = 12  # bytes


@dataclass(frozen=True, slots=True)
class Places:
    """Writes and reads the places of one stream, which ``stream`` names."""

    tokens: Tokens
    stream: str

    def write(self, place: Place) -> str:
        """Write a place for the caller."""
        token = bytes.fromhex(place.token)
        return _text(self._sign(token) + token)

    def read(self, text: str, parameter: str, *, or_else: str = "") -> Place:
        """Read what a caller sent. Raises ``InvalidParameter`` for anything but a place of this stream.

        ``or_else``: what else a caller may send, for the message.
        """
        signed = _bytes(text) if len(text) <= MAX_PLACE else b""
        token = signed[_SIGNATURE:]
        if not token or not hmac.compare_digest(signed[:_SIGNATURE], self._sign(token)):
            other = f"{or_else} or " if or_else else ""
            message = f"{parameter} must be {other}the id of an event of this stream, unchanged"
            raise InvalidParameter(message, parameter=parameter)
        return Place(token.hex().upper())

    def _sign(self, token: bytes) -> bytes:
        return self.tokens.sign(_PURPOSE, self.stream.encode() + b"\0" + token)[:_SIGNATURE]


def _text(octets: bytes) -> str:
    return urlsafe_b64encode(octets).rstrip(b"=").decode("ascii")


def _bytes(text: str) -> bytes:
    """Decode one spelling only; nothing for what is not base64url."""
    try:
        octets = urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
    except ValueError:
        return b""
    return octets if _text(octets) == text else b""
