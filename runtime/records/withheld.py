"""What rules withhold from a caller is neither its own to set on a new record nor suggested in an error."""

from __future__ import annotations

from collections.abc import Collection, Set
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from runtime.access import Action
from runtime.call import Call
from runtime.errors import AccessError
from runtime.record import members
from runtime.record_type import RecordType
from runtime.security.guard import allow
from runtime.wire import to_document, without

Document = dict[str, Any]


def as_if_not_sent(kind: RecordType[Any], sent: Document, withheld: Collection[str]) -> Document:
    """``sent`` without the fields at these dotted paths: they get their default, as when nothing is sent.

    A required field has no default, so there what was sent stands: else the caller could make no record.
    """
    optional = [
        path for path in withheld if (info := _field(kind.input, path.split("."))) and not info.is_required()
    ]
    if not optional:
        return sent
    defaults = to_document(kind, kind.input.model_construct())
    return without(sent, optional) | {name: defaults[name] for name in optional if name in defaults}


def unnamed_members(call: Call, kind: RecordType[Any]) -> Set[str]:
    """Return the members of a record that no error may suggest to the caller."""
    try:
        return allow(call, kind, Action.VIEW).hidden
    except AccessError:
        return kind.fields.keys()


def _field(model: type[BaseModel], steps: list[str]) -> FieldInfo | None:
    """The field at a path through objects; None where the path leads through something else."""
    _own_name, info = members(model).get(steps[0], ("", None))
    if info is None or len(steps) == 1:
        return info
    choices = (info.annotation, *get_args(info.annotation))
    inner = [one for one in choices if isinstance(one, type) and issubclass(one, BaseModel)]
    return _field(inner[0], steps[1:]) if inner else None
