"""Lookups of an import profile: a cell → a field of the record that has it.

Values are looked up once a batch, under the caller's scope and rules: what the caller may not see is not
found. For a caller that is bound to no tenant, a value is that of a record in the tenant of the row. Results
are remembered for as long as the session reads its file; a value that was not found is looked up again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from itertools import chain
from typing import Any, Final, Literal, Protocol, TypeAlias

from runtime.access.guard import find_access
from runtime.call import Call
from runtime.contract.imports import RowCode
from runtime.errors import ServiceError
from runtime.filter import EVERYTHING, Predicate, Projection, differs, in_tenant, match_values
from runtime.filter.unreadable import Unreadable
from runtime.filter.values import read_value
from runtime.model.catalog import Catalog
from runtime.model.nearest import MOST_CANDIDATES, closest
from runtime.model.paths import value_at
from runtime.model.problems import explain_absence
from runtime.model.record_type import RecordType
from runtime.storage.access import Access, Action
from runtime.storage.wire import plain_text
from runtime.system.documents import ImportProfileColumnMappingLookupDocument
from runtime.transfer.rows.command_parts import split_for_commands
from runtime.transfer.rows.row_error import RowError

_AT_ONCE: Final = 1000
"""Values of one command: as many as a list of a filter has."""
_MOST_READ: Final = 4000
"""Records of one command: any field can be compared, and many records may have one value."""
_MOST_KEPT: Final = 50_000

_STATUS: Final = "activeStatus"
_NOT_ARCHIVED: Final = differs(activeStatus="ARCHIVED")


OnNotFound: TypeAlias = Literal["FAIL", "NULL", "PASSTHROUGH"]
"""What becomes of a cell that no record has."""


class Unclear(Enum):
    """The result of a value that several records have, with different results, or far too many records."""

    SEVERAL = "several"


Result: TypeAlias = str | Unclear | None


@dataclass(frozen=True, slots=True)
class Lookup:
    """Where a value is looked for, in which field, and which field is taken. ``returned`` may be ``id``."""

    collection: str
    match: str
    returned: str
    on_not_found: OnNotFound = "FAIL"

    @classmethod
    def of(cls, asked: ImportProfileColumnMappingLookupDocument) -> Lookup:
        """Build from the member ``lookup`` of a column mapping."""
        return cls(
            collection=asked["lookupCollection"],
            match=asked.get("lookupMatchField") or "refName",
            returned=asked.get("lookupReturnField") or "id",
            on_not_found=asked.get("onNotFound") or "FAIL",
        )


class Lookups(Protocol):
    """The source of lookups: the store, or a table in a test."""

    async def find(
        self, lookup: Lookup, values: Collection[str], tenant: str | None = None
    ) -> Mapping[str, Result]:
        """Find results as text, by value. ``tenant``: where alone; None where the scope says it."""

    async def list_values(self, lookup: Lookup, tenant: str | None = None) -> Collection[str]:
        """List values that could be found, at most as many as are compared for a suggestion."""


class StoreLookups:
    """Lookups in the store, as the caller. Raises ``UnknownField`` for a field that is hidden from it."""

    def __init__(self, call: Call) -> None:
        self._call = call

    async def find(
        self, lookup: Lookup, values: Collection[str], tenant: str | None = None
    ) -> Mapping[str, Result]:
        """Find results by value, among the records that the caller may view."""
        kind = kind_of(self._call.service.catalog, lookup.collection)
        if kind is None:
            return {}
        found: dict[str, Result] = {}
        for some in split_for_commands(sorted(values), len, _AT_ONCE):
            found |= await self._read_rows(kind, lookup, some, _match_tenant(tenant))
        return found

    async def list_values(self, lookup: Lookup, tenant: str | None = None) -> Collection[str]:
        """List values that records have which the caller may view."""
        kind = kind_of(self._call.service.catalog, lookup.collection)
        if kind is None or (access := find_access(self._call, kind, Action.VIEW)) is None:
            return ()
        kind.field_at(lookup.match, access.hidden)
        fields, match = Projection(include=(lookup.match,)), _match_tenant(tenant)
        rows = await self._call.store.find(access, match, projection=fields, limit=MOST_CANDIDATES)
        return [str(plain_text(value)) for row in rows if (value := _value(row, lookup.match)) is not None]

    async def _read_rows(
        self, kind: RecordType[Any], lookup: Lookup, values: list[str], within: Predicate
    ) -> dict[str, Result]:
        access = find_access(self._call, kind, Action.VIEW)
        if access is None:
            return {}
        key = kind.field_at(lookup.match, access.hidden)
        if lookup.returned != "id":
            kind.field_at(lookup.returned, access.hidden)
        texts: dict[str, list[str]] = {}  # as stored → as written: 07 and 7 are one number
        for value in values:
            try:
                texts.setdefault(str(plain_text(read_value(key, value))), []).append(value)
            except Unreadable:
                continue
        if not texts:
            return {}
        match = within & match_values(kind, lookup.match, list(texts), access.hidden)
        fields = Projection(include=tuple(sorted({lookup.match, lookup.returned, _STATUS} - {"id"})))
        rows = await self._call.store.find(access, match, projection=fields, limit=_MOST_READ + 1)
        if len(rows) > _MOST_READ:
            if len(texts) == 1:
                return await self._find_live(access, lookup, texts, match, fields)
            middle = len(values) // 2
            first = await self._read_rows(kind, lookup, values[:middle], within)
            return first | await self._read_rows(kind, lookup, values[middle:], within)
        archived = kind.on_delete == "archive" and "ARCHIVED"  # lists do not show these
        unseen = [row for row in rows if row.get(_STATUS) == archived]
        seen = [row for row in rows if row.get(_STATUS) != archived]
        return _join(unseen, lookup, texts) | _join(seen, lookup, texts)

    async def _find_live(
        self,
        access: Access,
        lookup: Lookup,
        texts: Mapping[str, Collection[str]],
        match: Predicate,
        fields: Projection,
    ) -> dict[str, Result]:
        """Find the result of one value that far too many records have, of which most may be archived."""
        unclear: dict[str, Result] = dict.fromkeys(chain.from_iterable(texts.values()), Unclear.SEVERAL)
        if access.kind.on_delete != "archive" or _STATUS in access.hidden:
            return unclear
        match &= _NOT_ARCHIVED
        rows = await self._call.store.find(access, match, projection=fields, limit=_MOST_READ + 1)
        return (_join(rows, lookup, texts) if len(rows) <= _MOST_READ else None) or unclear


def _join(
    rows: Iterable[Mapping[str, Any]], lookup: Lookup, texts: Mapping[str, Collection[str]]
) -> dict[str, Result]:
    """Return the result of each value that rows have. ``texts``: as stored → as written."""
    found: dict[str, Result] = {}
    for row in rows:
        result = plain_text(_value(row, lookup.returned))
        for value in texts.get(str(plain_text(_value(row, lookup.match))), ()):
            found[value] = result if found.get(value, result) == result else Unclear.SEVERAL
    return found


class Remembered:
    """What one session has looked up already, for one column (of one tenant, where the scope is all)."""

    def __init__(self, lookup: Lookup, path: str, tenant: str | None = None) -> None:
        self._lookup, self._path, self._tenant = lookup, path, tenant
        self._known: dict[str, Result] = {}
        self._others: Collection[str] | None = None

    async def prepare(self, values: Collection[str], lookups: Lookups) -> None:
        """Look up what is not known yet; with the first value that is not found, what may be meant."""
        wanted = set(values) - self._known.keys()
        if len(self._known) + len(wanted) > _MOST_KEPT:
            self._known.clear()
            wanted = set(values)
        if wanted:
            self._known |= await lookups.find(self._lookup, wanted, self._tenant)
        if self._others is None and self._lookup.on_not_found == "FAIL" and wanted - self._known.keys():
            self._others = ()
            with suppress(ServiceError):  # the import goes on without a suggestion
                self._others = await lookups.list_values(self._lookup, self._tenant)

    def result(self, value: str) -> str | RowError | None:
        """Return what a cell becomes; ``prepare`` has looked it up."""
        if value not in self._known:
            return self._missing(value)
        found = self._known[value]
        if isinstance(found, Unclear):
            message = (
                f"several records of {self._lookup.collection} have the {self._lookup.match} {value[:100]}"
            )
            return RowError(RowCode.LOOKUP, message, self._path, value)
        return found

    def _missing(self, value: str) -> str | RowError | None:
        if self._lookup.on_not_found == "NULL":
            return None
        if self._lookup.on_not_found == "PASSTHROUGH":
            return value
        sought = f"record of {self._lookup.collection}"
        message = explain_absence(sought, self._lookup.match, value[:100], self._tenant)
        near = closest(value, chain(self._others or (), self._known))
        return RowError(RowCode.LOOKUP, message, self._path, value, near)


def hidden_fields(call: Call, kind: RecordType[Any]) -> frozenset[str]:
    """Return the fields that a lookup of the caller cannot name.

    Without permission to view the type a lookup finds nothing, so only the hidden fields of the type itself
    count.
    """
    access = find_access(call, kind, Action.VIEW)
    return kind.hidden if access is None else access.hidden


def kind_of(catalog: Catalog, collection: str) -> RecordType[Any] | None:
    """Return the record type that is stored in a collection."""
    return next((kind for kind in catalog if kind.collection == collection), None)


def _match_tenant(tenant: str | None) -> Predicate:
    return EVERYTHING if tenant is None else in_tenant(tenant)


def _value(row: Any, path: str) -> Any:
    return value_at(row, "_id" if path == "id" else path)
