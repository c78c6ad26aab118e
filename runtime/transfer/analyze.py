"""Rows of a file → what is to be done with each: Insert, Update, Skip or Failed (decisions §5).

A row is decided exactly as its single request would be: the record's class, states, references,
constraints, rules and scope. What is slow is asked once for a batch: the records that exist, and those
that rows refer to. A record that is already as its row has it is no write.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Final

from runtime.access import Action
from runtime.call import Call
from runtime.errors import ServiceError
from runtime.filter import one_of
from runtime.record_type import RecordType
from runtime.records.change import Change, prepared_insert, require_expected, update
from runtime.records.dynamic import Written, written_attribute
from runtime.records.lenient import checked_input
from runtime.records.merge import apply_values
from runtime.records.references import resolve_all
from runtime.records.sent import Sent, read_sent
from runtime.records.targets import kept_by_server
from runtime.security.guard import allow
from runtime.transfer.intent import Intent, decided
from runtime.transfer.refusals import findings
from runtime.transfer.row_error import RowCode, RowError
from runtime.transfer.rows import REF_NAME, Document, Failed, InputRow, Insert, Outcome, Skip, Update
from runtime.transfer.seen import Seen
from runtime.transfer.targets import Targets, folded
from runtime.wire import to_json

_OF_EACH_WRITE: Final = frozenset({"version", "auditInfo", "persistentEvents"})
"""What every write changes; none of it makes a write."""

_TENANT: Final = "dataDomain.tenantId"


class Analysis:
    """The analysis of one file, batch by batch and in its order; it remembers which refNames have come."""

    def __init__(self, call: Call, kind: RecordType[Any]) -> None:
        self._call = call
        self._kind = kind
        self.targets = Targets(call, kind)
        self._seen = Seen()

    async def decide(self, rows: Sequence[InputRow]) -> list[Outcome]:
        """What is to be done with each row. Raises only faults, and ``Denied`` for who may not import."""
        outcomes: dict[int, Outcome] = {}
        for row in rows:
            if row.errors:
                outcomes[row.number] = Failed(row, row.errors)
            elif row.intent is Intent.SKIP:
                outcomes[row.number] = Skip(row)
            elif row.ref_name is not None and not self._seen.add(self._key(row)):
                outcomes[row.number] = Failed(row, [_twice(row.ref_name)])
        rest = [row for row in rows if row.number not in outcomes]
        outcomes |= {
            found.row.number: found for found in await plan(self._call, self._kind, rest, self.targets)
        }
        return [outcomes[row.number] for row in rows]

    def _key(self, row: InputRow) -> str:
        return f"{_tenant_of(self._call, row)}\0{row.ref_name}"


async def plan(
    call: Call, kind: RecordType[Any], rows: Sequence[InputRow], targets: Targets
) -> list[Outcome]:
    """What is to be done with rows of which no two name the same record, as the store is now; in the
    order of the rows."""
    stored = await _stored(call, kind, rows)
    outcomes: list[Outcome] = []
    waiting: list[tuple[InputRow, Document, Document | None]] = []
    for row in rows:
        record = stored.get((_tenant_of(call, row), row.ref_name))
        found = decided(row.intent, record is not None, REF_NAME, row.ref_name or "")
        if isinstance(found, RowError):
            outcomes.append(Failed(row, [found]))
            continue
        values = folded(kind, _settable(kind, row.values))
        if record is not None and _is_as(record, values):
            outcomes.append(Skip(row))
        else:
            waiting.append((row, values, record))
    outcomes += await _Batch(call, kind, targets).decide(waiting)
    return sorted(outcomes, key=lambda found: found.row.number)


def require_leave(call: Call, kind: RecordType[Any]) -> None:
    """Who may not insert, change and see records of a type cannot import any. Raises ``Denied``."""
    for action in (Action.CREATE, Action.UPDATE, Action.VIEW):
        allow(call, kind, action)


class _Batch:
    """Rows that are new, or differ from what is stored."""

    def __init__(self, call: Call, kind: RecordType[Any], targets: Targets) -> None:
        self._call = call
        self._kind = kind
        self._targets = targets

    async def decide(self, rows: Sequence[tuple[InputRow, Document, Document | None]]) -> list[Outcome]:
        """One outcome for each."""
        await self._targets.find([_nested(values) for _row, values, _record in rows])
        outcomes: list[Outcome] = []
        new: list[tuple[InputRow, Sent]] = []
        for row, values, record in rows:
            if errors := await self._fill(values):
                outcomes.append(Failed(row, errors))
                continue
            try:
                if record is None:
                    new.append((row, _new(self._kind, values)))
                else:
                    outcomes.append(await self._update(row, record, values))
            except ServiceError as error:
                outcomes.append(Failed(row, findings(self._kind, row, error)))
        return outcomes + await self._inserts(new)

    async def _fill(self, values: Document) -> list[RowError]:
        patch = _nested(values)
        missing = self._targets.fill(patch)
        return [await self._targets.finding(*one) for one in missing]

    async def _update(self, row: InputRow, record: Document, values: Document) -> Outcome:
        require_expected(record, None, row.values.get("version"))
        sent = apply_values(self._kind, record, values)
        change = await update(self._call, self._kind, record, sent)
        return Update(row, change) if _differs(change) else Skip(row)

    async def _inserts(self, new: Sequence[tuple[InputRow, Sent]]) -> list[Outcome]:
        missing = await resolve_all(self._call, self._kind, [sent.document for _row, sent in new])
        outcomes: list[Outcome] = []
        for at, (row, sent) in enumerate(new):
            try:
                if at in missing:
                    raise missing[at]
                outcomes.append(Insert(row, await prepared_insert(self._call, self._kind, sent)))
            except ServiceError as error:
                outcomes.append(Failed(row, findings(self._kind, row, error)))
        return outcomes


async def _stored(
    call: Call, kind: RecordType[Any], rows: Sequence[InputRow]
) -> Mapping[tuple[Any, Any], Document]:
    """The records that rows name, as far as the caller may see them; by tenant and refName."""
    names = [row.ref_name for row in rows if row.ref_name is not None]
    if not names:
        return {}
    access = allow(call, kind, Action.VIEW).to_decide()
    found = await call.service.store.find(access, one_of(REF_NAME, names))
    return {(row["dataDomain"]["tenantId"], row[REF_NAME]): row for row in found}


def _tenant_of(call: Call, row: InputRow) -> str:
    """A refName is unique in a tenant: the one that the row names, else the caller's."""
    return str(row.values.get(_TENANT) or call.principal.domain.tenant_id)


def _settable(kind: RecordType[Any], values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Without what the server keeps: a file that was exported may be sent back as it is."""
    return {
        path: value
        for path, value in values.items()
        if path not in ("id", "version") and not kept_by_server(kind, path.partition(".")[0])
    }


def _is_as(record: Document, values: Mapping[str, Any]) -> bool:
    """Whether a stored record already has all these values."""
    return all(_agrees(_at(record, path), value) for path, value in values.items())


def _agrees(stored: Any, value: Any) -> bool:
    if isinstance(value, dict) and isinstance(stored, dict):
        return all(_agrees(stored.get(name), inner) for name, inner in value.items())
    if isinstance(value, datetime) and value.tzinfo is not None:
        value = value.astimezone(UTC).replace(tzinfo=None)
    return bool(stored == value or (value is None and stored == []))


def _at(document: Any, path: str) -> Any:
    for step in path.split("."):
        document = document.get(step) if isinstance(document, dict) else None
    return document


def _differs(change: Change) -> bool:
    before, after = change.before or {}, change.after or {}
    names = (before.keys() | after.keys()) - _OF_EACH_WRITE
    return any(before.get(name) != after.get(name) for name in names)


def _new(kind: RecordType[Any], values: Mapping[str, Any]) -> Sent:
    """A new record. An empty cell of a field that has a default leaves it empty (decisions §5)."""
    filled = _filled_in(kind)
    told = {
        path: written_attribute(path, None, value) if isinstance(value, Written) else value
        for path, value in values.items()
        if value is not None or path in filled
    }
    return read_sent(kind, checked_input(kind, to_json(_nested(told))))


@lru_cache(maxsize=1024)
def _filled_in(kind: RecordType[Any]) -> frozenset[str]:
    """The fields that a new record gets a value in when nothing is sent."""
    own = {
        info.alias or name
        for name, info in kind.input.model_fields.items()
        if not info.is_required() and info.get_default(call_default_factory=True) is not None
    }
    return frozenset(own)


def _nested(values: Mapping[str, Any]) -> Document:
    """``{"billing.city": "Lisbon"}`` → ``{"billing": {"city": "Lisbon"}}``; values are shared, not copied."""
    whole: Document = {}
    for path, value in values.items():
        *way, last = path.split(".")
        here = whole
        for step in way:
            inner = here.get(step)
            if not isinstance(inner, dict):
                inner = here[step] = {}
            here = inner
        here[last] = value
    return whole


def _twice(name: str) -> RowError:
    message = f"{name[:100]} has come before in this file: one row for each record"
    return RowError(RowCode.DUPLICATE, message, REF_NAME, name)
