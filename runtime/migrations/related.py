"""The records of other types that a migration by hand creates, finds and removes next to those it migrates.

Such a record belongs to the one it is created for: its id is the id of that one, or one derived from it. So a
batch that is repeated finds what it has created, and what refers to the one record refers to the other as
well, once it names the other type.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from runtime import records
from runtime.call import Call, Service
from runtime.errors import Misconfigured, ServiceError
from runtime.filter import by_id
from runtime.model.documents import DataDomainDocument, tenant_of
from runtime.model.record_type import RecordType
from runtime.permissions import Rule, RuleSet
from runtime.principal import SYSTEM, DomainContext, Principal
from runtime.storage.as_service import as_service
from runtime.storage.own_documents import SERVICE_USER
from runtime.storage.store import Transaction
from runtime.storage.wire import derive_id, parse_id, read_back, to_wire

Record = dict[str, Any]

_EVERYTHING: Final = RuleSet((Rule("a migration does everything", is_final=True),))


@dataclass(frozen=True)
class Acting:
    """In whose name a migration writes: the service's, in the tenant of each record of a realm."""

    service: Service
    realm: str
    database: str
    name: str

    def open_call(self, tenant: str, store: Transaction) -> Call:
        """Open a call for one tenant, inside a transaction."""
        domain = DomainContext(tenant_id=tenant, default_realm=self.realm)
        principal = Principal(SERVICE_USER, SERVICE_USER, frozenset({SYSTEM}), domain)
        call = Call(
            self.service, principal, self.realm, self.database, f"migration {self.name}", rules=_EVERYTHING
        )
        return replace(call, transaction=store)


def show_record(document: Mapping[str, Any]) -> Record:
    """Return a stored record as the API shows it, hidden fields included."""
    return {name: read_back(value) for name, value in to_wire(dict(document)).items()}


def note_record(error: ServiceError, one: Record, name: str) -> None:
    """Note which record of a batch a write was refused for, and in which migration."""
    error.add_note(f"record {one['id']} {one.get('refName')}, in {name}")


@dataclass
class Related:
    """What ``forward(records, related)`` gets; ``sources``: the records of its batch, as they are stored.

    ``served``: the ids of those for which something was created or removed. In each method ``of`` is one of
    these records, and ``part`` tells apart several records of one type that are created for it.
    """

    acting: Acting
    store: Transaction
    sources: Sequence[Mapping[str, Any]]
    served: set[str] = field(default_factory=set)
    _domains: dict[str, DataDomainDocument] = field(init=False)
    _referring: dict[str, set[str]] | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self._domains = {str(one["_id"]): one["dataDomain"] for one in self.sources}

    async def save(self, record_type: str, values: Record, *, of: Record, part: str = "") -> Record:
        """Create a record in the data domain of the one it is for; return it, or the one created before.

        It is written on the path of every write, so it raises what a save raises: ``Duplicate`` for a refName
        or another unique value that some record has already, ``ValidationFailed``, ``MissingReference``.
        """
        if "id" in values:
            raise Misconfigured(f"{self.acting.name}: the id of a {record_type} follows from of=; omit id")
        kind, call = self._kind(record_type), self._open_call(of)
        record_id = self._choose_id(record_type, of, part)
        stored = await self._find(kind, of, record_id)
        if stored is None:
            domain = {**self._domain(of), **values.get("dataDomain", {})}
            whole = values | {"dataDomain": domain}
            try:
                created = await records.insert_under(call, kind, whole, record_id)
            except ServiceError as error:
                note_record(error, of, self.acting.name)
                raise
            stored = self._require_own(of, created)
            self.served.add(_source_id(of))
        if stored.get("activeStatus") == "ARCHIVED":
            raise Misconfigured(
                f"{self.acting.name}: {record_type} {record_id} is archived; restore it first"
            )
        return show_record(stored)

    async def find(self, record_type: str, *, of: Record, part: str = "") -> Record | None:
        """Return the record that was created; None if there is none.

        ``of`` may also be a reference in a record of the batch, to one for which a record was created before.
        What another tenant has is not found. Raises ``Misconfigured`` for a reference that is in no record of
        the batch, or in those of two tenants: which of them has it nobody could say.
        """
        stored = await self._find(self._kind(record_type), of, self._choose_id(record_type, of, part))
        return None if stored is None else show_record(stored)

    async def remove(self, record_type: str, *, of: Record, part: str = "") -> None:
        """Remove the record that was created, or archive it where its type says so; nothing without one."""
        kind, record_id = self._kind(record_type), self._choose_id(record_type, of, part)
        if await self._find(kind, of, record_id) is not None:
            await records.delete_by_id(self._open_call(of), kind, str(record_id))
            self.served.add(_source_id(of))

    def _kind(self, record_type: str) -> RecordType[Any]:
        return self.acting.service.catalog[record_type]

    def _open_call(self, of: Record) -> Call:
        return self.acting.open_call(self._domain(of)["tenantId"], self.store)

    def _domain(self, of: Record) -> DataDomainDocument:
        domain = self._domains.get(_source_id(of))
        if domain is None:
            raise Misconfigured(f"{self.acting.name}: of= is not one of the records of this batch")
        return domain

    def _choose_id(self, record_type: str, of: Record, part: str) -> Any:
        source = _source_id(of)
        return derive_id(source, record_type, part) if part else parse_id(source)

    async def _find(self, kind: RecordType[Any], of: Record, record_id: Any) -> Mapping[str, Any] | None:
        access = as_service(kind, self.acting.database)
        found: Mapping[str, Any] | None = await self.store.find_one(access, by_id(str(record_id)))
        if "entityId" in of:  # a reference is to a record of its own tenant
            tenant = self._find_referring_tenant(_source_id(of))
            return found if found is not None and tenant_of(found) == tenant else None
        return None if found is None else self._require_own(of, found)

    def _find_referring_tenant(self, record_id: str) -> str:
        """Return the tenant whose records refer to one."""
        if self._referring is None:
            self._referring = {}
            for source in self.sources:
                for named in _list_referenced(source):
                    self._referring.setdefault(named, set()).add(source["dataDomain"]["tenantId"])
        tenants = sorted(self._referring.get(record_id, ()))
        if len(tenants) == 1:
            return tenants[0]
        nowhere = "is neither a record of this batch nor a reference in one"
        wrong = f"is a reference of two tenants ({', '.join(tenants)})" if tenants else nowhere
        raise Misconfigured(f"{self.acting.name}: of= {wrong}")

    def _require_own(self, of: Record, stored: Mapping[str, Any]) -> Mapping[str, Any]:
        if tenant_of(stored) != self._domain(of)["tenantId"]:
            raise Misconfigured(f"{self.acting.name}: {stored['_id']} would belong to another tenant")
        return stored


def _source_id(of: Record) -> str:
    return str(of.get("entityId") or of.get("id"))


def _list_referenced(value: Any) -> Iterator[str]:
    """Yield the ids in the references of a stored record, at any depth."""
    if isinstance(value, Mapping):
        if "entityId" in value:
            yield str(value["entityId"])
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from _list_referenced(one)
