"""The same values for many records in one request, each validated and authorized as if it were sent alone.

The records are chosen first: those a list with this filter would show, or those with these ids. A record that
no longer matches the filter when its turn comes is left unchanged, and reported. Atomic: all of them or none,
in one transaction; otherwise each succeeds or fails separately.

A filter sees the names in references as they were before the request, also where it renames what they refer
to: copies follow at its end. So what is set does not depend on the order of the records.

With an idempotency key each record that is not part of an atomic request has a receipt of its own; a second
try looks for the records again and leaves out those that have one.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import Any

from runtime.access.guard import allow, allow_lookup
from runtime.access.reopening import Lasting
from runtime.aside import run_aside
from runtime.call import Call
from runtime.contract.writes import BulkAnswer, BulkSet
from runtime.errors import ServiceError, TooManyMatches
from runtime.event_loop import Pace
from runtime.filter import EVERYTHING, Predicate, by_ids
from runtime.model.problems import no_record
from runtime.model.record_type import RecordType
from runtime.records.attempt import Writing
from runtime.records.batch import resume, store_all_or_none
from runtime.records.document.merge import check_patch, expand_values
from runtime.records.document.terms import PLAIN, Terms
from runtime.records.effects.copies import follow_together
from runtime.records.operations.listing import count_too_many
from runtime.records.operations.partial import Edit, merge_edit, rewrite
from runtime.records.relations import compile_callers_filter
from runtime.records.results import Result, Results, answer_of, build_result, describe_failure
from runtime.records.time_zone import enter_time_zone
from runtime.records.turn import turns_of
from runtime.storage.access import Action
from runtime.storage.wire import Json

Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Job:
    """The task of one request.

    ``edit`` is applied to the records that ``match``; ``ids`` in the order they were named, None for all.
    """

    kind: RecordType[Any]
    edit: Edit
    match: Predicate
    ids: tuple[str, ...] | None


async def run_bulk_set(
    call: Call, kind: RecordType[Any], body: BulkSet, terms: Terms = PLAIN
) -> Json[BulkAnswer]:
    """Set ``values`` on many records; one result per record, by position in ``ids`` or by id.

    Raises for the request as a whole: ``Denied``, ``TooManyMatches``, what the filter, ``expand_values`` and
    ``check_patch`` raise; atomic also what the first failing record raises, with its ``index`` and ``id``.
    """
    job, terms = await _build_job(call, kind, body), replace(terms, expected=None, unless=None)
    if body.atomic:
        ids = job.ids if job.ids is not None else await _read_records(call, job, {})
        return await store_all_or_none(call, partial(_set_all, job), terms, turns_of(call, kind, ids))
    async with follow_together(call) as each:
        return answer_of(await _set_each(each, job, terms))


async def _build_job(call: Call, kind: RecordType[Any], body: BulkSet) -> _Job:
    call = enter_time_zone(call, body.time_zone)
    withheld = allow(call, kind, Action.UPDATE).withheld
    match = EVERYTHING
    if not body.ids:
        match = await compile_callers_filter(call, allow(call, kind, Action.VIEW), body.filter)
    patch = expand_values(kind, body.values, withheld)
    await run_aside(partial(check_patch, kind, patch, withheld))
    ids = None if body.ids is None else tuple(body.ids)
    return _Job(kind, merge_edit(kind, patch, withheld), match, ids)


async def _set_all(job: _Job, call: Call) -> Results:
    """Set the values on all records in the transaction of the call."""
    results: Results = {}
    for index, (record_id, stored) in enumerate((await _read_records(call, job, {})).items()):
        try:
            results |= await _set(call, job, index, record_id, stored, PLAIN)
        except ServiceError as error:
            error.details |= {"index": index, "id": record_id}
            raise
    return results


async def _set_each(call: Call, job: _Job, terms: Terms) -> Results:
    call, results = resume(call)
    records = await _read_records(call, job, results)
    pace, lasting = Pace(), Lasting(call)
    for index, (record_id, stored) in zip(_indexes(job, records, results), records.items(), strict=False):
        await pace.step()
        call = await lasting.renew()
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
    access = allow_lookup(call, job.kind)
    finished = {str(result["id"]) for result in results.values()}
    most = call.service.settings.max_bulk_operations
    if job.ids is not None and len(job.ids) > most:
        raise TooManyMatches(f"at most {most} ids in one request", matched=len(job.ids))
    match = job.match if job.ids is None else by_ids(job.ids)
    rows = await call.store.find(access, match, order=(("_id", 1),), limit=most + 1)
    if len(rows) > most:
        matched, said = await count_too_many(call, access, match)
        raise TooManyMatches(f"{said}; at most {most} are set in one request", matched=matched)
    found: dict[str, Document | None] = dict.fromkeys(job.ids or ())
    found |= {str(row["_id"]): row for row in rows}
    return {record_id: row for record_id, row in found.items() if record_id not in finished}


async def _set(
    call: Call, job: _Job, index: int, record_id: str, stored: Document | None, terms: Terms
) -> Results:
    if stored is None:
        raise no_record(job.kind.shown_name, record_id)
    writing = Writing(call, job.kind, record_id, terms, job.match, stored)
    return await rewrite(writing, job.edit, lambda change: {index: build_result(change, "set")})
