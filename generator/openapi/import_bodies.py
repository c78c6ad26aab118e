"""What CSV imports take and answer in the document (spec 2 §2.10, §4.4): a file, results, rows."""

from __future__ import annotations

from collections.abc import Mapping

from generator.openapi.shared import Schema, ref

_NUMBER: Schema = {"type": "integer", "minimum": 0}
_TEXT: Schema = {"type": "string"}
_ID: Schema = {"type": "string", "pattern": "^[0-9a-f]{24}$"}
_INTENT: Schema = {"type": "string", "enum": ["INSERT", "UPDATE", "SKIP"]}
_CODES = (
    *("PARSE", "VALIDATION", "MAPPING", "LOOKUP", "STATE"),
    *("REFERENCE", "SCOPE", "DUPLICATE", "INTENT", "DB"),
)
_ROWS: Schema = {"type": "array", "items": ref("AnalysedRow")}

IMPORT_PARAMETERS: Mapping[str, Schema] = {
    "ImportColumns": {
        "name": "requestedColumns",
        "in": "query",
        "required": True,
        "description": "Comma list of fields, in the order of the columns. `customer.entityRefName` finds "
        "the record that a reference names; `list[0].field` gathers an item from each of the rows that "
        "follow each other under one `refName`. The last column of an error file, `errors`, is left out.",
        "schema": {"type": "string", "minLength": 1, "maxLength": 16384},
        "example": "refName,displayName",
    },
    "ProfileRefName": {
        "name": "profileRefName",
        "in": "query",
        "required": True,
        "description": "The import profile that says how the columns of the file, which begins with a "
        "header line, become the fields of records.",
        "schema": {"type": "string", "minLength": 1, "maxLength": 200},
        "example": "legacyAirports",
    },
    "SkipHeaderRow": {
        "name": "skipHeaderRow",
        "in": "query",
        "description": "Whether the first row is a header.",
        "schema": {"type": "boolean", "default": True},
    },
    "RestoreArchived": {
        "name": "restoreArchived",
        "in": "query",
        "description": "Whether a row that names an archived record restores it. Otherwise it is an error.",
        "schema": {"type": "boolean", "default": False},
    },
    "SessionId": {
        "name": "sessionId",
        "in": "path",
        "required": True,
        "description": "The import session, as its analysis named it.",
        "schema": _TEXT,
        "example": "65f0c0ffee00c0ffee00c0de",
    },
    "OnlyErrors": {
        "name": "onlyErrors",
        "in": "query",
        "description": "Whether only rows with errors are wanted.",
        "schema": {"type": "boolean", "default": False},
    },
    "RowIntent": {
        "name": "intent",
        "in": "query",
        "description": "Only rows with which this is done.",
        "schema": _INTENT,
    },
}


def file_body() -> Schema:
    """The form that a file is sent in."""
    form: Schema = {
        "type": "object",
        "additionalProperties": False,
        "properties": {"file": {"type": "string", "contentMediaType": "text/csv"}},
        "required": ["file"],
    }
    example = {"file": "refName,displayName\r\nA-1,First\r\n"}
    return {"required": True, "content": {"multipart/form-data": {"schema": form, "example": example}}}


def import_schemas() -> dict[str, Schema]:
    """The answers of imports, by component name."""
    row = {
        "rowNumber": {"type": "integer", "minimum": 1, "description": "Counted from 1, without the header."},
        "refName": _TEXT,
        "intent": _INTENT,
        "rawData": {"type": "object", "description": "Column and cell, as the file has it."},
        "reason": {**_TEXT, "description": "Why a resolver of the application skipped the row."},
        "record": {
            "type": "object",
            "description": "The record as the row would store it now, or as it is where the row changes "
            "nothing. Absent in direct imports, and for rows that have errors or refer to rows that are not "
            "stored yet.",
        },
        "errors": {"type": "array", "items": ref("RowFinding")},
    }
    page = {"offset": _NUMBER, "limit": _NUMBER, "rows": _ROWS, "rowCount": _NUMBER, "totalCount": _NUMBER}
    states = {"type": "string", "enum": ["ANALYZING", "ANALYZED", "COMMITTING", "COMMITTED", "DISCARDED"]}
    analysed = ("totalRows", "validRows", "errorRows", "insertCount", "updateCount", "skipCount")
    done = ("inserted", "updated", "skipped", "failed")
    direct = ("importedCount", "failedCount", "insertCount", "updateCount", "skipCount")
    return {
        "RowFinding": _finding(),
        "AnalysedRow": _closed("What becomes of a row.", row, ["rowNumber", "intent", "rawData", "errors"]),
        "ImportRows": _closed("Rows in their order.", page, list(page)),
        "ImportResult": _all(
            "What the analysis of a file found; the first hundred rows.",
            {"sessionId": _ID, "status": states, **dict.fromkeys(analysed, _NUMBER), "rows": _ROWS},
        ),
        "CommitResult": _all(
            "What a commit did, of all rows of the file.",
            {"sessionId": _ID, **dict.fromkeys(done, _NUMBER)},
        ),
        "ImportAnswer": _all(
            "What an import did; the first thousand rows with errors.",
            {**dict.fromkeys(direct, _NUMBER), "rows": _ROWS},
        ),
    }


def _finding() -> Schema:
    found = {
        "code": {"type": "string", "enum": list(_CODES)},
        "message": _TEXT,
        "field": {**_TEXT, "description": "The field, dotted, or a column that fills none."},
        "column": {**_TEXT, "description": "The column that fills it, where a profile says which."},
        "value": _TEXT,
        "suggestion": {**_TEXT, "description": "What may have been meant."},
    }
    return _closed("What is wrong with a row.", found, ["code", "message"])


def _all(description: str, properties: dict[str, Schema]) -> Schema:
    return _closed(description, properties, list(properties))


def _closed(description: str, properties: dict[str, Schema], required: list[str]) -> Schema:
    return {
        "description": description,
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
        "required": required,
    }
