"""Bodies that are the same for all records."""

from typing import Any

from pydantic.json_schema import models_json_schema

from generator.model import Record
from generator.openapi.shared import REF, Schema, View, members_of, ref, tidy
from runtime.contract import history, imports, ontology, pages, states, writes
from runtime.model.record import Page

_SENT = (pages.FindBody, writes.BulkSet)
_ANSWERS = (
    *(pages.Count, states.FieldStates, states.FieldTransitions, writes.BulkAnswer, history.RecordHistory),
    ontology.EdgePage,
    *(imports.ImportRows, imports.ImportResult, imports.CommitResult, imports.ImportAnswer),
    imports.ImportProgress,
)


def answer_schemas() -> dict[str, Schema]:
    """Build the bodies that are the same for all records, by component name."""
    _, raw = models_json_schema(
        [(one, "validation") for one in (*_SENT, *_ANSWERS)], ref_template=REF + "{model}"
    )
    sent = {one.__name__ for one in _SENT}
    found = {
        name: tidy(schema, View.SENT if name in sent else View.READ) for name, schema in raw["$defs"].items()
    }
    found["BulkResult"]["properties"]["error"] |= ref("Problem")
    return found | {
        "RecordStates": _by_field("FieldStates", "The state graph of each state field."),
        "RecordTransitions": _by_field(
            "FieldTransitions", "The current state of each state field and its next states."
        ),
        "BulkDelete": _bulk_item("delete", "Delete a record.", {"id": _record_id()}),
    }


def page_schema(record: Record) -> Schema:
    """Build a page of a record."""
    properties, required = members_of(Page[Any], View.SENT)
    rows = {**properties["rows"], "items": ref(f"{record.name}Row")}
    return _close({**properties, "rows": rows}, required, f"A page of {record.plural}.")


def bulk_schemas(record: Record) -> dict[str, Schema]:
    """Build the body of a bulk request for a record, and its save operation."""
    save = f"{record.name}BulkSave"
    choice: Schema = {
        "oneOf": [ref(save), ref("BulkDelete")],
        "discriminator": {
            "propertyName": "op",
            "mapping": {"save": REF + save, "delete": f"{REF}BulkDelete"},
        },
    }
    properties, required = members_of(writes.Bulk)
    text = f"Writes of {record.plural}; unless atomic, each succeeds or fails as if sent on its own."
    operations = {**properties["operations"], "items": choice}
    body = _close({**properties, "operations": operations}, required, text)
    sent = {**ref(f"{record.name}Input"), "description": "The record, as in a single save."}
    item = _bulk_item("save", "Insert or replace a record.", {"record": sent})
    return {f"{record.name}Bulk": body, save: item}


def _record_id() -> Schema:
    properties, _required = members_of(writes.BulkResult)
    return {**properties["id"], "description": "The id of the record."}


def _by_field(name: str, description: str) -> Schema:
    return {"description": description, "type": "object", "additionalProperties": ref(name)}


def _bulk_item(word: str, text: str, member: Schema) -> Schema:
    op = {"type": "string", "const": word, "description": text}
    return _close({"op": op, **member}, ["op", *member], f"An operation of a bulk request: {word}.")


def _close(properties: Schema, required: list[str], description: str) -> Schema:
    return {
        "description": description,
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
        "required": required,
    }
