"""Unique values that the rows of a file would give to two records: they count in the order of the rows.

Rows that give up or take the same value are stored one after the other. A session stores nothing, so no index
refuses the second record of a value. Its analysis looks for the records that have the values already, as far
as the caller may see them, and remembers the values of the rows before. Whatever it cannot see, the commit
reports.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence, Set
from functools import lru_cache
from itertools import chain
from typing import Any, Final, TypeAlias

from runtime.access.guard import allow
from runtime.call import Call
from runtime.errors import Duplicate, UnknownField
from runtime.fast.name_set import NameSet
from runtime.filter import Predicate, any_of, match_values
from runtime.model.documents import tenant_of
from runtime.model.field_type import ValueKind
from runtime.model.paths import value_at
from runtime.model.record_type import RecordType
from runtime.storage.access import Access, Action
from runtime.storage.wire import plain_text
from runtime.transfer.rows.command_parts import split_for_commands
from runtime.transfer.rows.refusals import build_findings
from runtime.transfer.rows.rows import REF_NAME, Failed, Insert, Outcome, Update

_Key: TypeAlias = tuple[str, ...]
"""The paths of a unique index behind the tenant."""

_Name: TypeAlias = tuple[str, ...]
"""The tenant and the values at these paths; equal exactly where the index finds two records equal."""

_Changed: TypeAlias = Mapping[_Key, tuple[_Name | None, _Name | None]]
"""The unique values that a row changes, old and new."""

_NOT_COMPARED: Final = frozenset({ValueKind.JSON, ValueKind.OBJECT, ValueKind.LIST, ValueKind.MAP})

_EXACT: Final = 2**53
"""Of whole numbers below it, a float has each exactly."""


class UniqueValues:
    """The unique values of one file, batch by batch and in its order."""

    def __init__(self, kind: RecordType[Any]) -> None:
        self._kind = kind
        self._taken = NameSet()
        self._given_up = NameSet()

    async def report_taken(self, call: Call, outcomes: Sequence[Outcome]) -> list[Outcome]:
        """Fail the rows of a batch whose unique values another record has, or a row before."""
        changed = _list_changed(self._kind, outcomes)
        names: dict[_Key, set[_Name]] = defaultdict(set)
        for values in changed.values():
            for key, (_old, new) in values.items():
                if new is not None:
                    names[key].add(new)
        stored = {key: await _find_taken(call, self._kind, key, some) for key, some in names.items()}
        return [
            found if (own := changed.get(found.row.number)) is None else self._decide(found, own, stored)
            for found in outcomes
        ]

    def _decide(self, found: Outcome, changed: _Changed, stored: Mapping[_Key, Set[_Name]]) -> Outcome:
        new = {key: name for key, (_old, name) in changed.items() if name is not None}
        taken = [key for key, name in new.items() if self._is_taken(key, name, stored[key])]
        if not taken:
            for key, name in new.items():
                self._taken.add(_mark(key, name))
            for key, (old, _new) in changed.items():
                if old is not None:
                    self._given_up.add(_mark(key, old))
            return found
        values = (dict(zip(key, new[key][1:], strict=True)) for key in taken)
        refusals = (Duplicate.of_values(self._kind.shown_name, one) for one in values)
        errors = [one for error in refusals for one in build_findings(self._kind, found.row, error)]
        return Failed(found.row, errors, isinstance(found, Update))

    def _is_taken(self, key: _Key, name: _Name, stored: Set[_Name]) -> bool:
        mark = _mark(key, name)
        return mark in self._taken or (mark not in self._given_up and name in stored)


def split_by_values(kind: RecordType[Any], outcomes: Sequence[Outcome]) -> list[list[Outcome]]:
    """Split rows so that the order of those of one part does not count.

    A part ends before a row that takes or gives up a unique value which a row of the part does as well. New
    records alone are one part: the store takes them in their order.
    """
    if not _has_moves(kind, outcomes):
        return [list(outcomes)]
    parts: list[list[Outcome]] = [[]]
    changed = _list_changed(kind, outcomes)
    known: set[str] = set()
    for found in outcomes:
        values = changed.get(found.row.number, {}).items()
        marks = [_mark(key, name) for key, names in values for name in names if name is not None]
        if not known.isdisjoint(marks):
            parts.append([])
            known.clear()
        known.update(marks)
        parts[-1].append(found)
    return parts


def _has_moves(kind: RecordType[Any], outcomes: Sequence[Outcome]) -> bool:
    """Return whether a row changes a unique value of a stored record, which few do."""
    if not outcomes or not (keys := _list_unique_keys(kind, outcomes[0].row.terms.key)):
        return False
    paths = ("dataDomain", *chain.from_iterable(keys))  # the tenant counts too
    changes = [one.change for one in outcomes if isinstance(one, Update)]
    return any(value_at(one.before, path) != value_at(one.after, path) for path in paths for one in changes)


def _list_changed(kind: RecordType[Any], outcomes: Sequence[Outcome]) -> dict[int, _Changed]:
    """Return the unique values that the rows of one file change, by row number."""
    if not outcomes or not (keys := _list_unique_keys(kind, outcomes[0].row.terms.key)):
        return {}
    changed: dict[int, _Changed] = {}
    for write in outcomes:
        if isinstance(write, Insert | Update):
            before, after = write.change.before, write.change.after
            names = ((key, _name_of(before, key), _name_of(after, key)) for key in keys)
            changed[write.row.number] = {key: (old, new) for key, old, new in names if old != new}
    return changed


@lru_cache(maxsize=1024)
def _list_unique_keys(kind: RecordType[Any], own: str) -> Sequence[_Key]:
    """Return the unique keys of a record type, but for ``own``: the key of a row is that of the row alone."""
    declared = (tuple(path for path, _way in one.keys) for one in kind.indexes if one.unique)
    keys = {(REF_NAME,), *(key for key in declared if all(_is_compared(kind, path) for path in key))}
    return sorted(keys - {(own,)})


def _is_compared(kind: RecordType[Any], path: str) -> bool:
    try:
        return kind.field_at(path).kind not in _NOT_COMPARED
    except UnknownField:  # a caller must not even learn whether a hidden field has a value
        return False


async def _find_taken(call: Call, kind: RecordType[Any], key: _Key, names: Collection[_Name]) -> Set[_Name]:
    """Find which of these values records have that the caller may see."""
    access = allow(call, kind, Action.VIEW)
    taken: set[_Name] = set()
    for part in split_for_commands(names, lambda name: sum(map(len, name))):
        try:
            predicate = _match_any(access, key, {name[1:] for name in part})
        except UnknownField:  # withheld from the caller: whether a value exists would reveal it
            return frozenset()
        found = await call.store.find(access.to_decide(), predicate)
        taken.update(name for record in found if (name := _name_of(record, key)) is not None)
    return taken


def _match_any(access: Access, key: _Key, values: Set[_Name]) -> Predicate:
    """Match records that have one of these values at the paths: one list for all that differ in one path.

    That is the path with the most values, so that the match has as few parts as possible.
    """
    most = max(range(len(key)), key=lambda at: len({value[at] for value in values}))
    lists: dict[_Name, list[str]] = {}
    for value in sorted(values):
        lists.setdefault((*value[:most], *value[most + 1 :]), []).append(value[most])
    others = (*key[:most], *key[most + 1 :])
    parts = []
    for rest, listed in lists.items():
        part = match_values(access.kind, key[most], listed, access.hidden)
        for path, text in zip(others, rest, strict=True):
            part &= match_values(access.kind, path, [text], access.hidden)
        parts.append(part)
    return any_of(parts)


def _name_of(record: Mapping[str, Any] | None, key: _Key) -> _Name | None:
    """Return the values of a record at these paths; None for one that lacks any, which no index compares."""
    if record is None:
        return None
    values = [value_at(record, path) for path in key]
    if None in values:
        return None
    return tenant_of(record), *map(_text_of, values)


def _text_of(value: Any) -> str:
    """Return one text for each value.

    Equal numbers are written in many ways, as in 1.5 and 1.50, or as in 2 and 2.0 since a field took wider
    numbers.
    """
    if type(value) is str:  # as most are
        return value
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        return str(int(value))
    text = plain_text(value) or ""
    is_decimal = "." in text and not isinstance(value, str | float)
    return text.rstrip("0").rstrip(".") if is_decimal else text


def _mark(key: _Key, name: _Name) -> str:
    return "\0".join((*key, *name))
