"""What rules withhold from a caller.

It cannot set these fields on a new record, does not lose them when it sends back the record that it read, and
does not see them suggested in an error.
"""

from collections.abc import Collection, Iterable, Set
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from runtime.access.guard import allow
from runtime.call import Call
from runtime.errors import AccessError
from runtime.model.paths import around, value_at
from runtime.model.problems import Violation, invalid
from runtime.model.record import members
from runtime.model.record_type import RecordType
from runtime.storage.access import Action
from runtime.storage.codec import encode_document
from runtime.storage.wire import without

Document = dict[str, Any]


def as_if_not_sent(kind: RecordType[Any], sent: Document, withheld: Collection[str]) -> Document:
    """Return ``sent`` without the fields at these dotted paths, which get their default.

    A required field has no default, so there what was sent stands: else the caller could make no record.
    """
    optional = [
        path for path in withheld if (info := _field(kind.input, path.split("."))) and not info.is_required()
    ]
    if not optional:
        return sent
    defaults = encode_document(kind, kind.input.model_construct())
    return without(sent, optional) | {name: defaults[name] for name in optional if name in defaults}


def refuse_torn(sent: Document, stored: Document, withheld: Collection[str]) -> None:
    """Refuse to remove an object around a withheld field: the rest would not be a whole object.

    Whether the field has a value does not matter, since the answer would reveal it.
    """
    for path in sorted(withheld):
        for parent in around(path):
            if value_at(sent, parent) is None and value_at(stored, parent) is not None:
                raise invalid([{"path": parent, "message": "cannot be cleared: a part is withheld from you"}])


def find_missing(
    kind: RecordType[Any], given: Document, stored: Document, missing: Iterable[Violation]
) -> list[Violation]:
    """Return the required fields that the stored record does not supply: those of an object that it lacks.

    Where an old record itself lacks one, a caller that does not see it is not refused for that; a lenient
    type still marks the record.
    """
    found = []
    for one in missing:
        parent, _, _name = one["path"].rpartition(".")
        is_new = bool(parent) and value_at(stored, parent) is None
        is_marked = kind.lenient and one["path"] not in kind.hidden
        if value_at(given, one["path"]) is None and (is_new or is_marked):
            found.append(one)
    return found


def unseen_fields(call: Call, kind: RecordType[Any]) -> frozenset[str]:
    """Return the paths whose stored value an update by the caller keeps, so that they need not be sent.

    None for a caller that cannot update records: what it sends is new.
    """
    try:
        return kind.hidden | allow(call, kind, Action.UPDATE).put_back
    except AccessError:
        return frozenset()


def unnamed_members(call: Call, kind: RecordType[Any]) -> Set[str]:
    """Return the members of a record that no error may suggest to the caller."""
    try:
        return allow(call, kind, Action.VIEW).hidden
    except AccessError:
        return kind.fields.keys()


def _field(model: type[BaseModel], steps: list[str]) -> FieldInfo | None:
    """Return the field at a path through objects; None where the path leads through something else."""
    _own_name, info = members(model).get(steps[0], ("", None))
    if info is None or len(steps) == 1:
        return info
    choices = (info.annotation, *get_args(info.annotation))
    inner = [one for one in choices if isinstance(one, type) and issubclass(one, BaseModel)]
    return _field(inner[0], steps[1:]) if inner else None
