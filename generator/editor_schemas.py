"""JSON Schemas of the kinds, so that an editor completes and checks while typing.

Made from the spec classes; what those take on trust is added: type names, shorthands, shapes of names and
values, and the names of the project.
"""

from typing import Any

import orjson

from generator.change_rules import BREAKING_RULES
from generator.editor_names import EditorNames, add_names
from generator.operations import BY_KEY
from generator.resolve.paths import COMMON_NAMES
from generator.spec import (
    BREAKING_KIND,
    CONSTRAINT_WORDS,
    KINDS,
    NAMES,
    SERVICE_KIND,
    TYPE_WORDS,
    BreakingSpec,
    ServiceSpec,
    Spec,
)
from generator.types import FORMATS, SCALARS, TYPES

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_FIELD = {"$ref": "#/$defs/FieldSpec"}


def render_editor_schemas(names: EditorNames | None = None) -> dict[str, str]:
    """Kind → JSON Schema 2020-12 as text, keys sorted, a newline at the end.

    ``names``: those of the project, which are listed then.
    """
    kinds: dict[str, type[Spec]] = {SERVICE_KIND: ServiceSpec, BREAKING_KIND: BreakingSpec, **KINDS}
    return {kind: _render_schema(kinds[kind], names) for kind in sorted(kinds)}


def _render_schema(spec: type[Spec], names: EditorNames | None) -> str:
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
    classes = {**definitions, spec.__name__: schema}
    if names is not None:
        add_names(classes, names)
    for owner, rows in _SHAPES.items():
        for word, shape in rows.items() if owner in classes else ():
            classes[owner]["properties"][word].update(shape)
    options = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
    return orjson.dumps({"$schema": _DIALECT, **_trim(schema, names)}, option=options).decode()


_CLASS_NAME = {"pattern": "^[A-Z][a-zA-Z0-9]{0,79}$"}
_URL = {"pattern": "^https?://[^ /][^ ]*$"}
_FIELDS = {
    "propertyNames": {"pattern": "^[a-z][a-zA-Z0-9]*$", "not": {"enum": sorted(COMMON_NAMES)}},
}
_SHAPES: dict[str, dict[str, Any]] = {
    "RecordSpec": {
        "record": _CLASS_NAME,
        "fields": _FIELDS,
        "path": {"pattern": "^(/[A-Za-z0-9][A-Za-z0-9._~-]*)+$"},
        "collection": {"pattern": "^[a-z][A-Za-z0-9]*$"},
    },
    "ExtensionSpec": {"fields": {**_FIELDS, "minProperties": 1}},
    "StructureSpec": {"structure": _CLASS_NAME, "fields": {"minProperties": 1}},
    "StateGraphSpec": {"states": {"propertyNames": {"pattern": "^[A-Z][A-Z0-9_]*$"}, "minProperties": 1}},
    "ServiceSpec": {
        "version": {"pattern": "^[0-9]+[.][0-9]+([.][0-9]+)?([-+][0-9A-Za-z.+-]+)?$"},
        "termsOfService": _URL,
    },
    "ContactSpec": {"url": _URL, "email": {"pattern": "^[^ @]+@[^ @]+$"}},
    "LicenseSpec": {"url": _URL},
    "EndpointSpec": {
        "path": {"pattern": "^/"},
        "handler": {"pattern": "^[A-Za-z_][A-Za-z0-9_.]*:[A-Za-z_][A-Za-z0-9_]*$"},
    },
    "SeedSpec": {"rows": {"items": {"type": "object", "required": ["refName"]}}},
    "IndexWords": {"fields": {"minItems": 1}},
    "DeclarationSpec": {
        "rule": {"anyOf": [{"enum": BREAKING_RULES}, {"pattern": "[*]"}]},
        "date": {"pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"},
        "at": {"minLength": 1},
        "reason": {"pattern": r"\S"},
    },
}
"""Shapes of names and values that ``resolve`` checks: class → word → what its schema says besides."""

_VALUES: dict[str, Any] = {
    "string": {"type": "string"}, "text": {"type": "string"}, "integer": {"type": "integer"},
    "number": {"type": "number"}, "decimal": {"type": ["number", "string"]}, "boolean": {"type": "boolean"},
    "date": {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"},
    "datetime": {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T"},
    "objectId": {"type": "string", "pattern": "^[0-9a-f]{24}$"},
}  # fmt: skip


def _build_field_rules() -> list[dict[str, Any]]:
    """Build the rules: one word gives the type; constraints, defaults and examples fit it and each other."""
    rules: list[dict[str, Any]] = [{"oneOf": [{"required": [word]} for word in TYPE_WORDS]}]
    for name, row in TYPES.items():
        foreign = {word: False for word in CONSTRAINT_WORDS if word not in row.constraints}
        value = _VALUES.get(name)
        fits = {"default": value, "example": value} if value else {}
        if row.said_by == "type":
            said: dict[str, Any] = {"properties": {"type": {"const": str(name)}}, "required": ["type"]}
        else:
            said = {"required": [row.said_by]}
        rules.append({"if": said, "then": {"properties": {**foreign, **fits}}})
    sure = {"properties": {"required": {"const": True}}, "required": ["required", "default"]}
    return [*rules, {"not": sure}, {"not": {"required": ["calculated", "default"]}}]


def _with_shorthands(definitions: dict[str, Any], name: str, words: str) -> None:
    """``name: string`` for ``{type: string}``, and fields below ``list:`` and ``map:``."""
    full = definitions[words] = definitions.pop(name)
    properties = full["properties"]
    properties["type"]["enum"] = list(SCALARS)
    properties["type"]["description"] = " ".join(f"{one}: {TYPES[one].meaning}" for one in SCALARS)
    properties["format"]["enum"] = list(FORMATS)
    properties["enum"] |= {"minItems": 1, "uniqueItems": True}
    full["allOf"] = _build_field_rules()
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


def _trim(part: Any, names: EditorNames | None) -> Any:
    """Drop the titles Pydantic makes, and ``null`` for words that may be left out; list known names."""
    if isinstance(part, list):
        return [_trim(one, names) for one in part]
    if not isinstance(part, dict):
        return part
    if "anyOf" in part and {"type": "null"} in part["anyOf"] and part.get("default", 0) is None:
        choices = [one for one in part["anyOf"] if one != {"type": "null"}]
        rest = {name: value for name, value in part.items() if name not in ("anyOf", "default")}
        part = {**(choices[0] if len(choices) == 1 else {"anyOf": choices}), **rest}
    kept = {name: value for name, value in part.items() if not (name == "title" and isinstance(value, str))}
    kind = kept.pop(NAMES, None)
    if kind and names:
        del kept["type"]
        kept["enum"] = list(getattr(names, kind))
    return {name: _trim(value, names) for name, value in kept.items() if (name, value) != ("default", None)}
