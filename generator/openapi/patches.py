"""Merge patches (RFC 7396) as component schemas: all members optional, null clears one, objects merge.

What a record must have cannot be cleared, except where its type keeps records that are not sound.
"""

from typing import Any

from generator.model import Field, Kind, Record
from generator.openapi.examples import Examples
from generator.openapi.shared import Schema, View, nullable

_MERGED = (Kind.OBJECT, Kind.STRUCTURE, Kind.MAP)
_MERGED_NAMES = frozenset({"dynamicAttributes"})
"""Common fields with names that clients choose, so that any of them may be cleared."""
_NAMED_BY_SERVER = (Kind.STATES, Kind.REFERENCE)


def patch_schema(record: Record, whole: Schema) -> Schema:
    """Build the schema of a merge patch: the members of ``…Input``, which is given, none of them required."""
    types = {field.name: field for field in record.fields}
    fixed = () if record.lenient else whole.get("required", ())
    members = {
        name: _member(name, types.get(name), schema, name in fixed)
        for name, schema in whole["properties"].items()
    }
    text = f"A merge patch for one of the {record.plural}: absent members stay, null clears, objects merge."
    return {"description": text, "type": "object", "additionalProperties": False, "properties": members}


def patch_example(record: Record, examples: Examples) -> Any:
    """Return the first member whose value can be sent at any time."""
    shown = examples.record(record, View.SENT) or {}
    for field in record.fields:
        if field.name in shown and not (
            field.immutable or field.is_made_by_server or field.type.kind in (*_MERGED, *_NAMED_BY_SERVER)
        ):
            return {field.name: shown[field.name]}
    return {"activeStatus": "INACTIVE"}


def _member(name: str, field: Field | None, schema: Schema, is_fixed: bool) -> Schema:
    """Return a member without its default, because absent members keep their values."""
    kept = {word: value for word, value in schema.items() if word != "default"}
    is_merged = field.type.kind in _MERGED if field is not None else name in _MERGED_NAMES
    if is_merged:
        said = {"description": kept["description"]} if "description" in kept else {}
        shape = {"type": "object" if is_fixed else ["object", "null"], "additionalProperties": True}
        return shape | said
    words = ("description", "examples", "deprecated", "readOnly", "writeOnly")
    bare = {word: value for word, value in kept.items() if word not in words}
    around = {word: value for word, value in kept.items() if word in words}
    return kept if is_fixed or _takes_null(bare) else nullable(bare) | around


def _takes_null(schema: Schema) -> bool:
    types = schema.get("type", ())
    return not schema or "null" in types or {"type": "null"} in schema.get("anyOf", ())
