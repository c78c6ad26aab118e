"""Rows of an import session, as they are stored until its commit.

Their values are lists of path and value: paths have dots, which names of stored fields had better not have.
What only the stored record tells the type of (``Written``) is kept as the text it is.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final, TypeVar, cast

from pydantic_core import from_json

from runtime.call import Call
from runtime.event_loop import Pace
from runtime.model.clock import now
from runtime.records.document.dynamic import Written
from runtime.storage.own_documents import complete_note
from runtime.storage.wire import to_json
from runtime.system.documents import ImportRowDocument, ImportSessionDocument
from runtime.transfer.rows.dynamic import Attributes, Imported
from runtime.transfer.rows.intent import Intent
from runtime.transfer.rows.items import Items
from runtime.transfer.rows.large import is_large, run_if
from runtime.transfer.rows.row_report import intent_of, render_report
from runtime.transfer.rows.rows import PLAIN, Failed, FileTerms, InputRow, Outcome

_AT_A_STRETCH: Final = 20
"""Rows that are written as JSON while all else in the worker waits; each may have many cells and errors."""

DocumentT = TypeVar("DocumentT", ImportRowDocument, ImportSessionDocument)


def build_input_row(document: ImportRowDocument, terms: FileTerms = PLAIN) -> InputRow:
    """Return a stored row as it was read from the file; its cells are those of its report."""
    values, asked = from_stored(document["values"]), Intent(document["asked"])
    attributes = attributes_from_stored(document.get("attributes", ()))
    raw = from_json(document["report"])["rawData"]
    return InputRow(document["rowNumber"], raw, values, asked, (), attributes, terms)


async def build_row_documents(
    call: Call,
    session_id: str,
    name_of: Callable[[Outcome], str],
    outcomes: Iterable[Outcome],
    expires: datetime,
) -> list[ImportRowDocument]:
    """Build the documents of rows. ``name_of`` returns their refNames."""
    documents = []
    pace = Pace(_AT_A_STRETCH)
    for found in outcomes:
        build = partial(build_row_document, call, session_id, name_of(found), found, expires)
        documents.append(await run_if(build, is_long=is_large(found.row)))
        await pace.step()
    return documents


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


_PLAIN, _WRITTEN, _ITEMS = 0, 1, 2


def to_stored(values: Mapping[str, Any]) -> list[list[Any]]:
    """Convert values for the store; the other values are as stored already."""
    return [_build_entry(path, value) for path, value in values.items()]


def from_stored(entries: Sequence[Sequence[Any]]) -> dict[str, Any]:
    """Return what ``to_stored`` was given."""
    return {entry[0]: _READERS[entry[1]](entry[2:]) for entry in entries}


def attributes_to_stored(attributes: Imported) -> list[list[Any]]:
    """Convert dynamic attributes to stored form; their stored names have no dots."""
    return to_stored(
        {f"{group}.{name}": value for group, members in attributes.items() for name, value in members.items()}
    )


def attributes_from_stored(entries: Sequence[Sequence[Any]]) -> Attributes:
    """Return what ``attributes_to_stored`` was given."""
    found: Attributes = {}
    for path, value in from_stored(entries).items():
        group, _, name = path.partition(".")
        found.setdefault(group, {})[name] = value
    return found


def _build_entry(path: str, value: Any) -> list[Any]:
    if isinstance(value, Written):
        return [path, _WRITTEN, *_spell(value)]
    return [path, _ITEMS, value, value.steps] if isinstance(value, Items) else [path, _PLAIN, value]


def _spell(written: Written) -> list[Any]:
    items = [] if written.items is None else [[_spell(one) for one in written.items]]
    return [written.text, written.quoted, *items]


def _read(spelled: Sequence[Any]) -> Written:
    text, quoted, *items = spelled
    return Written(text, quoted, tuple(_read(one) for one in items[0]) if items else None)


_READERS: Final[Mapping[int, Callable[[Sequence[Any]], Any]]] = {
    _PLAIN: lambda entry: entry[0],
    _WRITTEN: _read,
    _ITEMS: lambda entry: Items(*entry),
}
