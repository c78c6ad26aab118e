"""Descriptions of the standard operations, in one or two sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from generator.model import Endpoint, Record
from generator.operations import StandardOperation

DESCRIPTIONS: Final[Mapping[str, str]] = {
    "list": "Returns one page of the {plural} that the caller may see. `filter`, `sort` and "
    "`projection` choose "
    "records, order and fields; follow `nextCursor` to read on.",
    "find": "Lists {plural} as `list` does, with the parameters in a JSON body. Use it for long filters.",
    "entityref": "Returns only the id and the names of each {singular}, in the form of a reference to it.",
    "count": "Counts the {plural} that match a filter, among those that the caller may see.",
    "export": "Streams the {plural} as a CSV file. `requestedColumns` names the fields; the file "
    "can be imported again.",
    "import": "Stores the rows of a CSV file without a session. Rows with errors are reported and skipped. "
    "A row updates the record with its `id` or `refName`, or inserts a new one.",
    "importSession": "Validates a CSV file and reports what each row would do. Nothing is stored until the "
    "session is committed.",
    "importProfileSession": "Validates a CSV file with an import profile, which maps its columns to fields. "
    "Otherwise like a session without a profile.",
    "importRows": "Returns one page of the analysed rows of a session, with their errors.",
    "importErrors": "Returns the rows with errors as a CSV file with the column `errors`. "
    "Correct it and send it again.",
    "importProgress": "Sends the state of the session as server-sent events until it is committed or "
    "discarded.",
    "importCommit": "Stores the rows without errors, each exactly once, even if the request is sent twice.",
    "importDiscard": "Ends a session and deletes its data. Records that were stored remain.",
    "schema": "Returns the JSON Schema of {a} {singular} in responses.",
    "id": "Returns one {singular} with its entity tag; 304 if `If-None-Match` has the current one.",
    "refName": "Returns one {singular} by its reference name; case matters.",
    "history": "Returns who wrote the {singular}, when, and what changed, field by field.",
    "states": "Returns the state graph of each field that has states.",
    "transitions": "Returns the current state of each state field, and the states the caller may set next.",
    "save": "Inserts {a} {singular}, or replaces the one with the same `id`. Members that are absent are "
    "cleared; send `If-Match` or `version` to replace only the version that was read.",
    "set": "Sets the named fields of one {singular}; all others keep their values.",
    "patch": "Applies a JSON merge patch (RFC 7396): absent members keep their values, `null` clears, "
    "objects are merged.",
    "bulk": "Saves and deletes up to 1,000 {plural} in one request. Each operation is validated and "
    "authorized as "
    "if it were sent on its own; with `atomic` all of them take effect or none.",
    "bulkSet": "Sets the same values on all {plural} selected by a filter or a list of ids.",
    "restore": "Restores an archived {singular}.",
    "delete": "Deletes the {singular}, or archives it if the record type has `onDelete: archive`. "
    "Refused while other records refer to it by a tracked reference.",
}
"""Descriptions by key of the operation; ``{plural}``, ``{singular}`` and ``{a}`` are placeholders."""

_ACTIONS: Final[Mapping[str, str]] = {
    "save": "`CREATE` to insert and `UPDATE` to replace",
    **dict.fromkeys(("import", "importSession", "importProfileSession"), "`CREATE`, `UPDATE` and `VIEW`"),
    "bulk": "`CREATE`, `UPDATE` or `DELETE`, as each operation does,",
}
"""Operations that need other actions than the one of their row."""


def operation_description(record: Record, row: StandardOperation, phrases: Mapping[str, str]) -> str:
    """Describe a standard operation and the permission it needs."""
    actions = _ACTIONS.get(row.key, f"`{row.action}`")
    needed = f"Needs {actions} on `{record.area}/{record.domain}`."
    return f"{DESCRIPTIONS[row.key].format(**phrases)} {needed}"


def endpoint_description(endpoint: Endpoint) -> str:
    """Describe an endpoint: the description in its specification, then the permission it needs."""
    needed = f"Needs `{endpoint.action}` on `{endpoint.area}/{endpoint.domain}`."
    access = "Public: no token is needed." if endpoint.public else needed
    return f"{endpoint.description.strip()} {access}" if endpoint.description else access
