"""Record types, structures and nested objects as component schemas, once as read and once as sent.

As read: common members first, hidden fields never, decimals as text, nothing null. As sent: what the
generated input class takes, strictly; ``null`` clears an optional member; what the server sets is
accepted, so that a record just read can be sent back, and ignored. ``additionalProperties`` is false
everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from generator.model import Field, Kind, Model, Record, Structure, Type
from generator.openapi.fields import (
    convert_to_wire,
    is_required,
    list_feature_members,
    nested_objects,
    relax_fields,
    visible_fields,
)
from generator.openapi.shared import Schema, View, common_properties, nullable, ref, shared_name
from runtime.model.formats import FORMAT_PATTERNS
from runtime.model.mappings import without_nones

_NUMERIC = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_FIRST = ("id", "refName", "displayName")
_PARTIAL = (Kind.OBJECT, Kind.STRUCTURE, Kind.REFERENCE)
_SCALARS: Mapping[Kind, Schema] = {
    Kind.BOOLEAN: {"type": "boolean"},
    Kind.INTEGER: {"type": "integer", "format": "int64"},
    Kind.NUMBER: {"type": "number"},
    Kind.DATE: {"type": "string", "format": "date"},
    Kind.DATETIME: {"type": "string", "format": "date-time"},
    Kind.OBJECT_ID: {"type": "string", "pattern": "^[0-9a-f]{24}$"},
    Kind.JSON: {},
}


@dataclass(frozen=True, slots=True)
class Schemas:
    """The component schemas of a model; ``starts``: the defaults of state graphs.

    ``forms``: structures that are sent as forms, which have no null. ``lenient``: no object is sent as read.
    """

    structures: Mapping[str, Structure]
    forms: frozenset[str] = frozenset()
    starts: Mapping[str, str] = field(default_factory=dict)
    lenient: bool = False

    @classmethod
    def of(cls, model: Model) -> Schemas:
        forms = {one.request.name for one in model.endpoints if one.request and one.takes_form}
        starts = {one.name: one.default for one in model.graphs if one.default}
        return cls({one.name: one for one in model.structures}, frozenset(forms), starts)

    def record(self, record: Record) -> Iterator[tuple[str, Schema]]:
        """Yield ``Airport``, ``AirportInput``, ``AirportRow`` and the nested objects."""
        fields, sent = record.fields, replace(self, lenient=record.lenient)
        shown = relax_fields(record.name, fields, self.fields_below) if record.lenient else fields
        read = self._record(replace(record, fields=shown), View.READ)
        yield record.name, {"description": record.description, **read}
        yield f"{record.name}Input", {"description": record.description, **sent._record(record, View.SENT)}
        text = "One record of a list. A projection can omit any member except the id."
        row = self._record(replace(record, fields=shown), View.ROW)
        yield f"{record.name}Row", {"description": text, **row, "required": ["id"]}
        yield from self.nested(shown, (View.READ, View.ROW))
        yield from sent.nested(fields, (View.SENT,))

    def structure(self, structure: Structure) -> Iterator[tuple[str, Schema]]:
        """Yield the component of a structure, or two where it is sent otherwise than it is read."""
        yield from self._describe_object(structure.name, structure.description, structure.fields)
        yield from self.nested(structure.fields)

    def reference_to(self, structure: Structure, view: View) -> Schema:
        """Return a ``$ref`` to a structure's component."""
        return ref(self._name(structure.name, structure.fields, view))

    def type(self, kind: Type, view: View) -> Schema:
        return _WRITERS.get(kind.kind, _scalar)(self, kind, view)

    def fields_below(self, kind: Type) -> tuple[Field, ...]:
        """Return the fields of an object or a structure."""
        if kind.kind is Kind.STRUCTURE:
            return self.structures[str(kind.target)].fields
        return kind.fields

    def _record(self, record: Record, view: View) -> Schema:
        common, required = common_properties(view)
        own = {field.name: self._property(field, view) for field in visible_fields(record.fields, view)}
        properties = {name: common[name] for name in _FIRST} | own | list_feature_members(record, view)
        properties |= {name: schema for name, schema in common.items() if name not in properties}
        own_required = (one.name for one in record.fields if one.name in own and is_required(one, view))
        return _object_schema(properties, [*required, *own_required])

    def nested(
        self, fields: tuple[Field, ...], views: tuple[View, ...] = tuple(View)
    ) -> Iterator[tuple[str, Schema]]:
        """Build the components of objects inside fields."""
        for kind in nested_objects(fields):
            yield from self._describe_object(str(kind.class_name), None, kind.fields, views)

    def _describe_object(
        self, name: str, description: str | None, fields: tuple[Field, ...], views: Iterable[View] = View
    ) -> Iterator[tuple[str, Schema]]:
        said = {"description": description} if description else {}
        for view in (one for one in views if one is View.READ or self._has_own(name, fields, one)):
            takes_null = name not in self.forms
            properties = {field.name: self._property(field, view, takes_null) for field in fields}
            required = [field.name for field in fields if is_required(field, view)]
            yield self._name(name, fields, view), {**said, **_object_schema(properties, required)}

    def _name(self, name: str, fields: tuple[Field, ...], view: View) -> str:
        return f"{name}{view.value}" if self._has_own(name, fields, view) else name

    def _has_own(self, name: str, fields: tuple[Field, ...], view: View) -> bool:
        """Whether the schema of an object is another one in a view than where it is read."""
        if view is View.SENT:
            return self._differs(fields) or (self.lenient and name not in self.structures)
        return view is View.ROW and self._is_partial(fields)

    def _is_partial(self, fields: tuple[Field, ...]) -> bool:
        """Whether rows can lack a required member of an object, or have a record in place of a reference."""
        kinds = [field.type.innermost for field in fields]
        return (
            any(field.required for field in fields)
            or any(kind.kind is Kind.REFERENCE for kind in kinds)
            or any(self._is_partial(self.fields_below(kind)) for kind in kinds)
        )

    def _differs(self, fields: tuple[Field, ...]) -> bool:
        """Whether an object is sent otherwise than it is read."""
        return any(not field.required or self._type_differs(field.type) for field in fields)

    def _type_differs(self, kind: Type) -> bool:
        if kind.item is not None:
            return self._type_differs(kind.item)
        if kind.kind in (Kind.OBJECT, Kind.STRUCTURE):
            return self._differs(self.fields_below(kind))
        return kind.kind in (Kind.DECIMAL, Kind.REFERENCE)

    def _property(self, field: Field, view: View, takes_null: bool = True) -> Schema:
        schema = self.type(field.type, view)
        if takes_null and view is View.SENT and not is_required(field, view):
            schema = nullable(schema)
        words: Schema = {
            "description": self._describe(field, view),
            "default": field.default if view is View.SENT else None,
            "examples": None if field.example is None else [convert_to_wire(field.type, field.example)],
            "deprecated": field.deprecated or None,
            "readOnly": field.is_made_by_server or None,
            "writeOnly": field.hidden or None,
        }
        return schema | without_nones(words)

    def _describe(self, field: Field, view: View) -> str | None:
        """Describe a field; of a state also its default, which holds for new records only.

        A member ``default`` in its schema would send stored records back to their first state: clients fill
        it in when they save a whole record.
        """
        start = self.starts.get(field.type.target or "") if field.type.kind is Kind.STATES else None
        if start is None or view is not View.SENT or is_required(field, view):
            return field.description
        return f"{field.description or ''} A new record without one is {start}.".strip()


def _object_schema(properties: Mapping[str, Schema], required: list[str]) -> Schema:
    schema: Schema = {"type": "object", "additionalProperties": False, "properties": dict(properties)}
    return schema | ({"required": required} if required else {})


def _scalar(schemas: Schemas, kind: Type, view: View) -> Schema:
    return {**_SCALARS[kind.kind], **kind.constraints}


def _text(schemas: Schemas, kind: Type, view: View) -> Schema:
    schema = {"type": "string", **kind.constraints}
    checked = FORMAT_PATTERNS.get(str(kind.constraints.get("format")))
    return schema if checked is None or "pattern" in schema else schema | {"pattern": checked}


def _decimal(schemas: Schemas, kind: Type, view: View) -> Schema:
    """Read as text, so that no digit is lost; sent as text or number."""
    if view is not View.SENT:
        return {"type": "string", "format": "decimal"}
    bounds = {word: kind.constraints[word] for word in _NUMERIC if word in kind.constraints}
    least = bounds.get("minimum", bounds.get("exclusiveMinimum", -1))
    sign = r"\+?" if isinstance(least, int | float) and least >= 0 else "[+-]?"
    pattern = sign + r"[0-9]{1,17}(?:\.[0-9]{1,17})?"
    # Without the format: generators of clients make it a type of its own, in a union with a number.
    return {"anyOf": [{"type": "number", **bounds}, {"type": "string", "pattern": f"^{pattern}$"}]}


def _choice(schemas: Schemas, kind: Type, view: View) -> Schema:
    graph = {"x-states": kind.target} if kind.kind is Kind.STATES else {}
    return {"type": "string", "enum": list(kind.values), **graph}


def _list(schemas: Schemas, kind: Type, view: View) -> Schema:
    items = schemas.type(kind.item, view) if kind.item else {}
    schema = {"type": "array", "items": items, **kind.constraints}
    # In rows several can be null, or lack what distinguishes them.
    if view is View.ROW and kind.innermost.kind in _PARTIAL:
        schema.pop("uniqueItems", None)
    return schema


def _map(schemas: Schemas, kind: Type, view: View) -> Schema:
    values = schemas.type(kind.item, view) if kind.item else {}
    return {"type": "object", "additionalProperties": values, **kind.constraints}


def _describe_object(schemas: Schemas, kind: Type, view: View) -> Schema:
    return ref(schemas._name(str(kind.class_name), schemas.fields_below(kind), view))


def _reference(schemas: Schemas, kind: Type, view: View) -> Schema:
    """Point to a reference; in a row, ``expand`` has null in its place where the caller sees no record."""
    schema = ref(shared_name("EntityReference", view)) | {"x-references": kind.target}
    return nullable(schema) if view is View.ROW else schema


_WRITERS: Mapping[Kind, Callable[[Schemas, Type, View], Schema]] = {
    Kind.STRING: _text,
    Kind.TEXT: _text,
    Kind.DECIMAL: _decimal,
    Kind.ENUM: _choice,
    Kind.STATES: _choice,
    Kind.LIST: _list,
    Kind.MAP: _map,
    Kind.OBJECT: _describe_object,
    Kind.STRUCTURE: _describe_object,
    Kind.REFERENCE: _reference,
}
