"""Writes whose refusal would reveal a withheld value are refused whatever that value is. Pure.

A unique index and a constraint look at several fields together. A caller who changes one of them and is
refused, or not, learns of the others: enough tries find a withheld value. So who does not see all of these
fields changes none of them, and creates no record that a withheld field tells apart from others.

A reference brings the names of the record that it leads to, so it is not set where a constraint looks at a
withheld one. A constraint whose fields all stay as they are is not checked again: an older record, or one
whose names changed, may break it, which would reveal a value.
"""

from collections.abc import Collection, Iterator, Mapping, Set
from functools import lru_cache
from typing import Any, Final

from runtime.errors import Denied
from runtime.filter import named_fields
from runtime.model.paths import overlap_any, top_of, value_at
from runtime.model.problems import invalid
from runtime.model.record_type import Constraint, RecordType
from runtime.permissions.derived import sources
from runtime.records.document.targets import KEPT_BY_SERVER
from runtime.storage.wire import without

Document = dict[str, Any]

_STAMPS: Final = KEPT_BY_SERVER | {"version"}
_CHECKED: Final = "it is checked together with a field that is withheld from you"


def refuse_blind_insert(kind: RecordType[Any], withheld: Collection[str], document: Document) -> None:
    """Raise ``Denied`` for a record that a withheld field would tell apart from all others."""
    for index in kind.indexes:
        keys = [path for path, _direction in index.keys if overlap_any(path, withheld)]
        if index.unique and keys and all(top_of(path) in document for path in keys):
            what = f"{kind.shown_name} records"
            message = f"you cannot create {what}: a field that tells them apart is withheld from you"
            raise Denied(message)


def refuse_blind_names(kind: RecordType[Any], withheld: Set[str], document: Document) -> None:
    """Raise ``ValidationFailed`` for a new record whose constraints look at withheld names of others."""
    unseen = {path for paths in _constrained(kind).values() for path in _find_unseen(kind, withheld, paths)}
    names = sorted({top_of(path) for path in unseen & kind.copied})
    if given := [name for name in names if document.get(name)]:
        raise invalid([{"path": name, "message": f"cannot be set: {_CHECKED}"} for name in given])


def refuse_blind_change(
    kind: RecordType[Any], withheld: Set[str], stored: Document, document: Document
) -> None:
    """Raise ``ValidationFailed`` for a change of a field that is checked together with a withheld one."""
    before, after = (without(one, kind.copied) for one in (stored, document))
    for paths in (*_told_apart(kind), *_constrained(kind).values()):
        if unseen := _find_unseen(kind, withheld, paths):
            members = {top_of(path) for path in paths - (unseen - kind.copied)} - _STAMPS
            if changed := sorted(name for name in members if before.get(name) != after.get(name)):
                raise invalid([{"path": name, "message": f"cannot change: {_CHECKED}"} for name in changed])


def find_unasked(
    kind: RecordType[Any], withheld: Set[str], stored: Document, document: Document
) -> frozenset[Constraint]:
    """Return the constraints over withheld fields of which a change touches none."""
    if not withheld or not kind.constraints:
        return frozenset()
    before, after = (without(one, kind.copied) for one in (stored, document))
    return frozenset(
        one
        for one, paths in _constrained(kind).items()
        if _find_unseen(kind, withheld, paths)
        and all(value_at(before, path) == value_at(after, path) for path in _find_places(kind, paths))
    )


def _find_places(kind: RecordType[Any], paths: Set[str]) -> Iterator[str]:
    """Yield what a caller can set of these fields: of a name in a reference, the whole member it is in."""
    own = (path for path in paths - sources(kind).keys() if top_of(path) not in _STAMPS)
    return (top_of(path) if path in kind.copied else path for path in own)


def _find_unseen(kind: RecordType[Any], withheld: Set[str], paths: Set[str]) -> Set[str]:
    """Return the paths that are withheld in whole or in part; names in a reference are no part of it."""
    own = withheld - kind.copied
    return {path for path in paths if path in withheld or overlap_any(path, own)}


@lru_cache(maxsize=1024)
def _told_apart(kind: RecordType[Any]) -> tuple[frozenset[str], ...]:
    """Return the fields of each unique index, and what those are made of."""
    keys = ({path for path, _direction in one.keys} for one in kind.indexes if one.unique)
    return tuple(frozenset(_with_sources(kind, paths)) for paths in keys)


@lru_cache(maxsize=1024)
def _constrained(kind: RecordType[Any]) -> Mapping[Constraint, frozenset[str]]:
    """Return the constraints that refuse a record, with the fields that each looks at and their sources."""
    strict = () if kind.lenient else kind.constraints
    return {one: frozenset(_with_sources(kind, named_fields(one.when))) for one in strict}


def _with_sources(kind: RecordType[Any], paths: Collection[str]) -> Iterator[str]:
    made_of, waiting, seen = sources(kind), list(paths), set[str]()
    while waiting:
        path = waiting.pop()
        if path not in seen:
            seen.add(path)
            yield path
            found = made_of.get(path, ())
            waiting += (*kind.fields, *kind.copied) if found is None else found
