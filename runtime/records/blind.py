"""Writes whose refusal would reveal a withheld value are refused whatever that value is. Pure.

A unique index and a constraint look at several fields together. A caller who changes one of them and is
refused, or not, learns of the others: enough tries find a withheld value. So who does not see all of these
fields changes none of them, and creates no record that a withheld field tells apart from others.
"""

from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from typing import Any

from runtime.errors import Denied
from runtime.filter import named_fields
from runtime.model.paths import overlap_any, top_of
from runtime.model.problems import invalid
from runtime.model.record_type import RecordType
from runtime.permissions.derived import sources

Document = Mapping[str, Any]

_WHY = "cannot change: it is checked together with a field that is withheld from you"


def refuse_blind_insert(kind: RecordType[Any], withheld: Collection[str], document: Document) -> None:
    """Raise ``Denied`` for a record that a withheld field would tell apart from all others."""
    for index in kind.indexes:
        keys = [path for path, _direction in index.keys if overlap_any(path, withheld)]
        if index.unique and keys and all(top_of(path) in document for path in keys):
            what = f"{kind.shown_name} records"
            message = f"you cannot create {what}: a field that tells them apart is withheld from you"
            raise Denied(message)


def refuse_blind_change(
    kind: RecordType[Any], withheld: Collection[str], stored: Document, document: Document
) -> None:
    """Raise ``ValidationFailed`` for a change of a field that is checked together with a withheld one."""
    for paths in _checks(kind):
        if any(overlap_any(path, withheld) for path in paths):
            members = {top_of(path) for path in paths if not overlap_any(path, withheld)}
            changed = sorted(name for name in members if stored.get(name) != document.get(name))
            if changed:
                raise invalid([{"path": name, "message": _WHY} for name in changed])


@lru_cache(maxsize=1024)
def _checks(kind: RecordType[Any]) -> tuple[frozenset[str], ...]:
    """Return the fields that each unique index and each constraint looks at, and what those are made of."""
    unique = [{path for path, _direction in one.keys} for one in kind.indexes if one.unique]
    constraints = [] if kind.lenient else [named_fields(one.when) for one in kind.constraints]
    return tuple(frozenset(_with_sources(kind, paths)) for paths in (*unique, *constraints))


def _with_sources(kind: RecordType[Any], paths: Collection[str]) -> Iterator[str]:
    made_of, waiting, seen = sources(kind), list(paths), set[str]()
    while waiting:
        path = waiting.pop()
        if path not in seen:
            seen.add(path)
            yield path
            found = made_of.get(path, ())
            waiting += kind.fields if found is None else found
