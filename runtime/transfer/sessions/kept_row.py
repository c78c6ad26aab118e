"""Rows of an import session, as they are stored until its commit."""

from datetime import datetime
from typing import Any, TypeVar, cast

from pydantic_core import from_json

from runtime.call import Call
from runtime.model.clock import now
from runtime.storage.own_documents import complete_note
from runtime.storage.wire import to_json
from runtime.system.documents import ImportRowDocument, ImportSessionDocument
from runtime.transfer.rows.intent import Intent
from runtime.transfer.rows.row_report import intent_of, render_report
from runtime.transfer.rows.rows import PLAIN, Failed, FileTerms, InputRow, Outcome
from runtime.transfer.sessions.stored_values import (
    attributes_from_stored,
    attributes_to_stored,
    from_stored,
    to_stored,
)

DocumentT = TypeVar("DocumentT", ImportRowDocument, ImportSessionDocument)


def input_row(document: ImportRowDocument, terms: FileTerms = PLAIN) -> InputRow:
    """Return a stored row as it was read from the file; its cells are those of its report."""
    values, asked = from_stored(document["values"]), Intent(document["asked"])
    attributes = attributes_from_stored(document.get("attributes", ()))
    return InputRow(document["rowNumber"], _raw(document), values, asked, (), attributes, terms)


def _raw(document: ImportRowDocument) -> dict[str, str]:
    found: dict[str, str] = from_json(document["report"])["rawData"]
    return found


def build_row_document(
    call: Call, session_id: str, name: str, found: Outcome, expires: datetime
) -> ImportRowDocument:
    """Build the document of a row. ``name``: its refName."""
    row = found.row
    report = to_json(render_report(found)).decode()
    further = to_json(row.further).decode() if row.further else ""
    document: ImportRowDocument = {
        "refName": name,
        "expiresAt": expires,
        "sessionId": session_id,
        "rowNumber": row.number,
        "intent": intent_of(found),
        "asked": cast(Any, str(row.intent)),
        "isFailed": isinstance(found, Failed),
        "report": report,
        "size": len(report) + len(further),
    }
    if further:
        document["further"] = further
    if row.further is None or (
        isinstance(found, Failed) and any(one.depends_on_file for one in found.errors)
    ):
        document["needsReview"] = True
    if not document["isFailed"]:
        document["values"] = to_stored(row.values)
    if row.attributes and not document["isFailed"]:
        document["attributes"] = attributes_to_stored(row.attributes)
    return complete_note(document, call.principal, now())
