"""What a service must hold: each acknowledged record, in terms that no release changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.life.releases import Shown, Values, Views

Document = dict[str, Any]
Fields = Mapping[str, Shown]

COMMON = frozenset(
    {"id", "refName", "displayName", "dataDomain", "activeStatus", "auditInfo", "version", "references", "actionList"}
)  # fmt: skip
"""The members that every record has."""


@dataclass
class Entry:
    """One record: its values, and the version that was acknowledged."""

    values: Values
    version: int = 1


@dataclass
class Model:
    """All records, by the path of their routes and by id. ``wrong``: what must not have been answered."""

    entries: dict[str, dict[str, Entry]] = field(default_factory=dict)
    carriers: dict[str, str] = field(default_factory=dict)
    """refName → id."""
    wrong: list[str] = field(default_factory=list)
    acknowledged: int = 0

    def show(self, entry: Entry, fields: Fields) -> Document:
        """Return what a read of a release shows of a record; references by their refName."""
        shown = {name: one.show(entry.values.get(one.attribute)) for name, one in fields.items()
                 if entry.values.get(one.attribute) is not None}  # fmt: skip
        return {name: value for name, value in shown.items() if value is not None}

    def write(self, values: Values, fields: Fields) -> Document:
        """Return the body that a client of a release sends for these attributes."""
        body: Document = {}
        for name, one in fields.items():
            if one.attribute in values:
                value = values[one.attribute]
                shown = None if value is None else one.show(value)
                body[name] = {"entityId": self.carriers[shown]} if one.is_reference and shown else shown
        return body


def pick_own(answer: Document, fields: Fields, *, is_strict: bool) -> Document:
    """Return the fields of an answer that the release declares; strictly all that it has."""
    return {
        name: value["entityRefName"] if isinstance(value, dict) and "entityId" in value else value
        for name, value in answer.items()
        if name in fields or (is_strict and name not in COMMON)
    }


def change_views(views: Views, shows: Views) -> Views:
    """Return what clients of the next release see."""
    changed = {path: dict(fields) for path, fields in views.items()}
    for path, fields in shows.items():
        if not fields:  # the record type can only be read from here on
            changed.pop(path, None)
            continue
        own = changed.setdefault(path, {})
        own.update(fields)
        changed[path] = {name: one for name, one in own.items() if one is not None}
    return changed


def as_fields(views: Views, path: str) -> Fields:
    """Return the fields of a record type."""
    return {name: one for name, one in views.get(path, {}).items() if one is not None}
