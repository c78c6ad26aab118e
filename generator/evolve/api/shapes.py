"""A schema as it is compared: null apart from the type, single branches unfolded, ``const`` as an enum."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from generator.evolve.api.documents import Document, Json, as_list, as_object

TEXTS = frozenset({"title", "description", "examples", "example", "externalDocs", "xml", "$comment", "$id",
                   "deprecated", "contentMediaType"})  # fmt: skip
"""Words that say nothing about which values are right, or are compared elsewhere."""

_NULL = {"type": "null"}
_BRANCHES = ("anyOf", "oneOf")
_MOST_DEPTH = 8  # a choice may be one of its own choices


@dataclass(frozen=True, slots=True)
class Shape:
    """A schema, normalized. ``types`` None: any. ``words``: its other keywords."""

    types: frozenset[str] | None
    nullable: bool
    enum: tuple[Any, ...] | None
    branches: tuple[Any, ...]
    branch_word: str | None
    words: Json = field(default_factory=dict)


def is_text(word: str) -> bool:
    """Whether a word only describes."""
    return word in TEXTS or word.startswith("x-")


def name_of(schema: Any) -> str | None:
    """Return the name of the component that a schema consists of, if it is only a reference."""
    if not isinstance(schema, dict) or not isinstance(schema.get("$ref"), str):
        return None
    is_only = all(is_text(word) or word in ("$ref", "readOnly", "writeOnly") for word in schema)
    return str(schema["$ref"]).rpartition("/")[2] if is_only else None


def unwrap(schema: Any) -> tuple[Any, bool]:
    """Unfold a choice between null and one other schema; return that and whether null is allowed."""
    for word in _BRANCHES:
        branches = as_list(as_object(schema).get(word))
        others = [one for one in branches if one != _NULL]
        if len(others) == 1:
            rest = {name: value for name, value in schema.items() if name != word}
            inner, nullable = unwrap(others[0])
            return {**as_object(inner), **rest}, nullable or len(others) < len(branches)
    if isinstance(schema, dict) and list(schema) == ["allOf"] and len(as_list(schema["allOf"])) == 1:
        return unwrap(schema["allOf"][0])
    return schema, False


def read_shape(schema: Any, document: Document, depth: int = 0) -> Shape:
    """Normalize a schema; a reference is followed and its siblings added. ``depth``: of choices."""
    schema, nullable = unwrap(_plain(schema))
    if "$ref" in as_object(schema):
        rest = {name: value for name, value in schema.items() if name != "$ref"}
        schema, inner = unwrap({**document.follow(schema)[1], **rest})
        nullable = nullable or inner
    words = dict(as_object(schema))
    types, takes_null = _read_types(words.pop("type", None))
    takes_null = bool(words.pop("nullable", False)) or takes_null
    enum, lists_null = _read_enum(words)
    word = next((one for one in _BRANCHES if as_list(words.get(one))), None)
    branches = as_list(words.pop(word)) if word else []
    others = tuple(one for one in branches if one != _NULL)
    if branches and not others:
        types = frozenset()
    chooses_null = not branches or any(_takes_null(one, document, depth) for one in branches)
    is_nullable = nullable or (takes_null and lists_null and chooses_null)
    return Shape(types, is_nullable, enum, others, word, words)


def _takes_null(schema: Any, document: Document, depth: int) -> bool:
    if schema == _NULL:
        return True
    return depth < _MOST_DEPTH and read_shape(schema, document, depth + 1).nullable


def _plain(schema: Any) -> Any:
    """Spell the schemas ``true`` and ``false`` as objects."""
    return {"not": {}} if schema is False else schema if isinstance(schema, dict) else {}


def _read_types(value: Any) -> tuple[frozenset[str] | None, bool]:
    """Read the types other than null, None for any, and whether null is among them."""
    if value is None:
        return None, True
    names = frozenset(map(str, value if isinstance(value, list) else [value]))
    return names - {"null"}, "null" in names


def _read_enum(words: dict[str, Any]) -> tuple[tuple[Any, ...] | None, bool]:
    """Take the values that are listed out of the words, and whether null is right."""
    if "const" in words:
        values: Any = [words.pop("const")]
    else:
        values = words.pop("enum", None)
    if not isinstance(values, list):
        return None, True
    return tuple(one for one in values if one is not None), None in values
