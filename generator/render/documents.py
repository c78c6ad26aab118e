"""The context of ``documents.py``: the system's records as they are stored, as typed dictionaries.

The runtime reads and writes its own records through them, so mypy finds each use of a field that a
specification no longer declares.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from generator.model import Field, Kind, Record, Structure, Type
from generator.openapi import nested_objects
from generator.render.models import ModelClass, ModelModule
from generator.render.module import HEADER, Imports, code, docstring

_SCALARS: Mapping[Kind, str] = {
    Kind.STRING: "str",
    Kind.TEXT: "str",
    Kind.STATES: "str",
    Kind.INTEGER: "int",
    Kind.NUMBER: "float",
    Kind.BOOLEAN: "bool",
    Kind.DATE: "datetime",
    Kind.DATETIME: "datetime",
    Kind.REFERENCE: "dict[str, Any]",
}
_IMPORTED = {"datetime": "datetime", "Any": "typing", "Literal": "typing"}


def documents_module(records: Iterable[Record], structures: Iterable[Structure]) -> ModelModule:
    """Build the module of the stored forms of these records, with the structures that they contain."""
    imports, classes = Imports(), []
    known = {str(one.name): one for one in structures}
    for name in sorted({name for record in records for name in _structures_in(record.fields, known)}):
        structure = known[name]
        classes += _nested(structure.fields, imports)
        classes.append(_document(name, structure.description, structure.fields, imports))
    for record in records:
        classes += _nested(record.fields, imports)
        base = imports.name("runtime.model.documents", "RecordDocument")
        classes.append(_document(str(record.name), record.description, record.fields, imports, base))
    doc = f'"""The service\'s own records, as they are stored. {HEADER}"""'
    return ModelModule(doc, imports.lines, tuple(classes))


def document_name(record: Record) -> str:
    """Return the name of the class of a stored record."""
    return f"{record.name}Document"


def _structures_in(fields: Iterable[Field], known: Mapping[str, Structure]) -> Iterable[str]:
    for field in fields:
        kind = field.type
        while kind.item is not None:
            kind = kind.item
        if kind.kind is Kind.STRUCTURE and kind.target:
            yield kind.target
            yield from _structures_in(known[kind.target].fields, known)
        yield from _structures_in(kind.fields, known)


def _nested(fields: tuple[Field, ...], imports: Imports) -> list[ModelClass]:
    return [
        _document(str(kind.class_name), f"{kind.class_name} as it is stored.", kind.fields, imports)
        for kind in nested_objects(fields)
    ]


def _document(
    name: str, description: str, fields: Iterable[Field], imports: Imports, base: str | None = None
) -> ModelClass:
    bases = base or imports.name("typing", "TypedDict")
    lines = tuple(f"{field.name}: {_type(field.type, imports)}" for field in fields)
    return ModelClass(f"{name}Document", f"{bases}, total=False", docstring(description), lines)


def _type(kind: Type, imports: Imports) -> str:
    """Render the type of a stored value; what has no type of its own in the store is Any."""
    if kind.item is not None:
        inner = _type(kind.item, imports)
        return f"list[{inner}]" if kind.kind is Kind.LIST else f"dict[str, {inner}]"
    if kind.class_name is not None:
        return f"{kind.class_name}Document"
    text = (
        f"Literal[{', '.join(map(code, kind.values))}]"
        if kind.kind is Kind.ENUM
        else _SCALARS.get(kind.kind, "Any")
    )
    for name, module in _IMPORTED.items():
        if name in text:
            imports.name(module, name)
    return text
