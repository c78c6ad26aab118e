"""JSON Schemas of the kinds, so that an editor completes and checks while typing.

Made from the spec classes; what those take on trust (type names, shorthands, operation keys) is added.
"""

from __future__ import annotations

import json
from typing import Any

from generator.operations import BY_KEY
from generator.spec import KINDS, SERVICE_KIND, ServiceSpec, Spec
from generator.types import FORMATS, SCALARS, TYPES

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_FIELD, _WORDS = {"$ref": "#/$defs/FieldSpec"}, {"$ref": "#/$defs/FieldWords"}


def editor_schemas() -> dict[str, str]:
    """Kind → JSON Schema 2020-12 as text, keys sorted, a newline at the end."""
    kinds: dict[str, type[Spec]] = {SERVICE_KIND: ServiceSpec, **KINDS}
    return {kind: _text(kinds[kind]) for kind in sorted(kinds)}


def _text(spec: type[Spec]) -> str:
    schema = spec.model_json_schema(by_alias=True)
    definitions = schema.get("$defs", {})
    if "FieldSpec" in definitions:
        _with_shorthands(definitions, "FieldSpec", "FieldWords")
    if "ParameterSpec" in definitions:
        _with_shorthands(definitions, "ParameterSpec", "ParameterWords")
    if "IndexSpec" in definitions:
        definitions["IndexWords"] = definitions.pop("IndexSpec")
        bare = {"type": "array", "items": {"type": "string"}, "minItems": 1}
        definitions["IndexSpec"] = {"anyOf": [bare, {"$ref": "#/$defs/IndexWords"}]}
    _with_names(schema)
    return json.dumps({"$schema": _DIALECT, **_trimmed(schema)}, indent=2, sort_keys=True) + "\n"


def _with_shorthands(definitions: dict[str, Any], name: str, words: str) -> None:
    """``name: string`` for ``{type: string}``, and fields below ``list:`` and ``map:``."""
    full = definitions[words] = definitions.pop(name)
    properties = full["properties"]
    properties["type"]["enum"] = list(SCALARS)
    properties["type"]["description"] = " ".join(f"{one}: {TYPES[one].meaning}" for one in SCALARS)
    properties["format"]["enum"] = list(FORMATS)
    for word in ("list", "map"):
        said = properties[word].get("description")
        fields = {"type": "object", "additionalProperties": _FIELD}
        properties[word] = {"anyOf": [_FIELD, fields], "description": said}
    definitions[name] = {"anyOf": [{"enum": list(SCALARS)}, {"$ref": f"#/$defs/{words}"}]}


def _with_names(schema: dict[str, Any]) -> None:
    properties = schema["properties"]
    if "record" in properties and "endpoints" in properties:
        listed = {"type": "array", "items": {"enum": list(BY_KEY)}, "uniqueItems": True}
        said = properties["endpoints"]["description"]
        properties["endpoints"] = {"anyOf": [{"const": "standard"}, listed], "description": said}
    if "states" in properties:
        properties["states"]["additionalProperties"] = {
            "anyOf": [{"type": "null"}, {"$ref": "#/$defs/StateSpec"}]
        }
    if "roles" in properties and "areas" in properties:
        names = {"type": "array", "items": {"type": "string"}}
        mapping = dict(properties["roles"])
        properties["roles"] = {"description": mapping.pop("description"), "anyOf": [names, mapping]}
    for definition in schema.get("$defs", {}).values():
        method = definition.get("properties", {}).get("method")
        if method and "enum" in method:
            method["enum"] = [*method["enum"], *(name.upper() for name in method["enum"])]


def _trimmed(part: Any) -> Any:
    """Without the titles Pydantic makes, and without ``null`` for words that may be left out."""
    if isinstance(part, list):
        return [_trimmed(one) for one in part]
    if not isinstance(part, dict):
        return part
    if "anyOf" in part and {"type": "null"} in part["anyOf"] and part.get("default", 0) is None:
        choices = [one for one in part["anyOf"] if one != {"type": "null"}]
        rest = {name: value for name, value in part.items() if name not in ("anyOf", "default")}
        part = {**(choices[0] if len(choices) == 1 else {"anyOf": choices}), **rest}
    kept = {name: value for name, value in part.items() if not (name == "title" and isinstance(value, str))}
    return {name: _trimmed(value) for name, value in kept.items() if (name, value) != ("default", None)}
