"""The record that ``hasEdge`` names, by its id."""

from typing import Final

from runtime.filter.bindings import Bindings
from runtime.filter.position import syntax_error
from runtime.filter.syntax_literals import Literal, Number, ReferenceId, Text, Variable
from runtime.filter.unreadable import Unreadable
from runtime.filter.values import read_value
from runtime.model.field_type import FieldType, ValueKind

_ID: Final = FieldType(ValueKind.OBJECT_ID)
_NO_ID: Final = "0" * 24


def read_record_id(literal: Literal, bindings: Bindings) -> str:
    """Return the id that an edge names, as 24 hexadecimal digits."""
    text = literal.id if isinstance(literal, ReferenceId) else None
    if isinstance(literal, Text | Number):
        text = literal.text
    elif isinstance(literal, Variable):
        text = str(bindings.bound(literal))
    try:
        return str(read_value(_ID, text or ""))
    except Unreadable:
        if bindings.for_rule and isinstance(literal, Variable):
            bindings.leave_undecided(f"${{{literal.name}}} is not an id")
            return _NO_ID
        message = "the second argument is a record id of 24 hexadecimal digits"
        raise syntax_error(bindings.text, literal.at, message, ["an id"]) from None
