"""Many writes in one request. Each operation is validated and authorized as if it were sent on its own.

Atomic: all of them or none, in one transaction; otherwise each succeeds or fails separately, and consecutive
new records are stored together. A dry run that is not atomic tries each against the store as it is: its
operations do not see each other.

With an idempotency key an atomic request has one receipt. In a request that is not atomic each operation has
its own, so that a second try goes on where the first one ended.
"""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import Any

from pydantic_core import to_json as to_json_text

from runtime.access.guard import allow
from runtime.aside import run_aside
from runtime.call import Call
from runtime.contract.writes import Bulk, BulkAnswer, BulkOperation
from runtime.errors import InvalidParameter, ServiceError, VersionConflict
from runtime.event_loop import Pace
from runtime.filter import by_id
from runtime.model.record_type import RecordType
from runtime.records.change import (
    Change,
    Outdated,
    prepare_resolved_insertion,
    read_stored_record,
    refuse_stale_insert,
)
from runtime.records.commit import commit, is_plain
from runtime.records.document.lenient import checked_input
from runtime.records.document.sent import Sent, read_sent
from runtime.records.document.terms import PLAIN, Terms
from runtime.records.document.withheld import unnamed_members, unseen_fields
from runtime.records.effects.copies import follow_names
from runtime.records.operations.results import Results, answer_of, describe_failure, done
from runtime.records.operations.write import build_deletion, prepare_save
from runtime.records.references import resolve_all
from runtime.records.settle import settle
from runtime.records.turn import turns_of
from runtime.storage.access import Action
from runtime.storage.store import Transaction
from runtime.storage.wire import Json

_MOST_TOGETHER = 100
"""New records in one transaction, where something is stored with them: it must end in its time."""


async def run_bulk(call: Call, kind: RecordType[Any], body: Bulk, terms: Terms = PLAIN) -> Json[BulkAnswer]:
    """Save or delete many records; the answer has one result per operation, in their order.

    Raises only for the request as a whole: too many operations, ``Denied``, ``StoreUnavailable``; atomic
    also what the first failing operation raises, with its ``index``.
    """
    _check(call, kind, body)
    if body.atomic:
        return await _apply_all_or_none(call, kind, body, terms)
    return answer_of(await _apply_one_by_one(call, kind, body, terms))


async def _apply_all_or_none(call: Call, kind: RecordType[Any], body: Bulk, terms: Terms) -> Json[BulkAnswer]:
    """Apply all operations in one transaction; each sees what those before it did."""

    async def work(transaction: Transaction) -> Json[BulkAnswer]:
        inside = replace(call, transaction=transaction, receipt=None)
        results: Results = {}
        for at, operation in enumerate(body.operations):
            results |= await _apply_alone(inside, kind, operation, at)
        answer = answer_of(results)
        if call.receipt is not None:
            await call.receipt.sign(transaction, answer)
        return answer

    turns = turns_of(call, kind, map(_named, body.operations))
    return await call.store.transact(work, is_dry_run=terms.is_dry_run, turns=turns)


def _named(operation: BulkOperation) -> str | None:
    """Return the id of the record that an operation writes to, if it names one."""
    named = operation.id if operation.record is None else operation.record.get("id")
    return named if isinstance(named, str) else None


async def _apply_alone(call: Call, kind: RecordType[Any], operation: BulkOperation, at: int) -> Results:
    try:
        if operation.op == "delete":
            return await _delete(call, kind, operation, at, PLAIN)
        sent = await run_aside(partial(_checked_save, call, kind, operation))
        return await _save(call, kind, sent, at, PLAIN)
    except ServiceError as error:
        error.details["index"] = at
        raise


async def _apply_one_by_one(call: Call, kind: RecordType[Any], body: Bulk, terms: Terms) -> Results:
    results: Results = {}
    if call.receipt is not None:
        results |= call.receipt.parts
        call = replace(call, receipt=call.receipt.by_parts())
    waiting: dict[int, Sent] = {}
    pace = Pace()
    for index, operation in enumerate(body.operations):
        if index in results:
            continue
        await pace.step()
        try:
            sent = None
            if operation.op == "save":
                sent = await run_aside(partial(_checked_save, call, kind, operation))
            if sent is not None and await _check_new(call, kind, sent):
                waiting[index] = sent
                continue
            # Earlier operations must be done first: they may free or take a refName.
            results |= await _insert(call, kind, waiting, terms)
            waiting = {}
            if sent is None:
                results |= await _delete(call, kind, operation, index, terms)
            else:
                results |= await _save(call, kind, sent, index, terms)
        except ServiceError as error:
            results[index] = await describe_failure(call, _instance(kind), operation.op, error)
    return results | await _insert(call, kind, waiting, terms)


def _check(call: Call, kind: RecordType[Any], body: Bulk) -> None:
    """Refuse a request as a whole: too many operations, or an action the caller may not do at all."""
    most = call.service.settings.max_bulk_operations
    if len(body.operations) > most:
        raise InvalidParameter(f"at most {most} operations in one request", parameter="operations")
    kinds = {operation.op for operation in body.operations}
    if "save" in kinds:
        allow(call, kind, Action.CREATE)
        allow(call, kind, Action.UPDATE)
    if "delete" in kinds:
        allow(call, kind, Action.DELETE)


def _instance(kind: RecordType[Any]) -> str:
    return f"{kind.base_path}/bulk"


def _checked_save(call: Call, kind: RecordType[Any], operation: BulkOperation) -> Sent:
    # As it was sent: a number too long or not finite is refused by the record's class, not lost here.
    text = to_json_text(operation.record, inf_nan_mode="constants")
    unnamed = partial(unnamed_members, call, kind)
    return read_sent(kind, checked_input(kind, text, unseen_fields(call, kind), unnamed))


async def _check_new(call: Call, kind: RecordType[Any], sent: Sent) -> bool:
    if "_id" in sent.document:
        found = await read_stored_record(call, kind, by_id(str(sent.document["_id"])))
        if found is not None:
            return False
    refuse_stale_insert(sent.document, None)
    return True


async def _save(call: Call, kind: RecordType[Any], sent: Sent, at: int, terms: Terms) -> Results:
    return await settle(
        call,
        kind,
        sent.record_id,
        lambda stored: prepare_save(call, kind, sent, stored),
        lambda change: {at: done(change, "save")},
        replace(terms, expected=None),
    )


async def _delete(
    call: Call, kind: RecordType[Any], operation: BulkOperation, at: int, terms: Terms
) -> Results:
    return await settle(
        call,
        kind,
        operation.id,
        build_deletion(call, kind, str(operation.id)),
        lambda _change: {at: {"op": "delete", "status": 204, "id": operation.id}},
        replace(terms, expected=None),
    )


async def _insert(call: Call, kind: RecordType[Any], waiting: dict[int, Sent], terms: Terms) -> Results:
    """Store the new records: references first, with one lookup per type, then one command."""
    indexes, began = list(waiting), time.monotonic()
    missing = await resolve_all(call, kind, [sent.document for sent in waiting.values()])
    errors = {indexes[at]: error for at, error in missing.items()}
    changes: dict[int, Change] = {}
    pace = Pace()
    for index, sent in waiting.items():
        if index in errors:
            continue
        await pace.step()
        try:
            changes[index] = await prepare_resolved_insertion(call, kind, sent)
        except ServiceError as error:
            errors[index] = error
    if is_plain(call, kind) and not terms.is_dry_run:
        errors |= await _store_at_once(call, kind, changes)
        await follow_names(call, [change for at, change in changes.items() if at not in errors], began)
    else:
        for start in range(0, len(changes), _MOST_TOGETHER):
            some = dict(list(changes.items())[start : start + _MOST_TOGETHER])
            errors |= await _store_together(call, some, terms, began)
    stored = {index: done(change, "save") for index, change in changes.items() if index not in errors}
    for index, refused in errors.items():
        stored[index] = await describe_failure(call, _instance(kind), "save", refused)
    return stored


async def _store_at_once(
    call: Call, kind: RecordType[Any], changes: dict[int, Change]
) -> dict[int, ServiceError]:
    """Store new records in one command; return the error of each that could not be stored."""
    documents = [change.after for change in changes.values() if change.after is not None]
    if not documents:
        return {}
    refused = await call.store.insert_many(allow(call, kind, Action.CREATE), documents)
    indexes = list(changes)
    return {indexes[position]: error for position, error in refused.items()}


async def _store_together(
    call: Call, changes: dict[int, Change], terms: Terms, began: float
) -> dict[int, ServiceError]:
    """Store new records in one transaction, or in one each when they cannot all be stored."""
    results = {index: done(change, "save") for index, change in changes.items()}
    try:
        await commit(call, list(changes.values()), results, terms, began=began)
        return {}
    except ServiceError as error:
        if error.status >= 500:
            raise  # whether they are stored is not known: trying again could double them
    except Outdated:
        pass  # one of them
    errors: dict[int, ServiceError] = {}
    for index, change in changes.items():
        try:
            await commit(call, [change], {index: results[index]}, terms, began=began)
        except ServiceError as error:
            errors[index] = error
        except Outdated:
            errors[index] = VersionConflict("a record it refers to has just been renamed; send it again")
    return errors
