"""``shapes.json``: what each record type says of its stored records, for migrations to compare.

Written by the generator, so that a service that starts need not import the classes of all record types.
"""

from collections.abc import Iterator, Mapping
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

    def fields(self, fields: tuple[Field, ...], around: tuple[str, ...] = ()) -> Shape:
        return {one.name: self._field(one, around) for one in sorted(fields, key=lambda one: one.name)}

    def _field(self, field: Field, around: tuple[str, ...]) -> Shape:
        shape = self._type(field.type, around)
        if field.default is not None and not field.hidden:
            shape["default"] = field.default
        if field.hidden:
            shape["hidden"] = True
        if field.renamed_from:
            shape["renamedFrom"] = field.renamed_from
        return shape

    def _type(self, kind: Type, around: tuple[str, ...]) -> Shape:
        """Return the shape of a type; ``around``: the structures that it is in, which may hold themselves."""
        shape: Shape = {"type": _SAME.get(kind.kind, kind.kind.value)}
        if kind.kind in (Kind.ENUM, Kind.STATES):
            shape["values"] = list(kind.values)
        if kind.kind is Kind.STATES and (renamed := self._graphs[str(kind.target)].renamed):
            shape["renamed"] = dict(renamed)
        if kind.kind is Kind.REFERENCE:
            shape["target"] = self._names.get(str(kind.target), str(kind.target))
        if kind.item is not None:
            shape["item"] = self._type(kind.item, around)
        if kind.kind is Kind.OBJECT:
            shape["fields"] = self.fields(kind.fields, around)
        if kind.kind is Kind.STRUCTURE and (name := str(kind.target)) not in around:
            shape["fields"] = self.fields(self._structures[name].fields, (*around, name))
        return shape


def find_former_names(
    fields: tuple[Field, ...],
    structures: Mapping[str, Structure],
    around: str = "",
    within: tuple[str, ...] = (),
) -> Iterator[tuple[str, str]]:
    """Yield the dotted path and the former name of each renamed field of objects inside ``fields``."""
    for field in fields:
        kind, path = field.type, f"{around}{field.name}"
        if around and field.renamed_from:
            yield path, field.renamed_from
        while kind.kind is Kind.LIST and kind.item is not None:
            kind = kind.item
        if kind.kind is Kind.OBJECT:
            yield from find_former_names(kind.fields, structures, f"{path}.", within)
        if kind.kind is Kind.STRUCTURE and (name := str(kind.target)) not in within:
            inner = structures[name].fields
            yield from find_former_names(inner, structures, f"{path}.", (*within, name))
