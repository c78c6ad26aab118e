"""The bodies that are the same for all records."""

from __future__ import annotations

from collections.abc import Mapping

from generator.openapi.parameters import PARAMETERS, PARAMETERS_OF
from generator.openapi.shared import Schema, nullable, ref


def answer_schemas() -> dict[str, Schema]:
    """The bodies that are the same for all records: ``Bulk``, ``BulkAnswer``, ``Count``, ``FindBody``."""
    number = {"type": "integer", "minimum": 0}
    identifier = {"type": "string", "pattern": "^[0-9a-f]{24}$"}
    word = {"enum": ["save", "delete"]}
    result: dict[str, Schema] = {
        "index": number,
        "op": word,
        "status": {"type": "integer", "description": "What the single request would have answered."},
        "id": identifier,
        "refName": {"type": "string"},
        "version": {"type": "integer", "minimum": 1},
        "error": ref("Problem"),
    }
    return {
        "Count": _closed({"count": number}, ["count"], "How many records match."),
        "FindBody": _closed(_find_body(), [], "What a list may be asked for, as the body of a find."),
        "Bulk": _bulk(identifier),
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


def _find_body() -> Schema:
    """The parameters of a list as members."""
    members: Schema = {}
    for one in (PARAMETERS[name] for name in PARAMETERS_OF["ListQuery"]):
        may_be_null = one["name"] not in ("skip", "count", "actions")
        schema = nullable(one["schema"]) if may_be_null else one["schema"]
        members[one["name"]] = {"description": one["description"], **schema}
    return members


def _bulk(identifier: Schema) -> Schema:
    operations = {"type": "array", "items": _bulk_item(identifier), "minItems": 1, "maxItems": 1000}
    said = "Many writes; each succeeds or fails by itself."
    return _closed({"operations": operations}, ["operations"], said)


def _bulk_item(identifier: Schema) -> Schema:
    save = {"op": {"const": "save"}, "record": {"type": "object"}}
    delete = {"op": {"const": "delete"}, "id": identifier}
    return {"oneOf": [_closed(save, list(save)), _closed(delete, list(delete))]}


def _closed(properties: Mapping[str, Schema], required: list[str], description: str | None = None) -> Schema:
    said = {"description": description} if description else {}
    return {
        **said,
        "type": "object",
        "additionalProperties": False,
        "properties": dict(properties),
        "required": required,
    }
