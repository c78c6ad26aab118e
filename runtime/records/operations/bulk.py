"""Many writes in one request. Each operation is validated and authorized as if it were sent on its own.

Atomic: all of them or none, in one transaction; otherwise each succeeds or fails separately, and consecutive
new records are stored together. A dry run that is not atomic tries each against the store as it is: its
operations do not see each other.

With an idempotency key an atomic request has one receipt. In a request that is not atomic each operation has
its own, so that a second try goes on where the first one ended.
"""

from dataclasses import replace
from functools import partial
from typing import Any

from runtime.access.guard import allow, allow_lookup, find_access
from runtime.access.reopening import Lasting
from runtime.aside import run_aside
from runtime.call import Call
from runtime.contract.writes import Bulk, BulkAnswer, BulkOperation
from runtime.errors import InvalidParameter, ServiceError
from runtime.event_loop import Pace
from runtime.filter import by_id
from runtime.model.record_type import RecordType
from runtime.records.batch import resume, store_all_or_none
from runtime.records.document.sent import Sent
from runtime.records.document.terms import PLAIN, Terms, require_version
from runtime.records.effects.copies import follow_together
from runtime.records.operations.insertions import insert_together
from runtime.records.operations.write import delete_named, read_entity, save_sent
from runtime.records.results import Results, answer_of, build_result, describe_failure
from runtime.records.turn import turns_of
from runtime.storage.access import Action
from runtime.storage.wire import Json


async def run_bulk(call: Call, kind: RecordType[Any], body: Bulk, terms: Terms = PLAIN) -> Json[BulkAnswer]:
    """Save or delete many records; the answer has one result per operation, in their order.

    Raises only for the request as a whole: too many operations, ``Denied``, ``StoreUnavailable``; atomic
    also what the first failing operation raises, with its ``index``.
    """
    _check(call, kind, body)
    if body.atomic:
        turns = turns_of(call, kind, map(_find_id, body.operations))
        return await store_all_or_none(call, partial(_apply_all, kind, body), terms, turns)
    async with follow_together(call) as each:
        return answer_of(await _apply_each(each, kind, body, terms))


def _check(call: Call, kind: RecordType[Any], body: Bulk) -> None:
    """Refuse a request as a whole: too many operations, or an action the caller may not do at all."""
    most = call.service.settings.max_bulk_operations
    if len(body.operations) > most:
        raise InvalidParameter(f"at most {most} operations in one request", parameter="operations")
    kinds = {operation.op for operation in body.operations}
    if "save" in kinds and find_access(call, kind, Action.CREATE) is None:
        allow(call, kind, Action.UPDATE)  # which of both a save needs depends on what is stored
    if "delete" in kinds:
        allow(call, kind, Action.DELETE)


def _find_id(operation: BulkOperation) -> str | None:
    """Return the id of the record that an operation writes to, if it names one."""
    named = operation.id if operation.record is None else operation.record.get("id")
    return named if isinstance(named, str) else None


async def _apply_all(kind: RecordType[Any], body: Bulk, call: Call) -> Results:
    """Apply all operations in the transaction of the call; each sees what those before it did."""
    results: Results = {}
    for at, operation in enumerate(body.operations):
        try:
            sent = await _read_save(call, kind, operation)
            results |= await _apply(call, kind, operation, sent, at, PLAIN)
        except ServiceError as error:
            error.details["index"] = at
            raise
    return results


async def _apply_each(call: Call, kind: RecordType[Any], body: Bulk, terms: Terms) -> Results:
    call, results = resume(call)
    terms, waiting, pace = replace(terms, expected=None, unless=None), dict[int, Sent](), Pace()
    lasting = Lasting(call)
    for index, operation in enumerate(body.operations):
        if index in results:
            continue
        await pace.step()
        call = await lasting.renew()
        try:
            sent = await _read_save(call, kind, operation)
            if sent is not None and await _check_new(call, kind, sent):
                waiting[index] = sent
                continue
            # Earlier operations must be done first: they may free or take a refName.
            results |= await insert_together(call, kind, waiting, terms)
            waiting = {}
            results |= await _apply(call, kind, operation, sent, index, terms)
        except ServiceError as error:
            results[index] = await describe_failure(call, f"{kind.base_path}/bulk", operation.op, error)
    return results | await insert_together(call, kind, waiting, terms)


async def _read_save(call: Call, kind: RecordType[Any], operation: BulkOperation) -> Sent | None:
    """Read the record of an operation that saves; None for one that deletes."""
    if operation.op == "delete":
        return None
    return await run_aside(partial(read_entity, call, kind, operation.record or {}))


async def _check_new(call: Call, kind: RecordType[Any], sent: Sent) -> bool:
    if sent.record_id is not None:
        stored = await call.store.find_one(allow_lookup(call, kind), by_id(sent.record_id))
        if stored is not None:
            return False
    require_version(None, PLAIN, sent.version)
    return True


async def _apply(
    call: Call, kind: RecordType[Any], operation: BulkOperation, sent: Sent | None, at: int, terms: Terms
) -> Results:
    if sent is None:
        deleted: Results = {at: {"op": "delete", "status": 204, "id": operation.id}}
        return await delete_named(call, kind, str(operation.id), lambda _change: deleted, terms)
    return await save_sent(call, kind, sent, lambda change: {at: build_result(change, "save")}, terms)
