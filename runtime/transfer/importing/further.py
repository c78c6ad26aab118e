"""What else is wrong with rows that failed: a file is corrected once, not once for each kind of error.

A row is decided step by step, and a step needs what the one before it finds. Here the values of a failed row
that are known go through all steps: references, the class of the record, states, constraints. An error about
a field that has one already says nothing new, such as that the field is missing.
"""

from collections.abc import Iterable, Sequence, Set
from copy import deepcopy
from functools import partial
from typing import Any, Final

from runtime.access.guard import allow
from runtime.call import Call
from runtime.contract.imports import RowCode
from runtime.errors import ServiceError
from runtime.event_loop import Pace
from runtime.model.paths import overlap_any, top_of
from runtime.model.record_type import RecordType
from runtime.records.change import find_known_violations
from runtime.records.references import find_reach, resolve_all, resolve_references
from runtime.storage.access import Action
from runtime.storage.wire import create_id
from runtime.transfer.importing.existing import Existing
from runtime.transfer.importing.planning import build_sent, nest, plan_row
from runtime.transfer.importing.targets import Targets
from runtime.transfer.rows.dynamic import JSON_COLUMN
from runtime.transfer.rows.intent import Intent
from runtime.transfer.rows.large import is_large, run_if
from runtime.transfer.rows.refusals import build_findings, build_violations
from runtime.transfer.rows.row_error import MOST_ERRORS, RowError, limit_errors
from runtime.transfer.rows.rows import Document, Failed

_OF_VALUES: Final = frozenset(
    {RowCode.PARSE, RowCode.MAPPING, RowCode.LOOKUP, RowCode.REFERENCE, RowCode.VALIDATION, RowCode.STATE}
)
"""Errors about single fields. After any other, the row is not decided any further."""

_AT_A_STRETCH: Final = 50
"""Rows that are looked at while all else in the worker waits."""


async def add_further(
    call: Call, kind: RecordType[Any], failed: Sequence[Failed], targets: Targets, stored: Existing
) -> list[Failed]:
    """Add the errors that the other values of failed rows have, in any step; ``stored``: what they name."""
    hidden = allow(call, kind, Action.VIEW).hidden
    rows = [_Failing(call, kind, one, hidden) for one in failed]
    pace = Pace(_AT_A_STRETCH)
    for row in rows:
        if row.has_values:
            await run_if(partial(row.plan, stored), is_long=is_large(row.row))
            await pace.step()
    if kind.references:
        await targets.find([(row.row, nest(row.values)) for row in rows])
        for row in rows:
            for target, path, name in targets.fill(row.row, nest(row.values)):
                if target == kind.name:  # a row behind this one may create it
                    row.skip(path)
                else:
                    row.add([await targets.build_finding(row.row, target, path, name)])
    for row in rows:
        if row.values:
            await run_if(row.check, is_long=is_large(row.row))
            await pace.step()
    if kind.references:
        await _find_absent(call, kind, rows, targets)
    return [row.finish() for row in rows]


class _Failing:
    """A row that failed: the values of its other fields, and what is wrong with these."""

    def __init__(self, call: Call, kind: RecordType[Any], failed: Failed, hidden: Set[str]) -> None:
        self._call = call
        self._kind = kind
        self._hidden = hidden
        self._failed = failed
        self._errors = list(failed.errors)
        self._skipped = [_place(error.field or "") for error in failed.errors]
        known = {path: value for path, value in failed.row.values.items() if not self._is_skipped(path)}
        self.row = failed.row._replace(values=known, errors=())
        self.values: Document = {}
        self.record: Document | None = None

    @property
    def has_values(self) -> bool:
        """Whether each error is about one field, and none about the record that the row names."""
        row = self._failed.row
        return (
            row.intent is not Intent.SKIP
            and len(self._errors) < MOST_ERRORS
            and all(one.code in _OF_VALUES and _is_of_field(self._kind, one) for one in self._errors)
            and not self._is_skipped(row.terms.key)
        )

    def plan(self, stored: Existing) -> None:
        """Find the record of the row, and what the row changes in it."""
        planned = plan_row(self._call, self._kind, self.row, stored, self._hidden)
        if isinstance(planned, Failed):
            self.add(planned.errors)
        else:
            self.values, self.record = deepcopy(planned[0]), planned[1]

    def skip(self, path: str) -> None:
        """Look at nothing that is about a field, or inside of it."""
        self._skipped.append(_place(path))

    def add(self, errors: Iterable[RowError]) -> None:
        """Add errors about fields that have none."""
        new = [error for error in errors if not self._is_skipped(error.field or "")]
        self._errors += new
        self._skipped += [_place(error.field or "") for error in new]

    def refuse(self, error: ServiceError) -> None:
        """Add what a refusal of the record says about fields that have no error."""
        self.add(build_findings(self._kind, self.row, error))

    def copy_values(self) -> Document:
        """Return a copy of the values, in which references can be filled in."""
        return deepcopy(nest(self.values))

    def check(self) -> None:
        """Check values by the class of the record, states and constraints."""
        kind, row = self._kind, self.row
        self._drop_wrong()
        while not self._is_of_class():
            self._drop_wrong()  # an error may hide those of other fields, as an unknown member does
        for field in kind.states.keys() - kind.server_set:
            try:
                self._check_state(field)
            except ServiceError as error:
                self.refuse(error)
        if kind.constraints and not kind.lenient:
            action = Action.CREATE if self.record is None else Action.UPDATE
            document = {**(self.record or {}), **nest(self.values)}
            found = find_known_violations(self._call, kind, action, document, self._is_known)
            self.add(build_violations(kind, row, RowCode.VALIDATION, found))

    def finish(self) -> Failed:
        """Return the row with all its errors."""
        return self._failed._replace(errors=limit_errors(self._errors))

    def _is_of_class(self) -> bool:
        """Report values that do not fit the class of the record; return whether all that are left do."""
        try:
            build_sent(self._kind, self.record, self._stand_ins() | self.values)
        except ServiceError as error:
            self.refuse(error)
        return not any(map(self._is_skipped, self.values))

    def _drop_wrong(self) -> None:
        """Drop the values that have errors."""
        self.values = {path: value for path, value in self.values.items() if not self._is_skipped(path)}

    def _stand_ins(self) -> Document:
        """Return values for required references of a new record that have errors: they are not missing."""
        if self.record is not None:
            return {}
        tracked = [one.path for one in self._kind.references if one.track and one.path == one.top]
        return {path: {"entityId": create_id()} for path in tracked if self._is_skipped(path)}

    def _check_state(self, field: str) -> None:
        value, graph = self.values.get(field), self._kind.states[field]
        if self.record is None:
            graph.start(field, value)
        elif value is not None:
            graph.check_move(field, self.record.get(field), value)

    def _is_known(self, path: str) -> bool:
        """Return whether a value is that of the row, or one that is stored, stays and is not withheld."""
        top = top_of(path)
        if (
            self._is_skipped(path)
            or overlap_any(path, self._hidden)
            or top in self._kind.calculated
            or top == JSON_COLUMN
        ):
            return False
        is_changed = any(top_of(one) == top for one in self.values)
        return path in self.values or (self.record is not None and not is_changed)

    def _is_skipped(self, path: str) -> bool:
        place = _place(path)
        return any(place.startswith(other) or other.startswith(place) for other in self._skipped)


async def _find_absent(call: Call, kind: RecordType[Any], rows: Sequence[_Failing], targets: Targets) -> None:
    """Report ids of references that name no record, in values that have the shape of the record."""
    new = [row for row in rows if row.values and row.record is None]
    missing = await resolve_all(call, kind, [row.copy_values() for row in new], targets.promised)
    for at, error in missing.items():
        new[at].refuse(error)
    for row in rows:
        if row.values and row.record is not None:
            values = row.copy_values()
            reach = find_reach(call, values, row.record)
            try:
                await resolve_references(call, kind, values, row.record, targets.promised, reach)
            except ServiceError as error:
                row.refuse(error)


def _is_of_field(kind: RecordType[Any], error: RowError) -> bool:
    return error.field is not None and top_of(error.field.partition("[")[0]) in kind.fields


def _place(path: str) -> str:
    """Return what an error is about: of a list or a reference the whole, since its parts fail together.

    It ends with a dot, so that it begins the places that are inside of it.
    """
    return path.partition("[")[0].removesuffix(".entityRefName").removesuffix(".entityId") + "."
