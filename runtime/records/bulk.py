"""Many writes in one request (decisions §1, bulk). Each operation is checked and decided exactly as singly
and succeeds or fails by itself; new records are stored together, in one command.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import orjson

from runtime.access import Action
from runtime.call import Call
from runtime.errors import InvalidParameter, ServiceError, ValidationFailed
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
    inserts: dict[int, Document] = {}
    for index, operation in enumerate(body.operations):
        try:
            if operation.op == "delete":
                results[index] = await _delete(call, kind, operation)
            elif isinstance(outcome := await _save(call, kind, operation), _New):
                inserts[index] = outcome.document
            else:
                results[index] = outcome
        except ServiceError as error:
            results[index] = _failure(call, kind, operation, error)
    for index, fault in (await _insert(call, kind, inserts)).items():
        results[index] = _failure(call, kind, body.operations[index], fault)
    for index, document in inserts.items():
        results.setdefault(index, _saved(document, 201))
    return Json(to_json(_answer([results[index] | {"index": index} for index in range(len(results))])))


@dataclass(frozen=True, slots=True)
class _New:
    """A checked document that waits to be inserted together with the others."""

    document: Document


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


async def _delete(call: Call, kind: RecordType[Any], operation: BulkOperation) -> Result:
    if operation.id is None or operation.record is not None:
        raise _wrong_shape("a delete takes an id and no record")
    await delete_by_id(call, kind, operation.id, None)
    return {"op": "delete", "status": 204, "id": operation.id}


async def _save(call: Call, kind: RecordType[Any], operation: BulkOperation) -> Result | _New:
    if operation.record is None or operation.id is not None:
        raise _wrong_shape("a save takes a record; its id, if any, stands in the record")
    body = checked(kind.input, orjson.dumps(operation.record))
    sent = to_document(kind, body)
    if "_id" in sent and await stored_record(call, kind, str(sent["_id"])) is not None:
        document, inserted = await save_document(call, kind, sent, cleared(kind, body), None)
        return _saved(document, 201 if inserted else 200)
    refuse_stale_insert(sent, None)
    return _New(sent)


async def _insert(call: Call, kind: RecordType[Any], inserts: dict[int, Document]) -> dict[int, ServiceError]:
    """Store the new records: references first, with one look-up per type, then one command."""
    indexes = list(inserts)
    missing = await resolve_all(call, kind, [inserts[index] for index in indexes])
    errors = {indexes[at]: error for at, error in missing.items()}
    for index in inserts.keys() - errors.keys():
        try:
            inserts[index] = prepare_insert(call, kind, inserts[index])
        except ServiceError as error:
            errors[index] = error
    rest = [index for index in indexes if index not in errors]
    access = allow(call, kind, Action.CREATE) if rest else None
    if access is not None:
        refused = await call.service.store.insert_many(access, [inserts[index] for index in rest])
        errors |= {rest[at]: error for at, error in refused.items()}
    return errors


def _saved(document: Document, status: int) -> Result:
    return {
        "op": "save",
        "status": status,
        "id": document["_id"],
        "refName": document["refName"],
        "version": document["version"],
    }


def _failure(call: Call, kind: RecordType[Any], operation: BulkOperation, error: ServiceError) -> Result:
    """What the single request would have answered. A fault of the server fails the whole request."""
    if error.status >= 500:
        raise error
    body = problem_body(error, instance=f"{kind.base_path}/bulk", request_id=call.request_id)
    return {"op": operation.op, "status": error.status, "error": body}


def _answer(results: list[Result]) -> Document:
    done = [result for result in results if result["status"] < 400]
    saved = sum(result["op"] == "save" for result in done)
    return {
        "results": results,
        "saved": saved,
        "deleted": len(done) - saved,
        "failed": len(results) - len(done),
    }


def _wrong_shape(message: str) -> ValidationFailed:
    return ValidationFailed(message, violations=[{"path": "op", "message": message}])
