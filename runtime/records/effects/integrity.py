"""A check of every reference of a realm: does its record exist, are the names copied from it current?

Records are read in the order of ids, so that memory does not grow with the realm; the service goes on in the
meantime. What looks wrong is read once more, since a write may have come between. Only copies of names are
ever repaired. A reference to a record that is missing, or in another tenant, is reported, and breaks a
promise only where it is tracked: other references do not hold their record.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, Literal

from runtime.call import Service
from runtime.filter import EVERYTHING, Projection, after, by_ids
from runtime.model.documents import tenant_of
from runtime.model.record_type import RecordType, Reference
from runtime.principal import DomainScope
from runtime.records.effects.copies import refresh
from runtime.records.references import entries, names_of
from runtime.records.rewriting import Reach
from runtime.storage.as_service import as_service

Document = dict[str, Any]

Problem = Literal["stale", "missing", "gone", "foreign"]
PROBLEMS: Final[tuple[Problem, ...]] = ("stale", "missing", "gone", "foreign")

MOST_LISTED: Final = 1000
"""Findings that a report names; all are counted."""

_BATCH = 500
_NAMES = Projection(include=("refName", "displayName", "dataDomain.tenantId"))


@dataclass(frozen=True, slots=True)
class Finding:
    """One reference that is wrong.

    ``stale``: its names are not those of its record. ``missing``: its record does not exist, though it is
    tracked. ``gone``: its record does not exist, and it is not tracked. ``foreign``: its record belongs to
    another tenant, tracked or not; that is seen only where all tenants are checked.
    """

    problem: Problem
    type: str
    id: str
    ref_name: str
    tenant: str
    path: str
    target: str
    target_id: str
    tracked: bool

    @property
    def is_fault(self) -> bool:
        """Whether it breaks a promise."""
        return self.problem == "stale" or self.tracked


@dataclass
class Tally:
    """What was found in one realm.

    ``repaired`` counts records, ``left`` what remains; the first are named.
    """

    records: int = 0
    references: int = 0
    tracked: int = 0
    repaired: int = 0
    faults: int = 0
    left: Counter[Problem] = field(default_factory=Counter)
    named: list[Finding] = field(default_factory=list)

    @property
    def is_sound(self) -> bool:
        """Whether nothing is left but untracked references to records that went, or of another tenant."""
        return self.faults == 0

    def add(self, finding: Finding) -> None:
        """Count a finding that remains."""
        self.left[finding.problem] += 1
        self.faults += finding.is_fault
        if len(self.named) < MOST_LISTED:
            self.named.append(finding)


@dataclass(frozen=True, slots=True)
class Scope:
    """Where to look: a database, and of it one tenant or all."""

    service: Service
    database: str
    tenant: str | None = None

    async def read_rows(
        self, kind: RecordType[Any], projection: Projection, ids: Sequence[str] = (), last: Any = None
    ) -> list[Document]:
        """Return the records with these ids; without ids the next batch after ``last``."""
        match = after((("_id", 1),), [last])[0] if last is not None else EVERYTHING
        access = as_service(kind, self.database, domain=DomainScope(tenant_id=self.tenant))
        return await self.service.store.find(
            access,
            by_ids(ids) if ids else match,
            order=(("_id", 1),),
            projection=projection,
            limit=0 if ids else _BATCH,
        )


def list_referring_types(service: Service) -> list[RecordType[Any]]:
    """Return the record types that have references."""
    return [kind for kind in service.catalog if kind.references]


async def count_records_in_scope(scope: Scope) -> int:
    """Count the records to look at."""
    total = 0
    for kind in list_referring_types(scope.service):
        access = as_service(kind, scope.database, domain=DomainScope(tenant_id=scope.tenant))
        total += await scope.service.store.count(access, EVERYTHING)
    return total


async def examine(scope: Scope, *, repair: bool, tell: Callable[[int], None]) -> Tally:
    """Check every reference, and with ``repair`` rewrite the copied names that are stale.

    ``tell`` is called with the number of records done. Raises ``StoreUnavailable``; run again, it finds what
    is left.
    """
    tally = Tally()
    for kind in list_referring_types(scope.service):
        projection, last = _build_projection(kind), None
        while rows := await scope.read_rows(kind, projection, last=last):
            last = rows[-1]["_id"]
            _count(tally, kind, rows)
            await _examine_batch(scope, kind, rows, tally, repair=repair)
            tell(tally.records)
    return tally


async def _examine_batch(
    scope: Scope, kind: RecordType[Any], rows: list[Document], tally: Tally, *, repair: bool
) -> None:
    again = partial(_check_again, scope, kind)
    found = await again(await _find_problems(scope, kind, rows))
    if repair and (stale := [one for one in found if one.problem == "stale"]):
        tally.repaired += await _repair(scope, stale)
        found = await again(found)
    for finding in found:
        tally.add(finding)


async def _check_again(scope: Scope, kind: RecordType[Any], found: list[Finding]) -> list[Finding]:
    """Return the findings that are still wrong when the records are read again."""
    if not found:
        return []
    ids = sorted({finding.id for finding in found})
    return await _find_problems(scope, kind, await scope.read_rows(kind, _build_projection(kind), ids))


async def _find_problems(scope: Scope, kind: RecordType[Any], rows: Sequence[Document]) -> list[Finding]:
    wanted: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        for reference, _path, entry in _all_entries(kind, row):
            wanted[reference.target].add(str(entry["entityId"]))
    there: dict[tuple[str, str], Document] = {}
    for name, ids in wanted.items():
        for target in await scope.read_rows(scope.service.catalog[name], _NAMES, sorted(ids)):
            there[name, str(target["_id"])] = target
    return [finding for row in rows for finding in _of_row(kind, row, there)]


def _of_row(
    kind: RecordType[Any], row: Document, there: dict[tuple[str, str], Document]
) -> Iterator[Finding]:
    tenant = tenant_of(row)
    for reference, path, entry in _all_entries(kind, row):
        target = there.get((reference.target, str(entry["entityId"])))
        problem = _problem(reference, tenant, entry, target)
        if problem is not None:
            yield Finding(
                problem=problem, type=kind.name, id=str(row["_id"]), ref_name=names_of(row)[0], tenant=tenant,
                path=path, target=reference.target, target_id=str(entry["entityId"]), tracked=reference.track,
            )  # fmt: skip


def _problem(reference: Reference, tenant: str, entry: Document, target: Document | None) -> Problem | None:
    if target is None:
        return "missing" if reference.track else "gone"
    if tenant_of(target) != tenant:
        return "foreign"
    copied = (entry.get("entityRefName"), entry.get("entityDisplayName"))
    return None if copied == names_of(target) else "stale"


async def _repair(scope: Scope, stale: Sequence[Finding]) -> int:
    """Rewrite stale names; return the number of records changed, in this batch or further on."""
    service, done = scope.service, 0
    ids: dict[tuple[str, str], set[str]] = defaultdict(set)
    for finding in stale:
        ids[finding.tenant, finding.target].add(finding.target_id)
    for (tenant, name), found in ids.items():
        reach = Reach(service.store, service.catalog, service.seams.expressions, scope.database, tenant)
        done += await refresh(reach, service.catalog[name], sorted(found))
    return done


def _count(tally: Tally, kind: RecordType[Any], rows: Sequence[Document]) -> None:
    tally.records += len(rows)
    for row in rows:
        for reference, _path, _entry in _all_entries(kind, row):
            tally.references += 1
            tally.tracked += reference.track


def _all_entries(kind: RecordType[Any], row: Document) -> Iterator[tuple[Reference, str, Document]]:
    for reference in kind.references:
        for path, entry in entries(reference, row):
            yield reference, path, entry


def _build_projection(kind: RecordType[Any]) -> Projection:
    tops = {one.top for one in kind.references}
    return Projection(include=(*sorted(tops), "refName", "dataDomain.tenantId"))
