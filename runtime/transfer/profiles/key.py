"""The field that finds a record: refName, or the column of a profile that is marked ``#``. Pure.

It is unique in a tenant, visible to every caller that may see the record, and of a type of which two values
are equal or not, however they are written.
"""

from collections.abc import Set
from typing import Any, Final

from runtime.errors import UnknownField
from runtime.model.field_type import ValueKind
from runtime.model.record_type import RecordType
from runtime.transfer.profiles.heading import problem
from runtime.transfer.profiles.profile_target import Target, target_of
from runtime.transfer.rows.rows import REF_NAME

_KINDS: Final = frozenset(
    {ValueKind.STRING, ValueKind.INTEGER, ValueKind.DATE, ValueKind.DATETIME, ValueKind.OBJECT_ID}
)


def key_of(kind: RecordType[Any], target: Target) -> Target:
    """Return what is compared of a column; of a reference it is the id."""
    return target_of(kind, f"{target.path}.entityId") if target.type.is_reference else target


def require_unique(kind: RecordType[Any], target: Target, at: int) -> None:
    """Require that the column at this place can be the key. Raises ``CsvProblem``."""
    path, known = key_of(kind, target).path, keys_of(kind)
    if path not in known:
        listed = ", ".join(sorted(known))
        raise problem(f"{path} is not unique, so it cannot be the key; what can: {listed}", at)


def keys_of(kind: RecordType[Any]) -> Set[str]:
    """Return the fields that can be the key."""
    unique = [index.keys[0][0] for index in kind.indexes if index.unique and len(index.keys) == 1]
    return {REF_NAME, *(path for path in unique if _can_be_asked_for(kind, path))}


def _can_be_asked_for(kind: RecordType[Any], path: str) -> bool:
    try:
        return kind.field_at(path).kind in _KINDS
    except UnknownField:  # a caller must not even learn whether a hidden field has a value
        return False
