"""The contexts of ``documents.py`` and ``answers.py``: the system's records and answers, typed.

The runtime reads and writes its own records, and builds the answers of its own routes, through them. So mypy
finds each use of a field that a specification no longer declares.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from generator.model import Endpoint, Field, Kind, Record, Structure, Type, list_targets
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
    Kind.DATE: "str",
    Kind.DATETIME: "datetime",
    Kind.REFERENCE: "dict[str, Any]",
}
_COMPOSED = ("runtime.agents", "runtime.completion.routes", "runtime.gateway")
"""The modules whose answers are composed of stored records, and have no classes."""

_IMPORTED = {"datetime": "datetime", "Any": "typing", "Literal": "typing"}


def build_documents_module(records: Iterable[Record], structures: Iterable[Structure]) -> ModelModule:
    """Build the module of the stored forms of these records, with the structures that they contain.

    No field is required there: a projection may leave it out, and a partial write has few.
    """
    listed, writer = list(records), _Writer("Document", {str(one.name): one for one in structures})
    base = writer.imports.name("runtime.model.documents", "RecordDocument")
    writer.add_structures(one for record in listed for one in record.fields)
    for record in listed:
        writer.add(str(record.name), record.description, record.fields, base)
    return writer.module("The service's own records, as they are stored.")


def build_answers_module(endpoints: Iterable[Endpoint], structures: Iterable[Structure]) -> ModelModule:
    """Build the module of what these endpoints answer; what is None there is not sent."""
    writer = _Writer("Body", {str(one.name): one for one in structures}, is_sent=True)
    built = [one for one in endpoints if not one.handler_module.startswith(_COMPOSED)]
    for answer in sorted({str(one.response.name) for one in built if one.response}):
        writer.add_structure(answer)
    return writer.module("The bodies that the service's own routes answer.")


def document_name(record: Record) -> str:
    """Return the name of the class of a stored record."""
    return f"{record.name}Document"


@dataclass
class _Writer:
    """Writes classes, inner ones first. ``is_sent``: required fields are required, others may be None."""

    suffix: str
    structures: Mapping[str, Structure]
    is_sent: bool = False
    imports: Imports = field(default_factory=Imports)
    classes: dict[str, ModelClass] = field(default_factory=dict)

    def module(self, doc: str) -> ModelModule:
        return ModelModule(f'"""{doc} {HEADER}"""', self.imports.lines, tuple(self.classes.values()))

    def add_structures(self, fields: Iterable[Field]) -> None:
        for name in sorted(set(list_targets(fields, Kind.STRUCTURE))):
            self.add_structure(name)

    def add_structure(self, name: str) -> None:
        structure = self.structures[name]
        if name not in self.classes:
            self.add_structures(structure.fields)
            self.add(name, structure.description, structure.fields)

    def add(self, name: str, description: str, fields: tuple[Field, ...], base: str | None = None) -> None:
        for kind in nested_objects(fields):
            inner = str(kind.class_name)
            self.classes[inner] = self._class(inner, f"Part of {name}.", kind.fields)
        self.classes[name] = self._class(name, description, fields, base)

    def _class(
        self, name: str, description: str, fields: Iterable[Field], base: str | None = None
    ) -> ModelClass:
        bases = base or self.imports.name("typing", "TypedDict")
        lines = tuple(f"{one.name}: {self._member(one)}" for one in fields)
        partial = "" if self.is_sent else ", total=False"
        return ModelClass(f"{name}{self.suffix}", f"{bases}{partial}", docstring(description), lines)

    def _member(self, one: Field) -> str:
        text = self._type(one.type)
        if not self.is_sent or one.required:
            return text
        return f"{self.imports.name('typing', 'NotRequired')}[{text} | None]"

    def _type(self, kind: Type) -> str:
        """Render the type of a value; what has no type of its own is Any."""
        if kind.item is not None:
            inner = self._type(kind.item)
            return f"list[{inner}]" if kind.kind is Kind.LIST else f"dict[str, {inner}]"
        if kind.class_name is not None:
            return f"{kind.class_name}{self.suffix}"
        text = _SCALARS.get(kind.kind, "Any")
        if kind.kind is Kind.ENUM:
            text = f"Literal[{', '.join(map(code, kind.values))}]"
        self.imports.names({name: module for name, module in _IMPORTED.items() if name in text})
        return text
