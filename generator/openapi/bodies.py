"""The bodies that are the same for all records."""

from __future__ import annotations

from collections.abc import Mapping

from generator.model import Record
from generator.openapi.import_bodies import import_schemas
from generator.openapi.parameters import PARAMETERS, PARAMETERS_OF
from generator.openapi.property_texts import describe_members
from generator.openapi.shared import REF, Schema, nullable, ref


def answer_schemas() -> dict[str, Schema]:
    """The bodies that are the same for all records, by component name."""
    number = {"type": "integer", "minimum": 0}
    identifier = {"type": "string", "pattern": "^[0-9a-f]{24}$"}
    word: Schema = {"type": "string", "enum": ["save", "delete", "set"]}
    result: dict[str, Schema] = {
        "index": number,
        "op": word,
        "status": {"type": "integer", "description": "What the single request would have answered."},
        "id": identifier,
        "refName": {"type": "string"},
        "version": {"type": "integer", "minimum": 1},
        "error": ref("Problem"),
    }
    found: dict[str, Schema] = {
        **_history(),
        **import_schemas(),
        "Count": _closed({"count": number}, ["count"], "How many records match."),
        "FindBody": _closed(_find_body(), [], "What a list may be asked for, as the body of a find."),
        **_states(),
        "BulkSet": _bulk_set(identifier),
        "BulkDelete": _bulk_item("delete", {"id": identifier}),
        "BulkAnswer": _closed(
            {
                "results": {"type": "array", "items": ref("BulkResult")},
                **dict.fromkeys(("saved", "deleted", "failed"), number),
            },
            ["results", "saved", "deleted", "failed"],
            "One result per operation, in their order, and the totals.",
        ),
        "BulkResult": _closed(result, ["index", "op", "status"], "What came of one operation."),
    }
    return {name: describe_members(name, schema) for name, schema in found.items()}


def bulk_schemas(record: Record) -> dict[str, Schema]:
    """The body of a bulk request for a record, and its operation that saves."""
    save = f"{record.name}BulkSave"
    choice: Schema = {
        "oneOf": [ref(save), ref("BulkDelete")],
        "discriminator": {
            "propertyName": "op",
            "mapping": {"save": REF + save, "delete": f"{REF}BulkDelete"},
        },
    }
    operations = {"type": "array", "items": choice, "minItems": 1, "maxItems": 1000}
    atomic = {"type": "boolean", "default": False, "description": "All operations or none."}
    said = f"Many writes of {record.plural}; unless atomic each succeeds or fails as if sent on its own."
    body = _closed({"operations": operations, "atomic": atomic}, ["operations"], said)
    item = _bulk_item("save", {"record": ref(f"{record.name}Input")})
    return {
        f"{record.name}Bulk": describe_members("Bulk", body),
        save: describe_members("BulkSave", item),
    }


def _states() -> dict[str, Schema]:
    names = {"type": "array", "items": {"type": "string"}}
    graph: Schema = {
        "initial": names,
        "final": names,
        "states": {
            "type": "object",
            "additionalProperties": names,
            "description": "Each state, and those that may follow it.",
        },
    }
    place: Schema = {"current": {"type": "string"}, "next": {**names, "description": "What you may choose."}}
    return {
        "RecordStates": _by_field("FieldStates", "The graph of each state field."),
        "FieldStates": _closed(graph, ["initial", "final", "states"], "The graph of one state field."),
        "RecordTransitions": _by_field("FieldTransitions", "Where each state field may go."),
        "FieldTransitions": _closed(place, ["next"], "Where one state field stands, and may go."),
    }


def _by_field(name: str, description: str) -> Schema:
    return {"description": description, "type": "object", "additionalProperties": ref(name)}


def _bulk_set(identifier: Schema) -> Schema:
    ids = {"type": "array", "items": identifier, "minItems": 1, "maxItems": 1000, "uniqueItems": True}
    text = {"type": "string", "minLength": 1, "maxLength": 16384, "pattern": r"\S"}
    said = "By dotted name, or nested as in a merge patch; null clears."
    members: Schema = {
        "filter": nullable({**text, "description": "Which records; those that a list would show."}),
        "ids": nullable({**ids, "description": "Which records."}),
        "values": {"type": "object", "minProperties": 1, "maxProperties": 200, "description": said},
        "atomic": {"type": "boolean", "default": False, "description": "All records or none."},
    }
    body = _closed(members, ["values"], "The same values for many records, named by one of filter and ids.")
    is_there = {"not": {"type": "null"}}
    named = [{"required": [name], "properties": {name: is_there}} for name in ("filter", "ids")]
    return body | {"oneOf": named}


def _history() -> dict[str, Schema]:
    number: Schema = {"type": "integer", "minimum": 0}
    text: Schema = {"type": "string"}
    change: Schema = {
        "path": {**text, "description": "The field, dotted."},
        "before": {"description": "The value before the write; absent where there was none."},
        "after": {"description": "The value after the write; absent where there is none."},
        "beforeBytes": {**number, "description": "In place of `before`: the size of a large value."},
        "afterBytes": {**number, "description": "In place of `after`: the size of a large value."},
        "hidden": {"type": "boolean", "description": "True: a hidden field was sent, not shown here."},
    }
    who = ("impersonatorUserId", "impersonatorSubject", "actingOnBehalfOfUserId", "actingOnBehalfOfSubject")
    entry: Schema = {
        "version": {"type": "integer", "minimum": 1, "description": "The version that the write made."},
        "action": {"type": "string", "enum": ["CREATE", "UPDATE", "DELETE", "ARCHIVE", "RESTORE"]},
        "date": {"type": "string", "format": "date-time"},
        "userId": text,
        "subject": text,
        **dict.fromkeys(who, text),
        "requestId": text,
        "changes": {"type": "array", "items": ref("RecordChange")},
        "omitted": {**number, "description": "Changes that there was no room for."},
    }
    page: Schema = {
        "offset": number,
        "limit": number,
        "rows": {"type": "array", "items": ref("RecordRevision")},
        "rowCount": number,
        "totalCount": number,
    }
    needed = ["version", "action", "date", "userId", "subject", "requestId", "changes"]
    return {
        "RecordHistory": _closed(page, ["offset", "limit", "rows", "rowCount"], "The writes of one record."),
        "RecordRevision": _closed(entry, needed, "One write of a record."),
        "RecordChange": _closed(change, ["path"], "What a write did to one field."),
    }


def _find_body() -> Schema:
    """The parameters of a list as members."""
    members: Schema = {}
    for one in (PARAMETERS[name] for name in PARAMETERS_OF["ListQuery"]):
        may_be_null = one["name"] not in ("skip", "count", "actions")
        schema = nullable(one["schema"]) if may_be_null else one["schema"]
        members[one["name"]] = {"description": one["description"], **schema}
    return members


def _bulk_item(word: str, member: dict[str, Schema]) -> Schema:
    said = f"An operation of a bulk request: {word}."
    op = {"type": "string", "const": word}
    return _closed({"op": op, **member}, ["op", *member], said)


def _closed(properties: Mapping[str, Schema], required: list[str], description: str | None = None) -> Schema:
    said = {"description": description} if description else {}
    return {
        **said,
        "type": "object",
        "additionalProperties": False,
        "properties": dict(properties),
        "required": required,
    }
