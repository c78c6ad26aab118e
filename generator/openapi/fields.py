"""What a field is to a caller: whether it is seen, sent, required, and how its values look on the wire."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from generator.model import Field, Kind, Record, Type
from generator.naming import ClassName
from generator.openapi.shared import Schema, View, nullable, ref, shared_name

_FEATURES = {
    "dynamicAttributes": "Attributes without a declared field, by set and name; each has a type and a value.",
    "persistentEvents": "One entry for each of the last 100 writes.",
    "invalid": "Whether the record breaks a constraint.",
    "violations": "The constraints that the record breaks.",
}


def visible_fields(fields: tuple[Field, ...], view: View) -> tuple[Field, ...]:
    """Read, in rows too: all but the hidden. Sent: all but what only the server sets and nobody sees."""
    if view is View.SENT:
        return tuple(field for field in fields if not (field.hidden and field.is_made_by_server))
    return tuple(field for field in fields if not field.hidden)


def is_required(field: Field, view: View) -> bool:
    """Return whether the field is required; when sent, fields set by the server are not; in rows none is."""
    return field.required and view is not View.ROW and not (view is View.SENT and field.is_made_by_server)


def relax_fields(
    owner: str, fields: tuple[Field, ...], below: Callable[[Type], tuple[Field, ...]], prefix: str = ""
) -> tuple[Field, ...]:
    """Return fields as they are read where validation is lenient: none required, and without constraints.

    ``below`` returns the fields of an object or a structure. A structure becomes an object, and gets a schema
    of its own with all in it, since other record types have it as declared: ``prefix`` begins their names.
    """

    def relax(kind: Type) -> Type:
        bare = replace(kind, constraints={}, item=kind.item and relax(kind.item))
        if kind.kind not in (Kind.OBJECT, Kind.STRUCTURE):
            return bare
        start = f"{owner}_" if kind.kind is Kind.STRUCTURE else prefix
        name = str.__new__(ClassName, f"{start}{kind.class_name}")  # of a schema, not of a class
        inner = relax_fields(owner, below(kind), below, start)
        return replace(bare, kind=Kind.OBJECT, class_name=name, target=None, fields=inner)

    return tuple(replace(one, required=False, type=relax(one.type)) for one in fields)


def nested_objects(fields: tuple[Field, ...]) -> Iterator[Type]:
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


def list_feature_members(record: Record, view: View) -> Schema:
    """List the members that depend on a feature of the record type."""
    events = {"type": "array", "items": ref(shared_name("PersistentEvent", view)), "readOnly": True}
    violations = {"type": "array", "items": ref(shared_name("Violation", view)), "readOnly": True}
    attribute = {"type": "object", "additionalProperties": ref(shared_name("DynamicAttribute", view))}
    found: dict[str, Schema] = {}
    if record.dynamic_attributes:
        found["dynamicAttributes"] = {"type": "object", "additionalProperties": attribute}
    if record.persistent_events:
        found["persistentEvents"] = events
    if record.lenient:
        found |= {"invalid": {"type": "boolean", "readOnly": True}, "violations": violations}
    seen = {name: _as_sent(schema) for name, schema in found.items()} if view is View.SENT else found
    return {name: {"description": _FEATURES[name], **schema} for name, schema in seen.items()}


def _as_sent(schema: Schema) -> Schema:
    bare = {word: value for word, value in schema.items() if word != "readOnly"}
    return nullable(bare) | ({"readOnly": True} if "readOnly" in schema else {})
