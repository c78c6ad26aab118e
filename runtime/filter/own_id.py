"""A variable for the id of the record that is being checked (``${resourceId}``).

A call is about one record or about many. So that a list shows exactly the records that single decisions
allow, the variable has no value of the call: it is each record's own id, and is compared inside the store,
field with field, or here, for a record that is not stored yet.
"""

from collections.abc import Mapping
from typing import Any, Final

from runtime.model.field_type import FieldType, ValueKind
from runtime.model.paths import value_at

_AS_TEXT: Final = {"$toString": "$_id"}


class OwnId:
    """The type of ``OWN_ID``, its one value."""


OWN_ID: Final = OwnId()
NO_OWN_ID: Final = (
    "this is the id of the record itself: compare it, with : or :! or in a list of values, "
    "with an id or text field that is not in a list"
)


def can_be_own_id(field_type: FieldType) -> bool:
    """Whether a field may hold an id, as such or as text."""
    return field_type.kind is ValueKind.OBJECT_ID or (
        field_type.kind is ValueKind.STRING and not field_type.values
    )


def is_own_id(path: str, field_type: FieldType) -> dict[str, Any]:
    """Match the records that have their own id at a stored path, which leads through no list."""
    own = "$_id" if field_type.kind is ValueKind.OBJECT_ID else _AS_TEXT
    return {"$expr": {"$eq": [f"${path}", own]}}


def has_own_id(path: str, own: Any, document: Mapping[str, Any]) -> bool:
    """Evaluate ``is_own_id`` on one document: ``path`` with its ``$``, ``own`` as written there."""
    value, record_id = value_at(document, path.removeprefix("$")), document["_id"]
    return bool(value == (str(record_id) if own == _AS_TEXT else record_id))
