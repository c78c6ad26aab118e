"""The intent of a row: INSERT, UPDATE, UPSERT, SKIP. Pure.

INSERT fails where the record exists, UPDATE where it does not, UPSERT does what fits, SKIP leaves the row
alone. MERGE and DELETE are refused as not supported.
"""

from enum import StrEnum
from typing import Final

from runtime.contract.imports import RowCode
from runtime.model.nearest import closest
from runtime.transfer.rows.row_error import RowError


class Intent(StrEnum):
    """The intent of a row."""

    INSERT = "INSERT"
    UPDATE = "UPDATE"
    UPSERT = "UPSERT"
    SKIP = "SKIP"


_WORDS: Final = ", ".join(Intent)
_NOT_SUPPORTED: Final = frozenset({"MERGE", "DELETE"})


def read_intent(text: str, default: Intent, column: str | None = None) -> Intent | RowError:
    """Read the intent of a cell, ignoring blanks and case; ``default`` where it is empty."""
    name = text.strip().upper()
    if not name:
        return default
    if name in Intent.__members__:
        return Intent[name]
    why = "is not supported" if name in _NOT_SUPPORTED else "is not an intent"
    message = f"{text.strip()[:40]} {why}: a row is one of {_WORDS}"
    return RowError(RowCode.INTENT, message, column, text, closest(name, Intent.__members__))


def decide_intent(intent: Intent, exists: bool, key: str, value: str) -> Intent | RowError:
    """Decide what to do with a row: INSERT, UPDATE or SKIP.

    ``key`` is the field that decides whether the record ``exists`` in the caller's scope (refName, or the key
    column of a profile), ``value`` the row's.
    """
    if intent is Intent.UPSERT:
        return Intent.UPDATE if exists else Intent.INSERT
    if intent is Intent.INSERT and exists:
        message = f"INSERT, but a record with {key} {value[:100]} exists: use UPDATE or UPSERT"
        return RowError(RowCode.INTENT, message, key, value, Intent.UPSERT)
    if intent is Intent.UPDATE and not exists:
        which = f"no record has {key} {value[:100]}" if value else f"the row has no {key}"
        message = f"UPDATE, but {which}: use INSERT or UPSERT"
        return RowError(RowCode.INTENT, message, key, value, Intent.UPSERT)
    return intent
