"""What each standard operation does, in a sentence or two, for the ``description`` of the document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from generator.model import Endpoint, Record
from generator.operations import StandardOperation

DESCRIPTIONS: Final[Mapping[str, str]] = {
    "list": "Returns one page of the {plural} that the caller may see. `filter`, `sort` and "
    "`projection` choose "
    "records, order and fields; follow `nextCursor` to read on.",
    "find": "The same as the list, with its parameters as members of a JSON body. Use it for long filters.",
    "entityref": "Returns id and names only, as they are written into a reference to {a} {singular}.",
    "count": "Counts the {plural} that match a filter and that the caller may see.",
    "export": "Streams the {plural} as a CSV file. `requestedColumns` names the fields; the file "
    "imports again.",
    "import": "Stores the rows of a CSV file at once. Rows with errors are reported and skipped. A "
    "row updates "
    "the record with its `id` or `refName`, else it inserts one.",
    "importSession": "Reads and checks a CSV file, and reports what each row would do. The session stores it "
    "when it is committed.",
    "importProfileSession": "The same with an import profile, which maps the columns of the file to fields.",
    "importRows": "Returns one page of the analysed rows of a session, with their errors.",
    "importErrors": "Returns the rows with errors as a CSV file with the column `errors`, to correct "
    "and send "
    "again.",
    "importProgress": "Sends the state of the session as server-sent events until it is committed or "
    "discarded.",
    "importCommit": "Stores the rows without errors, each exactly once, also when this is sent twice.",
    "importDiscard": "Ends a session and removes what it holds. Stored records stay.",
    "schema": "Returns the JSON Schema of {a} {singular} as it is read.",
    "id": "Returns one {singular} with its entity tag. With `If-None-Match` an unchanged one is "
    "answered with 304.",
    "refName": "Returns one {singular} by its reference name, in its exact spelling.",
    "history": "Returns who wrote the {singular}, when, and what changed, field by field.",
    "states": "Returns the state graph of each field that has states.",
    "transitions": "Returns the state that each state field has, and those that may follow for this caller.",
    "save": "Inserts {a} {singular}, or replaces the one with the same `id`. Members that are absent are "
    "cleared; send `If-Match` or `version` to replace only the version that was read.",
    "set": "Sets the named fields of one {singular} and leaves all others as they are.",
    "patch": "Applies a JSON merge patch (RFC 7396): absent members stay, `null` clears, objects are merged.",
    "bulk": "Saves and deletes up to 1,000 {plural} in one request. Each operation is validated and "
    "authorized as "
    "if it were sent on its own; with `atomic` all of them take effect or none.",
    "bulkSet": "Sets the same values for all {plural} that a filter or a list of ids names.",
    "restore": "Brings an archived {singular} back into use.",
    "delete": "Deletes the {singular}, or archives it where the record type keeps what was deleted. "
    "It is refused "
    "while tracked references lead to it.",
}
"""The word of an operation → what it does; ``{plural}``, ``{singular}`` and ``{a}`` are filled in."""

_ACTIONS: Final[Mapping[str, str]] = {
    "save": "`CREATE` to insert and `UPDATE` to replace",
    **dict.fromkeys(("import", "importSession", "importProfileSession"), "`CREATE`, `UPDATE` and `VIEW`"),
    "bulk": "`CREATE`, `UPDATE` or `DELETE`, as each operation does,",
}
"""The operations that need more than the one action of their row."""


def operation_description(record: Record, row: StandardOperation, phrases: Mapping[str, str]) -> str:
    """Describe a standard operation and the permission it needs."""
    actions = _ACTIONS.get(row.key, f"`{row.action}`")
    needed = f"Needs {actions} on `{record.area}/{record.domain}`."
    return f"{DESCRIPTIONS[row.key].format(**phrases)} {needed}"


def endpoint_description(endpoint: Endpoint) -> str:
    """Describe an endpoint: its author's words, then who may call it."""
    needed = f"Needs `{endpoint.action}` on `{endpoint.area}/{endpoint.domain}`."
    said = "Public: no token is needed." if endpoint.public else needed
    return f"{endpoint.description.strip()} {said}" if endpoint.description else said
