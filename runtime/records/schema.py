"""The JSON Schema of a record type, as a caller reads it: fields that rules withhold are not named."""

from collections.abc import Iterator
from copy import deepcopy
from functools import lru_cache
from typing import Any, TypeVar

from runtime.access.guard import allow
from runtime.call import Call
from runtime.contract.values import JsonSchema
from runtime.model.record import Record
from runtime.model.record_type import RecordType
from runtime.storage.access import Action
from runtime.storage.wire import Json, to_json

R = TypeVar("R", bound=Record)
Schema = dict[str, Any]


async def get_schema(call: Call, kind: RecordType[Any]) -> Json[JsonSchema]:
    """Return the JSON Schema 2020-12 of what a caller reads."""
    access = allow(call, kind, Action.VIEW)
    return Json(_render_schema(kind, access.withheld), headers={"Content-Type": "application/schema+json"})


@lru_cache(maxsize=1024)
def _render_schema(kind: RecordType[Any], withheld: frozenset[str]) -> bytes:
    schema = _tidy(kind.model.model_json_schema(mode="serialization", by_alias=True))
    for path in sorted(withheld):
        _take_out(schema, path, schema.get("$defs", {}))
    if withheld and "$defs" in schema:
        schema["$defs"] = _keep_needed(schema)
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"{kind.base_path}/schema",
        "title": kind.shown_name,
    }
    return to_json({**head, **schema})


def _take_out(schema: Schema, path: str, definitions: Schema) -> None:
    """Remove the field at a dotted path. What is shared with other fields is copied on the way."""
    name, _, rest = path.partition(".")
    properties = schema.get("properties", {})
    if name not in properties:
        return
    if not rest:
        del properties[name]
        if name in schema.get("required", ()):
            schema["required"].remove(name)
        return
    properties[name] = inner = _copy(properties[name], definitions)
    while "items" in inner:
        inner["items"] = inner = _copy(inner["items"], definitions)
    _take_out(inner, rest, definitions)


def _copy(schema: Schema, definitions: Schema) -> Schema:
    """Return a copy in which nothing is shared on the first level."""
    if "$ref" not in schema:
        return deepcopy(schema)
    shared = definitions[schema["$ref"].rpartition("/")[2]]
    return {**deepcopy(shared), **{word: value for word, value in schema.items() if word != "$ref"}}


def _keep_needed(schema: Schema) -> Schema:
    """Return the definitions that are still referred to, from the record or from each other."""
    definitions, found = schema["$defs"], Schema()
    waiting = list(_names({word: value for word, value in schema.items() if word != "$defs"}))
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = definitions[name]
            waiting += _names(found[name])
    return {name: found[name] for name in definitions if name in found}


def _names(schema: Any) -> Iterator[str]:
    if isinstance(schema, list):
        for item in schema:
            yield from _names(item)
    elif isinstance(schema, dict):
        if isinstance(reference := schema.get("$ref"), str):
            yield reference.rpartition("/")[2]
        for value in schema.values():
            yield from _names(value)


def _tidy(schema: Any) -> Any:
    """Convert Pydantic's schema for consumers: absent fields are left out, so nothing read is null."""
    if isinstance(schema, list):
        return [_tidy(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    choices = schema.get("anyOf")
    choices = (
        [choice for choice in choices if choice != {"type": "null"}] if isinstance(choices, list) else []
    )
    if len(choices) == 1:
        rest = {word: value for word, value in schema.items() if word not in ("anyOf", "default")}
        schema = {**choices[0], **rest}
    return {
        word: _tidy(value)
        for word, value in schema.items()
        if not (word == "title" and isinstance(value, str)) and not (word == "default" and value is None)
    }
