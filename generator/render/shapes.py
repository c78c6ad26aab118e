"""``shapes.json``: what each record type says of its stored records, for migrations to compare.

Written by the generator, so that a service that starts need not import the classes of all record types.
"""

from collections.abc import Mapping
from typing import Any, Final

from generator.lines import render_lines
from generator.model import Field, Graph, Kind, Model, Structure, Type

FILE_NAME = "shapes.json"

Shape = dict[str, Any]

_SAME: Final = {Kind.TEXT: "string", Kind.STRUCTURE: "object"}


def render_shapes(model: Model) -> str:
    """Write the shape of each record type, by name."""
    structures = {str(one.name): one for one in model.structures}
    reader = _Reader(structures, {one.name: one for one in model.graphs}, model.stored_names)
    records = sorted(model.records, key=lambda one: one.stored_name)
    shapes = {one.stored_name: {"fields": reader.fields(one.fields)} for one in records}
    return render_lines(shapes, 3).decode() + "\n"


class _Reader:
    def __init__(
        self, structures: Mapping[str, Structure], graphs: Mapping[str, Graph], names: Mapping[str, str]
    ) -> None:
        self._structures = structures
        self._graphs = graphs
        self._names = names

    def fields(self, fields: tuple[Field, ...]) -> Shape:
        return {one.name: self._field(one) for one in sorted(fields, key=lambda one: one.name)}

    def _field(self, field: Field) -> Shape:
        shape = self._type(field.type)
        if field.default is not None and not field.hidden:
            shape["default"] = field.default
        if field.hidden:
            shape["hidden"] = True
        if field.renamed_from:
            shape["renamedFrom"] = field.renamed_from
        return shape

    def _type(self, kind: Type) -> Shape:
        shape: Shape = {"type": _SAME.get(kind.kind, kind.kind.value)}
        if kind.kind in (Kind.ENUM, Kind.STATES):
            shape["values"] = list(kind.values)
        if kind.kind is Kind.STATES and (renamed := self._graphs[str(kind.target)].renamed):
            shape["renamed"] = dict(renamed)
        if kind.kind is Kind.REFERENCE:
            shape["target"] = self._names.get(str(kind.target), str(kind.target))
        if kind.item is not None:
            shape["item"] = self._type(kind.item)
        if kind.kind is Kind.OBJECT:
            shape["fields"] = self.fields(kind.fields)
        if kind.kind is Kind.STRUCTURE:
            shape["fields"] = self.fields(self._structures[str(kind.target)].fields)
        return shape
