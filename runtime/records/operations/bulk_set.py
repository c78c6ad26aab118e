"""The same values for many records in one request, each validated and authorized as if it were sent alone.

The records are chosen first: those a list with this filter would show, or those with these ids. A record that
no longer matches the filter when its turn comes is left unchanged, and reported. Atomic: all of them or none,
in one transaction; otherwise each succeeds or fails separately.

With an idempotency key each record that is not part of an atomic request has a receipt of its own; a second
try looks for the records again and leaves out those that have one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import Any

from runtime.access.guard import allow
from runtime.aside import run_aside
from runtime.call import Call
from runtime.contract.writes import BulkAnswer, BulkSet
from runtime.errors import NotFound, ServiceError, TooManyMatches
from runtime.event_loop import Pace
from runtime.filter import EVERYTHING, Predicate, by_id, by_ids
from runtime.model.record_type import RecordType
from runtime.records.change import Change, read_stored_record
from runtime.records.document.merge import expanded, merge
from runtime.records.document.terms import PLAIN, Terms
from runtime.records.operations.listing import MOST_ESTIMATED, compile_list_filter
from runtime.records.operations.partial import nulls, prepare_rewrite
from runtime.records.operations.results import Result, Results, answer_of, describe_failure, done
from runtime.records.settle import settle
from runtime.records.turn import turns_of
from runtime.storage.access import Action
from runtime.storage.store import Transaction
from runtime.storage.wire import Json

Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Job:
    """The task of one request.

    ``patch`` is applied to the records that ``match``; ``ids`` in the order they were named, None for all.
    ``hidden``: what rules take away from the caller.
    """

    kind: RecordType[Any]
    patch: Document
    hidden: frozenset[str]
    match: Predicate
    ids: tuple[str, ...] | None


async def run_bulk_set(
    call: Call, kind: RecordType[Any], body: BulkSet, terms: Terms = PLAIN
) -> Json[BulkAnswer]:
    """Set ``values`` on many records; one result per record, by position in ``ids`` or by id.

    Raises for the request as a whole: ``Denied``, what the filter and ``expanded`` raise,
    ``TooManyMatches``; atomic also what the first failing record raises, with its ``index`` and ``id``.
    """
    job = _job(call, kind, body)
    if body.atomic:
        return await _apply_all_or_none(call, job, terms)
    return answer_of(await _apply_one_by_one(call, job, terms))


def _job(call: Call, kind: RecordType[Any], body: BulkSet) -> _Job:
    hidden = allow(call, kind, Action.UPDATE).withheld
    match = EVERYTHING if body.ids else compile_list_filter(call, allow(call, kind, Action.VIEW), body.filter)
    ids = None if body.ids is None else tuple(body.ids)
    return _Job(kind, expanded(kind, body.values, hidden), hidden, match, ids)


async def _apply_all_or_none(call: Call, job: _Job, terms: Terms) -> Json[BulkAnswer]:
    async def work(transaction: Transaction) -> Json[BulkAnswer]:
        inside = replace(call, transaction=transaction, receipt=None)
        results: Results = {}
        for index, (record_id, stored) in enumerate((await _read_records(inside, job, {})).items()):
            try:
                results |= await _set(inside, job, index, record_id, stored, PLAIN)
            except ServiceError as error:
                error.details |= {"index": index, "id": record_id}
                raise
        answer = answer_of(results)
        if call.receipt is not None:
            await call.receipt.sign(transaction, answer)
        return answer

    ids = job.ids if job.ids is not None else await _read_records(call, job, {})
    turns = turns_of(call, job.kind, ids)
    return await call.store.transact(work, is_dry_run=terms.is_dry_run, turns=turns)


async def _apply_one_by_one(call: Call, job: _Job, terms: Terms) -> Results:
    results: Results = {}
    if call.receipt is not None:
        results |= call.receipt.parts
        call = replace(call, receipt=call.receipt.by_parts())
    records = await _read_records(call, job, results)
    pace = Pace()
    for index, (record_id, stored) in zip(_indexes(job, records, results), records.items(), strict=False):
        await pace.step()
        try:
            results |= await _set(call, job, index, record_id, stored, terms)
        except ServiceError as error:
            instance = f"{job.kind.base_path}/bulk/set"
            results[index] = await describe_failure(call, instance, "set", error) | {"id": record_id}
    return results


def _indexes(job: _Job, records: Mapping[str, Any], results: Mapping[int, Result]) -> Iterator[int]:
    """Yield the positions of ``records`` among the results."""
    if job.ids is not None:
        return (at for at, record_id in enumerate(job.ids) if record_id in records)
    return (at for at in count() if at not in results)


async def _read_records(call: Call, job: _Job, results: Mapping[int, Result]) -> dict[str, Document | None]:
    """Read the records to write, by id, without those that have a result.

    None for a record that the caller cannot see.
    """
    access = allow(call, job.kind, Action.VIEW).to_decide()
    finished = {str(result["id"]) for result in results.values()}
    most = call.service.settings.max_bulk_operations
    if job.ids is not None and len(job.ids) > most:
        raise TooManyMatches(f"at most {most} ids in one request", matched=len(job.ids))
    match = job.match if job.ids is None else by_ids(job.ids)
    rows = await call.store.find(access, match, order=(("_id", 1),), limit=most + 1)
    if len(rows) > most:
        matched = await call.store.count(access, match, most=MOST_ESTIMATED)
        said = f"{matched}{' or more' if matched == MOST_ESTIMATED else ''} records match"
        raise TooManyMatches(f"{said}; at most {most} are set in one request", matched=matched)
    found: dict[str, Document | None] = dict.fromkeys(job.ids or ())
    found |= {str(row["_id"]): row for row in rows}
    return {record_id: row for record_id, row in found.items() if record_id not in finished}


async def _set(
    call: Call, job: _Job, index: int, record_id: str, stored: Document | None, terms: Terms
) -> Results:
    kind, read_before = job.kind, [stored]

    async def read() -> Document | None:
        """Return the record as it was found with the others the first time, then read it again."""
        if read_before:
            return read_before.pop()
        return await read_stored_record(call, kind, by_id(record_id) & job.match)

    async def prepare(row: Document | None) -> Change:
        if row is None:
            raise NotFound(f"no {kind.name} has the id {record_id}, or it does not match any more")
        sent = await run_aside(partial(merge, kind, row, job.patch, job.hidden))
        return await prepare_rewrite(call, kind, row, sent, nulls(job.patch))

    return await settle(
        call, kind, record_id, prepare, lambda change: {index: done(change, "set")}, terms, read=read
    )
