"""What a field is to a caller: whether it is seen, sent, required, and how its values look on the wire."""

from collections.abc import Iterator
from typing import Any

from generator.model import Argument, Field, Kind, Type
from generator.openapi.shared import View


def visible_fields(fields: tuple[Field, ...], view: View) -> tuple[Field, ...]:
    """Read: all but the hidden. Sent: all but those that only the server sets and nobody sees."""
    if view is View.READ:
        return tuple(field for field in fields if not field.hidden)
    return tuple(field for field in fields if not (field.hidden and field.is_made_by_server))


def is_required(field: Field, view: View) -> bool:
    """Return whether the field is required; when sent, fields set by the server are not."""
    return field.required and not (view is View.SENT and field.is_made_by_server)


def nested_objects(fields: tuple[Field | Argument, ...]) -> Iterator[Type]:
    """List the object types inside fields, inner ones first."""
    for field in fields:
        kind = field.type.innermost
        if kind.kind is Kind.OBJECT:
            yield from nested_objects(kind.fields)
            yield kind


def convert_to_wire(kind: Type, value: Any) -> Any:
    """Convert a value from YAML to its JSON form: decimals become strings, also inside lists and maps."""
    if kind.kind is Kind.DECIMAL:
        return str(value)
    if kind.kind is Kind.LIST and kind.item and isinstance(value, list):
        return [convert_to_wire(kind.item, one) for one in value]
    if kind.kind is Kind.MAP and kind.item and isinstance(value, dict):
        return {name: convert_to_wire(kind.item, one) for name, one in value.items()}
    if kind.kind is Kind.OBJECT and isinstance(value, dict):
        types = {field.name: field.type for field in kind.fields}
        return {
            name: convert_to_wire(types[name], one) if name in types else one for name, one in value.items()
        }
    return value
