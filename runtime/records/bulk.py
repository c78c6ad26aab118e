"""Many writes in one request (decisions §1, bulk). Each operation is checked and decided exactly as singly
and succeeds or fails by itself; new records that follow each other are stored in one command.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic_core import to_json as to_json_text

from runtime.access import Action
from runtime.call import Call
from runtime.errors import InvalidParameter, ServiceError
from runtime.problems import checked, problem_body
from runtime.record_type import RecordType
from runtime.records.queries import Bulk, BulkAnswer, BulkOperation
from runtime.records.references import resolve_all
from runtime.records.write import (
    cleared,
    delete_by_id,
    prepare_insert,
    refuse_stale_insert,
    save_document,
    stored_record,
)
from runtime.security.guard import allow
from runtime.wire import Json, to_document, to_json

Document = dict[str, Any]
Result = dict[str, Any]


async def bulk(call: Call, kind: RecordType[Any], body: Bulk) -> Json[BulkAnswer]:
    """Save or delete many records; the answer has one result per operation, in their order.

    Raises only for the request as a whole: too many operations, ``Denied``, ``StoreUnavailable``.
    """
    _check(call, kind, body)
    results: dict[int, Result] = {}
    waiting: dict[int, Document] = {}
    for index, operation in enumerate(body.operations):
        try:
            save = await _checked_save(call, kind, operation) if operation.op == "save" else None
            if save is not None and save.is_new:
                waiting[index] = save.sent
                continue
            # What stands before must have happened before: it may free or take a refName.
            results |= await _insert(call, kind, waiting)
            waiting = {}
            results[index] = await (_replace(call, kind, save) if save else _delete(call, kind, operation))
        except ServiceError as error:
            results[index] = _failure(call, kind, operation.op, error)
    results |= await _insert(call, kind, waiting)
    return Json(to_json(_answer([results[index] | {"index": index} for index in sorted(results)])))


@dataclass(frozen=True, slots=True)
class _Save:
    """A checked record to save: new ones wait to be inserted together."""

    sent: Document
    emptied: frozenset[str]
    is_new: bool


def _check(call: Call, kind: RecordType[Any], body: Bulk) -> None:
    """What is refused as a whole: too much, and what the caller may not do at all."""
    most = call.service.settings.max_bulk_operations
    if len(body.operations) > most:
        raise InvalidParameter(f"at most {most} operations in one request", parameter="operations")
    kinds = {operation.op for operation in body.operations}
    if "save" in kinds:
        allow(call, kind, Action.CREATE)
        allow(call, kind, Action.UPDATE)
    if "delete" in kinds:
        allow(call, kind, Action.DELETE)


async def _checked_save(call: Call, kind: RecordType[Any], operation: BulkOperation) -> _Save:
    # As it was sent: a number too long or not finite is refused by the record's class, not lost here.
    body = checked(kind.input, to_json_text(operation.record, inf_nan_mode="constants"))
    sent = to_document(kind, body)
    is_new = "_id" not in sent or await stored_record(call, kind, str(sent["_id"])) is None
    if is_new:
        refuse_stale_insert(sent, None)
    return _Save(sent, cleared(kind, body), is_new)


async def _replace(call: Call, kind: RecordType[Any], save: _Save) -> Result:
    document, inserted = await save_document(call, kind, save.sent, save.emptied, None)
    return _saved(document, 201 if inserted else 200)


async def _delete(call: Call, kind: RecordType[Any], operation: BulkOperation) -> Result:
    await delete_by_id(call, kind, str(operation.id), None)
    return {"op": "delete", "status": 204, "id": operation.id}


async def _insert(call: Call, kind: RecordType[Any], waiting: dict[int, Document]) -> dict[int, Result]:
    """Store the new records: references first, with one look-up per type, then one command."""
    indexes = list(waiting)
    errors = await resolve_all(call, kind, list(waiting.values()))
    documents: dict[int, Document] = {}
    for at, sent in enumerate(waiting.values()):
        if at in errors:
            continue
        try:
            documents[at] = prepare_insert(call, kind, sent)
        except ServiceError as error:
            errors[at] = error
    if documents:
        access = allow(call, kind, Action.CREATE)
        refused = await call.service.store.insert_many(access, list(documents.values()))
        errors |= {list(documents)[position]: error for position, error in refused.items()}
    done = {indexes[at]: _saved(document, 201) for at, document in documents.items() if at not in errors}
    return done | {indexes[at]: _failure(call, kind, "save", error) for at, error in errors.items()}


def _saved(document: Document, status: int) -> Result:
    return {
        "op": "save",
        "status": status,
        "id": document["_id"],
        "refName": document["refName"],
        "version": document["version"],
    }


def _failure(call: Call, kind: RecordType[Any], op: str, error: ServiceError) -> Result:
    """What the single request would have answered. A fault of the server fails the whole request."""
    if error.status >= 500:
        raise error
    body = problem_body(error, instance=f"{kind.base_path}/bulk", request_id=call.request_id)
    return {"op": op, "status": error.status, "error": body}


def _answer(results: list[Result]) -> Document:
    done = [result for result in results if result["status"] < 400]
    saved = sum(result["op"] == "save" for result in done)
    return {
        "results": results,
        "saved": saved,
        "deleted": len(done) - saved,
        "failed": len(results) - len(done),
    }
