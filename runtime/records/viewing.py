"""The permission to view the records that a path of a query leads to."""

from typing import Any

from runtime.access.guard import allow
from runtime.call import Call
from runtime.errors import Denied
from runtime.model.record_type import RecordType
from runtime.storage.access import Access, Action


def allow_target(call: Call, kind: RecordType[Any], path: str) -> Access:
    """Grant viewing the records of ``kind`` that ``path`` leads to.

    Raises ``Denied``, which names the path: the caller wrote it, and may not be shown the name of the type.
    """
    try:
        return allow(call, kind, Action.VIEW)
    except Denied as error:
        raise Denied(f"{path}: {error.message}", decided=error.decided, **error.details) from None
