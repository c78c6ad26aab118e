"""Examples of answers, as ``components/examples``: one each, so that a record has one in one place."""

from collections.abc import Mapping
from typing import Any, Final

from generator.model import Record
from generator.openapi.examples import EXAMPLE_ID, EXAMPLE_MOMENT, Examples
from generator.openapi.shared import Schema, View
from generator.operations import StandardOperation

_SESSION: Final = {"sessionId": EXAMPLE_ID}
_ROWS: Final = [
    {
        "rowNumber": 2,
        "refName": "A-2",
        "intent": "SKIP",
        "rawData": {"refName": "A-2", "displayName": ""},
        "errors": [{"code": "VALIDATION", "message": "String should have at least 1 character"}],
    }
]
_COUNTS: Final = {"insertCount": 1, "updateCount": 0, "skipCount": 0}

_SHARED: Final[Mapping[str, Any]] = {
    "Count": {"count": 42},
    "BulkAnswer": {
        "results": [
            {"index": 0, "op": "save", "status": 201, "id": EXAMPLE_ID, "refName": "A-1", "version": 1},
            {"index": 1, "op": "delete", "status": 204, "id": EXAMPLE_ID},
        ],
        "saved": 1,
        "deleted": 1,
        "failed": 0,
    },
    "ImportAnswer": {"importedCount": 1, "failedCount": 1, **_COUNTS, "rows": _ROWS},
    "ImportResult": {
        **_SESSION,
        "status": "ANALYZED",
        "totalRows": 2,
        "validRows": 1,
        "errorRows": 1,
        **_COUNTS,
        "rows": _ROWS,
    },
    "ImportRows": {"offset": 0, "limit": 50, "rows": _ROWS, "rowCount": 1, "totalCount": 1},
    "CommitResult": {**_SESSION, "inserted": 1, "updated": 0, "skipped": 0, "failed": 1},
    "RecordHistory": {
        "offset": 0,
        "limit": 50,
        "rows": [
            {
                "version": 2,
                "action": "UPDATE",
                "date": EXAMPLE_MOMENT,
                "userId": "ada@acme",
                "subject": "ada",
                "requestId": "4f2a9c01b7d3e865",
                "changes": [{"path": "displayName", "before": "A", "after": "B"}],
            }
        ],
        "rowCount": 1,
    },
    "EdgePage": {
        "offset": 0,
        "limit": 50,
        "rows": [
            {
                "source": {"type": "Port", "id": EXAMPLE_ID, "refName": "PTLIS"},
                "predicate": "liesIn",
                "destination": {"type": "Region", "id": EXAMPLE_ID, "refName": "europe"},
                "inferred": True,
                "provenance": {"rule": "chain", "of": ["liesIn", "partOf"]},
                "timestamp": EXAMPLE_MOMENT,
            }
        ],
        "rowCount": 1,
        "hasMore": False,
    },
    "RecordStates": {
        "status": {"initial": ["DRAFT"], "final": ["DONE"], "states": {"DRAFT": ["DONE"], "DONE": []}}
    },
    "RecordTransitions": {"status": {"current": "DRAFT", "next": ["DONE"]}},
    "JsonSchema": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {"refName": {"type": "string"}},
    },
}

_NAMES: Final = {"Page[{model}]": "{model}Page", "list[EntityReference]": "{model}References"}
"""The examples of answers that have no component of their own name."""


def shared_examples() -> dict[str, Schema]:
    """Build the ``examples`` of the components that all record types share."""
    return {name: {"value": value} for name, value in _SHARED.items()}


def record_examples(record: Record, examples: Examples) -> dict[str, Schema]:
    """Build the three ``examples`` of the components that a record type has."""
    return {name: {"value": value} for name, value in _of_record(record, examples).items()}


def example_of_answer(record: Record, row: StandardOperation, examples: Examples) -> Schema:
    """Build the member ``examples`` of a response's content; empty if there is no example."""
    name = _NAMES.get(row.answer, row.answer).format(model=record.name)
    is_known = row.answer in _NAMES or name in _SHARED
    if not is_known and (row.answer != "{model}" or examples.record(record, View.READ) is None):
        return {}
    return {"examples": {name: {"$ref": f"#/components/examples/{name}"}}}


def _of_record(record: Record, examples: Examples) -> dict[str, Any]:
    """Build the example of a record as read, a page and references; rows are short, as with a projection."""
    names = {"refName": f"{record.name.upper()}-1", "displayName": f"{record.name} 1"}
    page = {"offset": 0, "limit": 50, "rows": [{"id": EXAMPLE_ID, **names}], "rowCount": 1}
    reference = {
        "entityId": EXAMPLE_ID,
        "entityType": record.name,
        "entityRefName": names["refName"],
        "entityDisplayName": names["displayName"],
    }
    whole = examples.record(record, View.READ)
    own = {} if whole is None else {str(record.name): whole}
    return {**own, f"{record.name}Page": page, f"{record.name}References": [reference]}
