"""The context of ``models/<record>.py`` and ``models/<structure>.py``: classes with their bases and fields.

A record has three classes: its own visible fields; with ``RecordInput`` what a caller sends and the
store keeps; with ``Record`` what a caller reads. Where fields are both hidden and set by the server, a
fourth adds them to what is stored. A field stands once, where both sides agree on it, else in each.
A record of the service that has no routes has one class in place of the three.

The descriptions of fields are for ``/schema`` of a record type. Classes of the service leave them to the
specifications, unless ``/schema`` of a record of the service shows them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from generator.model import Field, Kind, Record, Structure, Type
from generator.openapi import View, is_required, nested_objects, visible_fields
from generator.pydantic_models import Annotations
from generator.render.defaults import render_default
from generator.render.module import Imports, Module, docstring, headline

_RECORD = "runtime.model.record"


@dataclass(frozen=True, slots=True)
class ModelClass:
    """One class: ``lines`` are its fields."""

    name: str
    bases: str
    doc: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ModelModule(Module):
    """One module of ``models/``."""

    classes: tuple[ModelClass, ...]


def collect_types(annotations: Annotations, fields: Iterable[Field]) -> None:
    """Tell of every type that the classes of these fields will need."""
    for field in fields:
        for view in (View.READ, View.SENT):
            annotations.collect(field.type, not is_required(field, view))
        collect_types(annotations, (inner for kind in nested_objects((field,)) for inner in kind.fields))


def build_structure_module(
    structure: Structure, annotations: Annotations, *, is_described: bool = True
) -> ModelModule:
    """Build the module of a structure. ``is_described``: its class says what its fields mean."""
    writer = _Writer(annotations, is_described=is_described)
    nested = writer.nested(structure.name, structure.fields)
    base = "SnakeCase" if structure.snake_case else "Strict"
    fields = writer.fields(structure.fields, View.READ)
    own = writer.model(structure.name, (base,), structure.description, fields)
    return ModelModule(headline(structure.name, structure.source), writer.imports.lines, (*nested, own))


def build_record_module(record: Record, annotations: Annotations) -> ModelModule:
    """Build the module of a record."""
    writer = _Writer(annotations, is_described=not record.is_internal)
    nested = writer.nested(record.name, record.fields)
    build = _build_own_class if record.is_internal else _build_classes
    classes = (*nested, *build(record, writer), *_build_stored_class(record, writer))
    return ModelModule(headline(record.name, record.source), writer.imports.lines, classes)


def _build_own_class(record: Record, writer: _Writer) -> list[ModelClass]:
    """Build the one class of a record without routes."""
    sent = visible_fields(record.fields, View.SENT)
    fields = (*writer.fields(sent, View.SENT), *writer.asked_for(record))
    return [writer.model(record.name, ("RecordInput",), record.description, fields)]


def _build_classes(record: Record, writer: _Writer) -> list[ModelClass]:
    """Build the classes of a record for each side of the wire."""
    read, sent = (visible_fields(record.fields, view) for view in (View.READ, View.SENT))
    sent_names = {one.name for one in sent}
    shared = [one for one in read if one.name in sent_names and _same(one)]
    shared_names = {one.name for one in shared}
    return [
        writer.model(
            f"{record.name}Fields",
            ("Strict",),
            "The fields that are both sent and read.",
            (*writer.fields(shared, View.READ), *writer.asked_for(record)),
        ),
        writer.model(
            f"{record.name}Input",
            (f"{record.name}Fields", "RecordInput"),
            f"{record.description.rstrip('.')} (as sent).",
            writer.fields((one for one in sent if one.name not in shared_names), View.SENT),
        ),
        writer.model(
            record.name,
            (f"{record.name}Fields", "Record"),
            record.description,
            writer.fields((one for one in read if one.name not in shared_names), View.READ),
        ),
    ]


def _build_stored_class(record: Record, writer: _Writer) -> list[ModelClass]:
    """Build the class of what is stored, where it differs from what is sent."""
    sent = {one.name for one in visible_fields(record.fields, View.SENT)}
    unseen = [one for one in record.fields if one.name not in sent]
    if not unseen:
        return []
    said = f"{record.name} as stored, with what only the server sets and nobody sees."
    base = str(record.name) if record.is_internal else f"{record.name}Input"
    return [writer.model(f"{record.name}Stored", (base,), said, writer.fields(unseen, View.READ))]


def _same(field: Field) -> bool:
    """Whether a field is declared alike in what is sent and what is read."""
    return not (field.required and field.is_made_by_server)


class _Writer:
    """Writes the classes of one module and remembers what they import.

    ``is_described``: the classes say what their fields mean.
    """

    def __init__(self, annotations: Annotations, *, is_described: bool = True) -> None:
        self.annotations = annotations
        self.imports = Imports()
        self._is_described = is_described

    def nested(self, owner: str, fields: tuple[Field, ...]) -> tuple[ModelClass, ...]:
        """Build the classes of objects inside fields, inner ones first."""
        return tuple(
            self.strict(str(kind.class_name), f"Part of {owner}.", kind.fields)
            for kind in nested_objects(fields)
        )

    def strict(self, name: str, description: str, fields: tuple[Field, ...]) -> ModelClass:
        """Build a class from fields alone."""
        return self.model(name, ("Strict",), description, self.fields(fields, View.READ))

    def model(
        self, name: str, bases: tuple[str, ...], description: str, lines: tuple[str, ...]
    ) -> ModelClass:
        for base in bases:
            if base in ("SnakeCase", "Strict", "Record", "RecordInput"):
                self.imports.name(_RECORD, base)
        return ModelClass(name, ", ".join(bases), docstring(description), lines)

    def fields(self, fields: Iterable[Field], view: View) -> tuple[str, ...]:
        return tuple(self._render_field(field, view) for field in fields)

    def asked_for(self, record: Record) -> tuple[str, ...]:
        """List the members that depend on a feature of the record type."""
        rows = (
            (record.dynamic_attributes, "dynamic_attributes", "dict[str, dict[str, {}]]", "DynamicAttribute"),
            (record.persistent_events, "persistent_events", "list[{}]", "PersistentEvent"),
            (record.lenient, "invalid", "bool", None),
            (record.lenient, "violations", "list[{}]", "Violation"),
        )
        asked = [(name, text, of) for wanted, name, text, of in rows if wanted]
        return tuple(
            f"{name}: {text.format(of and self.imports.name(_RECORD, of))} | None = None"
            for name, text, of in asked
        )

    def _render_field(self, field: Field, view: View) -> str:
        required = is_required(field, view)
        description = field.description if self._is_described else None
        found = self.annotations.of(field.type, not required, description, field.deprecated)
        self.imports.names(found.imports)
        default = "" if required else f" = {self._default(field)}"
        return f"{field.python_name}: {found.text}{default}"

    def _default(self, field: Field) -> str:
        if field.default is None:
            return "None"
        value = render_default(field.type, field.default, self.imports)
        if not isinstance(field.default, list | dict):
            return value
        if _is_narrower(field.type):
            value = f"{self._plain_annotation(field.type)}({value})"
        return f"{self.imports.name('pydantic', 'Field')}(default_factory=lambda: {value})"

    def _plain_annotation(self, kind: Type) -> str:
        """Return the annotation of a list or map without its constraints: a class that can be called."""
        plain = replace(kind, constraints={})
        self.annotations.collect(plain, False)
        found = self.annotations.of(plain, False)
        self.imports.names(found.imports)
        return found.text


def _is_narrower(kind: Type) -> bool:
    """Whether a list or map in Python reads as one of a wider type, of ``str`` or ``int``."""
    return kind.item is not None and kind.innermost.kind in (Kind.ENUM, Kind.NUMBER)
