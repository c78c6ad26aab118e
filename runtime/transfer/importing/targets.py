"""The records that rows refer to by refName: looked up batch by batch, under the caller's scope.

For a caller that is bound to no tenant, a name is that of a record in the tenant of the row. A column
``country.entityRefName`` names the record, ``country.entityId`` says its id; the other members of a reference
are copies, which the server makes. What was found is remembered for a few seconds of one import, what was not
found is asked again.
"""

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, TypeAlias

from runtime.access.guard import find_access
from runtime.call import Call
from runtime.contract.imports import RowCode
from runtime.fast.name_set import NameSet
from runtime.filter import EVERYTHING, Predicate, Projection, in_tenant, one_of
from runtime.model.documents import tenant_of
from runtime.model.nearest import closest
from runtime.model.problems import explain_absence
from runtime.model.record_type import RecordType
from runtime.records.references import entries
from runtime.storage.access import Action
from runtime.storage.wire import create_id
from runtime.transfer.importing.existing import tenant_of_row
from runtime.transfer.rows.command_parts import split_for_commands
from runtime.transfer.rows.row_error import RowError
from runtime.transfer.rows.rows import InputRow

Document = dict[str, Any]

Reached: TypeAlias = tuple[str | None, str]
"""A tenant, None where the scope of the caller names it, and a record type."""

Named: TypeAlias = tuple[str | None, str, str]
"""The same, and a refName."""

_Sought: TypeAlias = tuple[str, str | None]
"""A refName and its tenant, None where the scope of the caller names it."""

_SECONDS: Final = 5.0
_MOST_KEPT: Final = 20_000
_MOST_COMPARED: Final = 1000
_MOST_IN_TENANTS: Final = 50
"""Names of one command, if each is of a tenant of its own: MongoDB looks for all in all of the tenants."""
_NAMES = Projection(include=("refName", "dataDomain.tenantId"))


class Targets:
    """Lookups of one import.

    While a file is analysed nothing of it is stored: a record that a sound row creates is ``promised`` then,
    under an id and names that stand in for those it will have.
    """

    def __init__(self, call: Call, kind: RecordType[Any]) -> None:
        self.promised: dict[tuple[str, str], Document] = {}
        self._promises: NameSet | None = None
        self._call = call
        self._kind = kind
        self._is_bound = call.principal.scope.tenant_id is not None
        self._ids: dict[Named, Any] = {}
        self._since = time.monotonic()
        self._names: dict[Reached, list[str]] = {}

    def use(self, call: Call) -> None:
        """Go on with the permissions of this call."""
        if call is not self._call:
            self._ids.clear()  # found as far as the caller could see before
        self._call = call
        self._is_bound = call.principal.scope.tenant_id is not None

    def promise(self, name: str, reach: str | None) -> None:
        """Let a record of this refName count as found; ``reach``: ``find_reach`` of its row."""
        if self._promises is None:
            self._promises = NameSet()
        self._promises.add(_join(reach, name))

    async def find(self, rows: Iterable[tuple[InputRow, Document]]) -> None:
        """Look up what the values of rows name, type by type."""
        if time.monotonic() - self._since > _SECONDS or len(self._ids) > _MOST_KEPT:
            self._ids.clear()
            self._since = time.monotonic()
        self.promised.clear()
        wanted: dict[str, set[_Sought]] = defaultdict(set)
        for row, patch in rows:
            reach = self.find_reach(row)
            for target, _path, entry in self._find_named(patch):
                if (reach, target, entry["entityRefName"]) not in self._ids:
                    wanted[target].add((entry["entityRefName"], reach))
        for target, names in wanted.items():
            most = None if self._is_bound else _count_most(len({reach for _name, reach in names}))
            for part in split_for_commands(sorted(names), _measure, most):
                for found in await self._read_rows(target, _match_any(part)):
                    reach = None if self._is_bound else tenant_of(found)
                    self._ids[reach, target, found["refName"]] = found["_id"]

    def fill(self, row: InputRow, patch: Document) -> list[tuple[str, str, str]]:
        """Put ids in place of names; (type, path, name) of each that nobody found."""
        missing, reach = [], self.find_reach(row)
        for target, path, entry in self._find_named(patch):
            found = self._ids.get((reach, target, entry["entityRefName"])) or self._find_promised(
                reach, target, entry["entityRefName"]
            )
            if found is None:
                missing.append((target, path, entry["entityRefName"]))
            else:
                entry.clear()
                entry["entityId"] = found
        return missing

    def _find_promised(self, reach: str | None, target: str, name: str) -> Any:
        promises = self._promises
        if promises is None or target != self._kind.name or _join(reach, name) not in promises:
            return None
        stand_in = create_id()
        names = {"_id": stand_in, "refName": name, "displayName": name}
        self.promised[target, str(stand_in)] = names
        return stand_in

    async def build_finding(self, row: InputRow, target: str, path: str, name: str) -> RowError:
        """Build the error of a name that does not exist, with the nearest one that does."""
        reach = self.find_reach(row)
        reached = reach, target
        if reached not in self._names:
            within = EVERYTHING if reach is None else in_tenant(reach)
            found = await self._read_rows(target, within, _MOST_COMPARED)
            self._names[reached] = [str(one["refName"]) for one in found if "refName" in one]
        shown = self._call.service.catalog[target].shown_name
        message = explain_absence(shown, "refName", name[:100], reach)
        return RowError(RowCode.REFERENCE, message, path, name, closest(name, self._names[reached]))

    def find_reach(self, row: InputRow) -> str | None:
        """Return the tenant in which the names of a row are looked up; None where the scope names it."""
        return None if self._is_bound else tenant_of_row(self._call, row)

    async def _read_rows(self, target: str, match: Predicate, limit: int = 0) -> list[Document]:
        """Read rows of the target type; none of a type that the caller may not view."""
        access = find_access(self._call, self._call.service.catalog[target], Action.VIEW)
        if access is None:
            return []
        return await self._call.store.find(access, match, projection=_NAMES, limit=limit)

    def _find_named(self, patch: Document) -> Iterator[tuple[str, str, Document]]:
        """Yield the references that a patch names.

        A value of another shape is left to the check of the record.
        """
        for reference in self._kind.references:
            with suppress(AttributeError, TypeError):
                for path, entry in list(entries(reference, patch)):
                    name = entry.get("entityRefName")
                    if "entityId" not in entry and isinstance(name, str) and name:
                        yield reference.target, path, entry


def _match_any(sought: Sequence[_Sought]) -> Predicate:
    """Match the records of all these tenants that have any of these names."""
    match = one_of("refName", sorted({name for name, _reach in sought}))
    tenants = sorted({reach for _name, reach in sought if reach is not None})
    return match & one_of("dataDomain.tenantId", tenants) if tenants else match


def _count_most(tenants: int) -> int:
    """Return the most names of one command, so that names times tenants are bounded."""
    return max(_MOST_IN_TENANTS, _MOST_IN_TENANTS**2 // tenants)


def _measure(sought: _Sought) -> int:
    name, reach = sought
    return len(name) + len(reach or "")


def _join(reach: str | None, name: str) -> str:
    return name if reach is None else f"{reach}\0{name}"


def refers_to_itself(kind: RecordType[Any]) -> bool:
    """Return whether a row may name a record that a row before it creates or renames."""
    return any(one.target == kind.name for one in kind.references)


def fold_references(kind: RecordType[Any], values: Mapping[str, Any]) -> Document:
    """Fold the members of each reference into one value: None where it is cleared."""
    found = dict(values)
    for reference in kind.references:
        prefix = f"{reference.path}."
        members = {path: found.pop(path) for path in list(found) if path.startswith(prefix)}
        entry = {path.removeprefix(prefix): value for path, value in members.items()}
        if "entityId" not in entry and "entityRefName" not in entry:
            continue
        if entry.get("entityId") is not None:
            found[reference.path] = {"entityId": entry["entityId"]}
        else:
            name = entry.get("entityRefName")
            found[reference.path] = None if name is None else {"entityRefName": name}
    return found
