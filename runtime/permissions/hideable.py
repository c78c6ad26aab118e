"""Which fields an ALLOW may take away (``hiddenFields``). Pure; checked when a rule is written.

Not those of every record: by them the service finds, scopes, orders and writes it. Not parts of lists,
maps and references, which a save could not put back where they were. What is made of a hidden field goes with
it (``derived.py``).
"""

from typing import Any

from runtime.errors import UnknownField
from runtime.model.field_type import ValueKind, model_fields
from runtime.model.paths import around, top_of
from runtime.model.record import Record
from runtime.model.record_type import RecordType

_OF_EVERY_RECORD = frozenset(model_fields(Record))
_WHOLE = {ValueKind.LIST: "list", ValueKind.MAP: "map", ValueKind.JSON: "free-form field"}


def hiding_problem(kind: RecordType[Any], path: str) -> str | None:
    """Return why a rule cannot hide the field at ``path``, or None."""
    name = top_of(path)
    if name in _OF_EVERY_RECORD:
        return f"{name} is a field of every record, which the service itself needs"
    try:
        kind.field_at(path)
    except UnknownField as error:
        return error.message
    return _inside(kind, path)


def _inside(kind: RecordType[Any], path: str) -> str | None:
    for outer in around(path):
        found = kind.field_at(outer)
        what = "reference" if found.is_reference else _WHOLE.get(found.kind)
        if what is not None:
            return f"{path} lies inside the {what} {outer} of {kind.shown_name}: hide {outer} as a whole"
    return None
