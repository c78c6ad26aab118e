"""Signed cursors: where a page of a list ended, so that a caller can continue after it. Pure.

A cursor is base64url text: a signature, and in BSON (which keeps every type exactly) the sort values of the
last row and how many rows were passed so far. The signature also covers what the list is: record type, realm,
scope, filter and order. So a cursor of another list is refused exactly as a forged one, and nothing is read
from a cursor before its signature is verified. A cursor grants nothing: the scope of its sender is part of
the command all the same.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any, Final

import bson

from runtime.base64url import decode_base64url, encode_base64url
from runtime.contract.pages import MAX_CURSOR
from runtime.errors import InvalidParameter
from runtime.filter import RowOrder
from runtime.model.paths import value_at
from runtime.storage.access import Access
from runtime.storage.wire import to_json
from runtime.tokens import Tokens

_PURPOSE: Final = "list-cursor"
_SIGNATURE: Final = 16  # bytes
_COMPARABLE = (str, bool, int, float, datetime, bson.ObjectId, bson.Decimal128)


@dataclass(frozen=True, slots=True)
class Position:
    """The sort values of the last row, None for null and missing, and the number of rows up to it."""

    values: tuple[Any, ...]
    passed: int


@dataclass(frozen=True, slots=True)
class Cursors:
    """Writes and reads the cursors of one list; ``listed`` is a digest of what the list is."""

    tokens: Tokens
    order: RowOrder
    listed: bytes

    @classmethod
    def of(
        cls,
        tokens: Tokens,
        access: Access,
        filter_text: str | None,
        order: RowOrder,
        time_zone: str = "UTC",
    ) -> Cursors:
        """Return the cursors of the list that ``access`` opens; the filter is read in the time zone."""
        kind, scope = access.kind, sorted(access.domain.match.items())
        by = [order.keys, order.order.language, sorted(order.order.moved)]
        said = [kind.area, kind.name, access.database, scope, filter_text or "", by, time_zone]
        return cls(tokens, order, sha256(to_json(said)).digest())

    def write(self, row: Mapping[str, Any], passed: int) -> str | None:
        """Write the cursor that continues after a stored row.

        Return None in an order without cursors, or when the sort values of the row are longer than a cursor
        may be or of a type that a sort cannot have.
        """
        values = [value_at(row, path) for path in self.order.paths] if self.order.has_cursors else []
        if not values or not all(value is None or isinstance(value, _COMPARABLE) for value in values):
            return None
        payload = bson.encode({"passed": passed, "values": values})
        text = encode_base64url(self._signature(payload) + payload)
        return text if len(text) <= MAX_CURSOR else None

    def read(self, text: str) -> Position:
        """Return where to continue. Raises ``InvalidParameter`` for anything but a cursor of this list."""
        if not self.order.has_cursors:
            raise _refuse("a list sorted by a free-form field has no cursors: use skip")
        signed = decode_base64url(text)
        if not signed:
            raise _refuse("cursor is not valid: send the nextCursor of a page unchanged")
        payload = signed[_SIGNATURE:]
        if not hmac.compare_digest(signed[:_SIGNATURE], self._signature(payload)):
            raise _refuse(
                "the cursor belongs to another filter or sort, or is damaged: begin again without one"
            )
        said = bson.decode(payload)
        return Position(tuple(said["values"]), said["passed"])

    def _signature(self, payload: bytes) -> bytes:
        return self.tokens.sign(_PURPOSE, self.listed + payload)[:_SIGNATURE]


def _refuse(message: str) -> InvalidParameter:
    return InvalidParameter(message, parameter="cursor")
