"""Changes of stored data as findings, in words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from generator.change_rules import CHANGE_RULES
from generator.evolve.change_kinds import ChangeKind
from generator.evolve.changes import Change
from generator.findings import Finding

_TEXTS: dict[ChangeKind, str] = {
    ChangeKind.RECORD_ADDED: "the record type is new",
    ChangeKind.RECORD_REMOVED: "the record type is gone, its records stay in the collection {before}",
    ChangeKind.RECORD_RENAMED: "the record type was {before}",
    ChangeKind.AREA_CHANGED: "the area was {before}, is {after}",
    ChangeKind.COLLECTION_CHANGED: "the collection was {before}, is {after}",
    ChangeKind.ATTRIBUTES_REMOVED: "records no longer have dynamic attributes",
    ChangeKind.HISTORY_STOPPED: "the record type is no longer audited",
    ChangeKind.DELETION_CHANGED: "onDelete was {before}, is {after}",
    ChangeKind.FIELD_ADDED: "the field is new",
    ChangeKind.FIELD_REMOVED: "the field is gone, its type was {before}",
    ChangeKind.FIELD_RENAMED: "the field was {before}",
    ChangeKind.FIELD_RENAMED_LATE: "the field takes the values of {before} now, and is of type {after}",
    ChangeKind.FIELD_REQUIRED: "the field is required now",
    ChangeKind.FIELD_OPTIONAL: "the field is no longer required",
    ChangeKind.VALUE_ADDED: "the value {after} is new",
    ChangeKind.VALUE_REMOVED: "the value {before} is gone",
    ChangeKind.CONSTRAINT_ADDED: "records must match {after}",
    ChangeKind.CONSTRAINT_REMOVED: "records need no longer match {before}",
    ChangeKind.UNIQUE_ADDED: "no two records may share the values now",
    ChangeKind.UNIQUE_REMOVED: "records may share the values now",
    ChangeKind.EXPIRY_ADDED: "records are deleted after so many seconds: {after}; before: {before}",
    ChangeKind.EXPIRY_REMOVED: "records are deleted after so many seconds: {after}; before: {before}",
    ChangeKind.STATE_ADDED: "the state {after} is new",
    ChangeKind.STATE_REMOVED: "the state {before} is gone",
    ChangeKind.STATE_RENAMED: "the state {before} is {after} now",
    ChangeKind.STATE_REQUIRED: "a new record has to name its state",
    ChangeKind.TRANSITION_ADDED: "{after} is possible now",
    ChangeKind.TRANSITION_REMOVED: "{before} is no longer possible",
}
_USUAL = "was {before}, is {after}"


def list_data_findings(changes: Iterable[Change]) -> list[Finding]:
    """Describe each change; the place is the record type and the path of the field."""
    return [_describe(change) for change in changes]


def _describe(change: Change) -> Finding:
    at = f"{change.record}.{change.path}" if change.path else change.record
    text = _TEXTS.get(change.kind, _USUAL)
    message = text.format(before=_show(change.before), after=_show(change.after))
    return Finding(CHANGE_RULES[change.kind], at, message)


def _show(value: Any) -> str:
    return "nothing" if value is None else str(value)
