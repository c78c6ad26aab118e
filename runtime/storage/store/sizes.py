"""How large a record may be whose writes can be followed.

MongoDB delivers a write as one document, with the record before and after it, and ends every change stream
that meets a larger one: those of all tenants of the realm. So a record of which there are two in an event may
be a little less than half as large as others.
"""

from typing import Any, Final

import bson

from runtime.errors import TooLarge
from runtime.storage.access import Access
from runtime.storage.store.changes import Document

LARGEST_FOLLOWED: Final = 15 * 2**19
"""Bytes: 7.5 MiB. Twice that leaves 1 MiB of an event for members that writes do not name."""


def count_bytes(document: Document) -> int:
    """Count the bytes of a record as it is stored."""
    return len(bson.encode(document))


def find_oversize(access: Access[Any], document: Document, size: int | None = None) -> TooLarge | None:
    """Return what is wrong with the size of a record; None if nothing is. ``size``: where it was counted."""
    if not access.kind.changes or (count_bytes(document) if size is None else size) <= LARGEST_FOLLOWED:
        return None
    return TooLarge("the record is larger than one whose changes can be followed (7.5 MiB)")
