"""Partial writes of one record: ``PUT set`` and merge patch.

What changes is put into the stored record, and the whole is written like a full replace: the same rules,
states, references and constraints, and the same answer. When another request was faster the change is put
into what that one stored. Members that the caller did not name are not checked against the caller: fields
that rules withhold stay, and are unknown by name.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, TypeVar

from runtime.access.guard import allow
from runtime.aside import run_aside
from runtime.call import Call
from runtime.contract.writes import RecordPatch, SetParameters
from runtime.model.record import Record
from runtime.model.record_type import RecordType
from runtime.records.change import Change, prepare_update, require_expected, require_stored
from runtime.records.document.merge import apply_values, merge
from runtime.records.document.pairs import parse_pairs
from runtime.records.document.sent import Sent
from runtime.records.document.terms import PLAIN, Terms
from runtime.records.operations.write import render_saved_record
from runtime.records.settle import settle
from runtime.storage.access import Action
from runtime.storage.wire import Json

R = TypeVar("R", bound=Record)
Document = dict[str, Any]


async def set_fields(call: Call, kind: RecordType[R], query: SetParameters, terms: Terms = PLAIN) -> Json[R]:
    """Set the fields that ``pairs`` names; the record as ``save`` answers it.

    Raises ``NotFound``, what ``parse_pairs`` and ``apply_values`` raise, and what ``save`` does.
    """
    values = parse_pairs(kind, query.pairs, allow(call, kind, Action.UPDATE).withheld)
    cleared = {path for path, value in values.items() if value is None}
    return await _rewrite(
        call, kind, query.id, lambda stored: apply_values(kind, stored, values), cleared, terms
    )


async def patch(
    call: Call, kind: RecordType[R], record_id: str, body: RecordPatch, terms: Terms = PLAIN
) -> Json[R]:
    """Apply a JSON merge patch (RFC 7396); the record as ``save`` answers it.

    Raises ``NotFound``, what ``merge`` raises, and what ``save`` does.
    """
    hidden = allow(call, kind, Action.UPDATE).withheld
    return await _rewrite(
        call, kind, record_id, lambda stored: merge(kind, stored, body.root, hidden), nulls(body.root), terms
    )


def nulls(patch: Any) -> set[str]:
    """Return the top-level members that a merge patch clears."""
    return {name for name, value in patch.items() if value is None} if isinstance(patch, dict) else set()


async def prepare_rewrite(
    call: Call,
    kind: RecordType[Any],
    stored: Document,
    sent: Sent,
    cleared: Collection[str],
    terms: Terms = PLAIN,
) -> Change:
    """Prepare the change that stores a rewritten record.

    ``cleared``: fields that the caller set to null; a state cannot be.
    """
    require_expected(stored, terms.expected, sent.document.get("version"))
    for field in kind.states.keys() & set(cleared):
        kind.states[field].check_move(field, stored.get(field), None)
    return await prepare_update(call, kind, stored, sent)


async def _rewrite(
    call: Call,
    kind: RecordType[R],
    record_id: str,
    rewrite: Callable[[Document], Sent],
    cleared: Collection[str],
    terms: Terms,
) -> Json[R]:
    async def prepare(stored: Document | None) -> Change:
        record = require_stored(kind, record_id, stored)
        require_expected(record, terms.expected)
        sent = await run_aside(lambda: rewrite(record))
        return await prepare_rewrite(call, kind, record, sent, cleared, terms)

    return await settle(
        call, kind, record_id, prepare, lambda change: render_saved_record(call, change, terms), terms
    )
