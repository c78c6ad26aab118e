"""A service with two record types of its own, imported into and exported from as the routes do it.

``BIN`` has a field of every type that a column can have; its refName and its code are unique. It refers to
``SHELF``.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Annotated, Any

import orjson
from anyio.from_thread import BlockingPortal
from pymongo.database import Database

from runtime.call import Call, Service
from runtime.contract.csv import ExportParameters
from runtime.contract.imports import ImportParameters
from runtime.model.record import (
    DynamicAttribute,
    EntityReference,
    ExactDecimal,
    LocalDate,
    Moment,
    ObjectIdText,
    Record,
    RecordInput,
    Strict,
)
from runtime.model.record_type import Index, RecordType, Reference
from runtime.permissions import RuleSet
from runtime.principal import DomainContext, Principal
from runtime.stream import Stream
from runtime.transfer import export_csv, import_csv, open_session
from runtime.transfer.csv.columns import parse_requested_columns
from runtime.transfer.csv.dialect import Dialect
from runtime.transfer.csv.reader import CsvFile
from runtime.transfer.importing.assembly import read_input_rows
from runtime.transfer.rows.reading import Reading
from runtime.transfer.rows.rows import InputRow
from tests.kinds import kind_of

Document = dict[str, Any]


class Part(Strict):
    sku: str | None = None
    note: str | None = None
    quantity: int | None = None
    shelf: EntityReference | None = None


class Size(Strict):
    unit: str | None = None
    height: float | None = None


class BinFields(Strict):
    title: str | None = None
    code: str | None = None
    count: int | None = None
    ratio: float | None = None
    price: Annotated[Decimal, ExactDecimal()] | None = None
    active: bool | None = None
    seen_at: Moment | None = None
    day: LocalDate | None = None
    owner_key: ObjectIdText | None = None
    shelf: EntityReference | None = None
    size: Size | None = None
    parts: list[Part] | None = None
    tags: list[str] | None = None
    labels: dict[str, str] | None = None
    extra: Any = None
    dynamic_attributes: dict[str, dict[str, DynamicAttribute]] | None = None


class BinInput(BinFields, RecordInput):
    """As sent."""

    secret: str | None = None


class Bin(BinFields, Record):
    """As read."""


SHELF = kind_of("Shelf", "stock", collection="shelves", base_path="/stock/shelves")

BIN: RecordType[Bin] = RecordType(
    name="Bin", area="stock", model=Bin, collection="bins",
    base_path="/stock/bins", hidden=frozenset({"secret"}),
    references=(Reference("shelf", "Shelf"), Reference("parts[].shelf", "Shelf")),
    indexes=(Index((("code", 1),), unique=True),),
)  # fmt: skip


class ClerkFields(Strict):
    title: str
    code: str | None = None
    boss: EntityReference | None = None
    mentor: EntityReference | None = None
    deputies: list[EntityReference] | None = None


CLERK = kind_of(
    "Clerk", "stock", ClerkFields,
    references=(Reference("boss", "Clerk"), Reference("mentor", "Clerk", track=True), Reference("deputies[]", "Clerk")),
    indexes=(Index((("code", 1),), unique=True),),
)  # fmt: skip
"""Records that refer to each other."""

ROOMS = ("room-a1", "room-a2", "room-b1")
"""The shelves that every tenant has."""


@dataclass
class Stock:
    """A service over a realm of its own, and the thread its event loop runs in."""

    service: Service
    realm: str
    portal: BlockingPortal
    documents: Database[Document]

    def call(self, tenant: str = "acme", user: str = "ann", realm: str | None = None) -> Call:
        """A request of somebody of this tenant; of ``system`` by an operator, who is bound to none."""
        where, role = realm or self.realm, "system" if tenant == "system" else "user"

        async def made() -> Call:
            context = DomainContext(tenant_id=tenant, default_realm=where)
            rules = await self.service.rule_book.find_rules(self.realm, context)
            principal = Principal(f"{user}@{tenant}", f"s-{user}-{tenant}", frozenset({role}), context)
            return Call(self.service, principal, where, self.realm, "request-1", rules=rules)

        return self.portal.call(made)

    def call_by(self, rules: RuleSet) -> Call:
        """The same under other rules."""
        return replace(self.call(), rules=rules)

    def run(self, work: Callable[..., Awaitable[Any]], *arguments: Any) -> Any:
        """What an asynchronous function answers."""
        return self.portal.call(work, *arguments)

    def plant(self, *documents: Document, tenant: str = "acme", collection: str = "bins") -> list[Document]:
        """Put records into the store as they are, with what every record has."""
        stored = [planted(document, tenant) for document in documents]
        if stored:
            self.documents[collection].insert_many(stored)
        return stored

    def bins(self, tenant: str = "acme") -> dict[str, Document]:
        """What is stored, by refName."""
        rows = self.documents["bins"].find({"dataDomain.tenantId": tenant})
        return {row["refName"]: row for row in rows}

    def empty(self) -> None:
        """Without bins and sessions."""
        for name in ("bins", "clerks", "importSessions", "importRows"):
            self.documents[name].delete_many({})

    def exported(self, columns: str, tenant: str = "acme", **query: str) -> bytes:
        """A file with a header."""
        said = {"requestedColumns": columns, "length": "-1", "sort": "refName", "prependHeaderRow": "true"}
        asked = ExportParameters.model_validate_strings(said | query)
        return bytes(self.run(_whole, export_csv, self.call(tenant), BIN, asked))

    def analysed(
        self, columns: str, content: bytes, tenant: str = "acme", kind: RecordType[Any] = BIN, **query: str
    ) -> Document:
        """The answer of a new session."""
        return self._sent(open_session, columns, content, tenant, kind, query)

    def imported(
        self, columns: str, content: bytes, tenant: str = "acme", kind: RecordType[Any] = BIN, **query: str
    ) -> Document:
        """The answer of a direct import."""
        return self._sent(import_csv, columns, content, tenant, kind, query)

    def _sent(
        self,
        work: Any,
        columns: str,
        content: bytes,
        tenant: str,
        kind: RecordType[Any],
        query: dict[str, str],
    ) -> Document:
        asked = ImportParameters.model_validate_strings({"requestedColumns": columns, **query})
        answer = self.run(work, self.call(tenant), kind, asked, in_pieces(content))
        body: Document = orjson.loads(answer.body)
        return body

    def rows(self, columns: str, *lines: str) -> list[InputRow]:
        """The rows of a file without a header, as they are read."""
        content = "\r\n".join(lines).encode()

        async def read() -> list[InputRow]:
            reading = Reading(parse_requested_columns(columns, BIN), guard=True)
            batches = read_input_rows(CsvFile(in_pieces(content), Dialect()), reading)
            return [row async for batch in batches for row in batch]

        found: list[InputRow] = self.run(read)
        return found


def planted(document: Document, tenant: str) -> Document:
    """A record as the service keeps it."""
    name = document.get("refName")
    return {
        "displayName": name, "dataDomain": {"tenantId": tenant, "ownerId": "bob", "dataSegment": 0},
        "activeStatus": "ACTIVE", "version": 1, "auditInfo": {"createdBy": "bob"}, **document,
    }  # fmt: skip


async def in_pieces(content: bytes, size: int = 1000) -> AsyncIterator[bytes]:
    """A file as it comes over a connection."""
    for start in range(0, len(content), size):
        yield content[start : start + size]


async def _whole(work: Callable[..., Awaitable[Stream]], *arguments: Any) -> bytes:
    stream = await work(*arguments)
    return stream.first + b"".join([piece async for piece in stream.rest])
