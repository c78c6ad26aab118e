"""What CSV routes take and answer in the document (spec 2 §4.3): parameters, a file, refusals in one line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from generator.openapi.problems import MEDIA_TYPE
from generator.openapi.shared import Schema, ref

_LINE_STATUSES: Final = frozenset({400, 500})


def _query(name: str, description: str, schema: Schema, **more: object) -> Schema:
    return {"name": name, "in": "query", "description": description, "schema": schema, **more}


def _character(default: str) -> Schema:
    return {"type": "string", "minLength": 1, "maxLength": 1, "default": default}


_COLUMNS: Schema = {"type": "string", "minLength": 1, "maxLength": 8192, "default": "refName"}
_CHARSETS = (
    *("US-ASCII", "UTF-8-without-BOM", "UTF-8-with-BOM"),
    *("UTF-16-with-BOM", "UTF-16BE", "UTF-16LE", "windows-1252", "ISO-8859-1"),
)
_MOST = 2**31 - 1
_FILES: Mapping[str, str] = {
    "text/csv": "refName,displayName\r\nA-1,First\r\n",
    "text/event-stream": 'data: {"status":"COMMITTING","totalRows":1200,"errorRows":0,"inserted":500}\n\n',
}
"""The example of each kind of file."""

CSV_PARAMETERS: Mapping[str, Schema] = {
    "FieldSeparator": _query(
        "fieldSeparator", "Stands between cells: `,`, `;`, a tab or another character.", _character(",")
    ),
    "RequestedColumns": _query(
        "requestedColumns",
        "Comma list of fields, dotted where they lie in objects. `list[0].field` makes a row of each item of "
        "the list; one list for all columns.",
        _COLUMNS,
        example="refName,displayName",
    ),
    "QuotingStrategy": _query(
        "quotingStrategy",
        "Quotes around the cells that need them, or around all.",
        {
            "type": "string",
            "enum": ["QUOTE_WHERE_ESSENTIAL", "QUOTE_ALL_COLUMNS"],
            "default": "QUOTE_WHERE_ESSENTIAL",
        },
    ),
    "QuoteChar": _query("quoteChar", "Stands around cells; not the separator.", _character('"')),
    "DecimalSeparator": _query(
        "decimalSeparator", "Accepted and ignored: decimals always have a dot.", _character(".")
    ),
    "CharsetEncoding": _query(
        "charsetEncoding",
        "The character set of the file. A text that it lacks a character for is refused, not changed.",
        {"type": "string", "enum": list(_CHARSETS), "default": "UTF-8-without-BOM"},
    ),
    "FormulaGuard": _query(
        "formulaGuard",
        "Whether texts that a spreadsheet would run (`=1+1`) get a `'` before them.",
        {"type": "boolean", "default": True},
    ),
    "Offset": _query(
        "offset", "Records to pass over.", {"type": "integer", "minimum": 0, "maximum": _MOST, "default": 0}
    ),
    "Length": _query(
        "length",
        "Most records; -1 is all.",
        {"type": "integer", "minimum": -1, "maximum": _MOST, "default": 1000},
    ),
    "FileName": _query(
        "filename",
        "What the file is to be called.",
        {"type": "string", "maxLength": 200, "default": "downloaded.csv"},
    ),
    "PrependHeaderRow": _query(
        "prependHeaderRow",
        "Whether the first row is the names of the columns.",
        {"type": "boolean", "default": False},
    ),
    "PreferredColumnNames": _query(
        "preferredColumnNames",
        "Comma list of names for the header, by position; an empty one keeps the name of the field.",
        {"type": "string", "maxLength": 8192},
    ),
}

_DIALECT = (
    *("FieldSeparator", "QuotingStrategy", "QuoteChar", "DecimalSeparator"),
    *("CharsetEncoding", "FormulaGuard"),
)

IMPORT_PARAMETERS = ("ImportColumns", "SkipHeaderRow", "RestoreArchived", *_DIALECT)

PROFILE_PARAMETERS = ("ProfileRefName", "RestoreArchived", *_DIALECT)

EXPORT_PARAMETERS = (
    *("RequestedColumns", "Filter", "Sort", "Offset", "Length", "FileName", "PrependHeaderRow"),
    *("PreferredColumnNames", *_DIALECT),
)


def file_content(media_type: str) -> Schema:
    """The content of an answer that is a file."""
    return {media_type: {"schema": {"type": "string"}, "example": _FILES[media_type]}}


def is_line(path: str, status: int) -> bool:
    """Whether a refusal is one line of text: 400 and 500 of CSV routes; others are problems."""
    return "csv" in path.split("/") and status in _LINE_STATUSES


def line_response(headers: Schema) -> Schema:
    """The refusal as one line of text; a request that no route could read is a problem as everywhere."""
    return {
        "description": "What is wrong, in one line.",
        "headers": headers,
        "content": {
            "text/plain": {"schema": {"type": "string"}},
            MEDIA_TYPE: {"schema": ref("Problem")},
        },
    }
