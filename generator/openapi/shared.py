"""The schemas that all record types share, read from the classes of ``runtime.model.record``.

In responses nothing is null (absent fields are omitted); in requests ``null`` clears an optional
member. A shared class that differs between the two has a component of its own for what is
sent, named with ``Input``.
"""

from collections.abc import Mapping
from enum import Enum
from functools import cache
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from runtime.model import record

Schema = dict[str, Any]

REF = "#/components/schemas/"

_CLASSES = (
    *(record.AuditInfo, record.DataDomain, record.DataDomainInput, record.DynamicAttribute),
    *(record.EntityReference, record.PersistentEvent, record.Record, record.RecordInput),
    *(record.ReferenceEntry, record.Violation),
)
_STATUS, _STATUS_NAME = "activeStatus", "ActiveStatus"
"""The one choice among the common members: generators of clients write a class for it, not one a schema."""
_IN_ROWS = ("DataDomain", "DynamicAttribute", "PersistentEvent", "Violation")
"""What a projection can reach into, so that rows have it without its required members."""
_WRITTEN_BY_SERVER = ("version", "auditInfo", "references", "actionList")


class View(Enum):
    """What a schema describes: what is read, what is sent, or the rows of a list. The value ends its name."""

    READ = ""
    SENT = "Input"
    ROW = "InRow"


def ref(name: str) -> Schema:
    """Return a reference to a component."""
    return {"$ref": REF + name}


def shared_name(name: str, view: View) -> str:
    """Return the component of ``EntityReference``, or another shared class, for a view."""
    if name == "DataDomainInput":
        return name
    return name + view.value if f"{name}{view.value}" in shared_components() else name


@cache
def shared_components() -> Mapping[str, Schema]:
    """Build the shared structures by component name, without the two record bases."""
    found: dict[str, Schema] = {}
    for name, schema in _raw().items():
        if name in ("Record", "RecordInput"):
            continue
        if name == "DataDomainInput":
            found[name] = _tidy(_described_as("DataDomain", schema), View.SENT)
            continue
        found[name] = _tidy(schema, View.READ)
        if _has_null(schema) and name != "DataDomain":
            found[f"{name}Input"] = _tidy(schema, View.SENT)
    for name in _IN_ROWS:
        found[f"{name}{View.ROW.value}"] = {
            word: value for word, value in found[name].items() if word != "required"
        }
    found["EntityReferenceInRow"] = _describe_reference_row(found["EntityReference"])
    status = _tidy(_raw()["Record"]["properties"][_STATUS], View.READ)
    return found | {_STATUS_NAME: {**status, "description": "Whether a record is in use."}}


@cache
def common_properties(view: View) -> tuple[Mapping[str, Schema], tuple[str, ...]]:
    """Return the properties of every record, and the names of the required ones."""
    raw = _raw()["Record"] if view is not View.SENT else _described_as("Record", _raw()["RecordInput"])
    properties = {name: _property(name, schema, view) for name, schema in raw["properties"].items()}
    return properties, tuple(raw.get("required", ()))


def _describe_reference_row(reference: Schema) -> Schema:
    """Describe a reference in a row: open and without constraints, since a record may be in its place.

    Not a choice of two schemas: a client that expands nothing would have to tell them apart.
    """
    members = {
        name: {word: said for word, said in member.items() if word in ("type", "description")}
        for name, member in reference["properties"].items()
    }
    text = "A pointer to another record; with `expand`, that record in its place."
    return {"description": text, "type": "object", "additionalProperties": True, "properties": members}


def _described_as(name: str, schema: Schema) -> Schema:
    """Return the schema of what is sent with the descriptions of the members that are read."""
    read = _raw()[name]["properties"]
    members = {
        name: {"description": read[name]["description"], **member}
        for name, member in schema["properties"].items()
    }
    return {**schema, "properties": members}


@cache
def members_of(model: type[BaseModel], view: View = View.READ) -> tuple[dict[str, Schema], list[str]]:
    """Return the members of a class of ``runtime.contract`` by wire name, and the required ones."""
    schema = model.model_json_schema(ref_template=REF + "{model}")
    inline = {
        REF + name: one
        for name, one in schema.get("$defs", {}).items()
        if "enum" in one or name.startswith("Problem")
    }
    properties = {
        name: _tidy(_inline(one, inline), view, keep_defaults=True)
        for name, one in schema["properties"].items()
    }
    return properties, schema.get("required", [])


def tidy(schema: Schema, view: View) -> Schema:
    """Return the schema of a class of ``runtime.contract``."""
    found: Schema = _tidy(schema, view, keep_defaults=True)
    for member in found.get("properties", {}).values():
        member.pop("example", None)  # examples of a body are whole
    return found if "required" in found else {**found, "required": []}


def _inline(node: Any, schemas: Mapping[str, Schema]) -> Any:
    """Put the schemas of enumerations in place of references to them."""
    if isinstance(node, list):
        return [_inline(one, schemas) for one in node]
    if not isinstance(node, dict):
        return node
    own = {name: _inline(one, schemas) for name, one in node.items() if name != "$ref"}
    if "$ref" not in node:
        return own
    found = schemas.get(node["$ref"])
    if found is None:
        return node
    return {**{name: one for name, one in found.items() if name != "description"}, **own}


def nullable(schema: Schema) -> Schema:
    """Return a schema that also accepts null.

    Values to choose from stay a schema of their own: of two types and a list of values with null in it, some
    generators of clients write three classes.
    """
    if not schema:
        return {}
    if isinstance(schema.get("type"), str) and "enum" not in schema:
        return {**schema, "type": [schema["type"], "null"]}
    choices = schema["anyOf"] if list(schema) == ["anyOf"] else [schema]
    return {"anyOf": [*choices, {"type": "null"}]}


@cache
def _raw() -> Mapping[str, Schema]:
    _, schemas = models_json_schema([(one, "validation") for one in _CLASSES], ref_template=REF + "{model}")
    defined: Mapping[str, Schema] = schemas["$defs"]
    return {name: defined[name] for name in sorted(defined)}


def _property(name: str, schema: Schema, view: View) -> Schema:
    tidy: Schema = _tidy(schema, view)
    if name == _STATUS:
        shared = ref(_STATUS_NAME)
        tidy = {**(nullable(shared) if view is View.SENT else shared), "description": tidy["description"]}
    return tidy | {"readOnly": True} if name in _WRITTEN_BY_SERVER else tidy


def _has_null(schema: object) -> bool:
    if isinstance(schema, dict):
        return schema.get("type") == "null" or any(map(_has_null, schema.values()))
    return isinstance(schema, list) and any(map(_has_null, schema))


def _tidy(node: Any, view: View, *, keep_defaults: bool = False) -> Any:
    """Remove Pydantic's titles and null defaults, and null where it is read."""
    if isinstance(node, list):
        return [_tidy(one, view, keep_defaults=keep_defaults) for one in node]
    if not isinstance(node, dict):
        return node
    dropped = {"title"} if keep_defaults and node.get("default") is not None else {"title", "default"}
    kept = {
        name: _tidy(one, view, keep_defaults=keep_defaults)
        for name, one in node.items()
        if name not in dropped
        and not (name == "additionalProperties" and one is True and "properties" in node)
    }
    if "properties" in node:
        kept["properties"] = {
            name: _tidy(one, view, keep_defaults=keep_defaults) for name, one in node["properties"].items()
        }
    if "$ref" in kept:
        kept["$ref"] = REF + _name_in_view(kept["$ref"].removeprefix(REF), view)
    if {"type": "null"} in kept.get("anyOf", ()):
        rest = [one for one in kept.pop("anyOf") if one != {"type": "null"}]
        bare = rest[0] if len(rest) == 1 else {"anyOf": rest}
        kept = {**(nullable(bare) if view is View.SENT else bare), **kept}
    return kept


def _name_in_view(name: str, view: View) -> str:
    if view is View.ROW and name in _IN_ROWS:
        return f"{name}{view.value}"
    if view is not View.SENT or name == "DataDomainInput" or name not in _raw():
        return name
    return f"{name}Input" if _has_null(_raw()[name]) else name
