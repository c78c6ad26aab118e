"""Partial writes of one record: ``PUT set`` and merge patch.

What changes is put into the stored record, and the whole is written like a full replace: the same rules,
states, references and constraints, and the same answer. When another request was faster the change is put
into what that one stored. Members that the caller did not name are not checked against the caller: fields
that rules withhold stay, and are unknown by name.
"""

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple, TypeVar

from runtime.access.guard import allow, allow_lookup
from runtime.aside import run_aside
from runtime.call import Call
from runtime.contract.writes import RecordPatch, SetParameters
from runtime.errors import ServiceError
from runtime.event_loop import Pace
from runtime.filter import by_ids
from runtime.model.problems import no_record
from runtime.model.record import Record
from runtime.model.record_type import RecordType
from runtime.records.attempt import Attempt, Writing
from runtime.records.change import Change, prepare_update
from runtime.records.commit import commit
from runtime.records.document.merge import apply_values, merge
from runtime.records.document.pairs import parse_pairs
from runtime.records.document.sent import Sent
from runtime.records.document.terms import PLAIN, Terms, require_version
from runtime.records.operations.write import Render, render_saved_record, require_clearable_states
from runtime.records.settle import settle
from runtime.storage.access import Action
from runtime.storage.wire import Json

A = TypeVar("A")
R = TypeVar("R", bound=Record)
Document = dict[str, Any]


class Edit(NamedTuple):
    """What a partial write does to a stored record.

    ``apply``: from the stored record to the whole one that is sent in its place. ``cleared``: the fields that
    the caller set to null.
    """

    apply: Callable[[Document], Sent]
    cleared: frozenset[str]


async def set_fields(call: Call, kind: RecordType[R], query: SetParameters, terms: Terms = PLAIN) -> Json[R]:
    """Set the fields that ``pairs`` names; the record as ``save`` answers it.

    Raises ``NotFound``, what ``parse_pairs`` and ``apply_values`` raise, and what ``save`` does.
    """
    values = parse_pairs(kind, query.pairs, allow(call, kind, Action.UPDATE).withheld)
    cleared = frozenset(path for path, value in values.items() if value is None)
    edit = Edit(partial(apply_values, kind, values=values), cleared)
    render = partial(render_saved_record, call, terms)
    return await rewrite(Writing(call, kind, query.id, terms), edit, render)


async def patch(
    call: Call, kind: RecordType[R], record_id: str, body: RecordPatch, terms: Terms = PLAIN
) -> Json[R]:
    """Apply a JSON merge patch (RFC 7396); the record as ``save`` answers it.

    Raises ``NotFound``, what ``merge`` raises, and what ``save`` does.
    """
    edit = merge_edit(kind, body.root, allow(call, kind, Action.UPDATE).withheld)
    render = partial(render_saved_record, call, terms)
    return await rewrite(Writing(call, kind, record_id, terms), edit, render)


async def patch_together(call: Call, kind: RecordType[Any], patches: Mapping[str, Any]) -> None:
    """Apply merge patches, by the ids of the records, in the transaction of the call: all of them or none.

    Raises what ``patch`` does, with the ``id`` of the record.
    """
    began, pace, changes = time.monotonic(), Pace(), list[Change]()
    withheld = allow(call, kind, Action.UPDATE).withheld
    found = await call.store.find(allow_lookup(call, kind), by_ids(list(patches)), limit=len(patches))
    stored = {str(one["_id"]): one for one in found}
    for record_id, body in patches.items():
        await pace.step()
        try:
            if record_id not in stored:
                raise no_record(kind.shown_name, record_id)
            edit = merge_edit(kind, body, withheld)
            changes.append(await _prepare(call, kind, stored[record_id], edit))
        except ServiceError as error:
            error.details |= {"id": record_id}
            raise
    await commit(call, changes, None, began=began)


async def patch_stamped(
    writing: Writing, changes: Mapping[str, Any], stamps: Mapping[str, Any], render: Render[A]
) -> A:
    """Apply a merge patch of an operation of the service, with fields that only the service sets.

    Returns what ``render`` makes of the change; raises as ``patch``.
    """
    kind = writing.kind
    merged = merge_edit(kind, changes, allow(writing.call, kind, Action.UPDATE).withheld)

    def apply(stored: Document) -> Sent:
        return merged.apply(stored)._replace(stamps=stamps)

    return await rewrite(writing, Edit(apply, merged.cleared), render)


def merge_edit(kind: RecordType[Any], patch: Any, withheld: frozenset[str]) -> Edit:
    """Build the edit of a merge patch."""
    cleared = (name for name, value in patch.items() if value is None) if isinstance(patch, dict) else ()
    return Edit(partial(merge, kind, patch=patch, hidden=withheld), frozenset(cleared))


async def rewrite(writing: Writing, edit: Edit, render: Render[A]) -> A:
    """Store an edited record, and return what ``render`` makes of the change."""
    return await settle(writing, partial(_rewrite_once, edit, render))


async def _rewrite_once(edit: Edit, render: Render[A], attempt: Attempt) -> A:
    stored = await attempt.read_existing()
    change = await _prepare(attempt.call, attempt.kind, stored, edit, attempt.terms)
    return await attempt.commit(change, render)


async def _prepare(
    call: Call, kind: RecordType[Any], stored: Document, edit: Edit, terms: Terms = PLAIN
) -> Change:
    require_version(stored, terms)
    sent = await run_aside(partial(edit.apply, stored))
    require_version(stored, terms, sent.version)
    require_clearable_states(kind, stored, edit.cleared)
    return await prepare_update(call, kind, stored, sent)
