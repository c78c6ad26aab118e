"""Field types → Pydantic annotations, written by datamodel-code-generator, called once a model.

A large model has thousands of fields and some hundred distinct types, and the library takes a
millisecond a field. So the distinct types go to it together, as the properties of one internal class,
and what it writes for each is used wherever the type occurs. Three things are done to its output, all
on the syntax tree: types inside types (the item of a list, a class of ours) take the place of their
placeholders, unique items and decimals get their marks, and the description joins the ``Field(…)``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from generator.known_types import KnownTypes, Schema
from generator.model import Kind, Type
from runtime.model.formats import FORMAT_PATTERNS
from runtime.model.mappings import without_nones

Key = tuple[Any, ...]

_SCALARS: Mapping[Kind, Schema] = {
    Kind.STRING: {"type": "string"},
    Kind.TEXT: {"type": "string"},
    Kind.BOOLEAN: {"type": "boolean"},
    Kind.INTEGER: {"type": "integer"},
    Kind.NUMBER: {"type": "number"},
    Kind.DECIMAL: {"type": "string", "format": "decimal"},
    Kind.ENUM: {"type": "string"},
    Kind.STATES: {"type": "string"},
    Kind.LIST: {"type": "array"},
    Kind.MAP: {"type": "object"},
}
_RUNTIME_CLASSES = {
    Kind.OBJECT_ID: "ObjectIdText",
    Kind.REFERENCE: "EntityReference",
    Kind.DATE: "LocalDate",
    Kind.DATETIME: "Moment",
}
_PLACEHOLDER = "Inner"
_INNER = {"$ref": f"inner.json#/components/schemas/{_PLACEHOLDER}"}
_NAME = re.compile(r"[A-Za-z_]\w*")
_OWN_NAMES = {
    "Annotated": "typing",
    "Field": "pydantic",
    "ExactDecimal": "runtime.model.record",
    "UniqueItems": "runtime.model.record",
}


@dataclass(frozen=True, slots=True)
class Annotation:
    """A type as written in code, and what must be imported for it: name → module."""

    text: str
    imports: Mapping[str, str]


class Annotations:
    """The annotations of types. The first one that is not known runs the library, for all types of the model.

    ``homes`` says where the classes of the model live: name → module. ``types`` has what the library wrote;
    ``gather`` collects the types of the model, before it runs.
    """

    def __init__(
        self,
        homes: Mapping[str, str],
        types: KnownTypes | None = None,
        gather: Callable[[Annotations], None] | None = None,
    ) -> None:
        of_runtime = dict.fromkeys(_RUNTIME_CLASSES.values(), "runtime.model.record")
        self._homes = {**_OWN_NAMES, **homes, **of_runtime}
        self._types = types or KnownTypes()
        self._gather = gather
        self._schemas: dict[Key, Schema] = {}
        self._annotations: dict[Key, Annotation] = {}

    def collect(self, kind: Type, optional: bool) -> None:
        """Register a type that is needed, and whether it may be None."""
        key = _key(kind, optional)
        if _class_of(kind) is None and key not in self._schemas:
            self._schemas[key] = _schema(kind, optional)
        if kind.item is not None:
            self.collect(kind.item, False)

    def of(
        self, kind: Type, optional: bool, description: str | None = None, deprecated: bool = False
    ) -> Annotation:
        """Return the annotation of a field of a collected type."""
        key = (*_whole_key(kind, optional), description, deprecated)
        if key not in self._annotations:
            words: dict[str, str | bool | None] = {"description": description, "deprecated": deprecated}
            said = {word: value for word, value in words.items() if value}
            self._annotations[key] = (
                self._annotation(_with_words(self._build_tree(kind, optional), said))
                if said
                else self._write_plain(kind, optional)
            )
        return self._annotations[key]

    def marked(self, kind: Type, optional: bool, mark: str) -> Annotation:
        """Return the annotation of a parameter; ``mark`` is code: ``Query(alias="x")``."""
        return self._annotation(_annotate(self._build_tree(kind, optional), _expression(mark)))

    def _write_plain(self, kind: Type, optional: bool) -> Annotation:
        """Write classes, and collections without marks, as text: they are most types, and trees are slow."""
        if name := _class_of(kind):
            return Annotation(f"{name} | None" if optional else name, self._find_imports({name}))
        if kind.item is None or kind.constraints:
            return self._annotation(self._build_tree(kind, optional))
        inner, outer = self.of(kind.item, False), self._find_written(kind, optional)
        names = {*_NAME.findall(outer)} - {_PLACEHOLDER}
        text = _NAME.sub(lambda found: inner.text if found[0] == _PLACEHOLDER else found[0], outer)
        return Annotation(text, {**self._find_imports(names), **inner.imports})

    def _annotation(self, tree: ast.expr) -> Annotation:
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        return Annotation(ast.unparse(tree), self._find_imports(names))

    def _find_imports(self, names: set[str]) -> dict[str, str]:
        modules = {name: self._homes.get(name) or self._types.modules.get(name) for name in sorted(names)}
        return without_nones(modules)

    def _find_written(self, kind: Type, optional: bool) -> str:
        schema = _schema(kind, optional)
        found = self._types.find(schema)
        if found is None:
            if self._gather is not None:
                self._gather(self)
            found = self._types.write(schema, self._schemas.values())
        return found

    def _build_tree(self, kind: Type, optional: bool) -> ast.expr:
        """Build a new tree with the inner types filled in."""
        if name := _class_of(kind):
            return _expression(f"{name} | None" if optional else name)
        tree = _expression(self._find_written(kind, optional))
        if kind.item is not None:
            tree = _Filler(self._build_tree(kind.item, False)).fill(tree)
        if kind.constraints.get("uniqueItems"):  # the library has sets for it, which JSON and BSON have not
            tree = _annotate(tree, _expression("UniqueItems()"))
        if kind.kind is Kind.DECIMAL:  # the library's takes JSON numbers that were rounded
            tree = _annotate(tree, _expression("ExactDecimal()"))
        return tree


class _Filler(ast.NodeTransformer):
    """Puts the type of an item in the place of ``Inner``."""

    def __init__(self, inner: ast.expr) -> None:
        self._inner = inner

    def fill(self, tree: ast.expr) -> ast.expr:
        filled: ast.expr = self.visit(tree)
        return filled

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._inner if node.id == _PLACEHOLDER else node


def _class_of(kind: Type) -> str | None:
    """Return the class of a type, from the model or the runtime; the library does not generate these."""
    name = kind.class_name or _RUNTIME_CLASSES.get(kind.kind)
    return None if name is None else str(name)


def _schema(kind: Type, optional: bool) -> Schema:
    """Return the schema given to the library: the type itself, with a placeholder for its items."""
    if kind.kind is Kind.JSON:
        return {}
    schema = {**_SCALARS[kind.kind], **kind.constraints}
    if "format" in kind.constraints:  # checked as text, by its pattern
        schema = {"pattern": FORMAT_PATTERNS[str(schema.pop("format"))], **schema}
    if kind.values:
        schema["enum"] = [*kind.values, None] if optional else list(kind.values)
    if kind.item is not None:
        schema["items" if kind.kind is Kind.LIST else "additionalProperties"] = _INNER
    if optional and kind.kind is Kind.MAP:
        return {"anyOf": [schema, {"type": "null"}]}
    return {**schema, "type": [schema["type"], "null"]} if optional else schema


def _key(kind: Type, optional: bool) -> Key:
    """Return what makes a type distinct for the library, which does not see its items."""
    return (
        kind.kind,
        optional,
        kind.values,
        tuple((word, repr(kind.constraints[word])) for word in kind.constraints),
    )


def _whole_key(kind: Type, optional: bool) -> Key:
    """Return what makes a type distinct, including its class and its items."""
    inner = _whole_key(kind.item, False) if kind.item else None
    return (*_key(kind, optional), _class_of(kind), inner)


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _annotate(tree: ast.expr, mark: ast.expr) -> ast.expr:
    """Add a mark to ``tree``: in its ``Annotated[…]``, or in a new one."""
    if isinstance(tree, ast.Subscript) and isinstance(tree.slice, ast.Tuple) and _is(tree.value, "Annotated"):
        tree.slice.elts.append(mark)
        return tree
    return ast.Subscript(ast.Name("Annotated"), ast.Tuple([tree, mark]))


def _with_words(tree: ast.expr, words: Mapping[str, str | bool]) -> ast.expr:
    """Add words to ``tree``: in its ``Field(…)``, or in a new one."""
    if not words:
        return tree
    said = [ast.keyword(word, ast.Constant(value)) for word, value in words.items()]
    if isinstance(tree, ast.Subscript) and isinstance(tree.slice, ast.Tuple) and _is(tree.value, "Annotated"):
        for mark in tree.slice.elts:
            if isinstance(mark, ast.Call) and _is(mark.func, "Field"):
                mark.keywords += said
                return tree
    return _annotate(tree, ast.Call(ast.Name("Field"), [], said))


def _is(tree: ast.expr, name: str) -> bool:
    return isinstance(tree, ast.Name) and tree.id == name
