"""Consecutive new records of a bulk request, stored together; each succeeds or fails separately."""

import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from runtime.call import Call
from runtime.errors import ServiceError, VersionConflict
from runtime.event_loop import Pace
from runtime.model.record_type import RecordType
from runtime.records.batch import MOST_TOGETHER, refuse_all, store_together
from runtime.records.change import Change, prepare_resolved_insertion
from runtime.records.commit import ask_whether_plain, insert_all
from runtime.records.document.sent import Sent
from runtime.records.document.terms import Terms
from runtime.records.effects.copies import follow_names
from runtime.records.references import resolve_all
from runtime.records.results import Results, build_result, describe_failure


class _Insertion(NamedTuple):
    """One operation, by its position in the request: the change to be stored, or why there is none."""

    at: int
    change: Change | None
    error: ServiceError | None = None


class _Insertions(NamedTuple):
    """A ``Batch`` of new records."""

    began: float

    def change_of(self, entry: _Insertion) -> Change | None:
        return entry.change

    def answer(self, entries: Sequence[_Insertion]) -> Results | None:
        """Return the results of what is stored; of what is refused no receipt is kept."""
        return {one.at: build_result(one.change, "save") for one in entries if one.change is not None} or None

    def refuse(self, entry: _Insertion, error: ServiceError) -> _Insertion:
        return _Insertion(entry.at, None, error)

    async def decide_taken(self, _entries: Sequence[_Insertion]) -> None:
        """Decide nothing again: a caller that saves a new record does not want to change another one."""

    async def store_outdated(self, entries: Sequence[_Insertion]) -> Sequence[_Insertion]:
        error = VersionConflict("a record it refers to has just been renamed; send it again")
        return refuse_all(self, entries, error)


async def insert_together(
    call: Call, kind: RecordType[Any], waiting: Mapping[int, Sent], terms: Terms
) -> Results:
    """Store new records; return the result of each by its index.

    Their references are resolved first, with one lookup per type.
    """
    batch = _Insertions(time.monotonic())
    entries = await _prepare(call, kind, waiting)
    if await ask_whether_plain(call, kind) and not terms.is_dry_run:
        entries = await _store_at_once(call, batch, entries)
    else:
        ready = [entry for entry in entries if entry.change is not None]
        entries = [entry for entry in entries if entry.change is None]
        for start in range(0, len(ready), MOST_TOGETHER):
            entries += await store_together(call, batch, ready[start : start + MOST_TOGETHER], terms)
    results: Results = {}
    for at, change, error in entries:
        if error is not None:
            results[at] = await describe_failure(call, f"{kind.base_path}/bulk", "save", error)
        elif change is not None:
            results[at] = build_result(change, "save")
    return results


async def _prepare(call: Call, kind: RecordType[Any], waiting: Mapping[int, Sent]) -> list[_Insertion]:
    missing = await resolve_all(call, kind, [sent.document for sent in waiting.values()])
    entries, pace = list[_Insertion](), Pace()
    for position, (at, sent) in enumerate(waiting.items()):
        if position in missing:
            entries.append(_Insertion(at, None, missing[position]))
            continue
        await pace.step()
        try:
            entries.append(_Insertion(at, await prepare_resolved_insertion(call, kind, sent)))
        except ServiceError as error:
            entries.append(_Insertion(at, None, error))
    return entries


async def _store_at_once(call: Call, batch: _Insertions, entries: Sequence[_Insertion]) -> list[_Insertion]:
    """Store new records in one command, each on its own."""
    ready = [entry for entry in entries if entry.change is not None]
    errors = await insert_all(call.store, [one.change for one in ready if one.change is not None])
    refused = {ready[position].at: error for position, error in errors.items()}
    done = [batch.refuse(one, refused[one.at]) if one.at in refused else one for one in entries]
    await follow_names(call, [one.change for one in done if one.change is not None], batch.began)
    return done
