"""Rows of a file → what to do with each: Insert, Update, Skip or Failed.

A row is decided exactly as its single request would be: the record's class, states, references, constraints,
rules and scope. What is slow is read once for a batch: the records that exist, and those that rows refer to.
A row whose record already has its values is not written.
"""

from collections.abc import Mapping, Sequence, Set
from copy import deepcopy
from functools import lru_cache, partial
from typing import Any, Final, TypeAlias

from runtime.access.guard import allow, build_refusal
from runtime.call import Call
from runtime.errors import ServiceError
from runtime.event_loop import Pace
from runtime.model.attribute_names import as_sent
from runtime.model.clock import now
from runtime.model.paths import top_of
from runtime.model.record_type import RecordType
from runtime.records.change import prepare_resolved_insertion, prepare_update
from runtime.records.document.lenient import read_input
from runtime.records.document.merge import apply_values
from runtime.records.document.new_record import build_as_stored
from runtime.records.document.sent import Sent, read_sent
from runtime.records.document.targets import kept_by_server
from runtime.records.document.terms import PLAIN, require_version
from runtime.records.references import resolve_all
from runtime.storage.access import Action
from runtime.storage.wire import plain_text, to_json
from runtime.transfer.importing.archived import STATUS, build_archived_error, is_archived, names_archived
from runtime.transfer.importing.existing import Existing, build_ambiguity, find_existing, name_of
from runtime.transfer.importing.targets import Targets, fold_references
from runtime.transfer.importing.unchanged import differs, find_changed_values
from runtime.transfer.importing.waiting import Waiting
from runtime.transfer.rows.dynamic import JSON_COLUMN, merge_attributes
from runtime.transfer.rows.intent import Intent, decide_intent
from runtime.transfer.rows.large import is_large, run_if
from runtime.transfer.rows.refusals import build_findings
from runtime.transfer.rows.row_error import RowError, RowRefused
from runtime.transfer.rows.rows import Document, Failed, InputRow, Insert, Outcome, Skip, Update, place_of

_AT_A_STRETCH: Final = 50
"""Rows that are decided while all else in the worker waits."""

_Asked: TypeAlias = tuple[InputRow, Document, Document | None, bool]
"""A row, what it changes by path, the record that has its key, and whether the row is large."""


async def plan(
    call: Call,
    kind: RecordType[Any],
    rows: Sequence[InputRow],
    targets: Targets,
    stored: Existing | None = None,
    waiting: list[Waiting] | None = None,
) -> list[Outcome]:
    """Decide what to do with rows of one file that name different records, in the order of the rows.

    As the store is now, or as it was when the records were ``stored``. ``waiting`` takes rows that refer to
    absent records of their own type; without it they fail.
    """
    stored = stored or await find_existing(call, kind, rows)
    hidden = allow(call, kind, Action.VIEW).hidden
    outcomes: list[Outcome] = []
    asked_rows: list[_Asked] = []
    pace = Pace(_AT_A_STRETCH)
    for row in rows:
        await pace.step()
        if row.intent is Intent.SKIP:
            outcomes.append(Skip(row))
            continue
        is_long = is_large(row)
        asked = await run_if(partial(plan_row, call, kind, row, stored, hidden), is_long=is_long)
        if isinstance(asked, Failed):
            outcomes.append(asked)
        elif asked[1] is not None and not asked[0]:
            outcomes.append(Skip(row))
        else:
            asked_rows.append((row, *asked, is_long))
    outcomes += await _Batch(call, kind, targets, waiting).decide(asked_rows)
    return sorted(outcomes, key=place_of)


class _Batch:
    """Rows that are new, or differ from what is stored."""

    def __init__(
        self, call: Call, kind: RecordType[Any], targets: Targets, waiting: list[Waiting] | None
    ) -> None:
        self._call = call
        self._kind = kind
        self._targets = targets
        self._waiting = waiting
        self._moment = now()
        self._pace = Pace(_AT_A_STRETCH)

    async def decide(self, rows: Sequence[_Asked]) -> list[Outcome]:
        if self._kind.references:
            await self._targets.find([(row, nest(values)) for row, values, _record, _is_long in rows])
        outcomes: list[Outcome] = []
        new: list[tuple[InputRow, Sent]] = []
        for row, values, record, is_long in rows:
            await self._pace.step()
            if self._waiting is not None:
                # What is filled in may stand in for something else.
                values = await run_if(partial(deepcopy, values), is_long=is_long)
            if self._kind.references and (missing := self._targets.fill(row, nest(values))):
                outcomes += await self._set_aside(row, missing, is_update=record is not None)
                continue
            try:
                if record is None:
                    build = partial(build_sent, self._kind, None, values)
                    new.append((row, await run_if(build, is_long=is_long)))
                else:
                    outcomes.append(await self._update(row, record, values, is_long=is_long))
            except ServiceError as error:
                outcomes.append(Failed(row, build_findings(self._kind, row, error), record is not None))
        return outcomes + await self._plan_inserts(new)

    async def _set_aside(
        self, row: InputRow, missing: Sequence[tuple[str, str, str]], *, is_update: bool
    ) -> list[Outcome]:
        """Set a row aside whose references another row may provide; else it fails."""
        if self._waiting is not None and all(target == self._kind.name for target, _field, _name in missing):
            names = [(field, name) for _target, field, name in missing]
            self._waiting.append(Waiting(row, names, is_update, self._targets.find_reach(row)))
            return []
        return [Failed(row, [await self._targets.build_finding(row, *one) for one in missing], is_update)]

    async def _update(self, row: InputRow, record: Document, values: Document, *, is_long: bool) -> Outcome:
        if (expected := row.values.get("version")) is not None:
            require_version(record, PLAIN, expected)
        sent = await run_if(partial(build_sent, self._kind, record, values), is_long=is_long)
        change = await prepare_update(
            self._call, self._kind, record, sent, self._moment, self._targets.promised
        )
        restores = row.terms.restore_archived and row.values.get(STATUS) is None and is_archived(record)
        if restores and is_archived(change.after or {}):  # a rule withholds the status from the caller
            raise build_refusal(self._call, self._kind, Action.UPDATE)
        return Update(row, change) if differs(change) else Skip(row)

    async def _plan_inserts(self, new: Sequence[tuple[InputRow, Sent]]) -> list[Outcome]:
        documents = [sent.document for _row, sent in new]
        missing = await resolve_all(self._call, self._kind, documents, self._targets.promised)
        outcomes: list[Outcome] = []
        for at, (row, sent) in enumerate(new):
            await self._pace.step()
            try:
                if at in missing:
                    raise missing[at]
                outcomes.append(Insert(row, await prepare_resolved_insertion(self._call, self._kind, sent)))
            except ServiceError as error:
                outcomes.append(Failed(row, build_findings(self._kind, row, error)))
        return outcomes


def plan_row(
    call: Call, kind: RecordType[Any], row: InputRow, stored: Existing, hidden: Set[str]
) -> tuple[Document, Document | None] | Failed:
    """Return what a row sets and on which record; or why it cannot. ``hidden``: from the caller."""
    name = name_of(call, row)
    if name in stored.unclear:
        return Failed(row, [build_ambiguity(row)])
    record = None if name is None else stored.records.get(name)
    if row.intent is not Intent.UPSERT:  # which is always possible
        found = decide_intent(row.intent, record is not None, row.terms.key, plain_text(row.key) or "")
        if isinstance(found, RowError):
            return Failed(row, [found], record is not None)
    wants = dict(_drop_server_kept(kind, row.values))
    if record is not None and names_archived(record, row, hidden):
        if not row.terms.restore_archived:
            return Failed(row, [build_archived_error(kind, row)], is_update=True)
        wants[STATUS] = "ACTIVE"
    values = fold_references(kind, wants)
    if row.attributes:
        there = None if record is None else record.get(JSON_COLUMN)
        values[JSON_COLUMN], errors = merge_attributes(there, row.attributes, row.terms.merge)
        if errors:
            return Failed(row, errors, record is not None)
    try:
        return find_changed_values(kind, record, values, hidden), record
    except RowRefused as refused:
        return Failed(row, [refused.error], record is not None)


def _drop_server_kept(kind: RecordType[Any], values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Leave out what the server keeps: a file that was exported may be sent back unchanged."""
    kept = _kept_paths(kind, tuple(values))
    return {path: value for path, value in values.items() if path not in kept} if kept else values


@lru_cache(maxsize=1024)
def _kept_paths(kind: RecordType[Any], paths: Sequence[str]) -> frozenset[str]:
    """Return the paths at or inside of what the server keeps; the rows of a file have the same, or nearly."""
    kept = frozenset(name for name in kind.fields if kept_by_server(kind, name)) | {"id", "version"}
    return frozenset(path for path in paths if top_of(path) in kept)


def build_sent(kind: RecordType[Any], record: Document | None, values: Document) -> Sent:
    """Build the record that a row creates or changes, and check its class. Raises ``ServiceError``."""
    if record is None:
        return _build_new(kind, values)
    if JSON_COLUMN in values:  # the attributes as they are merged: those that are not among them go
        record = {name: value for name, value in record.items() if name != JSON_COLUMN}
    return apply_values(kind, record, values)


def _build_new(kind: RecordType[Any], values: Mapping[str, Any]) -> Sent:
    """Build a new record. An empty cell of a field that has a default leaves it empty."""
    filled = _filled_in(kind)
    given = {path: value for path, value in values.items() if value is not None or path in filled}
    if (document := build_as_stored(kind, given)) is not None:
        return Sent(document)
    return read_sent(kind, read_input(kind, to_json(as_sent(nest(given))), unnamed=kind.fields.keys))


@lru_cache(maxsize=1024)
def _filled_in(kind: RecordType[Any]) -> frozenset[str]:
    """Return the fields that get a value in a new record when nothing is sent."""
    own = {
        info.alias or name
        for name, info in kind.input.model_fields.items()
        if not info.is_required() and info.get_default(call_default_factory=True) is not None
    }
    return frozenset(own)


def nest(values: Mapping[str, Any]) -> Document:
    """Nest ``{"billing.city": "Lisbon"}`` as ``{"billing": {"city": "Lisbon"}}``; values are shared."""
    whole: Document = {}
    for path, value in values.items():
        if "." not in path:  # as most are
            whole[path] = value
            continue
        *way, last = path.split(".")
        here = whole
        for step in way:
            inner = here.get(step)
            if not isinstance(inner, dict):
                inner = here[step] = {}
            here = inner
        here[last] = value
    return whole
