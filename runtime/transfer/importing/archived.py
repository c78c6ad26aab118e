"""Rows that name an archived record: it is in no list, so a change to it would not be seen. Pure."""

from collections.abc import Set
from typing import Any, Final

from runtime.contract.imports import RowCode
from runtime.model.record_type import RecordType
from runtime.storage.wire import plain_text
from runtime.transfer.rows.row_error import RowError
from runtime.transfer.rows.rows import Document, InputRow

STATUS: Final = "activeStatus"


def is_archived(record: Document) -> bool:
    """Return whether a stored record is archived."""
    return record.get(STATUS) == "ARCHIVED"


def names_archived(record: Document, row: InputRow, hidden: Set[str]) -> bool:
    """Return whether a row names an archived record without giving its status.

    False for a caller that may not see the status: the answer would reveal it.
    """
    return is_archived(record) and row.values.get(STATUS) is None and STATUS not in hidden


def build_archived_error(kind: RecordType[Any], row: InputRow) -> RowError:
    """Return what to say of such a row: what restores the record. Not every type has a route for that."""
    value: Any = plain_text(row.key) or ""
    first = "restore it first, " if "restore" in kind.operations else ""
    message = (
        f"the record with the {row.terms.key} {value[:100]} is archived: {first}send restoreArchived=true, "
        f"which restores and changes it, or give its {STATUS}"
    )
    return RowError(RowCode.INTENT, message, row.terms.key, value)
