"""Signed places: where in the order of all writes a stream or page was, to go on from there. Pure.

A place is base64url text: a signature and the resume token of the store. The signature also covers which
stream it is of: realm, record type or group. A place grants nothing; it only says how far back to read.
"""

import hmac
from dataclasses import dataclass
from typing import Final

from runtime.base64url import decode_base64url, encode_base64url
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
        token = bytes.fromhex(place.token)
        return encode_base64url(self._sign(token) + token)

    def read(self, text: str, parameter: str, *, or_else: str = "") -> Place:
        """Read what a caller sent. Raises ``InvalidParameter`` for anything but a place of this stream.

        ``or_else``: what else a caller may send, for the message.
        """
        signed = (decode_base64url(text) if len(text) <= MAX_PLACE else None) or b""
        token = signed[_SIGNATURE:]
        if not token or not hmac.compare_digest(signed[:_SIGNATURE], self._sign(token)):
            other = f"{or_else} or " if or_else else ""
            message = f"{parameter} must be {other}the id of an event of this stream, unchanged"
            raise InvalidParameter(message, parameter=parameter)
        return Place(token.hex().upper())

    def _sign(self, token: bytes) -> bytes:
        return self.tokens.sign(_PURPOSE, self.stream.encode() + b"\0" + token)[:_SIGNATURE]
