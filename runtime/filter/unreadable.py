"""Text that the type of a field cannot read: what the field takes, and an example of it.

The caller adds the name of the field. Examples are written as in a filter.
"""

from collections.abc import Callable, Mapping

from runtime.model.field_type import FieldType, ValueKind
from runtime.model.scalars import is_id


class Unreadable(ValueError):
    """Text that the type of a field cannot read. ``expected``: "an integer"; ``example``: ``5``.

    ``reason`` narrows it where the kind alone does not tell: "and needs a zone".
    """

    def __init__(self, expected: str, example: str, reason: str = "") -> None:
        super().__init__(f"{expected} {reason}".rstrip())
        self.expected, self.example, self.reason = expected, example, reason


def unreadable(field_type: FieldType, reason: str = "", example: str = "") -> Unreadable:
    """Create the error for a field: what it takes, and an example of it."""
    if field_type.values:
        words = ", ".join(field_type.values[:12]) + (", …" if len(field_type.values) > 12 else "")
        return Unreadable(f"one of {words}", example or field_type.values[0], reason)
    expected, usual = _EXPECTED[field_type.kind]
    return Unreadable(expected, example or usual, reason)


def advise_reference(text: str, print_by_name: Callable[[str], str] | None) -> str:
    """Say how a reference is compared, to the sender of a text that is not marked as an id.

    ``print_by_name``: prints the condition on the name that the reference has, with this value; None where
    that name is hidden.
    """
    if is_id(text):
        return f"write the id as @@{text}"
    if text.startswith("@@"):
        if is_id(text[2:]):
            return f"write the id as {text}, without quotes"
        by_name = f"; by name it is {print_by_name('…')}" if print_by_name else ""
        return f"@@ is followed by the id, of 24 hexadecimal digits{by_name}"
    if print_by_name is None:
        return "write @@ and the id"
    return f"write {print_by_name(text[:100])} (its reference name), or @@ and the id"


_EXPECTED: Mapping[ValueKind, tuple[str, str]] = {
    ValueKind.STRING: ("text", '"words"'),
    ValueKind.INTEGER: ("an integer", "5"),
    ValueKind.NUMBER: ("a number", "2.5"),
    ValueKind.DECIMAL: ("a decimal number", "19.99"),
    ValueKind.BOOLEAN: ("a boolean", "true"),
    ValueKind.DATE: ("a date", "2026-03-27"),
    ValueKind.DATETIME: ("a date-time", "2026-03-27T04:12:14Z"),
    ValueKind.OBJECT_ID: ("an object id of 24 hexadecimal digits", "65f0c0ffee00c0ffee00c0de"),
    ValueKind.JSON: ("free-form", '"words"'),
    ValueKind.OBJECT: ("an object", "{…}"),
    ValueKind.LIST: ("a list", "{…}"),
    ValueKind.MAP: ("a map", "{…}"),
}
